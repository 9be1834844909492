"""The study beside Chakrabarti et al. counts what crawls share, and how far pages are, as by hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.harness import Report, results_of
from benchmarks.studies.chakrabarti import crawl_topic, measure, starts_of
from benchmarks.studies.chakrabarti_plots import draw, histogram
from benchmarks.studies.chakrabarti_rows import measured
from benchmarks.studies.crawls import Crawl, Start, bench_of, taught, unsteered
from benchmarks.studies.shared_pages import (
    D,
    E,
    Ground,
    Overlap,
    apart,
    chance_of_hosts,
    halves,
    links_within,
    ranking,
    rated,
    spread,
    steps,
    studies,
    top_chance,
    top_overlap,
)
from focused_crawler.experiment.grid import find_subjects
from focused_crawler.virtualweb.graph import LinkGraph
from tests.experiment.hives import pages_about, url, write_hives

TABLES = ["harvest", "spreads", "overlaps", "controls", "hosts", "tops", "far"]
TABLES += ["strategies", "seed_sets", "dry"]
VISITS = st.lists(st.integers(0, 30), max_size=40).map(lambda items: np.array(items, dtype=np.int64))
SETS = {"a": ("http://x/", "http://y/"), "d": ("http://x/", "http://z/"), "e": ("http://x/", "http://w/")}


def crawl_of(visits, relevance=None, hits=None, strategy="soft_focus", start=D, seeds=(0,)):
    """A crawl of these pages."""
    return Crawl(
        "bees",
        strategy,
        start,
        np.array(seeds),
        np.array(visits),
        np.array([1.0] * len(visits) if relevance is None else relevance),
        np.array([True] * len(visits) if hits is None else hits),
        targets=2,
        is_dry=False,
    )


@given(VISITS, VISITS)
def test_overlap_is_that_of_sets(first, second):
    """At every time the shares are those of the sets of what both crawls met until then."""
    overlap = Overlap.of(first, second)
    assert len(overlap.shared) == min(len(first), len(second))
    for t in range(1, len(overlap.shared) + 1):
        mine, yours = set(first[:t].tolist()), set(second[:t].tolist())
        assert overlap.of_first[t - 1] == len(mine & yours) / len(mine)
        assert overlap.of_second[t - 1] == len(mine & yours) / len(yours)


def test_chance_is_the_mean_over_all_random_sets():
    """Every set of t pages of four on two hosts, held against every other."""
    hosts = np.array([0, 0, 0, 1])
    for t in (1, 2, 3, 4):
        sets = list(combinations(range(4), t))
        pairs = [(set(first), set(second)) for first in sets for second in sets]
        met = [({hosts[page] for page in first}, {hosts[page] for page in second}) for first, second in pairs]
        share = np.mean([len(first & second) for first, second in met]) / np.mean(
            [len(one) for one, _ in met]
        )
        assert chance_of_hosts(np.array([3, 1]), 4)[t - 1] == pytest.approx(share)


def test_start_sets():
    """Random halves are disjoint and fixed; what all sets share can be left out."""
    starts = starts_of(SETS)
    assert starts[apart(D).seeds] == ("http://z/",)
    assert starts[apart(E).seeds] == ("http://w/",)
    assert starts == starts_of(SETS)
    for first, second in halves():
        assert first.ties != second.ties
        assert len(starts[first.seeds]) == len(starts[second.seeds]) == 1
        assert not set(starts[first.seeds]) & set(starts[second.seeds])


def test_distances_go_through_the_crawl():
    """Page 3 is one link away past the crawl, and three within it; page 5 was not fetched."""
    graph = LinkGraph.of([[1, 4], [2], [3], [], [3], []])
    far = steps(graph, np.array([0, 5]), np.array([0, 1, 2, 3]))
    assert far.tolist() == [0, 1, 2, 3, -1, -1]
    assert histogram([far[[3, 1, 5]], np.array([3, 30])])[[1, 3, 8]].tolist() == [0.5, 1.0, 0.5]


def test_the_best_are_as_far_as_the_crawl_went():
    """Page 3, the best, is two links away by page 1; page 4, which links to it too, was never fetched."""
    graph = LinkGraph.of([[1, 4], [2, 3], [3], [], [3]])
    (study,) = studies([crawl_of([0, 1, 2, 3])], Ground(graph, np.arange(5)))
    assert study.distances("soft_focus", [D, E], 4)[0][0] == 2


def test_rated_pages_and_hosts():
    """Only links from host to host make a rating, unless those inside are asked for too."""
    graph = LinkGraph.of([[1, 2], [2], [], [2]])
    hosts = np.array([0, 0, 1, 1])
    crawl = crawl_of([3, 1, 0, 2])
    assert [link.tolist() for link in links_within(graph, crawl.visits)] == [[0, 1, 2, 2], [3, 3, 1, 3]]
    best = rated(crawl, graph, hosts)
    assert (best.pages.tolist(), best.hosts.tolist(), best.links) == ([2], [1], 2)
    assert rated(crawl, graph, hosts, inside=True).pages.tolist() == [2, 1]


def test_tops():
    """Equal scores are in the order of pages; chance is that of ratings in random order."""
    assert ranking(np.array([0.0, 0.2, 0.5, 0.2])).tolist() == [2, 1, 3]
    first, second = np.array([4, 5, 6]), np.array([5, 4])
    assert top_overlap(first, second, 25).tolist() == [0.0, 1.0]
    assert top_chance(first, second, 25).tolist() == pytest.approx([1 / 3, 2 / 3])
    assert top_overlap(first, np.array([], dtype=int), 25).size == 0


def test_spread():
    """The last bin is for what cannot be told from certainty; pages past |T| do not count."""
    first = replace(crawl_of(range(5), relevance=[0.0, 0.95, 1.0, 1.0 - 1e-12, 0.0]), targets=4)
    assert spread([first]).tolist() == [0.25, 0.0, 0.0, 0.25, 0.25, 0.25]


def test_a_study_compares_crawls_of_a_topic():
    """Hits are compared among themselves; seed sets made for the benchmark are no seed sets of the topic."""
    graph = LinkGraph.of([[1], [2], [], []])
    first = crawl_of([0, 1, 2], hits=[False, True, True])
    second = crawl_of([3, 1, 0], hits=[True, True, False], start=E)
    others = [crawl_of([0], start=start) for start in (Start("d", 1), apart(D), Start("half 0a"))]
    (study,) = studies([first, second, *others], Ground(graph, np.arange(4)))
    assert study.pages("soft_focus").tolist() == [0.0, 0.5, 2 / 3]
    assert study.hits("soft_focus", 3) == 0.5
    assert study.chance_within("soft_focus").tolist() == pytest.approx([0.0, 1 * 2 / 2 / 2, 2 * 2 / 2 / 3])
    assert study.of("soft_focus") == [first]
    assert study.reachable.tolist() == [0, 1, 2]


def test_all_crawls_of_a_small_web(tmp_path):
    """All that is compared is crawled, measured, and drawn."""
    subject = find_subjects([write_hives(tmp_path)], "bees", None)[0]
    mine = [url(number) for number in pages_about("bees")]
    sets = {"c": (url(2), url(3)), "d": (url(2), *mine[:3]), "e": (url(2), *mine[3:6])}
    subject = replace(subject, seed_sets=sets)
    bench = taught(unsteered(bench_of(tmp_path / "bench")), [subject])
    found = studies(crawl_topic(subject, bench), Ground.of(bench.web(subject)))
    grids, figures = results_of(measure, Report(measured(found)))
    assert [grid.name for grid in grids] == TABLES
    assert all(len(row) == len(grid.head) for grid in grids for row in grid.rows)
    assert all(0 <= value <= 25 for value in figures.values())
    assert {crawl.start.ties for crawl in found[0].crawls.values()} == {0, 1}
    draw(tmp_path / "plots", found)
    assert len(list((tmp_path / "plots").glob("figure_*.png"))) == 10
