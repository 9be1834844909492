"""One lease from take to end: the only definition of the rules of a lease. Plain Python.

Scrapy's edge and the simulator drive the same object, so an experiment cannot differ from a crawl:

    take -> redirect* -> respond -> (page) judge, links, compare, record
                                 -> (no page) fail
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from focused_crawler.crawl.failure import (
    GONE,
    KNOWN,
    LATE,
    LISTED,
    LISTINGS_OFF,
    UNCHANGED,
    Failure,
    failure_of_status,
)
from focused_crawler.crawl.lessons import LINKS, Lesson
from focused_crawler.crawl.link_order import Rescore
from focused_crawler.crawl.pauses import Pauses
from focused_crawler.crawl.recorder import Recorder
from focused_crawler.crawl.rescoring import Rescoring
from focused_crawler.crawl.scored_links import ScoredLink, candidates
from focused_crawler.crawl.steering.canonical import CANONICAL
from focused_crawler.crawl.steering.copies import mark_copy
from focused_crawler.crawl.steering.known import EarlierPage, KnownPages, is_same_version
from focused_crawler.crawl.steering.listings import WANTED, ListingLease, Listings
from focused_crawler.crawl.steering.lowered import BEHIND, RAISED, LoweredInMemory, LoweredUrls
from focused_crawler.crawl.steering.maintenance import Maintenance
from focused_crawler.crawl.steering.revisit_store import NO_VALIDATORS, KnownPage, Validators
from focused_crawler.crawl.steering.steering import JudgedPage, Steering
from focused_crawler.crawl.steering.traps import FetchedPage, Refusal
from focused_crawler.frontier.base import Candidate, Frontier, Lease, Rules
from focused_crawler.page.listing import ListedUrl
from focused_crawler.page.url import host_of, normalise, url_key
from focused_crawler.safety.content import NOT_MODIFIED, PAGE_STATUSES
from focused_crawler.store.item import PageItem
from focused_crawler.topic.scope import EVERYWHERE, Scope

MOST_REFUSED = 100
"""So many traps are passed over at a time: more would delay what has arrived."""


class Ending(NamedTuple):
    """How a visit ended without a new page."""

    visit: Visit
    failure: Failure  # or `UNCHANGED`, or `KNOWN`
    is_retried: bool = False


class Queued(NamedTuple):
    """What became of the links of a page."""

    new: int  # to the frontier
    held: int  # lowered: their domain floods


@dataclass(eq=False, slots=True)
class Visit:
    """A lease of the frontier under way; how it ended is written once."""

    _visits: Visits
    lease: Lease
    revisit: KnownPage | None = None  # its page as it was recorded, if it was
    listing: ListingLease | None = None  # it is of a sitemap or feed, and has no page
    earlier: EarlierPage | None = None  # what an earlier crawl has of the page that is asked for
    key: int | None = None  # identity of the page that it proved to be
    judged: JudgedPage | None = None  # what its page is compared by
    held: dict[str, float] | None = None  # links of its page and their scores, if they are scored again
    learnt: bytes = b""  # what its page teaches
    has_new_links: bool = False  # on its page
    is_probe: bool = False  # a trap budget let it through, to try what is left alone
    is_over: bool = False

    @property
    def url(self) -> str:
        """Return the frontier's URL, which names the visit."""
        return self.lease.url

    def conditions(self, url: str) -> Mapping[str, str]:
        """Return the headers to ask for a URL by: what need not be sent if it is as it was."""
        if self.revisit is not None:
            return self.revisit.validators.conditions() if self.revisit.is_at(url) else {}
        known = self._visits.known
        self.earlier = None if known is None else known.find(url)
        return {} if self.earlier is None else self.earlier.validators.conditions()

    def redirect(self, url: str, now: float) -> float | None:
        """Follow a redirect; return when its target's host may be asked, None where it ended the visit.

        A target that is, or was, somebody else's to fetch ends it, and so does one outside the scope, if a
        link led here, and one that a trap budget refuses: its URL may have to wait until nothing better is
        left.
        """
        target = normalise(url)
        if target is None:
            self.fail(Failure("redirect_refused", retry=False, detail=url), now)
            return None
        if self._is_taken(target):
            self.fail(Failure("redirect_to_known", retry=False, detail=target), now)
            return None
        is_linked = self.lease.parent is not None or self.lease.depth > 0  # a hub raises what has no parent
        if is_linked and self._visits.scope.outside(target):
            self.fail(Failure("out_of_scope", retry=False, detail=target), now)
            return None
        if self.listing is None and self._visits.frontier.is_elsewhere(host_of(target)):
            self._hand_over(target)
            return None
        if self.listing is None and self._visits.passes_over(self, target, now):
            return None
        return self.go_on(url, now)

    def go_on(self, url: str, now: float) -> float | None:
        """Return when the host of a redirect's target may be asked; None: never, and the visit has ended."""
        ready_at = self._visits.frontier.redirected(self.url, host_of(normalise(url) or url), now)
        if ready_at is None:
            self.fail(Failure("host_limit", retry=False, detail=url), now)
        return ready_at

    def respond(
        self,
        status: int,
        url: str,
        now: float,
        validators: Validators = NO_VALIDATORS,
        *,
        retry_after: float | None = None,
        is_html: bool = True,
    ) -> Failure | None:
        """Take in an answer; return why there is no page to read in it, None where there is one.

        It ends the visit by itself only if the page is as it was (`UNCHANGED`, `KNOWN`).
        """
        if self.is_over and self._visits.recorder.has(normalise(url) or self.url):
            return LATE
        if status == NOT_MODIFIED and self.revisit is not None and self.revisit.is_at(url):
            self._end_unchanged(validators, now)
            self._visits.report(Ending(self, UNCHANGED))
            return UNCHANGED
        is_known = self._is_known(status, url, validators)
        failure: Failure | None = None
        if not is_known and status not in PAGE_STATUSES:
            failure = failure_of_status(status, host_of(normalise(url) or url), retry_after)
        elif not is_known and not is_html:
            failure = Failure("not_html", retry=False)
        failure = failure or self._claim(url)
        if failure is None and is_known:
            self._skip_known(normalise(url) or self.url)
            return KNOWN
        return failure

    def links(self, source: str, scored: Sequence[ScoredLink], depth: int, first: int = 0) -> Queued | None:
        """Store and queue links of its page, before which come `first` others; None: all lie too deep."""
        visits = self._visits
        visits.recorder.links(source, scored, first)
        if visits.is_too_deep(depth):
            return None
        links, lowered = visits.steering.admit(candidates(scored, depth + 1, source), source)
        if visits.rescore is not None:
            self._hold(links)
        for link, refusal in lowered:
            visits.lowered.put(link, refusal)
        queued = Queued(visits.frontier.add(links), len(lowered))
        self.has_new_links = self.has_new_links or queued.new > 0
        return queued

    @property
    def listings(self) -> Listings:
        """Return what decides which sitemaps and feeds are fetched: without it, none is."""
        assert self._visits.steering.listings is not None
        return self._visits.steering.listings

    def announce(self, listed: Iterable[ListedUrl], now: float) -> None:
        """Take in when pages changed, as their sitemap says: some may be worth a revisit."""
        if self._visits.maintenance is not None:
            for entry in listed:
                if entry.changed_at is not None:
                    self._visits.maintenance.announce(entry.url, entry.changed_at, now)

    def learn_links(self, learnt: bytes) -> None:
        """Let what the strategy has learnt of links of no new page be stored with the next one."""
        if learnt and self._visits.rescoring is not None:
            self._visits.rescoring.beside.append(Lesson(LINKS, learnt))

    def listed(self, kind: str, links: int) -> None:
        """End a visit whose sitemap or feed was read, and its links are queued."""
        visits = self._visits
        self._note_listings(self.url)
        visits.frontier.done(self.url)
        visits.recorder.listed()
        visits.recorder.decision("listed", kind, url=self.url, detail=f"{links} links")
        self._end()
        visits.report(Ending(self, LISTED))

    def is_late(self, item: PageItem) -> bool:
        """Tell whether an item is not to be recorded, as its page is: its lease expired before it came."""
        if self.key is not None and not self.is_over:
            return False
        return not self.is_again(item.url) and self._visits.recorder.has(item.url)

    def compare(self, item: PageItem) -> None:
        """Say of which page, recorded before, its page is a copy; it is no further relevant page then."""
        copy = self._visits.steering.compare(self.judged, item.url, item.checksum or "")
        if copy is not None and not self.is_again(item.url):
            mark_copy(item, copy)

    def is_again(self, url: str) -> bool:
        """Tell whether the page at `url` is the one that is revisited, so that it is no further one."""
        return self.revisit is not None and self.revisit.is_at(url)

    def record(self, item: PageItem, now: float) -> KnownPage | None:
        """Store its page and end; return what the page was before, where a revisit found another text."""
        visits = self._visits
        if self.is_again(item.url):
            return self._record_again(item, now)
        if self.revisit is not None:
            visits.revisits.missed(self.revisit, now, is_gone=True)
        visits.frontier.done(self.url, item.url)
        if self.judged is not None and self.judged.is_missing:
            visits.recorder.decision("discounted", "soft_404", url=self.url)
        visits.recorder.expect(item)
        visits.recorder.write(partial(self._store, item))
        self._end()
        return None

    def fail(self, failure: Failure, now: float) -> bool:
        """End without a page, and report it; return whether the URL is queued again."""
        if self.is_over or failure is LATE:
            return False
        is_retried = self.give_up(failure, now)
        self._visits.report(Ending(self, failure, is_retried))
        return is_retried

    def give_up(self, failure: Failure, now: float) -> bool:
        """End without a page, and report it to nobody; return whether the URL is queued again."""
        visits, rules, tries = self._visits, self._visits.rules, self.lease.tries
        if failure.refused_by is not None and visits.is_polite:
            retry = visits.frontier.refused(self.url, failure.refused_by, now, failure.retry_after)
        elif failure.is_untried:
            visits.frontier.release(self.url)
            retry = True
        else:
            retry = failure.retry and tries + 1 < rules.max_tries
            wait = rules.retry_delay * 2**tries if visits.is_polite else 0.0
            visits.frontier.failed(self.url, now + wait if retry else None)
        if retry and self.revisit is not None:
            visits.revisits.retried(self.revisit)
        decision = "retry" if retry else self._end_in_vain(failure.reason, now)
        visits.recorder.decision(decision, failure.reason, url=self.url, detail=failure.detail)
        self._end(at_once=failure.refused_by is not None)
        return retry

    def lower(self, refusal: Refusal) -> None:
        """End, as if its URL had not been taken, until nothing better is left."""
        visits, lease = self._visits, self.lease
        visits.frontier.failed(lease.url, None)
        visits.lowered.put(
            Candidate(lease.url, lease.priority, lease.depth, lease.parent, lease.path), refusal
        )
        self._end()

    def _hand_over(self, target: str) -> None:
        """End, as a redirect leads to a host of another worker: that one has its target to fetch now."""
        visits, lease = self._visits, self.lease
        visits.frontier.failed(lease.url, None)
        visits.frontier.add([Candidate(target, lease.priority, lease.depth, lease.parent, lease.path)])
        visits.recorder.decision("handed over", "redirect", url=lease.url, detail=target)
        self._end()

    def _is_taken(self, url: str) -> bool:
        return url_key(url) != url_key(self.url) and self._visits.frontier.is_known(url)

    def _claim(self, url: str) -> Failure | None:
        """Say that the visit led to the page at `url`; return why not: it is another's, or was fetched."""
        visits = self._visits
        final = normalise(url) or self.url
        key = url_key(final)
        if key == self.key:
            return LATE
        is_other = key != url_key(self.url) and (visits.frontier.is_known(final) or visits.is_recorded(final))
        if visits.is_claimed(key) or is_other:
            return Failure("redirect_to_known", retry=False, detail=url)
        self.key = key
        return None

    def _is_known(self, status: int, url: str, validators: Validators) -> bool:
        """Tell whether an answer is a page that an earlier crawl has, as it has it."""
        earlier = self.earlier
        if earlier is None or not earlier.is_at(url):
            return False
        is_page = status in PAGE_STATUSES
        return status == NOT_MODIFIED or (is_page and is_same_version(validators, earlier.validators))

    def _skip_known(self, url: str) -> None:
        """End, and queue the links that the earlier crawl saw on the page at `url`."""
        visits = self._visits
        assert visits.known is not None
        assert self.earlier is not None
        outside = visits.scope.outside
        links = [
            ScoredLink(link, text, block, None if outside(link) else score)
            for link, text, block, score in visits.known.links(self.earlier)
        ]
        self.links(url, links, self.lease.depth)
        visits.frontier.done(self.url, url)
        if visits.rescoring is not None:
            visits.rescoring.give_up(self.url)
        visits.recorder.known()
        for known in dict.fromkeys((self.url, url)):
            visits.recorder.decision("skipped", "known", url=known, detail="" if known == url else url)
        self._end()
        visits.report(Ending(self, KNOWN))

    def _record_again(self, item: PageItem, now: float) -> KnownPage | None:
        visits, page = self._visits, self.revisit
        assert page is not None
        if self.held:
            visits.recorder.write(partial(self._rescore, is_new=False))
        if self.has_new_links and visits.rescoring is not None and visits.rescoring.rescores:
            self.learn_links(self.learnt)
        if page.checksum == item.checksum:
            self._end_unchanged(Validators(item.etag, item.last_modified), now, item.links)
            return None
        visits.recorder.expect(item)
        visits.revisits.changed(page, now, item)
        visits.recorder.write(partial(visits.steering.changed, self.judged, item.url))
        visits.frontier.done(self.url, item.url)
        self._end()
        return page

    def _end_unchanged(self, validators: Validators, now: float, links: int | None = None) -> None:
        """End a revisit that found the old text; `links`: how many there are, if it was sent."""
        assert self.revisit is not None
        self._visits.revisits.unchanged(self.revisit, now, validators, links)
        self._visits.frontier.done(self.url)
        self._end()

    def _end_in_vain(self, reason: str, now: float) -> str:
        """Write down that a URL gave no page, or gives none any more; return which it is."""
        visits = self._visits
        if self.listing is not None:
            return "failed"  # it is no page that is missing: most hosts have no sitemap
        if self.revisit is None:
            visits.recorder.failure(self.url, reason)
            if visits.rescoring is not None:
                visits.rescoring.give_up(self.url)
            return "failed"
        is_gone = reason in GONE
        if is_gone:
            visits.frontier.done(self.url)  # it was answered, and a page of it is recorded
        visits.revisits.missed(self.revisit, now, is_gone=is_gone)
        return "gone" if is_gone else "failed"

    def _store(self, item: PageItem) -> bool:
        """Store a page; return False, and nothing is stored, if a process that died had recorded it."""
        visits = self._visits
        if not visits.recorder.page(item):
            return False
        self._rescore(is_new=True)
        if self.learnt and visits.rescoring is not None and visits.rescoring.keeps_lessons:
            visits.recorder.learnt(item.url, visits.rescoring.lesson(self.learnt))
            visits.rescoring.after_page()
        canonical = "" if self.judged is None else self.judged.named.canonical
        if canonical and (decision := visits.steering.name(item.url, canonical, item.checksum or "")):
            visits.recorder.decision(decision, CANONICAL, url=item.url, detail=canonical)
        for raised in visits.steering.recorded(self.judged, FetchedPage.of(item)):
            url = raised.candidate.url
            if not visits.scope.outside(url) and not visits.is_too_deep(raised.candidate.depth - 1):
                visits.frontier.add([raised.candidate])
                visits.first.add(url_key(url))
                visits.recorder.decision("raised", "hub", url=url, detail=raised.hub)
        if visits.steering.listings is not None:
            self._note_listings(item.url)
            if wanted := visits.steering.wanted_listings():
                visits.frontier.add(wanted)
        return True

    def _note_listings(self, by: str) -> None:
        """Write down the sitemaps and feeds that were met, for a run that goes on."""
        for kind, url in self.listings.met:
            self._visits.recorder.decision(WANTED, kind, url=by, detail=url)
        self.listings.met.clear()

    def _hold(self, links: Sequence[Candidate]) -> None:
        """Take note of links that may have to be scored again once the page is recorded; each counts once."""
        held = self.held = self.held or {}
        for link in links:
            if url_key(link.url) not in self._visits.first:
                held[link.url] = max(link.priority, held.get(link.url, 0.0))

    def _rescore(self, *, is_new: bool) -> None:
        """Hand new priorities to the frontier, in the transaction that ends the visit."""
        visits = self._visits
        if visits.rescore is None or not self.held:
            return
        again = visits.recorder.holds(self.held, is_new=is_new)
        scores = visits.rescore(again)
        visits.frontier.reprioritise({link.url: score for link, score in zip(again, scores, strict=True)})

    def _end(self, *, at_once: bool = False) -> None:
        """Let go of the lease, once what came of it is sent to frontier and recorder."""
        self.is_over = True
        self._visits.end(self, at_once=at_once)


@dataclass(eq=False, slots=True)
class Visits:
    """Takes URLs from the frontier, and holds what all visits have in common."""

    frontier: Frontier
    steering: Steering
    recorder: Recorder
    rules: Rules
    lowered: LoweredUrls = field(default_factory=LoweredInMemory)
    is_polite: bool = True  # somebody is asked, and may have to be waited for
    rescore: Rescore | None = None  # None: links keep their highest scores
    rescoring: Rescoring | None = None  # of any links, after each page
    first: set[int] = field(default_factory=set)
    """Keys of pages that are not scored again: start pages, those that were ordered or raised."""
    scope: Scope = EVERYWHERE
    maintenance: Maintenance | None = None
    known: KnownPages | None = None
    pauses: Pauses | None = None  # None: time is made up
    listener: Callable[[Ending], None] | None = None  # of visits that end without a new page
    traps: Counter[str] = field(
        default_factory=Counter
    )  # rule of a budget -> URLs that it put off or refused
    _out: dict[str, Visit] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._out)

    @property
    def out(self) -> Collection[Visit]:
        """Return those that are under way."""
        return self._out.values()

    def take(self, now: float) -> Visit | None:
        """Begin a visit of the best URL that is no trap; None: none is ready, or too many were traps.

        If nothing is left but what was lowered, the best of that.
        """
        for _ in range(MOST_REFUSED):
            leases = self.frontier.take(1, now)
            if leases:
                lease = leases[0]
                revisit = None if self.maintenance is None else self.maintenance.begin(lease.url)
                listing = None if revisit is not None or lease.path is None else ListingLease.of(lease.path)
                visit = self._out[lease.url] = Visit(self, lease, revisit, listing)
                if listing is not None and self.steering.listings is None:  # an earlier run asked for it
                    self.frontier.release(lease.url)  # its host was not asked
                    visit.give_up(LISTINGS_OFF, now)
                elif (
                    revisit is not None or listing is not None or not self.passes_over(visit, lease.url, now)
                ):
                    return visit
            elif not self._raise():
                return None
        return None

    def passes_over(self, visit: Visit, url: str, now: float) -> bool:
        """End a visit if the URL that is to be asked for is, or may be, a trap; tell whether it has ended.

        One that tries what is left alone goes on over redirects: else it would read nothing of their site.
        """
        refusal = self.steering.refuses(url)
        if refusal is None:
            visit.is_probe = visit.is_probe or self.steering.is_probe
            return False
        if not refusal.is_certain and (visit.is_probe or self.lowered.was_raised(visit.url)):
            return False
        self.traps[refusal.rule] += 1
        if url == visit.url:
            self.frontier.release(url)  # its host was not asked
        if refusal.is_certain:
            visit.give_up(Failure(refusal.rule, retry=False, detail=refusal.name), now)
        else:
            visit.lower(refusal)
        return True

    def has_more(self) -> bool:
        """Tell whether anything is left to fetch, or may still come of what others have out."""
        return self.frontier.has_more() or self.steering.has_listings or self.lowered.has_any()

    def next_ready_at(self, now: float) -> float | None:
        """Return when a URL may be taken, None while there is none."""
        ready_at = self.frontier.next_ready_at()
        return now if ready_at is None and not self._out and self.has_more() else ready_at

    def _raise(self) -> bool:
        """Queue a sitemap or feed, else the best of what was lowered, if nothing better is left.

        Return whether there was any.
        """
        if self._out or self.frontier.has_more():
            return False
        if wanted := self.steering.wanted_listings(is_last=True):
            self.frontier.add(wanted)
            return True
        if not (links := self.lowered.best(RAISED)):
            return False
        raised = [link._replace(priority=BEHIND * link.priority) for link in links]
        raised = [link for link in raised if not self.recorder.has(link.url)]
        self.frontier.add(raised)  # what was never in it
        self.frontier.again(raised)
        return True

    def of(self, url: str) -> Visit:
        """Return the visit of a leased URL; of a lost one, a visit that takes its answer all the same."""
        return self._out.get(url) or Visit(self, Lease(url, 0.0, 0, None, 0), is_over=True)

    def is_out(self, url: str) -> bool:
        """Tell whether the visit of a URL is under way."""
        return url in self._out

    def is_claimed(self, key: int) -> bool:
        """Tell whether some visit proved to be of the page with this identity."""
        return any(visit.key == key for visit in self._out.values())

    def is_recorded(self, url: str) -> bool:
        """Tell whether the page of a URL is recorded, and may be queued for all that."""
        return self.maintenance is not None and self.maintenance.known(url) is not None

    def is_too_deep(self, depth: int) -> bool:
        """Tell whether the links of a page so many links from a seed are not to be followed."""
        return 0 < self.scope.depth <= depth

    @property
    def revisits(self) -> Maintenance:
        """Return what writes down revisits: there are none without it."""
        assert self.maintenance is not None
        return self.maintenance

    def expire(self, now: float) -> None:
        """Forget those that have been out for too long: somebody lost them. A pause does not count."""
        lost = 0.0 if self.pauses is None else self.pauses.since_last(now)
        if lost:
            self.frontier.prolong(lost)
        if self.frontier.expire(now):
            self._out = {url: visit for url, visit in self._out.items() if self.frontier.is_known(url)}

    def report(self, ending: Ending) -> None:
        """Tell whoever listens that a visit has ended without a new page."""
        if self.listener is not None:
            self.listener(ending)

    def end(self, visit: Visit, *, at_once: bool) -> None:
        """Let go of a visit; `at_once`: commit what came of it."""
        self._out.pop(visit.url, None)
        for host, rule in self.frontier.closed_hosts():
            self.recorder.decision("closed", rule, host=host)
            if self.maintenance is not None:
                self.maintenance.closed(host)
        self.recorder.ended(is_alone=not self._out, at_once=at_once)
