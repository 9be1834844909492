"""A view of a crawl's pages, as options of a command or an address in the workbench ask for it."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Self

from focused_crawler.page.url import host_of
from focused_crawler.safety.errors import ConfigError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.page_table import ORDERS, PageFilter, PageTable, RankedTable
from focused_crawler.topic.file import shown
from focused_crawler.topic.label import ANSWERS
from focused_crawler.topic.labels import Labels

MOST_FOUND = 1_000
"""Pages that a search finds at most, the best."""

BEST = "best"
"""The order of a search, by how well its words fit."""
ANY, NO_LABEL = "any", "none"

_CHOICES: Mapping[str, Collection[str]] = {
    "relevant": ("yes", "no"),
    "label": (*ANSWERS, ANY, NO_LABEL),
    "order": (*ORDERS, BEST),
}
_DEEPEST = 10**6


@dataclass(frozen=True, slots=True, kw_only=True)
class PageView:
    """Which pages are shown, in which order; what is empty or None asks for nothing."""

    words: str = ""  # that pages are searched for
    relevant: str = ""  # yes or no, by the crawl's judge
    label: str = ""  # what people say of it: an answer, any, or none
    host: str = ""  # and those below it
    depth: int | None = None
    low: float | None = None  # least relevance
    high: float | None = None  # greatest
    order: str = ""  # empty: the best first of a search, else the newest

    @classmethod
    def read(cls, given: Mapping[str, str]) -> Self:
        """Return the view that texts ask for, by the names of the fields; ConfigError for what is none."""
        values = {one.name: given.get(one.name, "").strip() for one in fields(cls)}
        for name, known in _CHOICES.items():
            if values[name] and values[name] not in known:
                raise ConfigError(f"{name} is {shown(values[name])}; use one of {', '.join(known)}")
        if values["order"] == BEST and not values["words"]:
            raise ConfigError(f"order is {BEST!r}, and no words are given; give some, or another order")
        texts = {name: values[name] for name in ("words", *_CHOICES)}
        return cls(
            **texts,
            host=_host(values["host"]),
            depth=_depth(values["depth"]),
            low=_relevance("low", values["low"]),
            high=_relevance("high", values["high"]),
        )

    @property
    def given(self) -> dict[str, str]:
        """Return what `read` makes the view of: the fields that ask for something."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: str(value) for name, value in values.items() if value not in ("", None)}

    @property
    def ordered_by(self) -> str:
        """Return the name of its order."""
        return self.order or (BEST if self.words else "newest")

    def table(
        self, database: CrawlDatabase, labels: Labels, found: Sequence[int] | None = None
    ) -> PageTable | RankedTable:
        """Return the pages; `found`: positions of those that have its words, the best first."""
        chosen = self.pages(labels, found)
        if found is not None and self.ordered_by == BEST:
            return RankedTable(database, chosen, found)
        return PageTable(database, chosen, self.ordered_by)

    def pages(self, labels: Labels, found: Sequence[int] | None = None) -> PageFilter:
        """Return which pages it shows; `labels`: as the crawl knows their pages, `found`: as for `table`."""
        verdicts = labels.by_key if self.label else {}
        among: Collection[int] | None = None
        if self.label == ANY:
            among = verdicts
        elif self.label in ANSWERS:
            among = [key for key, said in verdicts.items() if said.answer is ANSWERS[self.label]]
        return PageFilter(
            is_relevant=None if not self.relevant else self.relevant == "yes",
            host=self.host,
            depth=self.depth,
            low=self.low,
            high=self.high,
            among=among,
            not_among=verdicts if self.label == NO_LABEL else (),
            positions=found,
        )


FIELDS = tuple(one.name for one in fields(PageView) if one.name != "order")
"""What pages may be chosen by."""


def _host(typed: str) -> str:
    """Return the host that somebody typed, or copied with its URL."""
    return host_of(typed) if "://" in typed else typed.lower().rstrip("./")


def _depth(typed: str) -> int | None:
    if not typed:
        return None
    is_number = typed.isascii() and typed.isdecimal() and len(typed) <= len(str(_DEEPEST))
    if not is_number or int(typed) > _DEEPEST:
        raise ConfigError(f"depth is {shown(typed)}; use the number of links from a start page, from 0 on")
    return int(typed)


def _relevance(name: str, typed: str) -> float | None:
    if not typed:
        return None
    try:
        value = float(typed)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise ConfigError(f"{name} is {shown(typed)}; use a relevance from 0 to 1, as in {name}=0.5")
    return value
