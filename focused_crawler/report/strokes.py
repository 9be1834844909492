"""The colour of each strategy, the same in reports, plots, experiments and the workbench: the one table.

Eleven hues can be told apart, and a line's dashes and marker tell it from others without its colour.
shared/series.css has the hues for light and dark screens.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple, TypeVar
from zlib import crc32

_One = TypeVar("_One")

STRATEGIES = (
    "adaptive", "breadth_first", "best_first_content_anchor", "lpe", "cbp", "shark_search", "soft_focus",
    "link_classifier", "thesaurus", "hmm", "link_context",
    "lpe_soft", "best_first_content", "best_first_anchor", "mean_of_parents", "semantic_synonym",
    "semantic_hypernym", "hard_focus", "unfocused", "content_link_sibling", "hmm_content",
    "hmm_content_anchor",
    "least_loaded", "ache", "sb_classifier", "anthelion", "deep_deep", "tres",
)  # fmt: skip
"""In the order in which they get hues: those of the first eleven differ."""

CONTROLS = ("random", "shuffled")
"""Grey, which no strategy is: they are there to be compared with."""

GREY = "series-6"
HUES = tuple(f"series-{number}" for number in range(12) if f"series-{number}" != GREY)


class Look(NamedTuple):
    """What tells a line from others without its colour."""

    dashes: tuple[float, ...] = ()  # lengths on, off, ...; none: solid
    marker: str = ""  # a key of SHAPES, as matplotlib has them; none: no markers


SHAPES = {
    "": "",
    "o": "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
    "s": "M-3.5 -3.5h7v7h-7z",
    "^": "M0 -4.8l4.6 8.4h-9.2z",
    "D": "M0 -5l5 5l-5 5l-5 -5z",
    "v": "M0 4.8l4.6 -8.4h-9.2z",
    "P": "M-1.5 -4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
    "X": (
        "M-3.7 -1.9l1.9 -1.9l1.8 1.9l1.8 -1.9l1.9 1.9l-1.9 1.9l1.9 1.9l-1.9 1.9l-1.8 -1.9l-1.8 1.9"
        "l-1.9 -1.9l1.9 -1.9z"
    ),
}
"""The path of each marker in an SVG, about its middle."""

LOOKS = (
    Look(),
    Look((7, 3), "o"),
    Look((2, 2), "s"),
    Look((9, 3, 2, 3), "^"),
    Look((12, 4), "D"),
    Look((4, 2, 1.5, 2, 1.5, 2), "v"),
    Look((1.5, 3), "P"),
    Look((9, 5), "X"),
)


class Stroke(NamedTuple):
    """The style of one of several lines; `color` is a variable of the style sheet."""

    color: str
    look: Look = LOOKS[0]


OWN = Stroke(HUES[0])
"""The style of a line that stands alone."""


def strokes_of(strategies: Sequence[str]) -> list[Stroke]:
    """Return the strokes of the lines of one chart, each of its strategy's colour.

    Dashes and marker are the strategy's, too, unless a line before has them. A strategy that is not in the
    table has a colour by its name, and the next free one where that is taken.

    >>> strokes_of(["adaptive"]) == strokes_of(["breadth_first", "adaptive"])[1:]
    True
    >>> [stroke.color for stroke in strokes_of(["lpe", "lpe (untrained: cbp)", "random"])]
    ['series-3', 'series-3', 'series-6']
    """
    made: list[Stroke] = []
    for name in strategies:
        strategy = name.partition(" ")[0]
        place = _place(strategy)
        color = HUES[place % len(HUES)]
        if strategy in CONTROLS:
            color = GREY
        elif strategy not in STRATEGIES:
            color = _first_free(_from(HUES, place), {one.color for one in made})
        look = _first_free(_from(LOOKS, place + place // len(HUES)), {one.look for one in made})
        made.append(Stroke(color, look))
    return made


def color_of(strategy: str) -> str:
    """Return the variable of a strategy's colour."""
    return strokes_of([strategy])[0].color


def _place(strategy: str) -> int:
    if strategy in STRATEGIES:
        return STRATEGIES.index(strategy)
    return crc32(strategy.encode("utf-8", "replace"))


def _from(all_of: Sequence[_One], place: int) -> list[_One]:
    """Return them in turn from a place on."""
    return [all_of[(place + step) % len(all_of)] for step in range(len(all_of))]


def _first_free(wanted: Sequence[_One], taken: Collection[_One]) -> _One:
    return next((one for one in wanted if one not in taken), wanted[0])
