"""The answer: one plain sentence that says what became of a URL and why, and what to type to change it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from focused_crawler.crawl.failure import sentence
from focused_crawler.page.url import host_of, url_key
from focused_crawler.report.why.cures import command, cure_of, explain, was_asked
from focused_crawler.report.why.facts import (
    QUEUED,
    REVISITED,
    Event,
    FailureFact,
    PageFact,
    UrlFacts,
    at,
    host_cap,
)
from focused_crawler.safety.formats import count, duration, plural
from focused_crawler.store.job import RUNNING, RunInfo
from focused_crawler.store.schema import State
from focused_crawler.topic.scope import Scope, url_words

_MARGIN = 1.1
"""So much more than what is ahead is worth asking for: links yet to be found come before it, too."""

_LOWERED = "lowered"
_SOFT = "best_first_content_anchor"


class Conclusion(NamedTuple):
    """What became of a URL."""

    verdict: str  # a word or two: fetched, pending, robots, ...
    reason: str  # a sentence
    cure: str = ""  # what to type, or whom to ask; empty: nothing to change

    def __str__(self) -> str:
        return f"{self.reason} {self.cure[:1].upper()}{self.cure[1:]}".rstrip()


def answer(facts: UrlFacts, run: RunInfo, now: float) -> Conclusion:
    """Return what became of a URL in a crawl, as its database and run.json have it."""
    if facts.page is not None:
        return _fetched(facts, facts.page, run, now)
    if facts.failure is not None and facts.state not in QUEUED:  # whatever a frontier in memory has forgotten
        return _failed(facts, facts.failure, run)
    if facts.state is None:
        is_off = run.settings.get("FOCUSED_NOFOLLOW") == "off"
        links = "links to it" if is_off else "links to it without nofollow"
        return _never_seen(facts, links) if facts.has_outcomes or run.has_frontier else _not_linked(links)
    if facts.state == State.PENDING:
        return _pending(facts, run, now)
    return _ANSWERS[facts.state](facts, run)


def _fetched(facts: UrlFacts, page: PageFact, run: RunInfo, now: float) -> Conclusion:
    is_end = url_key(facts.url) == page.key
    order = f"page {count(page.position)} of {count(int(run.totals.get('pages') or page.position))}"
    moved = "" if is_end else f" (redirects led to {page.url})"
    if is_end and url_key(page.requested_url) != page.key:
        moved = f" (it was asked for as {page.requested_url}, which redirects to it)"
    kind = "relevant" if page.is_relevant else "not relevant"
    text = f"It was fetched as {order} on {at(page.fetched_at)}{moved}, and is {kind} ({page.relevance:.3f})"
    verdict = f"fetched, {kind}" if is_end else f"redirected, {kind}"
    if page.duplicate_of is not None:
        how = "that" if page.likeness in {None, 1.0} else f"much ({page.likeness:.2f}) like that"
        text = f"{text}, as copies are: its text is {how} of {page.duplicate_of}"
        verdict = f"{verdict}, copy"
    if facts.lowered is not None and not all(map(facts.is_late, facts.links)):
        text = f"{text}; before, it was lowered: {_cause(facts.lowered)}"
    if page.gone_at is not None:
        text, verdict = f"{text}; it was found gone on {at(page.gone_at)}", f"{verdict}, gone"
    if (revisit := facts.last(REVISITED)) is not None:
        text = f"{text}; last revisited on {at(revisit.at)}: {revisit.rule}"
    if facts.again is not None:
        text, verdict = f"{text}. {_next_revisit(facts, run, now)}", f"{verdict}, to be revisited"
    return Conclusion(verdict, f"{text}.", f"for its words: {explain(page.url, run)}")


def _next_revisit(facts: UrlFacts, run: RunInfo, now: float) -> str:
    """Return when a page that is in the frontier once more is revisited."""
    if facts.again == State.WAITING:
        when = facts.queue.retry_at if facts.queue else None
        return f"It waits to be revisited{f', on {at(when)} at the soonest' if when else ''}"
    standing = "It is to be revisited, or is being" if run.state == RUNNING else "It is to be revisited"
    return f"{standing}{'' if facts.ahead is None else f': {_place(facts, now)}'}"


def _never_seen(facts: UrlFacts, links: str) -> Conclusion:
    host = "" if facts.host or facts.near else f", nor is any other page of {host_of(facts.url)}"
    return Conclusion(
        "never seen",
        f"It was never seen: no page that was fetched {links}{host}, and it is no seed.",
        "to have it fetched, add it to seeds in the topic's topic.toml",
    )


def _not_linked(links: str) -> Conclusion:
    return Conclusion(
        "not linked",
        f"No page that was fetched {links}; were it a seed that is still to be fetched, only its frontier"
        " would know, which is not at hand.",
    )


def lowering(facts: UrlFacts) -> Event | None:
    """Return what made a URL that is not in the frontier wait until nothing better is left; None: nothing.

    Of a host that was held back that is said of those that would have been queued.
    """
    if facts.state not in {State.SEEN, State.FAILED}:
        return None
    is_held = facts.state == State.SEEN and facts.counted.followed
    held = (event for event in facts.events if event.what == "held" and is_held)
    return facts.lowered or next(held, None)


def _cause(lowered: Event) -> str:
    return f"{sentence(lowered.rule)} ({lowered.detail or lowered.host})"


def _lowered(event: Event, run: RunInfo) -> Conclusion:
    text = f"It waits until nothing better is left: {_cause(event)}."
    return Conclusion(_LOWERED, text, _go_on("to fetch it then, go on", run))


def _pending(facts: UrlFacts, run: RunInfo, now: float) -> Conclusion:
    standing = "It is pending, or being fetched" if run.state == RUNNING else "It is pending"
    ahead, text = facts.ahead, f"{standing}: {_place(facts, now)}"
    pages = None
    if ahead is not None and run.settings.get("FOCUSED_PAGES"):
        pages = int(run.totals.get("pages") or 0) + math.ceil((ahead + 1) * _MARGIN)
    return Conclusion("pending", f"{text}.", _go_on("to fetch it, go on", run, pages))


def _go_on(why: str, run: RunInfo, pages: int | None = None) -> str:
    """Return what to type to have a queued URL fetched; nothing is to be typed beside a crawl under way."""
    if run.state == RUNNING:
        return f"wait, or if the crawl was killed go on with it: {command(run)}"
    return f"{why}: {command(run, pages=pages)}"


def _place(facts: UrlFacts, now: float) -> str:
    """Return what comes before a pending URL, and how long its host has to wait."""
    ahead, host, queue = facts.ahead, facts.host, facts.queue
    if ahead is not None:
        text = f"{plural(ahead, 'URL')} {'comes' if ahead == 1 else 'come'} before it"
    else:
        text = f"its priority is {0 if queue is None else queue.priority:.3f}"
    if host is not None and host.ready_at > now:
        text = f"{text}, and its host may not be asked for {duration(host.ready_at - now)}"
    return text


def _waiting(facts: UrlFacts, run: RunInfo) -> Conclusion:
    queue, retry = facts.queue, facts.last("retry")
    assert queue is not None
    reason = f" ({sentence(retry.rule)})" if retry else ""
    text = f"It failed {plural(queue.tries, 'time')}{reason} and waits for its next try"
    when = f", on {at(queue.retry_at)} at the soonest" if queue.retry_at else ""
    return Conclusion("waiting", f"{text}{when}.", _go_on("to try it again, go on then", run))


def _failed(facts: UrlFacts, failure: FailureFact, run: RunInfo) -> Conclusion:
    reason = failure.reason
    tries = facts.queue.tries if facts.queue else 0
    often = f" after {count(tries)} tries" if tries > 1 else ""
    done = f"It was asked for and gave no page{often}" if was_asked(reason) else "It was not asked for"
    where = f" ({failure.detail})" if failure.detail else ""
    text = f"{done}: {sentence(reason)}{where}."
    return Conclusion(reason, text, cure_of(reason, run))


def _dropped(facts: UrlFacts, run: RunInfo) -> Conclusion:
    host, cap = facts.host, host_cap(run)
    if host is not None and host.is_closed and cap and host.fetches >= cap:
        text = f"It was dropped: its host has given all the {plural(cap, 'page')} it may."
        again = command(run, without="FOCUSED_HOST_PAGES")
        return Conclusion("host_limit", text, f"allow more: {again} -s FOCUSED_HOST_PAGES={10 * cap}")
    if host is not None and host.is_closed:
        text = "It was dropped: its host refused too often in a row and was left alone."
        return Conclusion("refusals", text, f"the next run asks it once more: {command(run)}")
    most = int(run.settings.get("FOCUSED_MAX_PENDING") or 0)
    bound = f" of {plural(most, 'URL')}" if most else ""
    text = f"It was dropped: the frontier{bound} was full, and it was among the worst."
    more = f" -s FOCUSED_MAX_PENDING={10 * most}" if most else ""
    again = command(run, without="FOCUSED_MAX_PENDING" if most else "")
    return Conclusion("frontier full", text, f"keep more: {again}{more}")


def _out_of_frontier(facts: UrlFacts, run: RunInfo) -> Conclusion:
    lowered = lowering(facts)
    return _lowered(lowered, run) if lowered else _failed(facts, FailureFact("unknown", 0.0, None), run)


def _seen(facts: UrlFacts, run: RunInfo) -> Conclusion:
    if (lowered := lowering(facts)) is not None:
        return _lowered(lowered, run)
    counted, retry = facts.counted, facts.last("retry")
    if not run.has_frontier and (counted.followed or retry or facts.last("raised")):
        text = f"It failed ({sentence(retry.rule)}), to be tried again" if retry else "It was queued"
        if run.is_shared:
            text = f"{text}, in a frontier in Redis, which this version does not read."
            return Conclusion("queued", text, "begin the crawl anew, with scrapy fleet and a new --job")
        text = f"{text}; what became of it ended with the process, as the frontier was in memory."
        return Conclusion(
            "unknown", text, f"keep the frontier: {command(run, job='NAME')} -s FOCUSED_FRONTIER=sqlite"
        )
    if not counted.links:
        return Conclusion("seen", "It is known only as the page that others name as their parent.")
    scope = Scope.of(run.scope or {"words": url_words(run.settings.get("FOCUSED_SKIP_URLS") or ())})
    if outside := scope.outside(facts.url):
        by_word = "FOCUSED_SKIP_URLS" in outside
        again = command(run, job="NAME", without="FOCUSED_SKIP_URLS" if by_word else "")
        cure = again if by_word else f"change [scope] of its topic.toml, then {again}"
        text = f"It was not queued, as it lies outside the scope: {outside}."
        return Conclusion("out of scope", text, f"follow such links, too: {cure}")
    deep = [link for link in facts.links if link.depth]
    text = (
        f"It was not queued: {run.strategy} followed none of the {plural(counted.links, 'link')} to it"
        f" (each scored below its threshold{', or lies beyond DEPTH_LIMIT' if deep else ''})."
    )
    other = command(run, job="NAME", strategy=_SOFT)
    return Conclusion("not followed", text, f"use a strategy that orders links and refuses none: {other}")


def _done(facts: UrlFacts, run: RunInfo) -> Conclusion:
    skipped = facts.last("skipped")
    if skipped is not None:
        where = f" (redirects led to {skipped.detail})" if skipped.detail else ""
        text = f"It was asked for{where}, and is as an earlier crawl has it: no page of this one."
        again = command(run, job="NAME", without="FOCUSED_KNOWN")
        return Conclusion("known", text, f"to have it once more: {again}")
    return Conclusion("fetched", "Its page was recorded before, under another URL.")


_ANSWERS: dict[State, Callable[[UrlFacts, RunInfo], Conclusion]] = {
    State.SEEN: _seen,
    State.WAITING: _waiting,
    State.DONE: _done,
    State.FAILED: _out_of_frontier,
    State.DROPPED: _dropped,
}
