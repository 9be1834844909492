"""All that a crawl's database knows of one URL, as plain values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from focused_crawler.safety.formats import count, duration, plural
from focused_crawler.store.job import RunInfo
from focused_crawler.store.schema import State

QUEUED = frozenset({State.PENDING, State.WAITING})
"""In the frontier; all else is at its end, or never began."""

REVISITED = "revisited"
"""Name of the event that a revisit is; its rule is the outcome."""


class LinkFact(NamedTuple):
    """A link to the URL, or to the one that redirects to it."""

    source: str
    target: str
    fetched_at: float | None  # of its page, sitemap or feed, seconds since the epoch
    position: int | None  # of its page, in order of recording
    relevance: float | None  # of its page
    depth: int | None  # of its page
    number: int  # on its page, from 0
    links: int | None  # of its page
    anchor: str
    block: int
    score: float | None  # [0, 1]; None: not followed
    external: int  # 1: leads to another site
    raised: int  # 1: higher than all links to the URL before it
    listing: str | None = None  # kind of the sitemap or feed that its source is; None: a page


class LinkCount(NamedTuple):
    """All links to the URL."""

    links: int = 0
    pages: int = 0
    followed: int = 0


class QueueFact(NamedTuple):
    """Its row of the frontier. A URL that was never queued has neither host nor rank."""

    id: int
    url: str  # as it is asked for
    state: int
    host: int | None
    tries: int  # failed attempts
    priority: float
    tie: int
    depth: int
    rank: int | None  # among all pending when it got its priority; 1: the first
    retry_at: float | None
    parent: str | None  # page that gave it its priority


class PageFact(NamedTuple):
    """Its page, or the page that redirects led to."""

    position: int
    key: int
    url: str
    requested_url: str
    fetched_at: float
    status: int
    size: int
    depth: int
    links: int
    title: str
    relevance: float
    is_relevant: int
    category: str | None
    duplicate_of: str | None
    likeness: float | None
    checked_at: float | None
    gone_at: float | None
    run: int | None
    checksum: str | None = None


class FailureFact(NamedTuple):
    """Why there is no page."""

    reason: str  # a class: http_404, timeout, robots, ...
    failed_at: float
    run: int | None
    detail: str = ""  # a URL, or the sign of a trap


class Event(NamedTuple):
    """Something that was decided or done, about the URL or its host."""

    at: float
    what: str
    rule: str = ""
    detail: str = ""
    host: str | None = None  # None: about the URL itself
    run: int | None = None


class HostFact(NamedTuple):
    """How its host stands."""

    name: str
    load: int  # URLs handed out
    asked_at: float
    ready_at: float  # infinity: closed
    delay: float  # that it asked for
    fetches: int  # that gave a page, revisits counted in
    refusals: int  # in a row
    pending: int
    waiting: int  # for another try
    pages: int  # recorded

    @property
    def is_closed(self) -> bool:
        """Tell whether nothing more was asked of it."""
        return self.ready_at == math.inf


class NearUrl(NamedTuple):
    """A known URL of the same host, with where it stands."""

    url: str
    state: str


class WayStep(NamedTuple):
    """A page on the way to the URL, or the URL itself."""

    url: str
    title: str = ""
    relevance: float | None = None  # None: it is no recorded page
    is_relevant: bool = False
    anchor: str = ""  # of the link by which it was found on the page before
    score: float | None = None  # of that link; None: not followed, or not known


@dataclass(frozen=True, slots=True)
class UrlFacts:
    """What is known of a URL; of one that was never seen, only its host and what is near it."""

    url: str  # normalised
    queue: QueueFact | None
    counted: LinkCount
    links: tuple[LinkFact, ...]  # those that raised its score, and the first, in order of time
    page: PageFact | None
    again: State | None  # pending or waiting: state of its page that is to be revisited
    failure: FailureFact | None
    events: tuple[Event, ...]  # in order of time
    host: HostFact | None
    ahead: int | None  # pending URLs that come before it; None: it is not pending, or there are too many
    near: tuple[NearUrl, ...]
    way: tuple[WayStep, ...] = ()  # from a start page to the URL, which is the last; empty: never seen
    lowered: Event | None = None  # why it was to come last, whatever became of it since; None: it was not
    has_outcomes: bool = True  # False: what became of it lies in a frontier that was not read

    @property
    def state(self) -> State | None:
        """Return where it stands, None for a URL that was never seen."""
        return None if self.queue is None else State(self.queue.state)

    @property
    def best(self) -> LinkFact | None:
        """Return the link that gave it its priority: the first of the highest score; None: none was followed.

        Links found after its page was fetched speak only where there is none before.
        """
        followed = [link for link in self.links if link.score is not None]
        in_time = [link for link in followed if not self.is_late(link)] or followed
        return max(in_time, key=lambda link: (link.score, -(link.position or 0)), default=None)

    def is_late(self, link: LinkFact) -> bool:
        """Tell whether a link was found after the page was fetched."""
        page, found_at = self.page, link.fetched_at
        return page is not None and found_at is not None and found_at > page.fetched_at

    @property
    def is_seed(self) -> bool:
        """Tell whether it was queued by no page: a seed, or what a spider asked for itself."""
        queue = self.queue
        return queue is not None and queue.host is not None and queue.parent is None

    def last(self, what: str) -> Event | None:
        """Return the last event of that name about the URL itself."""
        found = [event for event in self.events if event.what == what and event.host is None]
        return found[-1] if found else None


def at(moment: float) -> str:
    """Return a moment as it is shown.

    >>> at(0), at(math.inf)
    ('1970-01-01 00:00:00 UTC', 'never')
    """
    if not math.isfinite(moment):
        return "never"
    try:
        return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except OSError:  # of the system's clock, as if a file could not be read
        raise ValueError(f"{moment} is no time") from None


def host_state(host: HostFact, run: RunInfo, now: float) -> str:
    """Return what a host gave, and when it may be asked again."""
    pages = f"{plural(host.pages, 'page')} fetched"
    if host.fetches > host.pages:
        pages = f"{pages} ({count(host.fetches)} with revisits, sitemaps and feeds)"
    share = f" of the {cap} it may give" if (cap := host_cap(run)) else ""
    parts = [f"{pages}{share}", f"{count(host.pending)} pending"]
    if host.waiting:
        parts.append(f"{count(host.waiting)} waiting for another try")
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
