"""How a host stands, and moments, as they are shown."""

from __future__ import annotations

import math
from datetime import UTC, datetime

from focused_crawler.report.words import count, duration, plural
from focused_crawler.store.job import RunInfo
from focused_crawler.why.facts import HostFact


def at(moment: float) -> str:
    """Return a moment as it is shown.

    >>> at(0), at(math.inf)
    ('1970-01-01 00:00:00 UTC', 'never')
    """
    if not math.isfinite(moment):
        return "never"
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M:%S} UTC"


def standing(host: HostFact, run: RunInfo, now: float) -> str:
    """Return how a host stands: what it gave, and when it may be asked."""
    pages = f"{plural(host.pages, 'page')} fetched"
    if host.fetches > host.pages and not run.is_shared:  # workers look at nothing again, and record later
        pages = f"{pages} ({count(host.fetches)} with those looked at again)"
    share = f" of the {cap} it may give" if (cap := host_cap(run)) else ""
    parts = [f"{pages}{share}", f"{count(host.pending)} pending"]
    if host.out:
        parts.append(f"{count(host.out)} out or waiting for another try")
    if host.delay:
        parts.append(f"asks for {host.delay:g} s between two requests")
    if host.refusals:
        parts.append(f"refused {plural(host.refusals, 'time')} in a row")
    if host.is_closed:
        parts.append("closed: not asked again in its last run")
    elif host.ready_at > now:
        parts.append(f"may be asked in {duration(host.ready_at - now)}")
    return f"{', '.join(parts)}."


def host_cap(run: RunInfo) -> int:
    """Return how many pages a host may give; 0: any number."""
    return int(run.settings.get("FOCUSED_HOST_PAGES") or 0)
