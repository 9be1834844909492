"""The answer: one plain sentence that says what became of a URL and why, and what to type to change it."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple

from focused_crawler.page.url import host_of, url_key
from focused_crawler.report.words import count, duration, plural
from focused_crawler.store.job import RUNNING, RunInfo
from focused_crawler.store.schema import State
from focused_crawler.why.cures import NOT_ASKED, command, cure_of, in_words
from focused_crawler.why.facts import HostFact, UrlFacts

_MARGIN = 1.1
"""So much more than what is ahead is worth asking for: links yet to be found come before it, too."""

_SOFT = "best_first_content_anchor"


class Answer(NamedTuple):
    """What became of a URL."""

    verdict: str  # a word or two: fetched, pending, robots, ...
    reason: str  # a sentence
    cure: str = ""  # what to type, or whom to ask; empty: nothing to change

    def __str__(self) -> str:
        return f"{self.reason} {self.cure[:1].upper()}{self.cure[1:]}".rstrip()


def answer(facts: UrlFacts, run: RunInfo, now: float) -> Answer:
    """Return what became of a URL in a crawl, as its database and run.json have it."""
    if facts.page is not None:
        return _fetched(facts, run)
    if facts.state is None:
        return _never_seen(facts)
    if facts.state == State.PENDING:
        return _pending(facts, run, now)
    return _ANSWERS[facts.state](facts, run)


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
    share = f" of the {cap} it may give" if (cap := host_cap(run)) else ""
    parts = [f"{plural(host.pages, 'page')} fetched{share}", f"{count(host.pending)} pending"]
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


def _fetched(facts: UrlFacts, run: RunInfo) -> Answer:
    page = facts.page
    assert page is not None
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
    if page.gone_at is not None:
        text, verdict = f"{text}; it was found gone on {at(page.gone_at)}", f"{verdict}, gone"
    explain = ["scrapy", "explain", page.url, "--topic", str(run.settings.get("FOCUSED_TOPIC") or run.topic)]
    return Answer(verdict, f"{text}.", f"for its words: {shlex.join(explain)}")


def _never_seen(facts: UrlFacts) -> Answer:
    host = "" if facts.host or facts.near else f", nor is any other page of {host_of(facts.url)}"
    return Answer(
        "never seen",
        f"It was never seen: no page that was fetched links to it{host}, and it is no seed.",
        "to have it fetched, add it to seeds in the topic's topic.toml",
    )


def _pending(facts: UrlFacts, run: RunInfo, now: float) -> Answer:
    ahead = facts.ahead or 0
    text = f"It is pending: {plural(ahead, 'URL')} {'comes' if ahead == 1 else 'come'} before it"
    if facts.host is not None and facts.host.ready_at > now:
        text = f"{text}, and its host may not be asked for {duration(facts.host.ready_at - now)}"
    if run.state == RUNNING:
        return Answer(
            "pending", f"{text}.", f"wait, or if the crawl was killed go on with it: {command(run)}"
        )
    fetched = int(run.totals.get("pages") or 0)
    pages = fetched + math.ceil((ahead + 1) * _MARGIN) if run.settings.get("FOCUSED_PAGES") else None
    return Answer("pending", f"{text}.", f"to fetch it, go on: {command(run, pages=pages)}")


def _waiting(facts: UrlFacts, run: RunInfo) -> Answer:
    queue, retry = facts.queue, facts.decided("retry")
    assert queue is not None
    reason = f" ({in_words(retry.rule)})" if retry else ""
    text = f"It failed {plural(queue.tries, 'time')}{reason} and waits for its next try"
    when = f", on {at(queue.retry_at)} at the soonest" if queue.retry_at else ""
    return Answer("waiting", f"{text}{when}.", f"to try it again, go on then: {command(run)}")


def _leased(facts: UrlFacts, run: RunInfo) -> Answer:
    if run.state == RUNNING:
        text = "It is being fetched now, or was when the crawl was killed."
        return Answer("being fetched", text, f"if nothing is running, go on: {command(run)}")
    return Answer(
        "being fetched", "It was being fetched when the crawl ended.", f"to fetch it, go on: {command(run)}"
    )


def _failed(facts: UrlFacts, run: RunInfo) -> Answer:
    decided = facts.decided("failed")
    reason = facts.failure.reason if facts.failure else decided.rule if decided else "unknown"
    tries = facts.queue.tries if facts.queue else 0
    often = f" after {count(tries)} tries" if tries > 1 else ""
    is_asked = reason not in NOT_ASKED and not reason.startswith("trap_")
    done = f"It was asked for and gave no page{often}" if is_asked else "It was not asked for"
    where = f" ({decided.detail})" if decided and decided.detail else ""
    text = f"{done}: {in_words(reason)}{where}."
    return Answer(reason, text, cure_of(reason, run))


def _dropped(facts: UrlFacts, run: RunInfo) -> Answer:
    host, cap = facts.host, host_cap(run)
    if host is not None and host.is_closed and cap and host.pages >= cap:
        text = f"It was dropped: its host has given all the {plural(cap, 'page')} it may."
        return Answer("host_limit", text, f"allow more: {command(run)} -s FOCUSED_HOST_PAGES={10 * cap}")
    if host is not None and host.is_closed:
        text = "It was dropped: its host refused too often in a row and was left alone."
        return Answer("refusals", text, f"the next run asks it once more: {command(run)}")
    most = int(run.settings.get("FOCUSED_MAX_PENDING") or 0)
    bound = f" of {plural(most, 'URL')}" if most else ""
    text = f"It was dropped: the frontier{bound} was full, and it was among the worst."
    more = f" -s FOCUSED_MAX_PENDING={10 * most}" if most else ""
    return Answer("frontier full", text, f"keep more: {command(run)}{more}")


def _seen(facts: UrlFacts, run: RunInfo) -> Answer:
    counted = facts.counted
    if run.frontier == "memory" and counted.followed:
        text = "It was queued; what became of it ended with the process, as the frontier was in memory."
        return Answer(
            "unknown", text, f"keep the frontier: {command(run, job='NAME')} -s FOCUSED_FRONTIER=sqlite"
        )
    if not counted.links:
        return Answer("seen", "It is known only as the page that others name as their parent.")
    deep = [link for link in facts.links if link.depth]
    text = (
        f"It was not queued: {run.strategy} followed none of the {plural(counted.links, 'link')} to it"
        f" (each scored below its threshold{', or lies beyond DEPTH_LIMIT' if deep else ''})."
    )
    other = command(run, job="NAME", strategy=_SOFT)
    return Answer("not followed", text, f"use a strategy that orders links and refuses none: {other}")


def _done(facts: UrlFacts, run: RunInfo) -> Answer:
    return Answer("fetched", "Its page was recorded before, under another URL.")


_ANSWERS: dict[State, Callable[[UrlFacts, RunInfo], Answer]] = {
    State.SEEN: _seen,
    State.WAITING: _waiting,
    State.LEASED: _leased,
    State.DONE: _done,
    State.FAILED: _failed,
    State.DROPPED: _dropped,
}
