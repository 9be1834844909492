"""Lists of a TOML file changed in place: its comments and all else stay as they are."""

from __future__ import annotations

import os
import re
import tempfile
import tomllib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from focused_crawler.safety.errors import TopicError
from focused_crawler.safety.printable import place
from focused_crawler.topic.file import TopicFile


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


_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"""|\'\'\'.*?\'\'\'|"(?:\\.|[^"\\])*"|\'[^\']*\'|#[^\n]*|[\[\],]|[^\[\],#"\']+',
    re.DOTALL,
)
_COMMENT_AT_END = re.compile(r"^(?:#.*\n)+\Z", re.MULTILINE)


def change_list(
    file: TopicFile, table: str, key: str, add: Sequence[str], remove: Collection[str] = ()
) -> None:
    """Take items out of a file's list of texts and put others at its end, in the file itself.

    The list, and its table, are made if missing. All else stays as it is. Raises TopicError.
    """
    old = file.texts(table, key)
    new = [item for item in old if item not in remove]
    added = [item for item in dict.fromkeys(add) if item not in new]
    if new == list(old) and not added:
        return
    span = file.span(table, key)
    if span is None:
        text = _with_key(file, table, f"{key} = {listed(added)}\n")
    else:
        start, end = span
        changed = _with_items(_without_items(file.content[start:end], remove), added)
        text = file.content[:start] + changed + file.content[end:]
    if list(dict.fromkeys(_texts(text, table, key))) != [*new, *added]:
        where = f"[{table}] and " if table else ""
        raise file.error(table, key, f'{key} cannot be changed here; write it as {where}{key} = ["..."]')
    replace_text(file.path, text.replace("\n", "\r\n") if b"\r\n" in file.path.read_bytes() else text)


@dataclass(frozen=True, slots=True)
class _Item:
    """A text in a list: where it starts and ends, and where its comma ends if it has one."""

    start: int
    end: int
    comma: int | None
    value: str


def _items(statement: str) -> tuple[int, list[_Item]]:
    """Return where the first list of a statement begins, and its items."""
    first = -1
    items: list[_Item] = []
    for found in _TOKEN.finditer(statement):
        start, part = found.start(), found[0]
        if part == "[" and first < 0:
            first = start + 1
        elif part == "]":
            break
        elif first >= 0 and part == ",":
            items[-1] = _Item(items[-1].start, items[-1].end, start + 1, items[-1].value)
        elif first >= 0 and part[0] in "\"'":
            items.append(_Item(start, start + len(part), None, tomllib.loads(f"text = {part}")["text"]))
    return first, items


def _without_items(statement: str, remove: Collection[str]) -> str:
    for item in reversed(_items(statement)[1]):
        if item.value in remove:
            start, end = item.start, item.comma or item.end
            before = statement.rfind("\n", 0, start) + 1
            after = statement.find("\n", end)
            is_own_line = before and not statement[before:start].strip() and after >= 0
            end += len(statement[end:]) - len(statement[end:].lstrip(" "))
            if is_own_line and statement[end:after].strip()[:1] in ("", "#"):
                start, end = before, after + 1
            statement = statement[:start] + statement[end:]
    return statement


def _with_items(statement: str, values: Sequence[str]) -> str:
    if not values:
        return statement
    first, items = _items(statement)
    lines = "".join(f"\n    {quoted(value)}," for value in values)
    if not items:
        line_end = "" if statement[first : first + 1] == "\n" else "\n"
        return statement[:first] + lines + line_end + statement[first:]
    comma = items[-1].comma
    if comma is None:
        comma = items[-1].end + 1
        statement = f"{statement[: comma - 1]},{statement[comma - 1 :]}"
    in_next_line = re.match(r"[^\S\n]*(?:#[^\n]*)?(?=\n)", statement[comma:])
    if in_next_line:
        end = comma + in_next_line.end()
        return statement[:end] + lines + statement[end:]
    more = ", ".join(map(quoted, values))
    return f"{statement[:comma]} {more}{statement[comma:].lstrip(' ')}"


def _with_key(file: TopicFile, table: str, line: str) -> str:
    """Return the file with a new line in its table, which is made if missing."""
    text = file.content if file.content.endswith("\n") or not file.content else file.content + "\n"
    header = file.span("", table) if table else None
    if header is not None:
        end = text.index("\n", header[0]) + 1
        return text[:end] + line + text[end:]
    if not table:
        end = _first_table(file, text)
        return text[:end] + line + text[end:]
    return f"{text}\n[{table}]\n{line}"


def _first_table(file: TopicFile, text: str) -> int:
    """Return where the first table begins, with the comment right above it; the end where there is none."""
    spans = [span for key in file.keys("") if (span := file.span("", key)) is not None]
    end = min((start for start, _ in spans if text[start] == "["), default=len(text))
    found = _COMMENT_AT_END.search(text[:end])
    return end if found is None else found.start()


def _texts(text: str, table: str, key: str) -> Sequence[Any]:
    """Return the list in a text of TOML, an empty one where it has none or is no TOML."""
    try:
        content = tomllib.loads(text)
    except ValueError:
        return ()
    scope = content.get(table, {}) if table else content
    return scope.get(key, ()) if isinstance(scope, dict) else ()
