"""Reading settings one at a time: every error names the setting, its value and what would be right."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from focused_crawler.safety.errors import ConfigError


class RawSettings(Protocol):
    """The part of Scrapy's settings that is read here."""

    def get(self, name: str, default: Any = None) -> Any:
        """Return a setting's raw value."""


class SettingReader:
    """Reads one setting at a time; every error names it and says what to type instead."""

    def __init__(self, settings: RawSettings, defaults: Mapping[str, Any]) -> None:
        self._settings = settings
        self._defaults = defaults

    def _raw(self, name: str) -> Any:
        value = self._settings.get(name)
        return self._defaults.get(name) if value is None else value

    def text(self, name: str) -> str:
        return str(self._raw(name) or "").strip()

    def path(self, name: str) -> Path | None:
        text = self.text(name)
        try:
            return Path(text).expanduser() if text else None
        except RuntimeError:
            raise ConfigError(f"{name} is {text!r}; no user of that name has a home folder here") from None

    def file_name(self, name: str) -> str:
        text = self.text(name)
        if text and (not text.replace("-", "").replace("_", "").replace(".", "").isalnum() or text[0] == "."):
            raise ConfigError(
                f"{name} is {text!r}; use letters, digits, '-', '_' and '.', as in job=first-try"
            )
        return text

    def choice(self, name: str, choices: tuple[str, ...]) -> Any:
        text = self.text(name)
        if text not in choices:
            raise ConfigError(f"{name} is {text!r}; use one of {', '.join(choices)}")
        return text

    def mapping(self, name: str) -> dict[str, str]:
        value = self._raw(name)
        if isinstance(value, str):
            with suppress(ValueError):
                value = json.loads(value)
        if not hasattr(value, "items"):
            raise ConfigError(
                f"{name} is {value!r}; use a dict of name -> import path of a class,"
                """ as in '{"mine": "package.module.Class"}'"""
            )
        return {str(key): str(item) for key, item in value.items()}

    def ports(self, name: str) -> range:
        """Return the ports of "9410" or "9410-9429"; none for 0."""
        text = self.text(name)
        if text in {"", "0"}:
            return range(0)
        found = re.fullmatch(r"([0-9]{1,5})(?:-([0-9]{1,5}))?", text)
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
        if not 0 < first <= last < 65536:
            raise ConfigError(f"{name} is {text!r}; use a port, as in 9410, a range, as in 9410-9429, or 0")
        return range(first, last + 1)

    def flag(self, name: str) -> bool:
        text = self.text(name).lower()
        if text not in {"", "0", "1", "false", "true", "no", "yes"}:
            raise ConfigError(f"{name} is {text!r}; use True or False")
        return text in {"1", "true", "yes"}

    def weights(self, name: str, *parts: str) -> Any:
        value = self._raw(name)
        try:
            weights = tuple(map(float, value.split(",") if isinstance(value, str) else value))
            fit = len(weights) == len(parts) and all(0 <= weight < float("inf") for weight in weights)
        except (TypeError, ValueError, OverflowError):
            fit = False
        if not fit:
            example = ",".join(f"{weight:g}" for weight in self._defaults[name])
            raise ConfigError(
                f"{name} is {value!r}; use {len(parts)} numbers of 0 or more, as in {example}"
                f" ({', '.join(parts)})"
            )
        return weights

    def number(self, name: str, low: float, high: float | None = None, *, whole: bool = False) -> float:
        value = self._raw(name)
        try:
            number = float(value)
            fits = number >= low and (high is None or number <= high) and number != float("inf")
        except (TypeError, ValueError, OverflowError):
            fits = False
        if not fits or (whole and number != int(number)):
            kind = "a whole number" if whole else "a number"
            span = f"of {low:g} or more" if high is None else f"from {low:g} to {high:g}"
            raise ConfigError(f"{name} is {value!r}; use {kind} {span}")
        return number
