from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.crawl.scored_links import ScoredLink, candidates


def link(url: str, score: float, path: bytes | None = None) -> ScoredLink:
    return ScoredLink(url, "", 0, score, path)


def test_each_url_once_by_its_best_link() -> None:
    """In the order in which they stand first on the page; what the best link carries goes along."""
    links = [link("a", 0.1, b"1"), link("b", 0.9), link("a", 0.2, b"2"), link("c", 0.0)]
    found = [(best.url, best.priority, best.path) for best in candidates(links, 3, "p")]
    assert found == [("a", 0.2, b"2"), ("b", 0.9, None), ("c", 0.0, None)]
    assert {(best.depth, best.parent) for best in candidates(links, 3, "p")} == {(3, "p")}


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 1))))
def test_order_does_not_matter(scored: list[tuple[str, float]]) -> None:
    """Whichever of a URL's links comes first."""
    links = [link(url, score) for url, score in scored]
    assert set(candidates(links, 1, "p")) == set(candidates(links[::-1], 1, "p"))
    assert {best.url for best in candidates(links, 1, "p")} == {url for url, _ in scored}
