from __future__ import annotations

import pytest

from focused_crawler.crawl import endings
from focused_crawler.safety.errors import CrawlError, WrongScores

ASKED_FOR = ["finished", "pages_budget", "relevant_budget", "time_budget", "told_to_stop"]


@pytest.mark.parametrize("reason", ASKED_FOR)
def test_a_crawl_that_did_what_it_was_to_do_ends_well(reason: str) -> None:
    """Scripts go on after it."""
    assert endings.code_of(reason) == 0
    assert endings.is_end(endings.code_of(reason))


def test_every_other_reason_has_a_code_that_says_it() -> None:
    """No two of different meaning share one, and none is that of what was typed wrong."""
    codes = [code for code, _ in endings.in_table()]
    assert codes == sorted(set(codes))
    named = {ending.code for ending in endings.ENDINGS.values()}
    assert named < set(codes)
    assert endings.TYPED_WRONG not in named
    words: dict[int, set[str]] = {}
    for ending in endings.ENDINGS.values():
        words.setdefault(ending.code, set()).add(ending.words)
    assert {code for code, said in words.items() if len(said) > 1} == {0}


def test_who_may_be_replaced() -> None:
    """A fault, and what nobody knows; not what an interrupted or a stagnating crawl ends with."""
    assert not any(map(endings.is_end, (1, 2, 10, 11, 12, 15, 17, 99, -9)))
    assert all(map(endings.is_end, (0, 13, 14, 16, 130)))


def test_what_keeps_a_crawl_from_being_written_has_a_reason() -> None:
    """Of two kinds: its files, and its strategy."""
    assert endings.reason_of(CrawlError("the disk is full")) == "storage_failed"
    assert endings.reason_of(WrongScores("7 is no priority")) == "wrong_scores"
