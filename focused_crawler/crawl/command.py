"""Command lines of the project, as others start them."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence

ADDRESS = "FOCUSED_DATABASE"
"""The setting that may hold a password: it goes through the environment, as all can read a command line."""


def crawl_command(arguments: Mapping[str, object], settings: Mapping[str, object]) -> list[str]:
    """Return the words of `scrapy crawl topic` with this Python, in any folder, without an address."""
    words = ["crawl", "topic"]
    for name, value in arguments.items():
        words += ["-a", f"{name}={value}"]
    return project_command(words, settings)


def project_command(given: Sequence[str], settings: Mapping[str, object]) -> list[str]:
    """Return the words of any command with this Python, in any folder, without an address.

    A setting that is None is left out: it would be the word None.
    """
    words = [sys.executable, "-m", "focused_crawler", *given]
    for name, value in settings.items():
        if name != ADDRESS and value is not None:
            words += ["-s", f"{name}={_typed(value)}"]
    return words


def _typed(value: object) -> str:
    """Return a setting's value as one types it."""
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return json.dumps(value) if isinstance(value, dict) else str(value)
