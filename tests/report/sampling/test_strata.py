from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.report.sampling.sample import (
    LEAST,
    STRATIFIED,
    Population,
    largest_hosts,
    relevance_bands,
    result_pages,
    shares,
)


def pages(relevance: list[float], hosts: list[int] | None = None) -> Population:
    hosts = hosts or [0] * len(relevance)
    names = [f"h{number}.org" for number in range(max(hosts) + 1)]
    positions = array("q", range(1, len(relevance) + 1))
    return Population(positions, array("d", relevance), array("q", hosts), names)


def of_hosts(*counts: int) -> Population:
    hosts = [host for host, count in enumerate(counts) for _ in range(count)]
    return pages([0.5] * len(hosts), hosts)


def test_bands_are_equal_and_go_up():
    """The first band holds the lowest relevance."""
    found = relevance_bands(pages([0.9, 0.5, 0.8, 0.6, 0.7, 1.0, 0.55, 0.65, 0.75, 0.85]), n=100)
    assert [len(band.members) for band in found] == [2, 2, 2, 2, 2]
    assert [list(band.members) for band in found] == [[1, 6], [3, 7], [4, 8], [2, 9], [0, 5]]
    assert found[0].meaning == "relevance 0.5000 to 0.5500"


@pytest.mark.parametrize(("n", "bands"), [(1, 1), (9, 1), (10, 2), (24, 4), (25, 5), (1000, 5)])
def test_a_small_sample_has_fewer_bands(n, bands):
    """Five pages each, at least."""
    assert len(relevance_bands(pages([0.5] * 1000), n)) == bands


def test_large_hosts_stand_alone():
    """Those that five pages of the sample fall to; the others are one stratum."""
    found = largest_hosts(of_hosts(500, 300, 60, 40, *[5] * 20), n=100)
    assert [(stratum.meaning, len(stratum.members)) for stratum in found] == [
        ("h0.org", 500),
        ("h1.org", 300),
        ("h2.org", 60),
        ("other hosts", 140),
    ]


def test_other_hosts_are_never_too_few_to_be_drawn():
    """The smallest of the large ones joins them, else nobody would look at them."""
    found = largest_hosts(of_hosts(900, 90, 10), n=100)
    assert [(stratum.meaning, len(stratum.members)) for stratum in found] == [
        ("h0.org", 900),
        ("other hosts", 100),
    ]


def test_results_are_cut_by_ten_ranks():
    """The last ten join those before, where too few pages of the sample would fall to them."""
    ranks = [*range(1, 31), 31]
    found = result_pages(pages([1 / rank for rank in ranks]), n=31)
    assert [stratum.meaning for stratum in found] == ["rank 1 to 10", "rank 11 to 20", "rank 21 to 31"]
    assert [len(stratum.members) for stratum in found] == [10, 10, 11]
    assert [stratum.meaning for stratum in result_pages(pages([0.5, 1, 0.04]), n=3)] == ["rank 1 to 25"]


def test_one_host_is_one_stratum():
    """There are no others."""
    assert [stratum.meaning for stratum in largest_hosts(of_hosts(50), n=10)] == ["h0.org"]


@given(
    st.lists(st.integers(0, 30), min_size=1, max_size=300),
    st.integers(1, 400),
    st.sampled_from([*STRATIFIED]),
)
def test_strata_divide_the_pages(hosts, n, by):
    """Each page is in one stratum, and each stratum is drawn from, by five or so if there are several."""
    population = pages([host / 30 for host in hosts], hosts)
    n = min(n, len(population))
    found = STRATIFIED[by](population, n)
    assert sorted(index for stratum in found for index in stratum.members) == list(range(len(hosts)))
    drawn = shares([len(stratum.members) for stratum in found], n)
    assert len(found) == 1 or min(drawn) >= LEAST


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=20), st.integers(1, 10**5))
def test_shares_are_fair(sizes, n):
    """All that is to be drawn is, no stratum is drawn from beyond its pages, or one off its share."""
    found = shares(sizes, n)
    n = min(n, sum(sizes))
    assert sum(found) == n
    for share, size in zip(found, sizes, strict=True):
        assert share <= size
        assert abs(share - n * size / sum(sizes)) < 1
