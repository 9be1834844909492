"""Groups of links that are counted together, and what the pages behind them have brought."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from focused_crawler.link_scoring.columns import Rows, Table
from focused_crawler.link_scoring.link_features import LinkFeatures
from focused_crawler.link_scoring.rescoring import part_of
from focused_crawler.link_scoring.weights import WHOLE, Weights

FULL = 20.0
"""Pages of a group from which on it weighs no more."""

MIDDLING, SURE = 0.2, 0.8
"""Relevances that part pages into three classes."""

WAYS = 3
"""Groups by place that are kept a URL."""

MOST = 2**17
"""Up to so many all are kept."""

_IS_NEWS, _MORE = 0.01, 1.25
"""A group is looked at again when its mean has moved so far, or its pages have grown so, up to `FULL`."""

_KINDS = (0, WAYS, 2 * WAYS)
"""Where the groups of each kind begin among those of a URL."""

_MIX, _HALF = 0x9E3779B97F4A7C15, 29


class GroupSums(NamedTuple):
    """What the groups of links have brought: a row a link, a column a kind, which are place, host, folder."""

    relevance: NDArray[np.float64]  # of their pages, weighted
    weights: NDArray[np.float64]  # pages, the same way


class Groups:
    """Links at a place of a host's pages of a class, all links of these pages, pages in a folder, and links
    of the same words on any host: "Privacy" leads to no better page on a site that nobody has seen.

    Of these last ones counts by how much their pages were more relevant than was expected of each, as words
    that stand on good sites alone are not what makes them good. Each group is known by a number; 0 is no
    group, and brings nothing.
    """

    def __init__(self, weights: Weights = WHOLE) -> None:
        self._shares = np.array((weights.place, weights.host, weights.folder))
        self._doubt, self._by_site = weights.doubt, weights.site
        self._table = Table(
            pages=np.empty(0, np.float32),
            relevance=np.empty(0, np.float32),
            parent=np.empty(0, np.int32),  # of a place: its host's group; of a folder: its site's, if any
            known_pages=np.empty(0, np.float32),  # when it was looked at last
            known_relevance=np.empty(0, np.float32),
        )
        self._table.rows_of(np.zeros(1, np.int64))
        self._left = 0  # the last time that some were forgotten
        self._counted: list[int] = []  # groups, since the last look
        self._changed: NDArray[np.bool_] = np.zeros(0, np.bool_)  # by the last look; empty: none has

    @property
    def are_many(self) -> bool:
        """Tell whether it is time to `keep` those that are needed: there are a quarter more than then."""
        return len(self._table) > max(MOST, self._left + self._left // 4)

    def of_folder(self, folder: int, site: int) -> int:
        """Return the group of a folder's pages, on a host."""
        found = self._table.rows_of(_mixed(np.array([folder], np.uint64), _FOLDERS))
        self._note_sites(found, np.array([site], np.uint64))
        return int(found[0])

    def of_links(self, page: LinkFeatures, some: NDArray[Any]) -> tuple[Rows, Rows, Rows]:
        """Return the groups of a page's links by place, and those of some of them by folder and words."""
        table, links = self._table, page.links
        hosts, by_place = _seeds(page.host, page.p)
        both = (links["place"] | page.is_inside.astype(np.uint64) << 32).tolist()
        numbers = {pair: number for number, pair in enumerate(dict.fromkeys(both))}
        pairs = np.array(list(numbers), np.uint64)
        same, place = (pairs >> 32).astype(np.uint8), pairs & 0xFFFFFFFF
        found = table.rows_of(
            np.concatenate(
                [
                    _mixed(hosts, _HOSTS),
                    _mixed(place, by_place[same]),
                    _mixed(some["folder"], _FOLDERS),
                    _mixed(some["wording"], _WORDINGS),
                ]
            )
        )
        first, second = 2 + len(pairs), 2 + len(pairs) + len(some)
        places, folders, wordings = found[2:first], found[first:second], found[second:]
        table["parent"][places] = found[same]
        wordings[some["wording"] == 0] = 0
        self._note_sites(folders, some["site"])
        return places[[numbers[pair] for pair in both]], folders, wordings

    def hosts_of(self, places: Sequence[int]) -> list[int]:
        """Return the groups by host of groups by place, each once."""
        return list(dict.fromkeys(self._table["parent"][list(places)].tolist())) if places else []

    def _note_sites(self, folders: Rows, sites: NDArray[Any]) -> None:
        """Take note of which site each folder is of, where that counts."""
        if self._by_site:
            found = self._table.rows_of(_mixed(sites, _SITES))
            self._table["parent"][folders] = found

    def sites_of(self, folder: int) -> list[int]:
        """Return the group of a folder's site, if it has one."""
        site = int(self._table["parent"][folder])
        return [site] if site else []

    def freshness(self, folders: Rows) -> NDArray[np.float64]:
        """Return what a further page of each folder's site is worth: 1 if it gave none yet, else less."""
        if not self._by_site:
            return np.ones(1)
        return self._fresh(self._table["relevance"][self._table["parent"][folders]])

    def _fresh(self, relevant: NDArray[Any]) -> NDArray[np.float64]:
        fresh: NDArray[np.float64] = 1.0 / (
            1.0 + self._by_site * np.maximum(relevant, 0.0).astype(np.float64)
        )
        return fresh

    def find(self, host: int, relevance: float, same: int, place: int) -> tuple[int, int]:
        """Return the groups of links on a host's pages of a class: by host and by place; -1: unknown."""
        hosts, by_place = _seeds(host, relevance)
        keys = [_mixed(hosts[[same]], _HOSTS), _mixed(np.array([place], np.uint64), by_place[same])]
        by_host, at_place = self._table.find(np.concatenate(keys)).tolist()
        return by_host, at_place

    def find_wording(self, wording: int) -> int:
        """Return the group of links of the same words; -1: unknown."""
        return int(self._table.find(_mixed(np.array([wording], np.uint64), _WORDINGS))[0])

    def count(self, groups: list[int], relevance: float) -> None:
        """Count a fetched page for groups; for those of words, what is more than was expected of it."""
        self._table["pages"][groups] += 1
        self._table["relevance"][groups] += relevance
        self._counted += groups

    def count_late(self, before: list[int], ways: list[int], relevance: float) -> None:
        """Count a page for groups of links to it that are seen after it was fetched."""
        counted = [way for way in ways if way and way not in before]
        others = self.hosts_of(before)
        self.count([*counted, *(host for host in self.hosts_of(counted) if host not in others)], relevance)

    def look(self) -> bool:
        """Find out which groups have changed since the last time; tell whether any has."""
        table, counted = self._table, np.array(list(dict.fromkeys(self._counted)), np.int32)
        pages, relevance = table["pages"][counted], table["relevance"][counted]
        before, known = table["known_pages"][counted], table["known_relevance"][counted]
        moved = np.abs(relevance / np.maximum(pages, 1) - known / np.maximum(before, 1)) > _IS_NEWS
        grown = np.minimum(pages, FULL) > _MORE * np.minimum(before, FULL)
        worn = np.abs(self._fresh(relevance) - self._fresh(known)) > _IS_NEWS
        changed = counted[moved | grown | worn]
        table["known_pages"][changed], table["known_relevance"][changed] = (
            table["pages"][changed],
            table["relevance"][changed],
        )
        self._counted = []
        self._changed = np.zeros(len(table) if len(changed) else 0, np.bool_)
        self._changed[changed] = True
        self._changed |= self._changed.take(table["parent"][: len(self._changed)], mode="clip")
        return len(changed) > 0

    def have_changed(self, ways: Rows, folders: Rows, wordings: Rows) -> NDArray[np.bool_]:
        """Tell which URLs belong to a group that had changed at the last look; `ways`: URLs x `WAYS`."""
        if not len(self._changed):
            return np.zeros(len(folders), np.bool_)
        if (new := len(self._table) - len(self._changed)) > 0:
            self._changed = np.concatenate([self._changed, np.zeros(new, np.bool_)])
        stale: NDArray[np.bool_] = self._changed.take(folders, mode="clip")  # which looks up the fastest
        stale |= self._changed.take(wordings, mode="clip")
        for is_changed in self._changed.take(ways.ravel(), mode="clip").reshape(ways.shape).T:
            stale |= is_changed
        return stale

    def keep(self, ways: Rows, folders: Rows, wordings: Rows) -> tuple[Rows, Rows, Rows]:
        """Forget groups that none of these URLs belongs to; return theirs, numbered anew.

        Of such as have brought pages the latest are kept, as many as there are URLs.
        """
        size, table = len(self._table), self._table
        kept = table["pages"][:size] > 0
        kept[np.flatnonzero(kept)[: -len(folders)]] = False
        kept[0] = True
        for numbers in (ways.ravel(), folders, wordings):
            kept[numbers] = True
        kept[table["parent"][:size][kept]] = True
        self._changed = self._changed[kept[: len(self._changed)]]
        new = table.keep(kept)
        self._counted = [int(new[group]) for group in self._counted if kept[group]]
        parent = table["parent"][: len(table)]
        parent[:] = new[parent]
        self._left = len(table)
        return new[ways], new[folders], new[wordings]

    def brought(self, ways: Rows, folders: Rows) -> GroupSums:
        """Return what the groups of URLs have brought; a host counts once for a URL."""
        table = self._table
        groups = np.concatenate([ways, table["parent"][ways], folders[:, None]], axis=1)
        hosts = groups[:, WAYS:-1]
        for slot in range(1, WAYS):
            for other in range(slot):
                hosts[hosts[:, other] == hosts[:, slot], slot] = 0
        pages = np.add.reduceat(table["pages"][groups], _KINDS, axis=1).astype(np.float64)
        relevance = np.add.reduceat(table["relevance"][groups], _KINDS, axis=1)
        scale = self._shares * np.minimum(1.0, FULL / np.maximum(pages, 1.0))
        return GroupSums(scale * relevance, scale * pages)

    def more(self, wordings: Rows) -> NDArray[np.float64]:
        """Return how much more relevant than expected pages are behind links of the same words."""
        pages, relevance = self._table["pages"][wordings], self._table["relevance"][wordings]
        more: NDArray[np.float64] = relevance / (pages + self._doubt)
        return more

    def outcome(self, group: int) -> tuple[int, float]:
        """Return how many pages a group has brought, and their mean relevance."""
        pages, relevance = self._table["pages"][group], self._table["relevance"][group]
        return int(pages), float(relevance / max(pages, 1))

    def first_of_host(self, ways: Rows, host: int) -> NDArray[np.bool_]:
        """Tell by which of its ways each URL joined a group by host: it counts once for it."""
        belongs = self._table["parent"][ways] == host
        first: NDArray[np.bool_] = belongs & (belongs.cumsum(axis=1) == 1)
        return first

    def content(self) -> dict[str, NDArray[Any]]:
        """Return all that there is, an array a name; `load` takes it back."""
        groups = {f"group_{name}": column for name, column in self._table.content().items()}
        counted = np.array([self._left, *self._counted], np.int32)
        return {**groups, "counted": counted, "changed": self._changed}

    def load(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Become what `content` said."""
        self._table.load(part_of(arrays, "group_"))
        self._left, *self._counted = np.array(arrays["counted"], np.int32).tolist()
        self._changed = np.array(arrays["changed"], np.bool_)


def _seed(kind: int, *parts: int) -> int:
    """Return a number of 64 bits for what keys of groups have in common."""
    mixed = kind
    for part in parts:
        mixed = (mixed ^ part) * _MIX % 2**64
        mixed ^= mixed >> _HALF
    return mixed


def _seeds(host: int, relevance: float) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return what keys of groups on a host's pages share, by host and place: to other hosts, within it."""
    kind = 2 * int((relevance >= MIDDLING) + (relevance > SURE))
    hosts = [_seed(2, host, kind), _seed(2, host, kind + 1)]
    by_place = [_seed(1, host, kind), _seed(1, host, kind + 1)]
    return np.array(hosts, np.uint64), np.array(by_place, np.uint64)


_HOSTS, _FOLDERS, _WORDINGS, _SITES = (np.uint64(_seed(kind, 0)) for kind in (2, 3, 4, 5))


def _mixed(numbers: NDArray[Any], common: Any) -> NDArray[np.int64]:
    """Return keys of groups: a hash of a number each, and of what some have in common."""
    mixed = (numbers.astype(np.uint64) ^ common) * np.uint64(_MIX)
    keys: NDArray[np.int64] = (mixed ^ (mixed >> np.uint64(_HALF))).view(np.int64)
    return keys
