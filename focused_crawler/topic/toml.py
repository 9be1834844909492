"""TOML files edited in place: comments, order, line ends and all else stay as they are."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.container import Container
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Array, Comment, Item, String, Table, Whitespace

from focused_crawler.safety.errors import TopicError
from focused_crawler.safety.package_folder import check_lasts
from focused_crawler.safety.printable import place
from focused_crawler.safety.whole_file import replace_file
from focused_crawler.topic.file import TopicFile

_UNREADABLE = (TOMLKitError, ValueError, RecursionError)
_LONG_QUOTES = ("'''", '"""')


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
    check_lasts(path)
    try:
        replace_file(path, text.encode())
    except OSError as error:
        raise TopicError(
            f"{place(path)} cannot be written ({error.strerror}); free its folder or disk, and try again"
        ) from None


def save(file: TopicFile, text: str) -> None:
    """Put a text into the place of a file's content, with the line ends that the file has; TopicError."""
    replace_text(file.path, text.replace("\n", file.line_end))


def change_list(
    file: TopicFile, table: str, key: str, add: Sequence[str], remove: Collection[str] = ()
) -> None:
    """Do what `with_list` does, in the file itself. Raises TopicError."""
    text = with_list(file, table, key, add, remove)
    if text != file.content:
        save(file, text)


def with_list(file: TopicFile, table: str, key: str, add: Sequence[str], remove: Collection[str] = ()) -> str:
    """Return a file's content with items taken out of a list of texts, and others at its end.

    The list, and its table, are made if missing. All else stays as it is. Raises TopicError.
    """
    old = file.texts(table, key)
    new = [item for item in old if item not in remove]
    added = [item for item in dict.fromkeys(add) if item not in new]
    if new == list(old) and not added:
        return file.content
    try:
        document = tomlkit.parse(file.content)
        _change(document, table, key, added, remove)
        text = tomlkit.dumps(document)
        found = tomllib.loads(text)
    except _UNREADABLE:
        found = {}
    if found != _expected(file.tables, table, key, added, remove):
        where = f"[{table}] and " if table else ""
        raise file.error(table, key, f'{key} cannot be changed here; write it as {where}{key} = ["..."]')
    return text


def with_text(file: TopicFile, key: str, value: str) -> str:
    """Return a file's content with another text for a key above its tables; TopicError."""
    if file.tables.get(key) == value:
        return file.content
    try:
        document = tomlkit.parse(file.content)
        if key in document:
            document[key] = tomlkit.value(quoted(value))
        else:
            _add_key(document, key, tomlkit.value(quoted(value)))
        text = tomlkit.dumps(document)
        found = tomllib.loads(text)
    except _UNREADABLE:
        found = {}
    if found != {**file.tables, key: value}:
        raise file.error("", key, f'{key} cannot be changed here; write it as {key} = "..."')
    return text


def long_texts(file: TopicFile, table: str, key: str) -> dict[str, str]:
    """Return what stands between the quotes of a key in each table of a table, escapes as they are.

    Texts of one line, and all of a file that tomlkit cannot read, are left out.
    """
    try:
        tables = tomlkit.parse(file.content).get(table, {})
    except _UNREADABLE:
        return {}
    sources = {name: tables[name][key].as_string() for name in tables}
    return {name: source[3:-3] for name, source in sources.items() if source.startswith(_LONG_QUOTES)}


def with_long_texts(file: TopicFile, table: str, key: str, texts: Mapping[str, str]) -> str:
    """Return a file's content with other texts for those that `long_texts` gave."""
    if not texts:
        return file.content
    document = tomlkit.parse(file.content)
    tables: Any = document[table]
    for name, text in texts.items():
        quotes = tables[name][key].as_string()[:3]
        tables[name][key] = tomlkit.value(f"{quotes}{text}{quotes}")
    return tomlkit.dumps(document)


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if character.isprintable():
        return character
    return f"\\u{ord(character):04X}" if ord(character) <= 0xFFFF else f"\\U{ord(character):08X}"


def _expected(
    tables: Mapping[str, Any], table: str, key: str, add: Sequence[str], remove: Collection[str]
) -> dict[str, Any]:
    """Return the tables of a file with a list changed."""
    scope = tables.get(table, {}) if table else tables
    items = [item for item in scope.get(key, ()) if item not in remove]
    changed = {**scope, key: [*items, *add]}
    return {**tables, table: changed} if table else changed


def _change(
    document: tomlkit.TOMLDocument, table: str, key: str, add: Sequence[str], remove: Collection[str]
) -> None:
    if table and table not in document:
        document[table] = tomlkit.table()
    scope: Any = document[table] if table else document
    items = scope.get(key)
    if isinstance(items, Array):
        parts = _with_items(_without_items(_parts(items), remove), add)
        scope[key] = tomlkit.value(f"[{''.join(part.as_string() for part in parts)}]")
    else:
        _add_key(scope, key, tomlkit.value(listed(add)))


def _add_key(scope: MutableMapping[str, Any], key: str, value: Item) -> None:
    """Put a key behind the last one of its table: a comment below that is mostly about the next table."""
    container = scope.value if isinstance(scope, Table) else scope
    body = container.body if isinstance(container, Container) else []
    own = [n for n, (name, item) in enumerate(body) if name is not None and not isinstance(item, Table | AoT)]
    position = own[-1] + 1 if own else 0
    if isinstance(container, Container) and position < len(body):
        container._insert_at(position, key, value)
    else:
        scope[key] = value


def _parts(items: Array) -> list[Item]:
    """Return texts, commas, comments, spaces and line breaks of a list, in their order.

    tomlkit has no public name for them, and its own way to change a list moves comments and loses commas.
    """
    return [
        piece
        for part in items._iter_items()
        for piece in (map(Whitespace, re.split("(,)", part.s)) if isinstance(part, Whitespace) else (part,))
        if piece.as_string()
    ]


def _without_items(parts: Sequence[Item], remove: Collection[str]) -> list[Item]:
    """Leave out texts, each with its comma and, where it has a line of its own, that line and its comment."""
    result: list[Item] = []
    position = 0
    while position < len(parts):
        part = parts[position]
        if not isinstance(part, String) or part.value not in remove:
            result.append(part)
            position += 1
            continue
        position = _after_comma(parts, position)
        end = _line_end(parts, position)
        if end is not None and result and _breaks_line(result[-1]):
            above = result.pop().as_string().rpartition("\n")[0]
            result += [Whitespace(above)] if above else []
            position = end
        elif position < len(parts) and _is_space(parts[position]):
            position += 1
    return result


def _with_items(parts: list[Item], values: Sequence[str]) -> list[Item]:
    """Put texts behind the last one, in lines of their own where it ends its line."""
    if not values:
        return parts
    lines = [Whitespace(f"\n    {quoted(value)},") for value in values]
    last = max((n for n, part in enumerate(parts) if isinstance(part, String)), default=None)
    if last is None:
        is_line = bool(parts) and _breaks_line(parts[0])
        return [*lines, *([] if is_line else [Whitespace("\n")]), *parts]
    position = _after_comma(parts, last)
    if position == last + 1:
        parts.insert(position, Whitespace(","))
        position += 1
    if (end := _line_end(parts, position)) is not None:
        return [*parts[:end], *lines, *parts[end:]]
    rest = parts[position + 1 :] if parts[position:] and _is_space(parts[position]) else parts[position:]
    return [*parts[:position], Whitespace(f" {', '.join(map(quoted, values))}"), *rest]


def _after_comma(parts: Sequence[Item], position: int) -> int:
    """Return what follows the comma of a text, or the text itself where it has none."""
    for number in range(position + 1, len(parts)):
        if parts[number].as_string() == ",":
            return number + 1
        if isinstance(parts[number], String):
            break
    return position + 1


def _line_end(parts: Sequence[Item], position: int) -> int | None:
    """Return which part breaks the line, None where something else than a comment comes before."""
    while position < len(parts) and (_is_space(parts[position]) or isinstance(parts[position], Comment)):
        position += 1
    return position if position < len(parts) and _breaks_line(parts[position]) else None


def _is_space(part: Item) -> bool:
    return part.as_string().strip(" \t") == ""


def _breaks_line(part: Item) -> bool:
    return isinstance(part, Whitespace) and "\n" in part.as_string()
