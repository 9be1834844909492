from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.analysis import ScoredLink, highest


def link(url: str, score: float) -> ScoredLink:
    return ScoredLink(url, "", 0, score)


def test_each_url_once_with_its_best_score() -> None:
    """In the order in which they stand first on the page."""
    links = [link("a", 0.1), link("b", 0.9), link("a", 0.2), link("c", 0.0)]
    assert list(highest(links).items()) == [("a", 0.2), ("b", 0.9), ("c", 0.0)]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 1))))
def test_order_does_not_matter(scored: list[tuple[str, float]]) -> None:
    """Whichever of a URL's links comes first."""
    links = [link(url, score) for url, score in scored]
    assert highest(links) == highest(links[::-1])
    assert highest(links).keys() == {url for url, _ in scored}
