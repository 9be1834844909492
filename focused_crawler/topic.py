"""A topic: what its user wrote down about it, read from `topic.toml`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic folder, read and checked."""

    name: str  # [a-z0-9-]
    folder: Path
    title: str = ""
    description: str = ""
    language: str = "en"  # ISO 639-1
    keywords: tuple[str, ...] = ()
    seeds: tuple[str, ...] = ()
    seed_sets: dict[str, tuple[str, ...]] = field(default_factory=dict)
    relevant_examples: tuple[str, ...] = ()  # URLs, or paths of HTML files inside the folder
    other_examples: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()  # known relevant URLs, for target recall only
    profile: str | None = None
    strategy: str | None = None
    relevance_threshold: float | None = None  # [0, 1]; None: what training found, else the setting's
    link_threshold: float | None = None  # [0, 1]; None: the setting's
