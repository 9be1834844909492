"""What a browser added to a page."""

from __future__ import annotations

from typing import NamedTuple

LINK_WORDS = 4
"""A link counts as much as so many words: it is what a crawler lives on."""

LEAST_WORDS = 10
LEAST_SHARE = 0.1
"""What a browser has to add to be worth its while: a clock or a greeting is nothing."""


class View(NamedTuple):
    """A form of a page: as it was sent, or as a browser showed it."""

    words: int
    links: int
    is_relevant: bool

    @property
    def size(self) -> int:
        return self.words + LINK_WORDS * self.links


def is_better(rendered: View, sent: View) -> bool:
    """Tell whether the rendered form says so much more that it is to be the page."""
    return rendered.size >= sent.size * (1 + LEAST_SHARE) + LEAST_WORDS
