from __future__ import annotations

import pytest

from focused_crawler.edge.rendering.ledger import View, is_better


@pytest.mark.parametrize(
    ("sent", "shown", "better"),
    [
        ((0, 0), (200, 0), True),
        ((0, 0), (0, 3), True),
        ((0, 0), (5, 1), False),
        ((300, 20), (310, 20), False),
        ((300, 20), (500, 20), True),
        ((300, 20), (20, 2), False),
        ((0, 0), (0, 0), False),
    ],
)
def test_the_form_that_says_more_is_the_page(
    sent: tuple[int, int], shown: tuple[int, int], better: bool
) -> None:
    """Clearly more: words, or links, which count as some."""
    assert is_better(View(*shown, is_relevant=False), View(*sent, is_relevant=False)) is better
