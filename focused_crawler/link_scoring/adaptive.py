"""An order that learns while it crawls what places on pages, hosts and folders have brought (ours)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from focused_crawler.link_scoring.base import Parts
from focused_crawler.link_scoring.columns import Rows, Table
from focused_crawler.link_scoring.directory import (
    Directories,
    DirectoryPage,
    directory_page,
    is_directory,
    site_path,
)
from focused_crawler.link_scoring.evidence import BIAS, PAGE, LinkEvidence, page_log_odds
from focused_crawler.link_scoring.rescoring import FETCHED, GroupOutcome, RescoringStrategy, part_of
from focused_crawler.link_scoring.strategy import Strategy, StrategyOptions
from focused_crawler.page.model import Link, Page
from focused_crawler.page.url import url_key

if TYPE_CHECKING:
    from focused_crawler.classify.model import TopicModel

PLACE, HOST, FOLDER = 0.5, 0.1, 0.3
"""Weights of what groups of links have brought: by place on the page, by host, by folder of the target."""

FULL = 20.0
"""Pages of a group from which on it weighs no more."""

PAGES = 2.0
"""Weight of the pages that hold a link, in pages fetched through links like it."""

LINK = 4.0
"""Weight of what the link classifier expects, in the same."""

LASTING = 0.6
"""Share of what a link says that outcomes do not take the place of."""

WAYS = 3
"""Groups by place that are kept a URL."""

FIRST_WAY, NEXT_WAY = 1.2, 0.08
"""Worth of the best way on through a directory, and by how much each further one is worth less."""

LISTED = 0.5
"""Relevance that a directory counts for as a page that holds a link to another site."""

MIDDLE, STEEP = 1.0, 2.0
"""Of the curve that makes a priority in [0, 1] of a sum."""

MIDDLING, SURE = 0.2, 0.8
"""Relevances that part pages into three classes."""

_MIX, _HALF = 0x9E3779B97F4A7C15, 29

BY_PLACE = "links at the same place of pages like the one that holds it"
BY_HOST = "links of such pages, within their host or to others, as it is"
BY_FOLDER = "pages of its host and first folder"
MOST_SHOWN = 5

_NONE = np.zeros(1, np.int64)

_IS_NEWS, _MORE = 0.01, 1.25
"""A group is looked at again when its mean has moved so far, or its pages have grown so, up to `FULL`."""

_LINK = np.dtype(
    [("key", "<i8"), ("place", "<u4"), ("folder", "<u4"), ("same", "u1"), ("text", "<f4"), ("odds", "<f4")]
)
_PAGE = np.dtype([("key", "<i8"), ("p", "<f8"), ("host", "<u4"), ("folder", "<u4"), ("links", "<u4")])


class _Read(NamedTuple):
    """The features of a page."""

    key: int
    p: float
    host: int
    folder: int
    links: NDArray[Any]
    directory: DirectoryPage | None


class _Rows(NamedTuple):
    """The rows of a page's links."""

    all: Rows
    distinct: Rows
    first: NDArray[np.int_]  # where each of these comes first
    inverse: NDArray[np.int_]  # which of these each is


class _Known(NamedTuple):
    """What priorities are made of."""

    pages: NDArray[np.float64]  # relevance to expect by the pages that hold a link
    link: NDArray[np.float64]  # by the link classifier
    likeness: NDArray[np.float64]
    way: NDArray[np.float64]
    brought: list[NDArray[np.float64]]  # relevances through the groups of each kind, weighted
    weights: list[NDArray[np.float64]]  # pages, the same way


class Adaptive(RescoringStrategy):
    """A link's priority: the relevance to expect, of the pages that hold it and of what such links brought.

    Pages are counted in groups: links at a place of a host's pages of a class (`PLACE`), all links of these
    pages (`HOST`), pages in a folder (`FOLDER`). What a link itself says fades as outcomes are known.
    """

    def __init__(self, model: TopicModel, options: StrategyOptions) -> None:
        Strategy.__init__(self, model, options)
        RescoringStrategy.__init__(
            self,
            pages=np.empty(0, np.uint16),  # that hold it
            best=np.empty(0, np.float32),  # of their relevances
            total=np.empty(0, np.float32),
            text=np.empty(0, np.float32),  # how like the topic the best link is
            link=np.empty(0, np.float32),  # relevance that the link classifier expects, by the best link
            way=np.empty(0, np.float32),  # worth as a way through a directory; 0: none
            ways=np.empty((0, WAYS), np.int32),  # groups by place
            folder=np.empty(0, np.int32),  # group of the folder
        )
        self._groups = Table(
            pages=np.empty(0, np.float32),
            relevance=np.empty(0, np.float32),
            parent=np.empty(0, np.int32),  # of a place: its host's group
            known_pages=np.empty(0, np.float32),  # when it was looked at last
            known_relevance=np.empty(0, np.float32),
        )
        self._groups.rows_of(_NONE)  # row 0 is no group, and brings nothing
        self._changed: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._latest: tuple[Any, _Rows | None] = None, None
        self._evidence = LinkEvidence(model)
        self._directories = Directories()

    def features(self, page: Page, links: Sequence[Link]) -> bytes:
        own, of_link = self._evidence.of_url(page.url), self._evidence.of_link
        rows = np.empty(len(links), _LINK)
        if links:
            targets, likenesses, odds = zip(*map(of_link, links), strict=True)
            rows["key"] = [target.key for target in targets]
            rows["place"] = [link.place for link in links]
            rows["folder"] = [target.folder for target in targets]
            rows["same"] = [target.host == own.host for target in targets]
            rows["text"], rows["odds"] = likenesses, odds
        head = np.array([(own.key, page.relevance, own.host, own.folder, len(rows))], _PAGE)
        shown = self._shown(page, links).to_bytes() if _shows_sites(page) else b""
        return head.tobytes() + rows.tobytes() + shown

    def _shown(self, page: Page, links: Sequence[Link]) -> DirectoryPage:
        """Return what a page of a directory shows, with the ranks that links have among all on the page."""
        shown = directory_page(page, page.links, [self._evidence.of_link(link)[1] for link in page.links])
        ranks = {link.url: rank for link, rank in zip(page.links, shown.ranks, strict=True)}
        return shown._replace(ranks=[ranks.get(link.url, -1) for link in links])

    def learn_from(self, features: bytes) -> None:
        page = _read(features)
        row = self.seen.rows_of(np.array([page.key], np.int64))
        if self.seen["state"][row[0]] == FETCHED:
            return
        self._pages += 1
        self._count(int(row[0]), page)
        self._hold(page)
        if page.directory is not None:
            self._directories.learn(page.directory)

    def path(self, page: Page) -> bytes | None:
        """Return the site of a directory: its pages are known by it."""
        return site_path(page.url) if _shows_sites(page) else None

    def score_from(self, features: bytes) -> list[float]:
        page = _read(features)
        if not len(page.links):
            return []
        rows, distinct, _, inverse = self._rows_of(page)
        if not self.seen["pages"][distinct].all():
            self._hold(page)  # it was not learnt
        if page.directory is not None:
            ranks = np.array(page.directory.ranks, np.int32)
            worth = np.where(ranks >= 0, FIRST_WAY - NEXT_WAY * ranks, 0.0)
            worth[ranks >= self._directories.ways(page.directory)] = 0.0
            np.maximum.at(self.seen["way"], rows, worth.astype(np.float32))
        new = self._priorities(distinct)
        self._publish(distinct, new)
        scores: list[float] = new[inverse].tolist()
        return scores

    def _count(self, row: int, page: _Read) -> None:
        """Count a fetched page for all groups that it belongs to."""
        groups = self._groups
        self._take(row)
        self.seen["priority"][row] = page.p
        places = [way for way in self.seen["ways"][row].tolist() if way]
        (folder,) = groups.rows_of(_mixed(np.array([page.folder], np.uint64), _FOLDERS)).tolist()
        self.seen["folder"][row] = folder
        counted = [*places, *dict.fromkeys(groups["parent"][places].tolist() if places else ()), folder]
        groups["pages"][counted] += 1
        groups["relevance"][counted] += page.p

    def _hold(self, page: _Read) -> None:
        """Take note of the links of a page, and of what those lead to that was fetched before."""
        links, seen = page.links, self.seen
        if not len(links):
            return
        rows, distinct, first, _ = self._rows_of(page)
        is_new = seen["pages"][distinct] == 0
        places, folders = self._groups_of(page, links["folder"][first[is_new]])
        seen["folder"][distinct[is_new]] = folders
        seen["text"][distinct[is_new]] = -np.inf
        np.maximum.at(seen["text"], rows, links["text"])
        seen["pages"][distinct] = np.minimum(seen["pages"][distinct], 65_534) + 1
        p: Any = page.p
        odds = links["odds"] + (BIAS + PAGE * page_log_odds(page.p))
        if page.directory is not None:
            is_listed = links["same"] == 0
            odds = np.where(is_listed, links["odds"], odds)
            p = np.where(is_listed[first], np.maximum(page.p, LISTED), page.p)
        np.maximum.at(seen["link"], rows, (1.0 / (1.0 + np.exp(-odds))).astype(np.float32))
        seen["best"][distinct] = np.maximum(seen["best"][distinct], p)
        seen["total"][distinct] += p
        self._note_ways(rows, places)

    def _groups_of(self, page: _Read, folders: NDArray[np.uint32]) -> tuple[Rows, Rows]:
        """Return the groups of a page's links by place, and those of some folders."""
        groups, links = self._groups, page.links
        kind = 2 * int((page.p >= MIDDLING) + (page.p > SURE))
        hosts, by_place = (
            np.array([_seed(of, page.host, kind + same) for same in (0, 1)], np.uint64) for of in (2, 1)
        )
        both, which = np.unique(links["place"] | links["same"].astype(np.uint64) << 32, return_inverse=True)
        same, place = (both >> 32).astype(np.uint8), both & 0xFFFFFFFF
        found = groups.rows_of(
            np.concatenate([_mixed(hosts, _HOSTS), _mixed(place, by_place[same]), _mixed(folders, _FOLDERS)])
        )
        of_hosts, places, of_folders = np.split(found, [2, 2 + len(both)])
        groups["parent"][places] = of_hosts[same]
        return places[which], of_folders

    def _rows_of(self, page: _Read) -> _Rows:
        """Return the rows of a page's links; each once, where it comes first, and which it is of these.

        A page is learnt, and scored at once.
        """
        features, found = self._latest
        if found is None or features is not page.links.base:
            rows = self.seen.rows_of(page.links["key"])
            found = _Rows(rows, *np.unique(rows, return_index=True, return_inverse=True))
            self._latest = page.links.base, found
        return found

    def _note_ways(self, rows: Rows, places: Rows) -> None:
        """Take note of the places where links stand, as long as their URLs have room for more."""
        ways = self.seen["ways"]
        known = ways[rows]
        unknown = np.flatnonzero(~(known == places[:, None]).any(axis=1) & (known[:, -1] == 0))
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
            for at in np.flatnonzero(self.seen["state"][new] == FETCHED).tolist():
                self._count_late(before[at].tolist(), noted[int(new[at])], self.seen["priority"][new[at]])

    def _count_late(self, before: list[int], ways: list[int], relevance: np.float32) -> None:
        """Count a page for groups of links to it that are seen after it was fetched."""
        groups = self._groups
        counted = [way for way in ways if way and way not in before]
        hosts, others = (dict.fromkeys(groups["parent"][some].tolist()) for some in (counted, before))
        counted += [host for host in hosts if host not in others]
        groups["pages"][counted] += 1
        groups["relevance"][counted] += relevance

    def _begin(self) -> None:
        size, groups = len(self._groups), self._groups
        pages, relevance = groups["pages"][:size], groups["relevance"][:size]
        before, known = groups["known_pages"][:size], groups["known_relevance"][:size]
        moved = np.abs(relevance / np.maximum(pages, 1) - known / np.maximum(before, 1)) > _IS_NEWS
        grown = np.minimum(pages, FULL) > _MORE * np.minimum(before, FULL)
        changed = moved | grown
        before[changed], known[changed] = pages[changed], relevance[changed]
        self._changed = changed | changed[groups["parent"][:size]]

    def _stale(self, rows: slice) -> NDArray[np.bool_]:
        if (new := len(self._groups) - len(self._changed)) > 0:
            self._changed = np.concatenate([self._changed, np.zeros(new, np.bool_)])
        stale: NDArray[np.bool_] = self._changed[self.seen["folder"][rows]]
        for is_changed in self._changed[self.seen["ways"][rows]].T:
            stale |= is_changed
        return stale

    def _priorities(self, rows: Rows) -> NDArray[np.float64]:
        known = self._known(rows)
        weight = PAGES + LINK + sum(known.weights)
        expected = (PAGES * known.pages + LINK * known.link + sum(known.brought)) / weight
        worth = expected + known.likeness * (LASTING + (1.0 - LASTING) * (PAGES + LINK) / weight)
        worth = np.maximum(worth, known.way)
        priorities: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-STEEP * (worth - MIDDLE)))
        return priorities

    def _known(self, rows: Rows) -> _Known:
        """Return what the priorities of rows are made of, an array each."""
        seen, groups = self.seen, self._groups
        pages, relevance, parent = groups["pages"], groups["relevance"], groups["parent"]
        best, total = (seen[name][rows].astype(np.float64) for name in ("best", "total"))
        ways = seen["ways"][rows]
        hosts = parent[ways]
        for slot in range(1, WAYS):
            for other in range(slot):
                hosts[hosts[:, other] == hosts[:, slot], slot] = 0
        brought, weights = [], []
        for share, numbers in ((PLACE, ways), (HOST, hosts), (FOLDER, seen["folder"][rows][:, None])):
            fetched = pages[numbers].sum(axis=1).astype(np.float64)
            scale = share * np.minimum(1.0, FULL / np.maximum(fetched, 1.0))
            brought.append(scale * relevance[numbers].sum(axis=1))
            weights.append(scale * fetched)
        return _Known(
            pages=(best + total / np.maximum(seen["pages"][rows], 1)) / 2,
            link=seen["link"][rows].astype(np.float64),
            likeness=seen["text"][rows].astype(np.float64),
            way=seen["way"][rows].astype(np.float64),
            brought=brought,
            weights=weights,
        )

    def outcomes(self, key: int) -> list[GroupOutcome]:
        seen, groups = self.seen, self._groups
        (row,) = seen.find(np.array([key], np.int64)).tolist()
        if row < 0:
            return []
        size = len(seen)
        fetched, ways = seen["state"][:size] == FETCHED, seen["ways"][:size]
        parents, folders = groups["parent"][ways], seen["folder"][:size]
        places = [way for way in ways[row].tolist() if way]
        hosts = list(dict.fromkeys(groups["parent"][places].tolist() if places else ()))
        kinds = (
            [(BY_PLACE, group, (ways == group).any(axis=1)) for group in places],
            [(BY_HOST, group, (parents == group).any(axis=1)) for group in hosts],
            [(BY_FOLDER, group, folders == group) for group in [int(folders[row])] if group],
        )
        return [
            GroupOutcome(
                words,
                int(groups["pages"][group]),
                float(groups["relevance"][group] / max(groups["pages"][group], 1)),
                seen["key"][np.flatnonzero(fetched & belongs)[-MOST_SHOWN:]].tolist(),
            )
            for words, group, belongs in chain(*kinds)
        ]

    def parts(self, page: Page, link: Link) -> Parts:
        row = self.seen.find(np.array([url_key(link.url)], np.int64))
        known = self._known(row)
        kinds = ("by_place", "by_host", "by_folder")
        brought, weights = (
            {kind: float(value[0]) for kind, value in zip(kinds, values, strict=True)}
            for values in (known.brought, known.weights)
        )
        weights = {"pages": PAGES, "link": LINK, **weights}
        values = {
            "pages": float(known.pages[0]),
            "link": float(known.link[0]),
            "brought": sum(brought.values()),
            "weight": sum(weights.values()),
            "likeness": float(known.likeness[0]),
        }
        worth = (
            f"({PAGES:g} * pages + {LINK:g} * link + brought) / weight"
            f" + likeness * ({LASTING:g} + {(1 - LASTING) * (PAGES + LINK):g} / weight)"
        )
        fades = LASTING + (1 - LASTING) * (PAGES + LINK) / values["weight"]
        held = (PAGES * values["pages"] + LINK * values["link"] + values["brought"]) / values["weight"]
        way = float(known.way[0])
        if way > held + values["likeness"] * fades:
            values, worth = {"way_through_a_directory": way}, "way_through_a_directory"
            brought = weights = {}
        sums = {name: addends for name, addends in (("brought", brought), ("weight", weights)) if addends}
        return Parts(f"sigmoid({STEEP:g} * ({worth} - {MIDDLE:g}))", values, sums)

    def _content(self) -> dict[str, NDArray[Any]]:
        groups = {f"group_{name}": column for name, column in self._groups.content().items()}
        sites = np.frombuffer(self._directories.memory(), np.uint8)
        return {**super()._content(), **groups, "changed": self._changed, "sites": sites}

    def _load(self, arrays: dict[str, NDArray[Any]]) -> None:
        super()._load(arrays)
        self._latest = None, None
        self._groups.load(part_of(arrays, "group_"))
        self._changed = np.array(arrays["changed"], np.bool_)
        self._directories.remember(arrays["sites"].tobytes())


def _shows_sites(page: Page) -> bool:
    return page.relevance < MIDDLING and not page.is_relevant and is_directory(page)


def _read(features: bytes) -> _Read:
    head = np.frombuffer(features, _PAGE, 1)[0]
    key, p, host, folder, count = head.tolist()
    rest = features[_PAGE.itemsize + count * _LINK.itemsize :]
    links = np.frombuffer(features, _LINK, count, offset=_PAGE.itemsize)
    return _Read(key, p, host, folder, links, DirectoryPage.from_bytes(rest) if rest else None)


def _seed(kind: int, *parts: int) -> int:
    """Return a number of 64 bits for what keys of groups have in common."""
    mixed = kind
    for part in parts:
        mixed = (mixed ^ part) * _MIX % 2**64
        mixed ^= mixed >> _HALF
    return mixed


_HOSTS, _FOLDERS = np.uint64(_seed(2, 0)), np.uint64(_seed(3, 0))


def _mixed(numbers: NDArray[Any], common: Any) -> NDArray[np.int64]:
    """Return keys of groups: a hash of a number each, and of what some have in common."""
    mixed = (numbers.astype(np.uint64) ^ common) * np.uint64(_MIX)
    keys: NDArray[np.int64] = (mixed ^ (mixed >> np.uint64(_HALF))).view(np.int64)
    return keys
