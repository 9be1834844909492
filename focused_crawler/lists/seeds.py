"""Start pages out of the lists: the best entry of each kept site, and the best hubs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from focused_crawler.lists.lists import Lists
from focused_crawler.page.url import site_of, url_key
from focused_crawler.steering.url_words import refused

MOST_SITES = 100
MOST_HUBS = 50
"""Start pages of a kind at most: all of them are fetched before any link, so a crawl of a thousand pages must
not be spent on them."""
HUBS_A_SITE = 2


def seeds_of(lists: Lists, skipped_words: Sequence[str] = ()) -> list[str]:
    """Return the entries of kept sites, those with most relevant pages first, then the hubs, the same way.

    What is banned is left out, and hubs on a banned site with it; so is what has one of the words in its URL.
    A site that a person added, where nothing was fetched yet, is entered at its root.
    """
    sites, hubs = lists.sites(), lists.hubs()
    chosen: dict[int, str] = {}
    banned = {site.site for site in sites if site.mark == "banned"}
    banned_keys = {url_key(hub.url) for hub in hubs if hub.mark == "banned"}
    entries = [site.entry or f"https://{site.site}/" for site in sites if site.is_kept]
    for entry in [entry for entry in entries if not refused(entry, skipped_words)]:
        if len(chosen) < MOST_SITES and url_key(entry) not in banned_keys:
            chosen[url_key(entry)] = entry
    used: Counter[str] = Counter()
    for hub in [hub for hub in hubs if hub.is_kept and not refused(hub.url, skipped_words)]:
        host = site_of(hub.url)
        is_new = url_key(hub.url) not in chosen
        if host not in banned and is_new and used[host] < HUBS_A_SITE:
            if used.total() >= MOST_HUBS:
                break
            used[host] += 1
            chosen[url_key(hub.url)] = hub.url
    return list(chosen.values())
