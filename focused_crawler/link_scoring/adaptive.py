"""An order that learns while it crawls what places on pages, hosts and folders have brought (ours)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from focused_crawler.link_scoring.base import Parts
from focused_crawler.link_scoring.columns import Rows
from focused_crawler.link_scoring.directory import (
    Directories,
    DirectoryPage,
    directory_page,
    is_directory,
    site_path,
)
from focused_crawler.link_scoring.evidence import BIAS, PAGE, LinkEvidence, OfLink, page_log_odds
from focused_crawler.link_scoring.group_names import folder_name, names_of
from focused_crawler.link_scoring.groups import WAYS, Groups
from focused_crawler.link_scoring.link_features import LinkFeatures
from focused_crawler.link_scoring.rescoring import FETCHED, GroupOutcome, Holder, RescoringStrategy
from focused_crawler.link_scoring.strategy import Strategy, StrategyOptions
from focused_crawler.link_scoring.weights import WHOLE, Weights
from focused_crawler.link_scoring.worth import Worth
from focused_crawler.page.model import Link, Page
from focused_crawler.page.url import url_key
from focused_crawler.safety.settings import number

if TYPE_CHECKING:
    from focused_crawler.classify.model import TopicModel

FIRST_WAY, NEXT_WAY = 1.2, 0.08
"""Worth of the best way on through a directory, and by how much each further one is worth less."""

LISTED = 0.5
"""Relevance that a directory counts for as a page that holds a link to another site."""

BY_PLACE = "links at the same place of pages like one that holds it"
BY_HOST = "links of such pages, within their host or to others, as it is"
BY_FOLDER = "pages of its host and first folder"
BY_WORDING = "links of the same words, on any host"
MOST_SHOWN = 5

_BY_WAYS = 2 ** np.arange(WAYS, dtype=np.uint8)
_IN_FOLDER, _BY_WORDING = 2**WAYS, 2 ** (WAYS + 1)
"""In which of a URL's groups its page was counted: links found later make it belong to more."""


@dataclass(frozen=True, slots=True)
class AdaptiveOptions(StrategyOptions):
    site_discount: float = number("FOCUSED_SITE_DISCOUNT", 0.0)  # see `Weights.site`


class _Rows(NamedTuple):
    """The rows of a page's links."""

    all: Rows
    distinct: Rows
    first: NDArray[np.int_]  # where each of these comes first
    inverse: NDArray[np.int_]  # which of these each is


class Adaptive(RescoringStrategy):
    """A link's priority: the relevance to expect, of the pages that hold it and of what such links brought.

    Pages are counted in groups: links at a place of a host's pages of a class (`PLACE`), all links of these
    pages (`HOST`), pages in a folder (`FOLDER`). What links of the same words have brought on any host counts
    by how far it was from what was expected. What a link itself says fades as outcomes are known.
    """

    options_class = AdaptiveOptions

    def __init__(self, model: TopicModel, options: AdaptiveOptions, weights: Weights = WHOLE) -> None:
        Strategy.__init__(self, model, options)
        RescoringStrategy.__init__(
            self,
            pages=np.empty(0, np.uint16),  # that hold it
            best=np.empty(0, np.float16),  # of their relevances
            total=np.empty(0, np.float32),
            text=np.empty(0, np.float16),  # how like the topic the best link is
            link=np.empty(0, np.float32),  # relevance that the link classifier expects, by the best link
            way=np.empty(0, np.float16),  # worth as a way through a directory; 0: none
            ways=np.empty((0, WAYS), np.int32),  # groups by place
            folder=np.empty(0, np.int32),  # group of the folder
            wording=np.empty(0, np.int32),  # group of the first link's words
            expected=np.empty(0, np.float16),  # relevance, when it was scored last
            counted=np.empty(0, np.uint8),  # in which of its groups its page was; see `_BY_WAYS`
        )
        weights = weights._replace(site=options.site_discount)
        self._weights, self._pause = weights, weights.pause
        self._groups = Groups(weights)
        self._latest: tuple[Any, _Rows | None] = None, None
        self._evidence = LinkEvidence(model, weights)
        self._directories = Directories()

    def features(self, page: Page, links: Sequence[Link]) -> bytes:
        found = self._evidence.of_links(links)
        shown = self._shown(page, links, found) if self._shows_sites(page) else None
        return LinkFeatures.of(self._evidence.of_url(page.url), page, links, found, shown).to_bytes()

    def read(self, links: Sequence[Link]) -> None:
        self._evidence.of_links(links)

    def _shows_sites(self, page: Page) -> bool:
        is_poor = page.relevance < self._weights.directory
        return is_poor and not page.is_relevant and is_directory(page)

    def _shown(self, page: Page, links: Sequence[Link], found: Sequence[OfLink]) -> DirectoryPage:
        """Return what a page of a directory shows, with the ranks that links have among all on the page."""
        is_all = links is page.links  # the scope leaves none out
        of_all = found if is_all else self._evidence.of_links(page.links)
        shown = directory_page(page, page.links, [likeness for _, likeness, _, _ in of_all])
        if is_all:
            return shown
        ranks = {link.url: rank for link, rank in zip(page.links, shown.ranks, strict=True)}
        return shown._replace(ranks=[ranks.get(link.url, -1) for link in links])

    def learn_from(self, features: bytes) -> None:
        page = LinkFeatures.from_bytes(features)
        own, way = self.seen.rows_of(np.array([page.key, page.way], np.int64)).tolist()
        if self.seen["state"][own] == FETCHED:
            return
        self._pages += 1
        self._count(way, own, page)
        if own != way:  # it is what later links to it bring
            self._end(np.array([own]))
            self.seen["deserved"][own] = self.seen["priority"][own] = page.p
        self._hold(page)
        if page.directory is not None:
            self._directories.learn(page.directory)

    def path(self, page: Page) -> bytes | None:
        """Return the site of a directory: its pages are known by it."""
        return site_path(page.url) if self._shows_sites(page) else None

    def score_from(self, features: bytes) -> list[float]:
        page = LinkFeatures.from_bytes(features)
        if not len(page.links):
            return []
        rows, distinct, _, inverse = self._rows_of(page)
        if not self.seen["pages"][distinct].all():
            self._hold(page)  # it was not learnt
        if page.directory is not None:
            ranks = np.array(page.directory.ranks, np.int32)
            worth = np.where(ranks >= 0, FIRST_WAY - NEXT_WAY * ranks, 0.0)
            worth[ranks >= self._directories.ways(page.directory)] = 0.0
            np.maximum.at(self.seen["way"], rows, worth.astype(np.float16))
        new = self._priorities(distinct)
        self._publish(distinct, new)
        scores: list[float] = new[inverse].tolist()
        return scores

    def _count(self, row: int, own: int, page: LinkFeatures) -> None:
        """Count a fetched page for all groups that it belongs to; `own`: the row that redirects led to."""
        if wording := int(self.seen["wording"][row]):
            self._groups.count([wording], page.p - float(self.seen["expected"][row]))
        self._take(row)
        self.seen["deserved"][row] = self.seen["priority"][row] = page.p
        places = [way for way in self.seen["ways"][row].tolist() if way]
        folders, counted = self.seen["folder"], self.seen["counted"]
        folder = folders[row] = self._groups.of_folder(page.folder, page.host)
        folders[own] = folders[own] or folder  # another if links write it with a slash at its end, or without
        groups = self._groups
        groups.count([*places, *groups.hosts_of(places), folder, *groups.sites_of(folder)], page.p)
        counted[row] = 2 ** len(places) - 1 + (_BY_WORDING if wording else 0)
        counted[own] |= _IN_FOLDER * (folders[own] == folder)

    def _hold(self, page: LinkFeatures) -> None:
        """Take note of the links of a page, and of what those lead to that was fetched before."""
        links, seen = page.links, self.seen
        if not len(links):
            return
        rows, distinct, first, _ = self._rows_of(page)
        is_new = seen["pages"][distinct] == 0
        places, folders, wordings = self._groups.of_links(page, links[first[is_new]])
        new = distinct[is_new]
        seen["counted"][new] *= seen["folder"][new] == folders  # of a page that no link had led to
        seen["folder"][new], seen["wording"][new] = folders, wordings
        seen["text"][new] = -np.inf
        np.maximum.at(seen["text"], rows, links["text"])
        seen["pages"][distinct] = np.minimum(seen["pages"][distinct], 65_534) + 1
        p: Any = page.p
        odds = links["odds"] + (BIAS + PAGE * page_log_odds(page.p))
        if page.directory is not None:
            is_listed = ~page.is_inside
            odds = np.where(is_listed, links["odds"], odds)
            p = np.where(is_listed[first], np.maximum(page.p, LISTED), page.p)
        np.maximum.at(seen["link"], rows, (1.0 / (1.0 + np.exp(-odds))).astype(np.float32))
        seen["best"][distinct] = np.maximum(seen["best"][distinct], p)
        seen["total"][distinct] += p
        self._note_ways(rows, np.where(links["key"] == page.key, 0, places))  # one to itself says nothing

    def _rows_of(self, page: LinkFeatures) -> _Rows:
        """Return the rows of a page's links; each once, where it comes first, and which it is of these.

        A page is learnt, and scored at once.
        """
        features, found = self._latest
        if found is None or features is not page.links.base:
            rows, first = self.seen.rows_of(page.links["key"]), dict[int, int]()
            every = rows.tolist()
            for at, row in enumerate(every):
                first.setdefault(row, at)
            numbers = {row: number for number, row in enumerate(first)}
            inverse = np.array([numbers[row] for row in every])
            found = _Rows(rows, np.array(list(first), np.int32), np.array(list(first.values())), inverse)
            self._latest = page.links.base, found
        return found

    def _note_ways(self, rows: Rows, places: Rows) -> None:
        """Take note of the places where links stand, as long as their URLs have room for more."""
        seen, ways = self.seen, self.seen["ways"]
        has_none = (ways[rows, 0] == 0) & (places > 0) & (seen["state"][rows] != FETCHED)
        fresh = has_none.nonzero()[0][::-1]  # what is written last stays: the first
        ways[rows[fresh], 0] = places[fresh]
        known = ways[rows]
        is_new = ~(known == places[:, None]).any(axis=1) & (known[:, -1] == 0)
        unknown = (is_new & (places > 0)).nonzero()[0]
        noted: dict[int, list[int]] = {}
        for row, place, known_ways in zip(
            rows[unknown].tolist(), places[unknown].tolist(), known[unknown].tolist(), strict=True
        ):
            own = noted.setdefault(row, known_ways)
            if not own[-1] and place not in own:
                own[own.index(0)] = place
        if noted:
            new = np.fromiter(noted, np.int32, len(noted))
            before = ways[new]
            ways[new] = list(noted.values())
            for at in (seen["state"][new] == FETCHED).nonzero()[0].tolist():
                self._groups.count_late(before[at].tolist(), noted[int(new[at])], seen["priority"][new[at]])
                seen["counted"][new[at]] |= _BY_WAYS[ways[new[at]] != before[at]].sum()

    def _begin(self) -> bool:
        if self._has_too_many:
            self._forget()
            self._latest = None, None
        elif self._groups.are_many:
            columns = [self.seen[name][: len(self.seen)] for name in ("ways", "folder", "wording")]
            for column, new in zip(columns, self._groups.keep(*columns), strict=True):
                column[:] = new
        return self._groups.look()

    def _stale(self, rows: slice) -> NDArray[np.bool_]:
        seen = self.seen
        return self._groups.have_changed(seen["ways"][rows], seen["folder"][rows], seen["wording"][rows])

    def _priorities(self, rows: Rows) -> NDArray[np.float64]:
        known = self._known(rows)
        expected = self.seen["expected"][rows] = known.expected
        return known.priorities(expected)

    def _known(self, rows: Rows) -> Worth:
        """Return what the priorities of rows are made of."""
        seen = self.seen
        brought = self._groups.brought(seen["ways"][rows], seen["folder"][rows])
        best, total = (seen[name][rows].astype(np.float64) for name in ("best", "total"))
        return Worth(
            weights=self._weights,
            pages=(best + total / np.maximum(seen["pages"][rows], 1)) / 2,
            link=seen["link"][rows].astype(np.float64),
            likeness=seen["text"][rows].astype(np.float64),
            way=seen["way"][rows].astype(np.float64),
            brought=brought,
            weight=self._weights.pages + self._weights.link + brought.weights.sum(axis=1),
            wording=self._groups.more(seen["wording"][rows]),
            fresh=self._groups.freshness(seen["folder"][rows]),
        )

    def outcomes(self, url: str, holders: Sequence[Holder] = ()) -> list[GroupOutcome]:
        seen, groups = self.seen, self._groups
        (row,) = seen.find(np.array([url_key(url)], np.int64)).tolist()
        if row < 0:
            return []
        size = len(seen)
        counted, ways = seen["counted"][:size], seen["ways"][:size]
        by_ways = (counted[:, None] & _BY_WAYS) > 0
        folder, wording = int(seen["folder"][row]), int(seen["wording"][row])
        places = [way for way in ways[row].tolist() if way]
        kinds = (
            [(BY_PLACE, group, ((ways == group) & by_ways).any(axis=1)) for group in places],
            [
                (BY_HOST, group, (groups.first_of_host(ways, group) & by_ways).any(axis=1))
                for group in groups.hosts_of(places)
            ],
            [(BY_FOLDER, folder, (seen["folder"][:size] == folder) & (counted & _IN_FOLDER > 0))],
            [(BY_WORDING, wording, (seen["wording"][:size] == wording) & (counted & _BY_WORDING > 0))],
        )
        names = {**names_of(groups, self._evidence, url, holders), folder: folder_name(url)}
        (is_way,) = self._known(np.array([row])).are_ways
        return [
            self._outcome(kind, group, pages, is_way=is_way)._replace(name=names.get(group, ""))
            for kind, group, pages in chain(*kinds)
            if group
        ]

    def _outcome(self, kind: str, group: int, pages: NDArray[np.bool_], *, is_way: bool) -> GroupOutcome:
        """Return what a group has brought, by its pages if the group itself counts something else."""
        count, mean = self._groups.outcome(group)
        rows = np.flatnonzero(pages)
        keys = self.seen["key"][rows[-MOST_SHOWN:]].tolist()
        if kind != BY_WORDING:
            return GroupOutcome(kind, count, mean, keys)
        mean = float(self.seen["priority"][rows].mean()) if len(rows) else 0.0
        more = None if is_way else float(self._groups.more(np.array([group], np.int32))[0])
        return GroupOutcome(kind, count, mean, keys, more=more)

    def parts_of(self, key: int) -> Parts:
        row = self.seen.find(np.array([key], np.int64))
        return self._known(row).parts()

    def _content(self) -> dict[str, NDArray[Any]]:
        sites = np.frombuffer(self._directories.memory(), np.uint8)
        return {**super()._content(), **self._groups.content(), "sites": sites}

    def _load(self, arrays: dict[str, NDArray[Any]]) -> None:
        if "seen_counted" not in arrays:  # of an earlier version
            arrays["seen_counted"] = (arrays["seen_state"] == FETCHED) * np.uint8(2 * _BY_WORDING - 1)
        super()._load(arrays)
        self._latest = None, None
        self._groups.load(arrays)
        self._directories.remember(arrays["sites"].tobytes())
