"""One lease from take to end: the only definition of the rules of a lease. Plain Python.

Scrapy's edge and the simulator drive the same object, so an experiment cannot differ from a crawl:

    take -> redirect* -> respond -> (page) judge, links, compare, record
                                 -> (no page) fail
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from focused_crawler.crawl.failure import GONE, KNOWN, LATE, LISTED, UNCHANGED, Failure, failure_of_status
from focused_crawler.crawl.scored_links import ScoredLink, candidates
from focused_crawler.crawl.steering.copies import mark_copy
from focused_crawler.crawl.steering.known import EarlierPage
from focused_crawler.crawl.steering.listings import ListingLease
from focused_crawler.crawl.steering.revisit_store import NO_VALIDATORS, KnownPage, Validators
from focused_crawler.crawl.steering.steering import JudgedPage
from focused_crawler.crawl.steering.terms import Refusal
from focused_crawler.crawl.visit_context import Ending, VisitContext
from focused_crawler.frontier.base import Candidate, Lease
from focused_crawler.page.url import host_of, normalise, url_key
from focused_crawler.safety.content import NOT_MODIFIED, PAGE_STATUSES
from focused_crawler.safety.formats import plural
from focused_crawler.store.item import PageItem


class Queued(NamedTuple):
    """What became of the links of a page."""

    new: int  # to the frontier
    held: int  # lowered: their domain floods


@dataclass(eq=False, slots=True)
class Visit:
    """A lease of the frontier under way; how it ended is written once."""

    context: VisitContext
    _out: dict[str, Visit]  # all that are under way, by URL
    lease: Lease
    revisit: KnownPage | None = None  # its page as it was recorded, if it was
    listing: ListingLease | None = None  # it is of a sitemap or feed, and has no page
    earlier: EarlierPage | None = None  # what an earlier crawl has of the page that is asked for
    key: int | None = None  # identity of the page that it proved to be
    judged: JudgedPage | None = None  # what its page is compared by
    held: dict[str, float] | None = None  # links of its page and their scores, if they are scored again
    learnt: bytes = b""  # what its page teaches
    has_new_links: bool = False  # on its page
    probe: Refusal | None = None  # it tries what a trap budget has left alone
    is_over: bool = False

    @property
    def url(self) -> str:
        """Return the frontier's URL, which names the visit."""
        return self.lease.url

    @property
    def is_linked(self) -> bool:
        """Tell whether a link led here, or a hub raised it: then it has no parent."""
        return self.lease.parent is not None or self.lease.depth > 0

    def conditions(self, url: str) -> Mapping[str, str]:
        """Return the headers to ask for a URL by: what need not be sent if it is as it was."""
        if self.revisit is not None:
            return self.revisit.validators.conditions() if self.revisit.is_at(url) else {}
        known = self.context.known
        self.earlier = None if known is None else known.find(url)
        return {} if self.earlier is None else self.earlier.validators.conditions()

    def redirect(self, url: str, now: float) -> float | None:
        """Follow a redirect; return when its target's host may be asked, None where it ended the visit.

        A target that is, or was, somebody else's to fetch ends it, and so does one outside the scope, if a
        link led here, and one that a trap budget or the share of its domain refuses: its URL may have to wait
        until nothing better is left.
        """
        target = normalise(url)
        if target is None:
            self.fail(Failure("redirect_refused", retry=False, detail=url), now)
            return None
        if url_key(target) != url_key(self.url) and self.context.frontier.is_known(target):
            self.fail(Failure("redirect_to_known", retry=False, detail=target), now)
            return None
        if self.is_linked and self.context.scope.outside(target):
            self.fail(Failure("out_of_scope", retry=False, detail=target), now)
            return None
        if self.listing is None and self.context.frontier.is_elsewhere(host_of(target)):
            self._hand_over(target)
            return None
        if self.listing is None and self.passes_over(target, now):
            return None
        return self.go_on(url, now)

    def go_on(self, url: str, now: float) -> float | None:
        """Return when the host of a redirect's target may be asked; None: never, and the visit has ended."""
        ready_at = self.context.frontier.redirected(self.url, host_of(normalise(url) or url), now)
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
        if self.is_over and self.context.recorder.has(normalise(url) or self.url):
            return LATE
        if status == NOT_MODIFIED and self.revisit is not None and self.revisit.is_at(url):
            self._end_unchanged(validators, now)
            self._report(UNCHANGED)
            return UNCHANGED
        is_known = self.earlier is not None and self.earlier.is_same(status, url, validators)
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
        context = self.context
        context.recorder.links(source, scored, first)
        if context.scope.is_too_deep(depth):
            return None
        links, lowered = context.steering.admit(candidates(scored, depth + 1, source), source)
        if context.rescore is not None:
            self.held = context.hold(links, self.held)
        for link, refusal in lowered:
            context.lowered.put(link, refusal)
        queued = Queued(context.frontier.add(links), len(lowered))
        self.has_new_links = self.has_new_links or queued.new > 0
        return queued

    def listed(self, kind: str, links: int) -> None:
        """End a visit whose sitemap or feed was read, and its links are queued."""
        context = self.context
        context.note_listings(self.url)
        context.frontier.done(self.url)
        context.recorder.listed()
        context.recorder.decision("listed", kind, url=self.url, detail=plural(links, "link"))
        self._end()
        self._report(LISTED)

    def is_late(self, item: PageItem) -> bool:
        """Tell whether an item is not to be recorded, as its page is: its lease expired before it came."""
        if self.key is not None and not self.is_over:
            return False
        return not self.is_again(item.url) and self.context.recorder.has(item.url)

    def compare(self, item: PageItem) -> None:
        """Say of which page, recorded before, its page is a copy; it is no further relevant page then."""
        copy = self.context.steering.compare(self.judged, item.url, item.checksum or "")
        if copy is not None and not self.is_again(item.url):
            mark_copy(item, copy)

    def is_again(self, url: str) -> bool:
        """Tell whether the page at `url` is the one that is revisited, so that it is no further one."""
        return self.revisit is not None and self.revisit.is_at(url)

    def record(self, item: PageItem, now: float) -> KnownPage | None:
        """Store its page and end; return what the page was before, where a revisit found another text."""
        context = self.context
        if self.is_again(item.url):
            return self._record_again(item, now)
        if self.revisit is not None:
            context.revisits.missed(self.revisit, now, is_gone=True)
        context.frontier.done(self.url, item.url)
        if self.judged is not None and self.judged.is_missing:
            context.recorder.decision("discounted", "soft_404", url=self.url)
        context.recorder.expect(item)
        context.recorder.write(partial(self._store, item))
        self._end()
        return None

    def passes_over(self, url: str, now: float) -> bool:
        """End if the URL that is to be asked for is, or may be, a trap; tell whether it has ended.

        One that tries what is left alone goes on over redirects: else it would read nothing of their site.
        """
        context = self.context
        refusal = context.steering.refuses(url)
        if refusal is None and self.is_linked:
            refusal = context.steering.ask(url)
            if refusal is None and url == self.url and context.steering.may_have_lowered(url):
                context.lowered.come_back(url)
        if refusal is None:
            return False
        if refusal.is_probe and self.probe is None and not self.is_over:
            self.probe = refusal
            context.steering.begin_probe(refusal)
        is_tried = self.probe is not None or context.lowered.was_raised(self.url)
        if refusal.is_probe or (is_tried and not refusal.is_certain):
            return False
        context.traps[refusal.rule] += 1
        if url == self.url:
            context.frontier.release(url)  # its host was not asked
        if refusal.is_certain:
            self.give_up(Failure(refusal.rule, retry=False, detail=refusal.name), now)
        else:
            self._lower(refusal)
        return True

    def fail(self, failure: Failure, now: float) -> bool:
        """End without a page, and report it; return whether the URL is queued again."""
        if self.is_over or failure is LATE:
            return False
        is_retried = self.give_up(failure, now)
        self._report(failure, is_retried=is_retried)
        return is_retried

    def give_up(self, failure: Failure, now: float) -> bool:
        """End without a page, and report it to nobody; return whether the URL is queued again."""
        context, rules, tries = self.context, self.context.rules, self.lease.tries
        if failure.refused_by is not None and context.is_polite:
            retry = context.frontier.refused(self.url, failure.refused_by, now, failure.retry_after)
        elif failure.is_untried:
            context.frontier.release(self.url)
            retry = True
        else:
            retry = failure.retry and tries + 1 < rules.max_tries
            wait = rules.retry_delay * 2**tries if context.is_polite else 0.0
            context.frontier.failed(self.url, now + wait if retry else None)
        if retry and self.revisit is not None:
            context.revisits.retried(self.revisit)
        decision = "retry" if retry else self._end_in_vain(failure.reason, now)
        context.recorder.decision(decision, failure.reason, url=self.url, detail=failure.detail)
        self._end(at_once=failure.refused_by is not None)
        return retry

    def _lower(self, refusal: Refusal) -> None:
        """End, as if its URL had not been taken, until nothing better is left."""
        context, lease = self.context, self.lease
        context.frontier.failed(lease.url, None)
        context.lowered.put(
            Candidate(lease.url, lease.priority, lease.depth, lease.parent, lease.path), refusal
        )
        self._end()

    def _hand_over(self, target: str) -> None:
        """End, as a redirect leads to a host of another worker: that one has its target to fetch now."""
        context, lease = self.context, self.lease
        context.frontier.failed(lease.url, None)
        context.frontier.add([Candidate(target, lease.priority, lease.depth, lease.parent, lease.path)])
        context.recorder.decision("handed over", "redirect", url=lease.url, detail=target)
        self._end()

    def _claim(self, url: str) -> Failure | None:
        """Say that the visit led to the page at `url`; return why not: it is another's, or was fetched."""
        context = self.context
        final = normalise(url) or self.url
        key = url_key(final)
        if key == self.key:
            return LATE
        if key != url_key(self.url) and (context.frontier.is_known(final) or context.is_recorded(final)):
            return Failure("redirect_to_known", retry=False, detail=url)
        if any(visit.key == key for visit in self._out.values()):
            return Failure("redirect_to_known", retry=False, detail=url)
        self.key = key
        return None

    def _skip_known(self, url: str) -> None:
        """End, and queue the links that the earlier crawl saw on the page at `url`."""
        context = self.context
        assert self.earlier is not None
        self.links(url, context.known_links(self.earlier), self.lease.depth)
        context.frontier.done(self.url, url)
        if context.rescoring is not None:
            context.rescoring.give_up(self.url)
        context.recorder.known()
        for known in dict.fromkeys((self.url, url)):
            context.recorder.decision("skipped", "known", url=known, detail="" if known == url else url)
        self._end()
        self._report(KNOWN)

    def _record_again(self, item: PageItem, now: float) -> KnownPage | None:
        context, page = self.context, self.revisit
        assert page is not None
        if self.held:
            context.recorder.write(partial(context.score_again, self.held, is_new=False))
        if self.has_new_links and context.rescoring is not None and context.rescoring.rescores:
            context.rescoring.learn_links(self.learnt)
        if page.checksum == item.checksum:
            self._end_unchanged(Validators(item.etag, item.last_modified), now, item.links)
            return None
        context.recorder.expect(item)
        context.revisits.changed(page, now, item)
        context.recorder.write(partial(context.steering.changed, self.judged, item.url))
        context.frontier.done(self.url, item.url)
        self._end()
        return page

    def _end_unchanged(self, validators: Validators, now: float, links: int | None = None) -> None:
        """End a revisit that found the old text; `links`: how many there are, if it was sent."""
        assert self.revisit is not None
        self.context.revisits.unchanged(self.revisit, now, validators, links)
        self.context.frontier.done(self.url)
        self._end()

    def _end_in_vain(self, reason: str, now: float) -> str:
        """Write down that a URL gave no page, or gives none any more; return which it is."""
        context = self.context
        if self.listing is not None:
            return "failed"  # it is no page that is missing: most hosts have no sitemap
        if self.revisit is None:
            context.recorder.failure(self.url, reason)
            if context.rescoring is not None:
                context.rescoring.give_up(self.url)
            return "failed"
        is_gone = reason in GONE
        if is_gone:
            context.frontier.done(self.url)  # it was answered, and a page of it is recorded
        context.revisits.missed(self.revisit, now, is_gone=is_gone)
        return "gone" if is_gone else "failed"

    def _store(self, item: PageItem) -> bool:
        """Store a page; return False, and nothing is stored, if a process that died had recorded it."""
        context = self.context
        if not context.recorder.page(item):
            return False
        if self.held:
            context.score_again(self.held, is_new=True)
        if self.learnt and context.rescoring is not None and context.rescoring.keeps_lessons:
            context.recorder.learnt(item.url, context.rescoring.lesson(self.learnt))
            context.rescoring.after_page()
        context.steer(item, self.judged)
        return True

    def _report(self, failure: Failure, *, is_retried: bool = False) -> None:
        """Tell whoever listens that it has ended without a new page."""
        if self.context.listener is not None:
            is_revisit, is_listing = self.revisit is not None, self.listing is not None
            self.context.listener(Ending(failure, is_retried, is_revisit, is_listing))

    def let_go(self) -> None:
        """Be under way no more."""
        self._out.pop(self.url, None)
        if self.probe is not None:
            self.context.steering.end_probe(self.probe)
            self.probe = None

    def _end(self, *, at_once: bool = False) -> None:
        """Let go of the lease, once what came of it is sent to frontier and recorder."""
        self.is_over = True
        self.let_go()
        self.context.note_closed_hosts()
        self.context.recorder.ended(is_alone=not self._out, at_once=at_once)
