from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.middlewares.link_scoring import highest
from focused_crawler.page.model import Link

SCORES = st.none() | st.floats(0, 1)


def link(url: str) -> Link:
    return Link(url=url, text="", anchor=[], context=[], block=0)


def test_each_url_once_with_its_best_score() -> None:
    """None of them where all its links are not to be followed."""
    links = [link(url) for url in "abacb"]
    assert highest(links, [0.1, None, 0.9, 0.0, None]) == {"a": 0.9, "c": 0.0}


@given(st.lists(st.tuples(st.sampled_from("abc"), SCORES)))
def test_order_does_not_matter(scored: list[tuple[str, float | None]]) -> None:
    """Whichever of a URL's links comes first."""

    def best(pairs: list[tuple[str, float | None]]) -> dict[str, float]:
        return highest([link(url) for url, _ in pairs], [score for _, score in pairs])

    assert best(scored) == best(scored[::-1])
    assert best(scored).keys() == {url for url, score in scored if score is not None}


def test_a_score_a_link() -> None:
    """A scorer that returns too few has a mistake, which must not go unseen."""
    with pytest.raises(ValueError, match="shorter"):
        highest([link("a"), link("b")], [0.5])
