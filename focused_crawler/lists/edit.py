"""What a person changes in the lists."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from focused_crawler.errors import ConfigError
from focused_crawler.lists.exchange import LONGEST_NOTE, read_csv
from focused_crawler.lists.lists import Lists, Mark
from focused_crawler.lists.names import hub_name, is_hub, site_name
from focused_crawler.page.url import url_key
from focused_crawler.store.job import read_run
from focused_crawler.topic_file import shown


def check_marks(kept: Iterable[str], banned: Iterable[str]) -> None:
    """Raise ConfigError for a site or hub that is to be both."""
    both = {_key(name) for name in kept}
    for name in banned:
        if _key(name) in both:
            raise ConfigError(f"{shown(name)} is to be both kept and banned; leave --keep or --ban out")


def _key(name: str) -> object:
    """Return what is the same for all spellings of a site or hub."""
    hub = hub_name(name) if is_hub(name) else None
    return url_key(hub) if hub is not None else site_name(name) or name


def mark(lists: Lists, name: str, mark: Mark, note: str | None) -> str:
    """Keep or ban a site, or the hub that a URL names; return it. Without a note the old one stays."""
    hub = hub_name(name) if is_hub(name) else None
    if hub is not None:
        notes = {url_key(one.url): one.note for one in lists.hubs()}
        lists.mark(hubs=[(hub, mark, notes.get(url_key(hub), "") if note is None else note[:LONGEST_NOTE])])
        return hub
    site = site_name(name)
    if site is None:
        raise ConfigError(f"{shown(name)} is no site; give a host, as in example.org, or the URL of a hub")
    notes_of_sites = {one.site: one.note for one in lists.sites()}
    lists.mark(sites=[(site, mark, notes_of_sites.get(site, "") if note is None else note[:LONGEST_NOTE])])
    return site


def import_marks(lists: Lists, path: Path) -> int:
    """Take over the marks and notes of a CSV file, all or none; return its rows. What it leaves out stays."""
    marks = read_csv(path)
    known = {one.site for one in lists.sites()} | {url_key(one.url) for one in lists.hubs()}
    new = [site for site, said, _ in marks.sites if not said and site not in known]
    new += [url for url, said, _ in marks.hubs if not said and url_key(url) not in known]
    if new:
        raise ConfigError(f"{path}: {new[0]} is new here; give it a mark, kept or banned")
    lists.mark(marks.sites, marks.hubs)
    return len(marks.sites) + len(marks.hubs)


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
