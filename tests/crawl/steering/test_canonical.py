from __future__ import annotations

import pytest

from focused_crawler.crawl.steering import canonical
from focused_crawler.crawl.steering.canonical import ALIAS, DISPUTED, Aliases

TEA, PRINTED = "http://a.example/tea", "http://a.example/tea?print=1"


def test_what_a_fetched_page_names_leads_to_its_text() -> None:
    """So it need not be fetched as well; www. makes no other site."""
    aliases = Aliases()
    assert aliases.record(PRINTED, TEA, "text") == ALIAS
    assert (aliases.page_of(TEA), aliases.page_of(PRINTED)) == (PRINTED, None)
    assert aliases.record("http://www.a.example/2", "http://a.example/1", "other") == ALIAS


@pytest.mark.parametrize(
    ("page", "named"),
    [
        (TEA, TEA),
        (TEA, "http://victim.example/tea"),
        (TEA, "http://a.example/"),
        (TEA, "http://b.a.example/tea"),
        ("http://a.example/tea/page/2", TEA),
        ("http://a.example/tea/page/2", f"{TEA}/"),
    ],
)
def test_no_page_is_believed_about_others(page: str, named: str) -> None:
    """Not about another site, a home page, or the first page of the list that it continues."""
    aliases = Aliases()
    assert aliases.record(page, named, "text") is None
    assert aliases.page_of(named) is None


def test_pages_that_disagree_are_not_believed() -> None:
    """Two texts cannot both be that of one URL: a site that names the same URL everywhere is wrong."""
    aliases = Aliases()
    assert aliases.record("http://a.example/list?page=2", "http://a.example/list", "two") == ALIAS
    assert aliases.record("http://a.example/list?page=3", "http://a.example/list", "three") == DISPUTED
    assert aliases.record("http://a.example/list?page=2", "http://a.example/list", "two") is None
    assert aliases.page_of("http://a.example/list") is None


def test_pages_that_name_each_other_hold_up_nothing_that_was_fetched() -> None:
    """Of a circle, the page that is fetched first stands for the others."""
    aliases = Aliases()
    aliases.record(TEA, PRINTED, "text")
    assert (aliases.page_of(PRINTED), aliases.page_of(TEA)) == (TEA, None)


def test_the_latest_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is bounded: of what was named long ago nothing is known."""
    monkeypatch.setattr(canonical, "MOST_ALIASES", 3)
    aliases = Aliases()
    for number in range(5):
        aliases.record(f"http://a.example/{number}?print=1", f"http://a.example/{number}", str(number))
    assert [aliases.page_of(f"http://a.example/{n}") is not None for n in range(5)] == [False] * 2 + [
        True
    ] * 3
