"""What a person changes in the lists: marks, and sheets that come and go."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path

from focused_crawler.crawl.lists.lists import ListedHub, ListedSite, Lists, Mark, Marking
from focused_crawler.page.url import normalise, site_of, url_key
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.printable import harmless, printable
from focused_crawler.safety.sheet import Sheet
from focused_crawler.safety.whole_file import unfinished
from focused_crawler.store.job import read_run
from focused_crawler.topic.file import shown


def site_name(text: str) -> str | None:
    """Return the site of a host or a URL, None if it is neither.

    >>> site_name("WWW.Example.org"), site_name("https://example.org:8080/a"), site_name("no host")
    ('example.org', 'example.org:8080', None)
    """
    if not text or " " in text:
        return None
    url = normalise(text if "://" in text else f"http://{text}")
    return None if url is None else site_of(url)


def hub_name(text: str) -> str | None:
    """Return a URL as crawls write it, None if it is none.

    >>> hub_name("HTTPS://Example.org/links#top"), hub_name("example.org")
    ('https://example.org/links', None)
    """
    return normalise(text) if "://" in text else None


def hub_behind(text: str) -> str | None:
    """Return the URL of a hub that a name means; None where it means a site.

    >>> hub_behind("https://example.org/links"), hub_behind("https://example.org/"), hub_behind("example.org")
    ('https://example.org/links', None, None)
    """
    url = hub_name(text)
    return url if url is not None and url.rstrip("/").count("/") > 2 else None


COLUMNS = ("kind", "name", "mark", "note", "kept", "crawls", "pages_or_links", "relevant", "share")
MARKS: dict[str, Mark] = {"": "", "kept": "kept", "banned": "banned"}
LONGEST_NOTE = 1000

_NEEDED = COLUMNS[:4]
_KINDS = {
    "site": (site_name, "a host, as in example.org"),
    "hub": (hub_name, "a URL, as in https://example.org/links"),
}


def csv_text(lists: Lists) -> str:
    """Return all sites and hubs, kept or not; text from the web can do nothing in a spreadsheet."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(COLUMNS)
    rows: list[tuple[str, str, int, ListedSite | ListedHub]]
    rows = [("site", site.site, site.pages, site) for site in lists.sites()]
    rows += [("hub", hub.url, hub.links, hub) for hub in lists.hubs()]
    for kind, name, number, one in rows:
        is_kept = "yes" if one.is_kept else "no"
        numbers = (one.crawls, number, one.relevant, f"{one.share:.4f}")
        writer.writerow([harmless(str(cell)) for cell in (kind, name, one.mark, one.note, is_kept, *numbers)])
    return target.getvalue()


def write_csv(lists: Lists, path: Path) -> None:
    """Write them into a file; raises ConfigError."""
    try:
        with unfinished(path) as file:
            file.write_text(csv_text(lists), "utf-8")
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written ({error.strerror}); let --export name a file that can be"
        ) from None


def read_csv(path: Path) -> dict[str, list[Marking]]:
    """Return the marks of a file, of a "site" and of a "hub", by the columns of its first line.

    ConfigError: line, what and the cure.
    """
    cure = f"give --import a CSV file that begins with a line {','.join(_NEEDED)}"
    found: dict[str, list[Marking]] = {"site": [], "hub": []}
    seen: dict[object, tuple[str, Mark]] = {}
    for where, row in Sheet(path, _NEEDED, cure, ConfigError).rows():
        known, mark, note = _read_row(where, row)
        key = known if row["kind"] == "site" else url_key(known)
        before, other = seen.setdefault(key, (where, mark))
        if other != mark:
            raise ConfigError(f"{where}: {printable(known)} has another mark in {before}; leave one row out")
        found[row["kind"]].append((known, mark, note))
    return found


def _read_row(where: str, row: Mapping[str, str]) -> Marking:
    kind, name, mark = row["kind"], row["name"], row["mark"].lower()
    if mark not in MARKS:
        raise ConfigError(f"{where}: mark is {shown(row['mark'])}; write kept or banned, or leave it empty")
    if kind not in _KINDS:
        raise ConfigError(f"{where}: kind is {shown(kind)}; write site or hub")
    read_name, example = _KINDS[kind]
    known = read_name(name)
    if known is None:
        raise ConfigError(f"{where}: {shown(name)} is no {kind}; write {example}")
    return known, MARKS[mark], row["note"][:LONGEST_NOTE]


def check_marks(kept: Iterable[str], banned: Iterable[str]) -> None:
    """Raise ConfigError for a site or hub that is to be both."""
    both = {_key(name) for name in kept}
    for name in banned:
        if _key(name) in both:
            raise ConfigError(f"{shown(name)} is to be both kept and banned; leave --keep or --ban out")


def _key(name: str) -> object:
    """Return what is the same for all spellings of a site or hub."""
    hub = hub_behind(name)
    return url_key(hub) if hub is not None else site_name(name) or name


def mark(lists: Lists, name: str, mark: Mark, note: str | None) -> str:
    """Keep or ban a site, or the hub that a URL names; return it. Without a note the old one stays."""
    note = None if note is None else note[:LONGEST_NOTE]
    hub = hub_behind(name)
    if hub is not None:
        lists.mark(hubs=[(hub, mark, note)])
        return hub
    site = site_name(name)
    if site is None:
        raise ConfigError(f"{shown(name)} is no site; give a host, as in example.org, or the URL of a hub")
    lists.mark(sites=[(site, mark, note)])
    return site


def import_marks(lists: Lists, path: Path) -> int:
    """Take over the marks and notes of a CSV file, all or none; return its rows. What it leaves out stays."""
    marks = read_csv(path)
    known = {one.site for one in lists.sites()} | {url_key(one.url) for one in lists.hubs()}
    new = [site for site, mark, _ in marks["site"] if not mark and site not in known]
    new += [url for url, mark, _ in marks["hub"] if not mark and url_key(url) not in known]
    if new:
        raise ConfigError(f"{path}: {new[0]} is new here; give it a mark, kept or banned")
    lists.mark(marks["site"], marks["hub"])
    return sum(map(len, marks.values()))


def forget(lists: Lists, name: str) -> int:
    """Drop the numbers of a crawl, by its folder or, when that is gone, its name; return how many were so
    called.
    """
    folder = Path(name)
    run = read_run(folder)
    found = lists.forget(run.job, run.started) if run is not None else lists.forget(name)
    if not found:
        names = ", ".join(dict.fromkeys(crawl.job for crawl in lists.crawls())) or "none"
        raise ConfigError(f"no crawl {name} is counted here; these are: {names}")
    return found
