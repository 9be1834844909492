"""Settings that are declared beside their owners."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from focused_crawler.edge.setting_names import DEFAULTS
from focused_crawler.safety import settings as declared
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.settings import (
    check,
    defaults,
    parse_number,
    read,
    read_one,
    settings_of,
    text_of,
)

PACKAGE = Path(declared.__file__).parents[1]
KINDS = "choice|file_name|flag|mapping|number|path|ports|setting|text|weights|whole"


@dataclass(frozen=True, slots=True)
class Shared:
    """Of several owners."""

    name: str = declared.text("FOCUSED_NAME", "robot")


@dataclass(frozen=True, slots=True)
class Arm(Shared):
    """Of one."""

    joints: int = declared.whole("FOCUSED_JOINTS", 3, 1, 7)
    lengths: tuple[float, float] = declared.weights("FOCUSED_LENGTHS", [1.0, 0.5], "upper", "lower")
    delay: float = declared.number("DOWNLOAD_DELAY", 0)
    parts: tuple[str, ...] = ()


def test_defaults_are_read_as_any_other_value() -> None:
    """Made in code, or from settings that name nothing; Scrapy's own settings have Scrapy's defaults."""
    assert Arm() == read(Arm, {}) == Arm("robot", 3, (1.0, 0.5), 0.0)
    assert defaults(Arm) == {"FOCUSED_NAME": "robot", "FOCUSED_JOINTS": 3, "FOCUSED_LENGTHS": [1.0, 0.5]}


def test_values_are_read_by_their_names() -> None:
    """As text too; what is no setting is given by who reads."""
    typed = {"FOCUSED_JOINTS": "5", "FOCUSED_LENGTHS": "2,1", "DOWNLOAD_DELAY": 2, "FOCUSED_NAME": None}
    arm = read(Arm, typed, parts=("hand",))
    assert arm == Arm("robot", 5, (2.0, 1.0), 2.0, ("hand",))
    assert settings_of(arm)["FOCUSED_LENGTHS"] == (2.0, 1.0)
    assert read_one(Arm, "joints", typed) == 5
    assert text_of({"FOCUSED_NAME": " a b "}, "FOCUSED_NAME") == "a b"


@pytest.mark.parametrize("joints", [0, 8, 1.5, "many", None, 10**400])
def test_a_wrong_value_is_named(joints: Any) -> None:
    """By its setting where it was read, by its field where it was made in code."""
    cure = f"is {joints!r}; use a whole number from 1 to 7"
    with pytest.raises(ConfigError, match=rf"^joints {re.escape(cure)}$"):
        check(Arm(joints=joints))
    if joints is not None:
        with pytest.raises(ConfigError, match=rf"^FOCUSED_JOINTS {re.escape(cure)}$"):
            read(Arm, {"FOCUSED_JOINTS": joints})


def test_a_large_bound_is_named_in_digits() -> None:
    with pytest.raises(ConfigError, match=r"^D is 'x'; use a number from 0 to 31536000$"):
        parse_number("D", "x", 0, 31_536_000)


def test_each_setting_is_declared_once_and_known_to_all() -> None:
    """The add-on collects what the package declares: a setting that it does not know would be refused."""
    found = Counter[str]()
    for path in PACKAGE.rglob("*.py"):
        found.update(re.findall(rf': .+ = (?:{KINDS})\(\s*"(FOCUSED_[A-Z_]+)"', path.read_text()))
    found.update(["FOCUSED_RANDOM_SEED"])  # which several rooms share
    found.subtract(["FOCUSED_JFE_BETA"] * 2)  # examples
    assert +found == Counter(DEFAULTS.keys())
