"""What a crawl knows of a URL, for the terminal: nothing of a page can steer it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from focused_crawler.net.printable import printable, without_controls
from focused_crawler.report.words import count, plural
from focused_crawler.store.job import RunInfo
from focused_crawler.why.facts import Event, LinkFact, UrlFacts
from focused_crawler.why.parts import LinkParts
from focused_crawler.why.sentences import Answer, at, standing


def story(facts: UrlFacts, run: RunInfo, parts: LinkParts | None, now: float) -> Group:
    """Return all that is known of a URL."""
    return Group(
        Text(printable(facts.url), style="bold", overflow="fold"),
        Text(_crawl(run), style="dim"),
        *_links(facts),
        *_parts(parts),
        *_queue(facts),
        *_host(facts, run, now),
        *_near(facts),
        *_events(facts),
    )


def _crawl(run: RunInfo) -> str:
    pages = plural(int(run.totals.get("pages") or 0), "page")
    return printable(f"in the crawl {run.job} of {run.topic} by {run.strategy}: {pages}")


def _links(facts: UrlFacts) -> Iterator[RenderableType]:
    counted = facts.counted
    if not counted.links:
        return
    head = f"Linked {plural(counted.links, 'time')} from {plural(counted.pages, 'page')}"
    shown = "" if len(facts.links) == counted.links else f"; {count(len(facts.links))} of them"
    yield _heading(
        f"{head}, {count(counted.followed)} followed{shown}, in order of time (^ raised its score)"
    )
    table = _table("fetched", "score", "link", "block", "relevance", "anchor, page", right=(1, 2, 3, 4))
    for link in facts.links:
        table.add_row(*_link(link, facts))
    yield table


def _link(link: LinkFact, facts: UrlFacts) -> Iterator[RenderableType]:
    is_late = facts.is_late(link)
    yield "unknown" if link.fetched_at is None else at(link.fetched_at).removesuffix(" UTC")
    yield "-" if link.score is None else f"{link.score:.3f}{'^' if link.raised and not is_late else ' '}"
    yield f"{link.number + 1}" if link.links is None else f"{link.number + 1} of {link.links}"
    yield str(link.block)
    yield "" if link.relevance is None else f"{link.relevance:.3f}"
    where = "; after it was fetched" if is_late else ""
    to = f"; to {link.target}" if link.target != facts.url else ""
    anchor = printable(link.anchor) or "(no text)"
    yield Text.assemble(anchor, (f"\n{printable(link.source)}{printable(to)}{where}", "dim"), overflow="fold")


def _parts(found: LinkParts | None) -> Iterator[RenderableType]:
    if found is None:
        return
    yield _heading("Its best link, worked out anew")
    yield _indented(printable(found.link.source), "dim")
    if found.parts is not None:
        score = "not followed" if found.score is None else f"{found.score:.3f}"
        rule = f"score {score}{f' = {found.parts.formula}' if found.parts.formula else ''}"
        yield _indented(printable(rule))
        yield _indented(_named(found.parts.values))
        for name, addends in found.parts.sums.items():
            yield _indented(f"{printable(name)} = {_named(addends, signs=True)}")
    if found.note:
        yield _indented(printable(found.note), "yellow")


def _queue(facts: UrlFacts) -> Iterator[RenderableType]:
    queue = facts.queue
    if queue is None or queue.host is None:
        return
    rank = "unknown" if queue.rank is None else count(queue.rank)
    parts = [f"priority {queue.priority:.3f}", f"place when queued {rank}"]
    if facts.ahead is not None:
        parts.append(f"place now {count(facts.ahead + 1)}")
    parts += [f"depth {queue.depth}", plural(queue.tries, "failed try").replace("trys", "tries")]
    yield _heading("In the frontier")
    yield _indented(", ".join(parts))
    origin = "a seed: no page gave it its priority" if facts.is_seed else f"found on {queue.parent}"
    yield _indented(printable(origin), "dim")


def _host(facts: UrlFacts, run: RunInfo, now: float) -> Iterator[RenderableType]:
    if facts.host is not None:
        yield _heading(f"Its host, {printable(facts.host.name)}")
        yield _indented(standing(facts.host, run, now))


def _near(facts: UrlFacts) -> Iterator[RenderableType]:
    if facts.near:
        yield _heading("Known near it")
        for url, state in facts.near:
            yield _indented(f"{printable(url)} ({state})")


def _events(facts: UrlFacts) -> Iterator[RenderableType]:
    if not facts.events:
        return
    yield _heading("What was decided")
    table = _table("when", "run", "what", "rule", "", right=(1,))
    for event in facts.events:
        table.add_row(*_event(event))
    yield table


def _event(event: Event) -> Iterator[RenderableType]:
    yield at(event.at).removesuffix(" UTC")
    yield "" if event.run is None else str(event.run)
    yield Text(printable(event.what if event.host is None else f"host {event.what}"))
    yield Text(printable(event.rule))
    yield Text(printable(event.detail), overflow="fold")


def conclusion(answer: Answer) -> Text:
    """Return the answer; to be printed without wrapping, as it ends in what to type."""
    line = without_controls(" ".join(str(answer).split()))
    return Text(f"\n{line}", style="bold green")


def _table(*names: str, right: tuple[int, ...] = ()) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for number, name in enumerate(names):
        is_last = number == len(names) - 1
        table.add_column(name, justify="right" if number in right else "left", no_wrap=not is_last)
    return table


def _named(values: Mapping[str, float], *, signs: bool = False) -> str:
    return ", ".join(f"{printable(name)} {value:{'+' if signs else ''}.3f}" for name, value in values.items())


def _heading(text: str) -> RenderableType:
    return Padding(Text(text, style="bold"), (1, 0, 0, 0), expand=False)


def _indented(text: str, style: str = "") -> Padding:
    return Padding(Text(text, style=style, overflow="fold"), (0, 0, 0, 2), expand=False)
