"""TOML written for people, and files written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from focused_crawler.errors import TopicError
from focused_crawler.topic_file import place


def quoted(text: str) -> str:
    r"""Return a text as a TOML string on one line; what does not print is escaped, so that it is seen.

    >>> print(quoted('say "ah"\n'))
    "say \"ah\"\u000A"
    """
    return '"' + "".join(_escaped(character) for character in text) + '"'


def listed(values: Sequence[str]) -> str:
    """Return a TOML list, an item a line."""
    return "[\n" + "".join(f"    {quoted(value)},\n" for value in values) + "]" if values else "[]"


def replace_text(path: Path, text: str) -> None:
    """Write a file, whole or not at all; raises TopicError."""
    try:
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
                file.write(text)
            Path(temporary).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise TopicError(f"{place(path)}: cannot be written: {error.strerror}") from None


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if character.isprintable():
        return character
    return f"\\u{ord(character):04X}" if ord(character) <= 0xFFFF else f"\\U{ord(character):08X}"
