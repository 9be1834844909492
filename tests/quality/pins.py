"""Pins: figures that may not get worse unseen, and the file that holds them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

PINS = Path(__file__).with_name("pins.toml")
COMMAND = "python -m tests.quality.measure"


@dataclass(frozen=True)
class Pin:
    """A figure of a commit, and how far a later one may be from it."""

    name: str
    value: float
    margin: float  # a share of the value
    better: Literal["lower", "higher"]
    what: str

    def loss(self, measured: float) -> float:
        """Return how much worse a figure is, as a share of the pinned one; below 0: better."""
        change = (measured - self.value) / self.value
        return change if self.better == "lower" else -change

    def is_worse(self, measured: float) -> bool:
        return self.loss(measured) > self.margin

    def is_better(self, measured: float) -> bool:
        """Return whether the pin is stale: what was won could be lost again unseen."""
        return self.loss(measured) < -self.margin

    def complaint(self, measured: float) -> str | None:
        """Return what is wrong and what to do; None if the figure is within the margin.

        >>> Pin("calls", 200, 0.02, "lower", "calls a page").complaint(203)
        >>> Pin("calls", 200, 0.02, "lower", "calls a page").complaint(150)  # doctest: +ELLIPSIS
        'calls (calls a page) is 150 and the pin is 200: better. Lower the pin to 150: python ... --update'
        """
        text = f"{self.name} ({self.what}) is {rounded(measured):g} and the pin is {self.value:g}"
        if self.is_worse(measured):
            return (
                f"{text}: worse by {self.loss(measured):.1%}, {self.margin:.1%} are allowed."
                f" Fix it; if it is worth its price: {COMMAND} --update --allow-worse {self.name}"
            )
        if self.is_better(measured):
            verb = "Lower" if self.better == "lower" else "Raise"
            return f"{text}: better. {verb} the pin to {rounded(measured):g}: {COMMAND} --update"
        return None


class WorseError(Exception):
    """A pin would be moved the wrong way."""


def read_pins(path: Path = PINS) -> dict[str, Pin]:
    """Return name -> pin."""
    return {name: Pin(name, **values) for name, values in tomllib.loads(path.read_text()).items()}


def update_pins(
    measured: Mapping[str, float], allowed: frozenset[str] = frozenset(), path: Path = PINS
) -> list[str]:
    """Move the pins that are out of their margins, and return their names; comments in the file stay.

    Raises WorseError, and moves none, if a figure got worse that is not among the `allowed`. A figure within
    its margin leaves its pin alone: otherwise a pin could drift in steps that nobody sees.
    """
    pins = [pin for pin in read_pins(path).values() if pin.complaint(measured[pin.name])]
    refused = [pin.name for pin in pins if pin.is_worse(measured[pin.name]) and pin.name not in allowed]
    if refused:
        raise WorseError(f"worse: {', '.join(refused)}; no pin was moved. Type --allow-worse NAME for each")
    text = path.read_text()
    for pin in pins:
        line = re.compile(rf"^(\[{pin.name}\]\nvalue = ).*$", re.MULTILINE)
        text, lines = line.subn(rf"\g<1>{rounded(measured[pin.name])!r}", text)
        assert lines == 1, f"{path} has no line `value =` right below [{pin.name}]"
    path.write_text(text)
    return [pin.name for pin in pins]


def rounded(value: float) -> float:
    """Return a value to four digits: far less than any margin, and readable.

    >>> rounded(3126.3), rounded(10.7944), rounded(0.94384)
    (3126.0, 10.79, 0.9438)
    """
    return float(f"{value:.4g}")
