"""How the HMM crawlers are trained."""

from __future__ import annotations

from dataclasses import dataclass

from focused_crawler.safety.settings import check, random_seed, whole

MOST_LEVELS = 128
"""Every URL carries eight bytes a level, of the `LONGEST_PATH` that a strategy may note."""


@dataclass(frozen=True, slots=True)
class HmmSettings:
    """What Batsakis et al. 2009 leave to the user, but for the levels."""

    levels: int = whole("FOCUSED_HMM_LEVELS", 4, 2, MOST_LEVELS)
    """L0 to L3: links to a relevant page, the last one is "so many or more"."""
    clusters: int = whole("FOCUSED_HMM_CLUSTERS", 5, 1)  # K of K-means, besides C0
    random_seed: int = random_seed()

    def __post_init__(self) -> None:
        check(self)
