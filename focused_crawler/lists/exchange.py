"""The lists as CSV, for people to edit: kind, name, mark and note are read back, the numbers are not."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from focused_crawler.errors import ConfigError
from focused_crawler.lists.lists import Lists, Mark, Marking
from focused_crawler.lists.names import hub_name, site_name
from focused_crawler.net.printable import printable
from focused_crawler.net.sheet import Sheet
from focused_crawler.net.spreadsheet import harmless
from focused_crawler.page.url import url_key
from focused_crawler.topic_file import shown

COLUMNS = ("kind", "name", "mark", "note", "kept", "crawls", "pages_or_links", "relevant", "share")
MARKS: dict[str, Mark] = {"": "", "kept": "kept", "banned": "banned"}
LONGEST_NOTE = 1000

_NEEDED = COLUMNS[:4]


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
    cure = f"give --import a CSV file that begins with a line {','.join(_NEEDED)}"
    found, seen = Marks(), dict[object, tuple[str, Mark]]()
    for where, row in Sheet(path, _NEEDED, cure, ConfigError).rows():
        known, mark, note = _read_row(where, row)
        key = known if row["kind"] == "site" else url_key(known)
        before, other = seen.setdefault(key, (where, mark))
        if other != mark:
            raise ConfigError(f"{where}: {printable(known)} has another mark in {before}; leave one row out")
        marks = found.sites if row["kind"] == "site" else found.hubs
        marks.append((known, mark, note))
    return found


def _read_row(where: str, row: Mapping[str, str]) -> Marking:
    kind, name, mark = row["kind"], row["name"], row["mark"].lower()
    if mark not in MARKS:
        raise ConfigError(f"{where}: mark is {shown(row['mark'])}; write kept or banned, or leave it empty")
    if kind not in {"site", "hub"}:
        raise ConfigError(f"{where}: kind is {shown(kind)}; write site or hub")
    known = site_name(name) if kind == "site" else hub_name(name)
    if known is None:
        example = "a host, as in example.org" if kind == "site" else "a URL, as in https://example.org/links"
        raise ConfigError(f"{where}: {shown(name)} is no {kind}; write {example}")
    return known, MARKS[mark], row["note"][:LONGEST_NOTE]


def _cells(*values: object) -> Iterator[str]:
    return (harmless(str(value)) for value in values)


def _yes(is_kept: bool) -> str:
    return "yes" if is_kept else "no"
