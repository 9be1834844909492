"""A distillation: the pages of a crawl are rated, and the ratings stored in its database."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from focused_crawler.crawl.hubs.graph import Ids, read_graph
from focused_crawler.crawl.hubs.hits import Scores, rate
from focused_crawler.store.database import CrawlDatabase

Kind = Literal["hub", "authority"]
Rating = tuple[int, float, float]
"""Position of a page, its hub and its authority score."""

_DISTILLATION = "INSERT INTO distillations (distilled_at, pages, links, rho, seconds) VALUES (?, ?, ?, ?, ?)"
_RATING = "INSERT INTO ratings (page, hub, authority) VALUES (?, ?, ?)"


@dataclass(frozen=True, slots=True, eq=False)
class Distillation:
    """The pages that are a hub or an authority, in order of recording, and what they were found among."""

    position: Ids
    hub: Scores  # add up to 1, or there is none
    authority: Scores  # the same
    pages: int  # recorded, copies counted in
    links: int  # distinct ones between sites, to a page that may be an authority
    rho: float  # relevance above which a page may be an authority
    seconds: float  # of CPU

    def best(self, kind: Kind, n: int) -> list[Rating]:
        """Return the `n` pages with most of a score, the first recorded first among equals."""
        scores = self.hub if kind == "hub" else self.authority
        order = np.argsort(-scores, kind="stable")[:n]
        return self._ratings(order[scores[order] > 0])

    def ratings(self) -> list[Rating]:
        """Return all pages, in order of recording."""
        return self._ratings(np.arange(len(self.position)))

    def _ratings(self, chosen: Ids) -> list[Rating]:
        columns = (column[chosen].tolist() for column in (self.position, self.hub, self.authority))
        return list(zip(*columns, strict=True))


def distill(database: CrawlDatabase, rho: float | None = None) -> Distillation:
    """Rate the pages of a crawl and replace the last ratings. Does not commit."""
    return keep(database, measure(database, rho))


def measure(database: CrawlDatabase, rho: float | None = None) -> Distillation:
    """Rate the pages of a crawl and write nothing. Without `rho` 15 % of them may be authorities."""
    began = time.thread_time()
    graph, position = read_graph(database)
    ratings = rate(graph, rho)
    is_rated = (ratings.hub > 0) | (ratings.authority > 0)
    (recorded,) = database.rows("SELECT count(*) FROM pages")[0]
    return Distillation(
        position[is_rated],
        ratings.hub[is_rated],
        ratings.authority[is_rated],
        recorded,
        ratings.links,
        ratings.rho,
        time.thread_time() - began,
    )


def keep(database: CrawlDatabase, found: Distillation) -> Distillation:
    """Replace the last ratings, and record the distillation. Does not commit.

    Returns it with the time of writing it down counted in.
    """
    began = time.thread_time()
    database.execute("DELETE FROM ratings")
    database.executemany(_RATING, found.ratings())
    found = replace(found, seconds=found.seconds + time.thread_time() - began)
    database.execute(_DISTILLATION, (time.time(), found.pages, found.links, found.rho, found.seconds))
    return found
