"""How the HMM crawlers are trained."""

from __future__ import annotations

from dataclasses import dataclass

from focused_crawler.safety.errors import ConfigError

MOST_LEVELS = 128
"""Every URL carries eight bytes a level, of the `LONGEST_PATH` that a strategy may note."""


@dataclass(frozen=True, slots=True)
class HmmSettings:
    """What Batsakis et al. 2009 leave to the user, but for the levels."""

    levels: int = 4  # L0 to L3: links to a relevant page, the last one is "so many or more"
    clusters: int = 5  # K of K-means, besides C0
    random_seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("levels", 2), ("clusters", 1), ("random_seed", 0)):
            value = getattr(self, name)
            if value < least:
                raise ConfigError(f"{name} is {value}; use a whole number from {least}")
