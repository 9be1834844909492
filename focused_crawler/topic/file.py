"""A TOML file read strictly: every error is one line with the file, the line, what is wrong and the cure."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from focused_crawler.safety.errors import TopicError
from focused_crawler.safety.plain_file import open_plain
from focused_crawler.safety.printable import did_you_mean, place

# `[table]` or `key =`: the items of a list of texts never look so.
_KEY = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
_STATEMENT = re.compile(rf"\s*(?:\[+\s*{_KEY}(?:\s*\.\s*{_KEY})*\s*\]|{_KEY}(?:\s*\.\s*{_KEY})*\s*=)")
_DEEP_KEY = re.compile(r"""(?<![\w"'-])(?:(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){100}""")
# What opens a text of several lines on a line of its own.
_LONG_TEXT = re.compile(rf"""\s*{_KEY}(?:\s*\.\s*{_KEY})*\s*=\s*('{{3}}|"{{3}})""")
_PLACE = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")
_TYPE_NAMES = {
    str: "text",
    list: "a list",
    dict: "a table",
    bool: "true or false",
    int: "a number",
    float: "a number",
}


Problem = Callable[[str], str | None]
"""Returns what is wrong with a text and what would be right, None for a good one."""


class TopicFile:
    """The values of one TOML file; the table `""` is the top of the file, above all tables.

    `content` is its text, lines ended by a line feed alone; `tables` is what it holds.
    """

    def __init__(self, path: Path, max_bytes: int, text: str | None = None) -> None:
        """Read and parse `path`, or a text that is to be written there.

        Raises `TopicError` also for a file over `max_bytes` or not in UTF-8.
        """
        self.path = path
        if text is None:
            text = read_text(path, max_bytes)
        elif len(text.encode("utf-8", "replace")) > max_bytes:
            raise _too_large(path, max_bytes)
        self.line_end = "\r\n" if "\r\n" in text else "\n"
        self.content = text.replace("\r\n", "\n")
        if deep := _DEEP_KEY.search(self.content):  # tomllib takes time that grows with its square
            line = self.content.count("\n", 0, deep.start()) + 1
            raise TopicError(f"{place(path, line)}: is nested too deeply; write plain lists of strings")
        try:
            self.tables = tomllib.loads(self.content)
        except RecursionError:
            raise TopicError(f"{place(path)}: is nested too deeply; write plain lists of strings") from None
        except ValueError as error:  # also a number of thousands of digits
            raise self._syntax_error(str(error)) from None

    def check_keys(self, known: Mapping[str, Sequence[str]]) -> None:
        """Refuse what is not in `known`: table -> its keys; an empty tuple allows any keys."""
        self.check_table("", (*known[""], *(table for table in known if table)), known)
        for table, keys in known.items():
            if table and keys:
                self.check_table(table, keys, known)

    def check_table(
        self, table: str, keys: Sequence[str], known: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        """Refuse what is not among the keys of a table; `known` as in `check_keys`."""
        where = f" in [{table}]" if table else ""
        for key in self.table(table):
            if key not in keys:
                cure = _cure(table, key, known or {table: keys})
                raise self.error(table, key, f"unknown key {shown(key)}{where}; {cure}")

    def table(self, table: str) -> Mapping[str, Any]:
        """Return what a table holds, nothing when the file lacks it; "outer.inner" is a table in a table."""
        if not table:
            return self.tables
        outer, _, name = table.rpartition(".")
        value = self.table(outer).get(name, {})
        if not isinstance(value, dict):
            raise self.error(outer, name, f"{name} is {_type_name(value)}; write it as a table: [{table}]")
        return value

    def text(self, table: str, key: str, problem: Problem | None = None) -> str | None:
        """Return a text that is not blank and has no `problem`, None when the key is missing."""
        value = self.table(table).get(key)
        if value is None:
            return None
        if not isinstance(value, str):
            raise self.error(table, key, f'{key} is {_type_name(value)}; write it as text: {key} = "..."')
        if not value.strip():
            raise self.error(table, key, f"{key} is empty; write something or remove the line")
        if problem is not None and (message := problem(value)):
            raise self.error(table, key, message)
        return value

    def texts(self, table: str, key: str, problem: Problem | None = None) -> tuple[str, ...]:
        """Return a list of texts, each once, none blank or with a `problem`, () when the key is missing."""
        values = self.table(table).get(key, [])
        if not isinstance(values, list):
            raise self.error(table, key, f'{key} is {_type_name(values)}; write a list: {key} = ["..."]')
        for value in values:
            if not isinstance(value, str):
                message = f'{key} holds {_type_name(value)}; write each item as text: "..."'
                raise self.error(table, key, message, value)
            if not value.strip():
                raise self.error(table, key, f"{key} holds an empty text; remove it", value)
        for value in values:
            if problem and (wrong := problem(value)):
                raise self.error(table, key, f"{key}: {wrong}", value)
        return tuple(dict.fromkeys(values))

    def share(self, table: str, key: str) -> float | None:
        """Return a number in [0, 1], None when the key is missing."""
        value = self.table(table).get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.error(table, key, f"{key} is {_type_name(value)}; write a number from 0 to 1, as 0.5")
        if not 0 <= value <= 1:
            raise self.error(table, key, f"{key} is {shown(value)}; use a number from 0 to 1")
        return float(value)

    def count(self, table: str, key: str) -> int | None:
        """Return a whole number from 1 on, None when the key is missing."""
        value = self.table(table).get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise self.error(table, key, f"{key} is {shown(value)}; use a whole number from 1 on")
        return value

    def error(self, table: str, key: str, message: str, item: object = None) -> TopicError:
        """Return an error that points at the line of the key, or of `item` in the key's list."""
        return TopicError(f"{place(self.path, self._line_of(table, key, item))}: {message}")

    def _syntax_error(self, message: str) -> TopicError:
        """Turn tomllib's sentence, which ends with the place, into one that begins with it."""
        found = _PLACE.search(message)
        problem = message[: found.start()] if found else message
        line, column = (found[1], found[2]) if found else (None, None)
        number = int(line) if line else self.content.rstrip().count("\n") + 1
        what = f"{problem[:1].lower()}{problem[1:]}" + (f" at column {column}" if column else "")
        cure = "every text stands in quotes, every list in [ ] with commas between its items"
        return TopicError(f"{place(self.path, number)}: no valid TOML: {what}; {cure}")

    def _line_of(self, table: str, key: str, item: object) -> int:
        """Return the line that sets the key, or that holds `item` in its list; 1 when none does."""
        found = self.statement(table, key)
        if found is None:
            return 1
        number, lines = found
        wanted = item if isinstance(item, str) and item.strip() else None
        return number + next((n for n, line in enumerate(lines) if wanted and wanted in line), 0)

    def statement(self, table: str, key: str) -> tuple[int, list[str]] | None:
        """Return the first line's number and the lines of what sets a key, up to the next statement."""
        for number, lines, content in self._statements():
            if _has_key(content, table, key):
                return number, lines
        return None

    def _statements(self) -> Iterator[tuple[int, list[str], dict[str, Any]]]:
        """Yield of each `[table]` and `key = value`: its first line's number, its lines, and what it adds."""
        rest = self.content.split("\n")
        header: list[str] = []  # the lines of the `[table]` that a key belongs to
        start = 0
        quotes = ""  # that end the text of several lines which the statement begins
        for end in range(1, len(rest) + 1):
            if start == end - 1:
                quotes = _open_quotes(rest[start])
            elif quotes and quotes in rest[end - 1]:
                quotes = ""
            if start == end - 1 and rest[start].lstrip()[:1] in ("", "#"):
                start = end
            # What looks like a new statement may still lie in a text of several lines: tomllib decides.
            elif end == len(rest) or (not quotes and _STATEMENT.match(rest[end])):
                lines = rest[start:end]
                is_header = lines[0].lstrip().startswith("[")
                content = _parsed(lines if is_header else [*header, *lines])
                if content is not None:
                    yield start + 1, lines, content
                    header = lines if is_header else header
                    start = end


def read_text(path: Path, max_bytes: int) -> str:
    """Return a small UTF-8 file's text; raises `TopicError` with the line of the first byte that is none."""
    try:
        with open_plain(path) as file:
            content = file.read(max_bytes + 1)
    except OSError as error:
        raise TopicError(f"{place(path)}: cannot be read: {error.strerror}") from None
    if len(content) > max_bytes:
        raise _too_large(path, max_bytes)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise TopicError(f"{place(path, line)}: is not UTF-8; save the file with that encoding") from None


def _too_large(path: Path, max_bytes: int) -> TopicError:
    return TopicError(f"{place(path)}: is larger than {max_bytes:,} bytes; keep it below")


def shown(value: object) -> str:
    r"""Return a value as errors quote it: in one line, control characters escaped, never long.

    >>> print(shown("two\nlines"))
    'two\nlines'
    """
    try:
        text = str(value) if isinstance(value, int | float) else repr(value)
    except ValueError:  # Python writes no number of so many digits
        text = "a number of thousands of digits"
    return text if len(text) <= 100 else f"{text[:97]}..."


def _type_name(value: object) -> str:
    return _TYPE_NAMES.get(type(value), "a date or time")


def _cure(table: str, key: str, known: Mapping[str, Sequence[str]]) -> str:
    """Say where an unknown key belongs, or which key is nearest to it."""
    for other, keys in known.items():
        if other != table and key in keys:
            return f"it belongs in [{other}]" if other else "it belongs at the top, above the first [table]"
    if table and key in known:
        return f"[{key}] is a table of its own"
    names = [*known[table], *(name for name in known if name and not table)]
    return did_you_mean(key.lower(), names) or f"the keys are {', '.join(names)}"


def _has_key(content: Mapping[str, Any], table: str, key: str) -> bool:
    scope: Any = content
    for name in filter(None, table.split(".")):
        scope = scope.get(name) if isinstance(scope, dict) else None
    return isinstance(scope, dict) and key in scope


def _open_quotes(line: str) -> str:
    """Return the quotes of a text that begins on the line and does not end there; empty if none does."""
    found = _LONG_TEXT.match(line)
    return found[1] if found and line.find(found[1], found.end()) < 0 else ""


def _parsed(lines: Sequence[str]) -> dict[str, Any] | None:
    """Return what the lines say as TOML of their own, None when they are no whole statement."""
    try:
        return tomllib.loads("\n".join(lines))
    except (ValueError, RecursionError):
        return None
