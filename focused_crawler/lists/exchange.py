"""The lists as CSV, for people to edit: kind, name, mark and note are read back, the numbers are not."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from focused_crawler.errors import ConfigError
from focused_crawler.lists.lists import Lists, Mark, Marking
from focused_crawler.lists.names import hub_name, site_name
from focused_crawler.net.spreadsheet import as_written, harmless

COLUMNS = ("kind", "name", "mark", "note", "kept", "crawls", "pages_or_links", "relevant", "share")
MARKS: dict[str, Mark] = {"": "", "kept": "kept", "banned": "banned"}
MOST_BYTES = 20_000_000
LONGEST_NOTE = 1000


@dataclass(slots=True)
class Marks:
    """What a file says of sites and hubs."""

    sites: list[Marking] = field(default_factory=list)
    hubs: list[Marking] = field(default_factory=list)


def csv_text(lists: Lists) -> str:
    """Return all sites and hubs, kept or not; text from the web can do nothing in a spreadsheet."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(COLUMNS)
    for site in lists.sites():
        numbers = (site.crawls, site.pages, site.relevant, f"{site.share:.4f}")
        writer.writerow(_cells("site", site.site, site.mark, site.note, _yes(site.is_kept), *numbers))
    for hub in lists.hubs():
        numbers = (hub.crawls, hub.links, hub.relevant, f"{hub.share:.4f}")
        writer.writerow(_cells("hub", hub.url, hub.mark, hub.note, _yes(hub.is_kept), *numbers))
    return target.getvalue()


def write_csv(lists: Lists, path: Path) -> None:
    """Write them into a file; raises ConfigError."""
    try:
        path.write_text(csv_text(lists), "utf-8")
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written ({error.strerror}); let --export name a file that can be"
        ) from None


def read_csv(path: Path) -> Marks:
    """Return what a file says, by the columns of its first line; ConfigError: line, what and the cure."""
    lines = csv.reader(io.StringIO(_text(path), newline=""), strict=True)
    found = Marks()
    try:
        place = _places(path, next(lines, []))
        for cells in lines:
            if any(cells):
                _read_row(f"{path}:{lines.line_num}", [_plain(cells, at) for at in place], found)
    except csv.Error as error:
        raise ConfigError(f"{path}:{lines.line_num}: no CSV ({error}); save it as CSV once more") from None
    return found


def _read_row(place: str, cells: Sequence[str], found: Marks) -> None:
    kind, name, mark, note = cells
    if mark.lower() not in MARKS:
        raise ConfigError(f"{place}: mark is {mark!r}; write kept or banned, or leave it empty")
    if kind not in {"site", "hub"}:
        raise ConfigError(f"{place}: kind is {kind!r}; write site or hub")
    known = site_name(name) if kind == "site" else hub_name(name)
    if known is None:
        example = "a host, as in example.org" if kind == "site" else "a URL, as in https://example.org/links"
        raise ConfigError(f"{place}: {name!r} is no {kind}; write {example}")
    marks = found.sites if kind == "site" else found.hubs
    marks.append((known, MARKS[mark.lower()], note[:LONGEST_NOTE]))


def _places(path: Path, header: Sequence[str]) -> list[int]:
    """Return where the four columns are that are read."""
    names = [name.strip().lower() for name in header]
    for name in COLUMNS[:4]:
        if name not in names:
            raise ConfigError(f"{path}:1: no column {name}; begin with a line {','.join(COLUMNS[:4])}")
    return [names.index(name) for name in COLUMNS[:4]]


def _plain(cells: Sequence[str], at: int) -> str:
    """Return a cell without the apostrophe that an export gave it."""
    cell = cells[at].strip() if at < len(cells) else ""
    return as_written(cell)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise ConfigError(f"{path} is larger than {MOST_BYTES:,} bytes; import it in parts")
        return content.decode("utf-8-sig").replace("\0", "")
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not in UTF-8; save it as CSV in UTF-8") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error.strerror}); give --import a CSV file") from None


def _cells(*values: object) -> Iterator[str]:
    return (harmless(str(value)) for value in values)


def _yes(is_kept: bool) -> str:
    return "yes" if is_kept else "no"
