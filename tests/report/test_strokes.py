"""A strategy has one colour wherever it is drawn."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.link_scoring.registry import STRATEGIES
from focused_crawler.report import strokes
from focused_crawler.report.html import SHARED
from focused_crawler.report.strokes import GREY, HUES, color_of, strokes_of

SERIES = (SHARED / "series.css").read_text()
OURS = st.lists(st.sampled_from(sorted(STRATEGIES)), unique=True, max_size=8)
THEIRS = st.lists(st.text("abc", min_size=1), unique=True, max_size=8)


def test_all_strategies_are_in_the_table():
    """A new one gets its place there, and so its colour."""
    assert {*strokes.STRATEGIES, *strokes.CONTROLS} == set(STRATEGIES)


def test_the_style_sheet_has_every_hue_for_light_and_for_dark():
    """Each is another one, against a ground that it stands out from."""
    light, dark = SERIES.split("@media")
    for part, ground in ((light, "#fbfbf9"), (dark, "#14161a")):
        found = dict(re.findall(r"--(series-\d+): (#[0-9a-f]{6})", part))
        assert set(found) == {*HUES, GREY}
        assert len(set(found.values())) == len(found)
        assert all(contrast(hue, ground) >= 3 for hue in found.values()), part


@given(OURS)
def test_a_strategy_keeps_its_colour_among_whichever_others(names):
    """In every chart; and no two lines of one look alike without it."""
    found = strokes_of(names)
    assert [one.color for one in found] == [color_of(name) for name in names]
    assert len({one.look for one in found}) == len(found)


@given(THEIRS)
def test_strategies_of_a_user_are_told_apart(names):
    """By colour and by look, each by its name alone where nobody has it before."""
    found = strokes_of(names)
    assert len({one.color for one in found}) == len({one.look for one in found}) == len(found)
    assert all(color_of(name) in HUES for name in names)


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, as WCAG has it."""
    lights = sorted((luminance(one), luminance(other)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def luminance(color: str) -> float:
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
