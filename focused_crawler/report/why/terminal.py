"""What a crawl knows of a URL, for the terminal (nothing of a page can steer it) and as values for JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from focused_crawler.crawl.failure import label
from focused_crawler.page.url import host_of
from focused_crawler.report.terminal.output import assembled, sentence, stacked, text
from focused_crawler.report.terminal.tables import heading, indented, reckoned, table
from focused_crawler.report.why.cures import was_asked
from focused_crawler.report.why.facts import QUEUED, Event, HostFact, LinkFact, UrlFacts, at, host_state
from focused_crawler.report.why.learnt import LEAST, Learnt
from focused_crawler.report.why.parts import LinkParts
from focused_crawler.report.why.sentences import Conclusion, lowering
from focused_crawler.safety.formats import count, plural
from focused_crawler.safety.printable import printable
from focused_crawler.store.job import RunInfo
from focused_crawler.store.schema import State


def story(facts: UrlFacts, run: RunInfo, parts: LinkParts | None, learnt: Learnt, now: float) -> Group:
    """Return all that is known of a URL."""
    return Group(
        heading(facts.url),
        text(_crawl(run), "dim"),
        *_way(facts),
        *_links(facts),
        *_parts(parts, facts, learnt),
        *_brought(learnt),
        *_moves(learnt),
        *_queue(facts),
        *_host(facts, run, now),
        *_near(facts),
        *_events(facts),
    )


def _crawl(run: RunInfo) -> str:
    pages = plural(int(run.totals.get("pages") or 0), "page")
    return f"in the crawl {run.job} of {run.topic} by {run.ordered_by}: {pages}"


def _way(facts: UrlFacts) -> Iterator[RenderableType]:
    """Yield the pages that led to the URL, a line each; of a start page, and what no page led to, nothing."""
    if len(facts.way) < 2:
        return
    yield _heading("The way to it from a start page")
    for number, step in enumerate(facts.way):
        relevance = "     " if step.relevance is None else f"{step.relevance:.3f}"
        anchor = f"  by {printable(step.anchor) or '(no text)'}" if number else ""
        yield indented(assembled((relevance, "cyan"), f"  {printable(step.url)}", (anchor, "dim")))


def _links(facts: UrlFacts) -> Iterator[RenderableType]:
    counted = facts.counted
    if not counted.links:
        return
    head = f"Linked {plural(counted.links, 'time')} from {plural(counted.pages, 'page')}"
    shown = "" if len(facts.links) == counted.links else f"; {count(len(facts.links))} of them"
    yield _heading(
        f"{head}, {count(counted.followed)} followed{shown}, in order of time (^ raised its score)"
    )
    for link in facts.links:
        yield from _link(link, facts)


def _link(link: LinkFact, facts: UrlFacts) -> Iterator[RenderableType]:
    is_late = facts.is_late(link)
    when = "unknown" if link.fetched_at is None else at(link.fetched_at)
    score = "not followed" if link.score is None else f"{link.score:.3f}"
    mark = "^" if link.raised and not is_late else " "
    anchor = printable(link.anchor) or "(no text)"
    about = [f"link {link.number + 1}" if link.links is None else f"link {link.number + 1} of {link.links}"]
    if link.listing is None:
        about.append(f"block {link.block}")
    else:
        about.append(f"in the {link.listing} of {host_of(link.source)}")
    if link.relevance is not None:
        about.append(f"page's relevance {link.relevance:.3f}")
    if link.target != facts.url:
        about.append(f"to {printable(link.target)}")
    if is_late:
        about.append("after it was fetched")
    yield indented(assembled((when, "dim"), (f"  {score}{mark} ", "cyan"), f"{anchor} ({', '.join(about)})"))
    yield indented(link.source, "dim", by=6)


def _parts(found: LinkParts | None, facts: UrlFacts, learnt: Learnt) -> Iterator[RenderableType]:
    if found is None:
        return
    if found.pages is not None:
        yield _heading(f"Its priority {_when(facts)}, as known after {plural(found.pages, 'page')}")
    else:
        own = ", its own among them" if facts.page is not None else ""
        by = "" if learnt.pages is None else f", as known after {plural(learnt.pages, 'page')}{own}"
        yield _heading(f"Its best link, computed again{by}")
        yield indented(found.link.source, "dim")
    if found.parts is not None:
        score = "not followed" if found.score is None else f"{found.score:.3f}"
        rule = f"score {score}{f' = {found.parts.formula}' if found.parts.formula else ''}"
        yield indented(rule)
        yield from reckoned(found.parts)
    if found.note:
        yield indented(found.note, "yellow")


def _when(facts: UrlFacts) -> str:
    if facts.page is not None:
        return "when it was fetched"
    if facts.state in QUEUED:
        return "in the frontier"
    if facts.failure is not None:
        return "when it was asked for" if was_asked(facts.failure.reason) else "when its turn came"
    if lowering(facts) is not None:
        return "when it was lowered"
    return "when it was dropped" if facts.state == State.DROPPED else "when it was asked for"


def _brought(learnt: Learnt) -> Iterator[RenderableType]:
    if not learnt.brought:
        return
    had = "have brought" if learnt.reckoned is None else "had brought by then"
    yield _heading(f"What links like those to it {had}")
    for one in learnt.brought:
        mean = f", relevance {one.relevance:.3f} in the mean{_more(one.more)}" if one.pages else ""
        yield indented(f"{printable(one.group)}: {plural(one.pages, 'page')}{mean}")
        for url in one.urls:
            yield indented(url, "dim", by=6)


def _more(more: float | None) -> str:
    """Return by how much the expected relevance is another for a group, if that is what counts of it."""
    if more is None:
        return ""
    if abs(more) < LEAST:
        return "; as much as was expected of them"
    return f"; {'more' if more > 0 else 'less'} than was expected of them, which counts {more:+.3f}"


def _moves(learnt: Learnt) -> Iterator[RenderableType]:
    if not learnt.moves:
        return
    yield _heading("How its priority moved")
    for move in learnt.moves:
        after = "before the pages that are stored" if move.position is None else f"after page {move.position}"
        waits = "" if abs(move.sent - move.deserved) < LEAST else f" (in the frontier still {move.sent:.3f})"
        yield indented(assembled((f"{move.deserved:.3f}", "cyan"), f"  {after}{waits} ", (move.page, "dim")))


def _queue(facts: UrlFacts) -> Iterator[RenderableType]:
    queue = facts.queue
    if queue is None or queue.host is None:
        return
    parts = [f"priority {queue.priority:.3f}"]
    if queue.rank is not None:
        parts.append(f"place when queued {count(queue.rank)}")
    if facts.ahead is not None:
        parts.append(f"place now {count(facts.ahead + 1)}")
    parts += [f"depth {queue.depth}", plural(queue.tries, "failed try").replace("trys", "tries")]
    yield _heading("In the frontier" if facts.state in QUEUED else "When it was in the frontier")
    yield indented(sentence(", ".join(parts)))
    origin = "a seed: no page gave it its priority" if facts.is_seed else f"found on {queue.parent}"
    yield indented(origin, "dim")


def _host(facts: UrlFacts, run: RunInfo, now: float) -> Iterator[RenderableType]:
    if facts.host is not None:
        yield _heading(f"Its host, {printable(facts.host.name)}")
        yield indented(host_state(facts.host, run, now))


def _near(facts: UrlFacts) -> Iterator[RenderableType]:
    if facts.near:
        yield _heading("Known near it")
        for url, state in facts.near:
            yield indented(sentence(f"{printable(url)} ({state})"))


def _events(facts: UrlFacts) -> Iterator[RenderableType]:
    if not facts.events:
        return
    yield _heading("What was decided")
    yield table("|when", ">run", "|what", "|rule", "", rows=map(_event, facts.events))


def _event(event: Event) -> tuple[str, ...]:
    what, detail = event.what, event.detail
    if event.host is not None:
        is_of_domain = what == "held"
        what = f"{'domain' if is_of_domain else 'host'} {what}"
        detail = event.host if is_of_domain else detail
    run = "" if event.run is None else str(event.run)
    return at(event.at).removesuffix(" UTC"), run, what, label(event.rule), detail


def conclusion(answer: Conclusion) -> Text:
    """Return the answer; to be printed without wrapping, as it ends in what to type."""
    return stacked([Text(), sentence(" ".join(str(answer).split()), "bold green")])


def _heading(words: str) -> RenderableType:
    return heading(words, space=1)


def as_record(
    facts: UrlFacts, run: RunInfo, parts: LinkParts | None, learnt: Learnt, answer: Conclusion
) -> dict[str, Any]:
    """Return what `story` shows, under the names of the facts; times in seconds since the epoch."""
    return {
        "url": facts.url,
        "crawl": {"topic": run.topic, "job": run.job, "strategy": run.strategy},
        "answer": answer._asdict(),
        "state": None if facts.state is None else facts.state.name.lower(),
        "again": None if facts.again is None else facts.again.name.lower(),
        "queue": None if facts.queue is None else facts.queue._asdict(),
        "pending_before_it": facts.ahead,
        "linked": facts.counted._asdict(),
        "links": [link._asdict() for link in facts.links],
        "parts": None if parts is None else _parts_record(parts),
        "brought": [one._asdict() for one in learnt.brought],
        "moves": [move._asdict() for move in learnt.moves],
        "page": None if facts.page is None else facts.page._asdict(),
        "failure": None if facts.failure is None else facts.failure._asdict(),
        "host": None if facts.host is None else _host_record(facts.host),
        "events": [event._asdict() for event in facts.events],
        "near": [near._asdict() for near in facts.near],
        "way": [step._asdict() for step in facts.way],
    }


def _parts_record(found: LinkParts) -> dict[str, Any]:
    parts = found.parts
    known = {} if parts is None else {"formula": parts.formula, "values": dict(parts.values)}
    sums = {} if parts is None else {"sums": {name: dict(addends) for name, addends in parts.sums.items()}}
    told = {"source": found.link.source, "score": found.score, "note": found.note, "pages": found.pages}
    return {**told, **known, **sums}


def _host_record(host: HostFact) -> dict[str, Any]:
    """Return a host without an infinite number, which JSON has none for."""
    ready_at = host.ready_at if math.isfinite(host.ready_at) else None
    return {**host._asdict(), "ready_at": ready_at, "is_closed": host.is_closed}
