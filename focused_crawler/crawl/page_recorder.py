"""The one way a page is recorded, and the other ends that a lease may come to. Plain Python."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from focused_crawler.crawl.analysis import ScoredLink, candidates
from focused_crawler.crawl.steering.copies import Copy
from focused_crawler.crawl.steering.revisit_store import Validators
from focused_crawler.crawl.steering.steering import candidate
from focused_crawler.crawl.steering.traps import Visit
from focused_crawler.crawl.steering.url_kinds import refused
from focused_crawler.store.item import PageItem
from focused_crawler.store.rows import LinkRows

if TYPE_CHECKING:
    from focused_crawler.crawl.crawl import Crawl

GONE = frozenset({"http_404", "http_410", "redirect_to_known"})
"""Failures by which a page that was there is no more: it leads elsewhere, or nowhere."""


class Failure(NamedTuple):
    """Why a URL gave no page."""

    reason: str  # a short class: robots, http_404, timeout, ...
    retry: bool
    retry_after: float | None = None  # seconds the host asked us to wait
    refused_by: str | None = None  # the host that would not serve us now: by 429, by 503 or with Retry-After
    detail: str = ""  # what belongs to the reason: a URL
    is_untried: bool = False  # nobody was asked, so that it costs no try


class PageRecorder:
    """The only writer of what a page leaves behind.

    Links go into the frontier before their page is recorded; the page, the end of its lease and the rows of
    its links are committed together, with those of other pages where many end at once. So after a crash a
    page is wholly there, or will be fetched again.
    """

    def __init__(self, crawl: Crawl) -> None:
        """Take the crawl that it works for: with its frontier, journal and database."""
        self._crawl = crawl

    def compare(self, item: PageItem) -> None:
        """Say of which page, recorded before, a page is a copy; it is no further relevant page then."""
        copy = self._crawl.steering.compare(item.requested_url, item.url, item.checksum or "")
        if copy is not None and not self._crawl.is_revisit(item):
            mark_copy(item, copy)

    def record_links(self, source: str, links: Sequence[ScoredLink]) -> None:
        """Keep the links of a page with their anchors and scores, followed or not."""
        rows = LinkRows.of(source, [link[:4] for link in links])
        self._crawl.journal.write(partial(self._crawl.store.write_links, rows))

    def record(self, item: PageItem) -> None:
        """Keep a page and end its lease."""
        crawl, lease = self._crawl, item.requested_url
        item.run = crawl.run_id
        if crawl.is_revisit(item):
            self._record_again(item)
            return
        if crawl.maintenance.page(lease) is not None:
            crawl.maintenance.missed(lease, time.time(), is_gone=True)
        crawl.frontier.done(lease, item.url)
        if crawl.steering.is_missing(lease):
            self.decide("discounted", "soft_404", url=lease)
        crawl.journal.write(partial(self._keep_page, item))
        crawl.end_lease(lease)

    def _keep_page(self, item: PageItem) -> bool:
        """Record a page; return False, and nothing is kept, if a process that died had recorded it."""
        crawl = self._crawl
        if not crawl.store.record_page(item):
            return False
        visit = Visit(
            item.url, item.parent, item.is_relevant, item.duplicate_of, _other(item.requested_url, item.url)
        )
        for raised in crawl.steering.recorded(item.requested_url, visit):
            if not refused(raised.url, crawl.plan.config.skipped_words):
                crawl.frontier.add([candidate(raised)])
                self.decide("raised", "hub", url=raised.url, detail=raised.hub)
        return True

    def _record_again(self, item: PageItem) -> None:
        crawl, lease = self._crawl, item.requested_url
        if crawl.maintenance.is_unchanged(lease, item.checksum):
            self.unchanged(lease, Validators(item.etag, item.last_modified), item.links)
            return
        before = crawl.maintenance.changed(lease, time.time(), item)
        crawl.steering.changed(lease, item.url)
        if crawl.plan.truth is None:
            crawl.rate.revise(was=before.is_relevant, relevant=item.is_relevant)
        crawl.frontier.done(lease, item.url)
        crawl.end_lease(lease)

    def unchanged(self, lease: str, validators: Validators, links: int | None = None) -> None:
        """End the lease of a revisit that found the old text; `links`: how many there are, if it was sent."""
        crawl = self._crawl
        crawl.maintenance.unchanged(lease, time.time(), validators, links)
        crawl.frontier.done(lease)
        crawl.end_lease(lease)

    def skip_known(self, lease: str, url: str, depth: int) -> None:
        """End the lease of a page that an earlier crawl has, and queue the links that it saw there."""
        crawl = self._crawl
        words, found = crawl.plan.config.skipped_words, crawl.known.links(lease)
        links = [
            ScoredLink(*link) if not refused(link.url, words) else ScoredLink(*link[:3], None)
            for link in found
        ]
        self.record_links(url, links)
        if not crawl.plan.analyst.is_too_deep(depth):
            crawl.frontier.add(candidates(links, depth + 1, url))
        crawl.frontier.done(lease, url)
        crawl.journal.write(partial(crawl.store.count, known=1))
        for known in dict.fromkeys((lease, url)):
            self.decide("skipped", "known", url=known, detail="" if known == url else url)
        crawl.end_lease(lease)

    def fail(self, url: str, failure: Failure, tries: int = 0) -> bool:
        """End a lease that gave no page; return whether the URL is queued again."""
        crawl, config, now = self._crawl, self._crawl.plan.config, time.time()
        if failure.refused_by is not None and crawl.is_polite:
            retry = crawl.frontier.refused(url, failure.refused_by, now, failure.retry_after)
        elif failure.is_untried:
            crawl.frontier.release(url)
            retry = True
        else:
            retry = failure.retry and tries + 1 < config.max_tries
            wait = config.retry_delay * 2**tries if crawl.is_polite else 0.0
            crawl.frontier.failed(url, now + wait if retry else None)
        decision = self._try_again(url) if retry else self._give_up(url, failure.reason)
        self.decide(decision, failure.reason, url=url, detail=failure.detail)
        crawl.end_lease(url, at_once=failure.refused_by is not None)
        return retry

    def _try_again(self, url: str) -> str:
        self._crawl.maintenance.forget(url)
        return "retry"

    def _give_up(self, url: str, reason: str) -> str:
        """Write down that a URL gave no page, or gives none any more; return which it is."""
        crawl = self._crawl
        if crawl.maintenance.page(url) is None:
            crawl.journal.write(partial(self._keep_failure, url, reason))
            return "failed"
        is_gone = reason in GONE
        if is_gone:
            crawl.frontier.done(url)  # it was answered, and a page of it is recorded
        crawl.maintenance.missed(url, time.time(), is_gone=is_gone)
        return "gone" if is_gone else "failed"

    def _keep_failure(self, url: str, reason: str) -> None:
        self._crawl.store.record_failure(url, reason, self._crawl.run_id)

    def decide(self, decision: str, rule: str, **about: str) -> None:
        """Keep what was decided: see `PageStore.record_decision`."""
        crawl = self._crawl
        crawl.journal.write(lambda: crawl.store.record_decision(decision, rule, run=crawl.run_id, **about))


def mark_copy(item: PageItem, copy: Copy) -> None:
    """Say of which page a page is a copy: it is no further relevant page then."""
    item.duplicate_of, item.likeness = copy
    item.is_relevant = False


def _other(url: str, than: str) -> str | None:
    return None if url == than else url
