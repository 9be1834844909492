from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from focused_crawler.crawl.hubs.hits import AUTHORITY_SHARE, Graph, Ratings, rate, threshold

Edge = tuple[int, int]


def graph(edges: list[Edge], sites: list[int], relevance: list[float]) -> Graph:
    source, target = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    return Graph([(source, target)], np.array(sites, dtype=np.int64), np.array(relevance, dtype=np.float64))


def ends(crawl: Graph) -> tuple[np.ndarray, np.ndarray]:
    """Return the pages that all links stand on, and those that they lead to."""
    source, target = zip(*crawl.links, strict=True)
    return np.concatenate(source), np.concatenate(target)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Small crawls: any links, also within a site, to a page itself, and second ones."""
    pages = draw(st.integers(0, 8))
    page = st.integers(0, max(pages - 1, 0))
    edges = draw(st.lists(st.tuples(page, page), max_size=30 if pages else 0))
    sites = draw(st.lists(st.integers(-3, 3), min_size=pages, max_size=pages))
    relevance = draw(st.lists(st.floats(0, 1), min_size=pages, max_size=pages))
    return graph(edges, sites, relevance)


def by_the_letter(crawl: Graph, rho: float, iterations: int = 50) -> tuple[list[float], list[float]]:
    """Rate as the paper writes it, page by page: no matrix, no sort."""
    site, relevance, pages = crawl.site.tolist(), crawl.relevance.tolist(), range(len(crawl.relevance))
    links = set(zip(*(end.tolist() for end in ends(crawl)), strict=True))
    edges = {(u, v) for u, v in links if site[u] != site[v]}
    h0 = {(u, v): sum((w, v) in edges for w in pages if site[w] == site[u]) for u, v in edges}
    a0 = {(u, v): sum((u, w) in edges for w in pages if site[w] == site[v]) for u, v in edges}
    hub, authority = [1.0 for _ in pages], [0.0 for _ in pages]
    for _ in range(iterations):
        authority = [0.0 for _ in pages]
        for u, v in edges:
            if relevance[v] > rho:
                authority[v] += relevance[u] / h0[u, v] * hub[u]
        authority = scaled(authority)
        hub = [0.0 for _ in pages]
        for u, v in edges:
            hub[u] += relevance[u] / a0[u, v] * authority[v]
        hub = scaled(hub)
    return hub, authority


def scaled(scores: list[float]) -> list[float]:
    total = sum(scores)
    return [score / total if total > 0 else 0.0 for score in scores]


def test_golden_values() -> None:
    """Two hubs and two authorities of one site, computed by hand."""
    found = rate(graph([(0, 2), (0, 3), (1, 2)], [0, 1, 2, 2], [0.9, 0.5, 0.8, 0.6]), rho=0.0)
    assert found.authority == pytest.approx([0, 0, 0.5754, 0.4246], abs=5e-5)
    assert found.hub == pytest.approx([0.6100, 0.3900, 0, 0], abs=5e-5)
    assert (found.rho, found.links) == (0.0, 3)


def test_a_site_has_one_voice() -> None:
    """Ten pages of one site that all link to a page weigh as much as one page of another."""
    crowd = [(page, 11) for page in range(10)]
    found = rate(graph([*crowd, (10, 12)], [*[0] * 10, 1, 2, 3], [1.0] * 13), rho=0.5, iterations=1)
    assert found.authority[[11, 12]] == pytest.approx([0.5, 0.5])


def test_many_links_to_one_site_are_one_vote() -> None:
    """A hub gains no more from ten pages of a site than from one."""
    edges = [*((0, page) for page in range(2, 12)), (1, 12)]
    found = rate(graph(edges, [0, 1, *[2] * 10, 3], [1.0] * 13), rho=0.5, iterations=1)
    assert found.hub[[0, 1]] == pytest.approx([0.5, 0.5])


def test_second_links_and_links_within_a_site_do_not_count() -> None:
    """They change nothing, neither the scores nor the number of links."""
    plain = graph([(0, 2), (0, 3), (1, 2)], [0, 1, 2, 2], [0.9, 0.5, 0.8, 0.6])
    noisy = graph(
        [(1, 2), (0, 3), (2, 3), (0, 2), (1, 2), (0, 0), (0, 3)], [0, 1, 2, 2], [0.9, 0.5, 0.8, 0.6]
    )
    assert_same(rate(plain, rho=0.0), rate(noisy, rho=0.0))


def test_only_relevant_pages_are_authorities() -> None:
    """A page at rho is none; a hub may be of any relevance."""
    found = rate(graph([(0, 1), (0, 2)], [0, 1, 2], [0.1, 0.5, 0.51]), rho=0.5)
    assert found.authority.tolist() == [0, 0, 1]
    assert found.hub.tolist() == [1, 0, 0]
    assert found.links == 1


@pytest.mark.parametrize(
    ("relevance", "rho"),
    [
        ([], 0.0),
        ([0.7], 0.0),
        ([0.0, 0.0], 0.0),
        ([0.9, 0.8, 0.7, 0.6], 0.8),  # one page of four
        ([0.5] * 20, 0.0),  # all are equal: all may be authorities
        ([1.0] * 10 + [0.2] * 10, 0.2),  # half of the pages are as relevant as the last of the 15 %
        ([0.9] + [0.0] * 99, 0.0),  # fewer than 15 % have any relevance
        ([place / 100 for place in range(100)], 0.84),
    ],
)
def test_threshold_keeps_the_most_relevant_pages(relevance: list[float], rho: float) -> None:
    """15 % of them; equals of the last one stay, pages of relevance 0 never do."""
    assert threshold(np.array(relevance, dtype=np.float64)) == rho


@given(arrays.arrays(np.float64, st.integers(1, 40), elements=st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0])))
def test_at_least_the_share_may_be_authorities(relevance: np.ndarray) -> None:
    """Unless fewer have any relevance; without the last and its equals it would be less than the share."""
    rho = threshold(relevance)
    kept = np.sort(relevance[relevance > rho])
    wanted = AUTHORITY_SHARE * len(relevance)
    assert len(kept) >= min(wanted, np.count_nonzero(relevance))
    assert np.count_nonzero(kept > kept.min(initial=1.0)) < wanted


@given(graphs(), st.none() | st.floats(0, 1))
def test_scores_add_up_to_one_or_there_are_none(crawl: Graph, rho: float | None) -> None:
    """Finite numbers from 0 on; both kinds of score are there, or neither."""
    found = rate(crawl, rho)
    for scores in (found.hub, found.authority):
        assert np.isfinite(scores).all()
        assert (scores >= 0).all()
        assert scores.sum() == pytest.approx(1) or not scores.any()
    assert found.hub.any() == found.authority.any()


@given(graphs(), st.none() | st.floats(0, 1))
def test_who_has_no_vote_has_no_score(crawl: Graph, rho: float | None) -> None:
    """An authority has a link from another site and is above rho; a hub has one to such a page."""
    found = rate(crawl, rho)
    votes = [
        (u, v)
        for u, v in zip(*ends(crawl), strict=True)
        if crawl.site[u] != crawl.site[v] and crawl.relevance[v] > found.rho
    ]
    assert set(np.flatnonzero(found.authority)) <= {v for _, v in votes}
    assert set(np.flatnonzero(found.hub)) <= {u for u, _ in votes}
    assert found.links == len(set(votes))


@given(graphs(), st.floats(0, 1))
def test_rates_as_the_paper_writes_it(crawl: Graph, rho: float) -> None:
    """The same scores as a plain reading of the formulas."""
    found = rate(crawl, rho)
    hub, authority = by_the_letter(crawl, rho)
    assert found.hub == pytest.approx(hub, abs=1e-9)
    assert found.authority == pytest.approx(authority, abs=1e-9)


@given(graphs(), st.randoms(use_true_random=False))
def test_order_of_links_changes_nothing(crawl: Graph, random) -> None:
    """Not a bit of a score, so that a crawl that goes by them can be repeated."""
    source, target = ends(crawl)
    links = list(range(len(source)))
    random.shuffle(links)
    shuffled = [(source[links].astype(np.int32), target[links])]
    assert_same(rate(crawl), rate(Graph(shuffled, crawl.site, crawl.relevance)))


@given(graphs(), st.integers(2, 4))
def test_parts_change_nothing(crawl: Graph, parts: int) -> None:
    """Not a bit, however the pages are dealt out."""
    source, target = ends(crawl)
    dealt = [(source[source % parts == part], target[source % parts == part]) for part in range(parts)]
    assert_same(rate(crawl), rate(Graph(dealt, crawl.site, crawl.relevance)))


@given(graphs(), st.randoms(use_true_random=False))
def test_names_of_pages_and_sites_change_nothing(crawl: Graph, random) -> None:
    """Each page keeps its scores under another number."""
    new = list(range(len(crawl.site)))
    random.shuffle(new)
    number = np.array(new, dtype=np.int64)
    sites, relevance = np.empty_like(crawl.site), np.empty_like(crawl.relevance)
    sites[number], relevance[number] = 10**12 - crawl.site, crawl.relevance
    source, target = ends(crawl)
    renamed = rate(Graph([(number[source], number[target])], sites, relevance))
    found = rate(crawl)
    assert renamed.rho == found.rho
    assert renamed.hub[number] == pytest.approx(found.hub, abs=1e-9)
    assert renamed.authority[number] == pytest.approx(found.authority, abs=1e-9)


def assert_same(one: Ratings, other: Ratings) -> None:
    assert one.hub.tolist() == other.hub.tolist()
    assert one.authority.tolist() == other.authority.tolist()
    assert (one.rho, one.links) == (other.rho, other.links)
