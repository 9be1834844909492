"""Settings as frozen dataclasses: a field declares a setting's name, default and bounds beside its owner.

    @dataclass(frozen=True, slots=True)
    class LpeOptions:
        beta: float = number("FOCUSED_JFE_BETA", 0.5, most=1)

`read` makes the instance out of Scrapy's settings, `defaults` gives the names and defaults of such classes.
Every error names the setting, its value and what would be right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Protocol, TypeVar

from focused_crawler.safety.errors import ConfigError

_T = TypeVar("_T")
_KEY = "setting"  # of a field's metadata


class RawSettings(Protocol):
    """The part of Scrapy's settings that is read here."""

    def get(self, name: str, default: Any = None) -> Any:
        """Return a setting's raw value."""

    def __iter__(self) -> Iterator[Any]:
        """Return the names of all that are set."""


@dataclass(frozen=True, slots=True)
class Overlaid:
    """Settings that come before others."""

    first: Mapping[str, Any]
    others: RawSettings

    def get(self, name: str, default: Any = None) -> Any:
        """Return a setting's raw value."""
        return self.first[name] if name in self.first else self.others.get(name, default)

    def __iter__(self) -> Iterator[Any]:
        """Return the names of all that are set."""
        return iter(dict.fromkeys((*self.first, *self.others)))


@dataclass(frozen=True, slots=True)
class SettingDeclaration:
    """A declared setting."""

    name: str
    default: Any  # as a user would write it in a settings module
    parse: Callable[[str, Any], Any]  # of a name and a raw value; raises ConfigError

    def read(self, settings: RawSettings) -> Any:
        """Return the value that was set, else the default."""
        value = settings.get(self.name)
        return self.parse(self.name, self.default if value is None else value)


def read(cls: type[_T], settings: RawSettings, **given: Any) -> _T:
    """Return the declared settings of a class; `given` are its other fields. Raises ConfigError."""
    return cls(**{name: setting.read(settings) for name, setting in _declared(cls)}, **given)


def read_one(cls: type, name: str, settings: RawSettings) -> Any:
    """Return the value of one field of such a class; raises ConfigError."""
    return dict(_declared(cls))[name].read(settings)


def defaults(*classes: type) -> dict[str, Any]:
    """Return name -> default of the settings that classes declare; those of Scrapy have Scrapy's.

    >>> @dataclass
    ... class Options:
    ...     beta: float = number("FOCUSED_JFE_BETA", 0.5, most=1)
    >>> defaults(Options), Options(), read(Options, {"FOCUSED_JFE_BETA": "1"})
    ({'FOCUSED_JFE_BETA': 0.5}, Options(beta=0.5), Options(beta=1.0))
    """
    declared = (setting for cls in classes for _, setting in _declared(cls))
    return {setting.name: setting.default for setting in declared if setting.name.startswith("FOCUSED_")}


def of_scrapy(*classes: type) -> list[str]:
    """Return the names of Scrapy's own settings that classes declare."""
    declared = (setting.name for cls in classes for _, setting in _declared(cls))
    return [name for name in declared if not name.startswith("FOCUSED_")]


def settings_of(instance: object) -> dict[str, Any]:
    """Return setting -> value of such an instance."""
    return {setting.name: getattr(instance, name) for name, setting in _declared(type(instance))}


def check(instance: object) -> None:
    """Raise ConfigError, which names the field, for a value that no setting could have."""
    for name, setting in _declared(type(instance)):
        setting.parse(name, getattr(instance, name))


def text_of(settings: RawSettings, name: str, default: str = "") -> str:
    """Return a setting as it was typed, unchecked."""
    value = settings.get(name)
    return _text(name, default if value is None else value)


def _declared(cls: Any) -> Iterator[tuple[str, SettingDeclaration]]:
    return ((one.name, one.metadata[_KEY]) for one in fields(cls) if _KEY in one.metadata)


def setting(name: str, default: Any, parse: Callable[[str, Any], Any]) -> Any:
    """Declare a setting that is read in a way of its own."""
    declared = SettingDeclaration(name, default, parse)
    return field(default_factory=lambda: parse(name, default), metadata={_KEY: declared})


def text(name: str, default: str = "") -> Any:
    """Declare a text."""
    return setting(name, default, _text)


def path(name: str) -> Any:
    """Declare a path, which may begin with ~; None for an empty one."""
    return setting(name, "", parse_path)


def choice(name: str, default: str, choices: tuple[str, ...]) -> Any:
    """Declare one of some words."""
    return setting(name, default, lambda name, value: parse_choice(name, value, choices))


def flag(name: str, default: bool) -> Any:
    """Declare True or False."""
    return setting(name, default, parse_flag)


def number(name: str, default: float, least: float = 0, most: float | None = None) -> Any:
    """Declare a number within bounds, which belong to it."""
    return setting(name, default, lambda name, value: parse_number(name, value, least, most))


def whole(name: str, default: int, least: int = 0, most: int | None = None) -> Any:
    """Declare a whole number within bounds, which belong to it."""
    return setting(name, default, lambda name, value: parse_whole(name, value, least, most))


def random_seed() -> Any:
    """Declare the seed that several rooms share."""
    return whole("FOCUSED_RANDOM_SEED", 0)


def weights(name: str, default: list[float], *parts: str) -> Any:
    """Declare a number of 0 or more for each part."""

    def parse(name: str, value: Any) -> tuple[float, ...]:
        try:
            found = tuple(map(float, value.split(",") if isinstance(value, str) else value))
            fit = len(found) == len(parts) and all(0 <= weight < float("inf") for weight in found)
        except (TypeError, ValueError, OverflowError):
            fit = False
        if not fit:
            example = ",".join(f"{weight:g}" for weight in default)
            raise ConfigError(
                f"{name} is {value!r}; use {len(parts)} numbers of 0 or more, as in {example}"
                f" ({', '.join(parts)})"
            )
        return found

    return setting(name, default, parse)


@cache
def installed(group: str) -> Mapping[str, str]:
    """Return name -> import path of what installed packages offer by entry points of a group."""
    return {found.name: found.value.replace(":", ".") for found in entry_points(group=group)}


def mapping(name: str, group: str) -> Any:
    """Declare name -> import path, which a command line gives as JSON, beside what is installed."""

    def parse(name: str, value: Any) -> dict[str, str]:
        if isinstance(value, str):
            with suppress(ValueError):
                value = json.loads(value)
        if not hasattr(value, "items"):
            raise ConfigError(
                f"{name} is {value!r}; use a dict of name -> import path of a class,"
                """ as in '{"mine": "package.module.Class"}'"""
            )
        return {**installed(group), **{str(key): str(item) for key, item in value.items()}}

    return setting(name, {}, parse)


def is_file_name(text: str) -> bool:
    """Tell whether a text may name a file or folder of ours: it leads nowhere else."""
    bare = text.replace("-", "").replace("_", "").replace(".", "")
    return bare.isalnum() and text[0] != "."


def file_name(name: str) -> Any:
    """Declare the name of a file or folder, without a path; it may be empty."""

    def parse(name: str, value: Any) -> str:
        typed = _text(name, value)
        if typed and not is_file_name(typed):
            raise ConfigError(
                f"{name} is {typed!r}; use letters, digits, '-', '_' and '.', as in job=first-try"
            )
        return typed

    return setting(name, "", parse)


def ports(name: str) -> Any:
    """Declare ports, as in "9410" or "9410-9429"; none for 0."""

    def parse(name: str, value: Any) -> range:
        typed = _text(name, value)
        if typed in {"", "0"}:
            return range(0)
        found = re.fullmatch(r"([0-9]{1,5})(?:-([0-9]{1,5}))?", typed)
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
        if not 0 < first <= last < 65536:
            raise ConfigError(f"{name} is {typed!r}; use a port, as in 9410, a range, as in 9410-9429, or 0")
        return range(first, last + 1)

    return setting(name, 0, parse)


def parse_flag(name: str, value: Any) -> bool:
    """Return True or False; raises ConfigError."""
    typed = _text(name, value).lower()
    if typed not in {"", "0", "1", "false", "true", "no", "yes"}:
        raise ConfigError(f"{name} is {typed!r}; use True or False")
    return typed in {"1", "true", "yes"}


def parse_number(
    name: str, value: Any, least: float = 0, most: float | None = None, kind: str = "a number"
) -> float:
    """Return a number within bounds, which belong to it; raises ConfigError."""
    try:
        found = float(value)
        fits = found >= least and (most is None or found <= most) and found != float("inf")
    except (TypeError, ValueError, OverflowError):
        fits = False
    if not fits or ("whole" in kind and found != int(found)):
        span = f"of {least:.12g} or more" if most is None else f"from {least:.12g} to {most:.12g}"
        raise ConfigError(f"{name} is {value!r}; use {kind} {span}")
    return found


def parse_whole(name: str, value: Any, least: float = 0, most: float | None = None) -> int:
    """Return a whole number within bounds, which belong to it; raises ConfigError."""
    return int(parse_number(name, value, least, most, "a whole number"))


def parse_choice(name: str, value: Any, choices: tuple[str, ...]) -> str:
    """Return one of some words; raises ConfigError."""
    chosen = _text(name, value)
    if chosen not in choices:
        raise ConfigError(f"{name} is {chosen!r}; use one of {', '.join(choices)}")
    return chosen


def parse_path(name: str, value: Any) -> Path | None:
    """Return a path, None for an empty text; raises ConfigError."""
    typed = _text(name, value)
    try:
        return Path(typed).expanduser() if typed else None
    except RuntimeError:
        raise ConfigError(f"{name} is {typed!r}; no user of that name has a home folder here") from None


def _text(_: str, value: Any) -> str:
    return str(value or "").strip()
