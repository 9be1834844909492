"""X-Robots-Tag, as servers send it."""

from __future__ import annotations

import pytest

from focused_crawler.page.nofollow import CLOSED, nofollow_of


@pytest.mark.parametrize(
    ("headers", "is_closed"),
    [
        ([], False),
        ([""], False),
        (["noindex"], False),
        (["index, follow"], False),
        (["noindex, NOFOLLOW"], True),
        (["noindex", "none"], True),
        (["otherbot: nofollow"], False),
        (["otherbot: noindex, nofollow"], False),
        (["Focused-Crawler: nofollow"], True),
        (["otherbot: noindex, focused-crawler: none"], True),
        (["*: nofollow"], True),
        (["otherbot: noindex", "nofollow"], True),
        (["max-snippet:50, nofollow"], True),
        (["unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow"], True),
        (["unavailable_after: Friday, 25-Jun-10 15:00:00 PST, none"], True),
        ([":,:nofollow:,\xff:"], False),
    ],
)
def test_links_are_left_alone_where_it_says_so(headers: list[str], is_closed: bool) -> None:
    """To all robots, or to ours."""
    assert nofollow_of("page", headers) == (CLOSED if is_closed else "page")
    assert nofollow_of("off", headers) == "off"


def test_a_robot_of_another_name() -> None:
    """Is called by that alone."""
    assert nofollow_of("link", ["mybot: nofollow"], "MyBot/2.0 (+http://a.example)") == CLOSED
    assert nofollow_of("link", ["focused-crawler: nofollow"], "MyBot/2.0") == "link"
