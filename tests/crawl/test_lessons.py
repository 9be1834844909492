"""What a page taught is stored with what was learnt beside pages before it."""

from __future__ import annotations

import pytest

from focused_crawler.crawl.lessons import GIVEN_UP, LINKS, PAGE, Lesson, packed, unpacked

BESIDE = [Lesson(LINKS, b"links"), Lesson(GIVEN_UP, bytes(8)), Lesson(PAGE, b"")]


def test_they_come_back_in_order() -> None:
    assert unpacked(packed(BESIDE, b"the page")) == [*BESIDE, Lesson(PAGE, b"the page")]
    assert packed([], b"the page") == b"the page"
    assert unpacked(b"the page") == [Lesson(PAGE, b"the page")]


@pytest.mark.parametrize("size", [9, 12, 20])
def test_what_is_cut_off_is_an_error(size: int) -> None:
    with pytest.raises(ValueError, match="cut off"):
        unpacked(packed(BESIDE, b"the page")[:size])
