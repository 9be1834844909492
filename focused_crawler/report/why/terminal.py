"""What a crawl knows of a URL, for the terminal: nothing of a page can steer it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from focused_crawler.report.why.facts import Event, LinkFact, UrlFacts, at, standing
from focused_crawler.report.why.parts import LinkParts
from focused_crawler.report.why.sentences import Answer
from focused_crawler.safety.formats import count, plural
from focused_crawler.safety.printable import printable, without_controls
from focused_crawler.store.job import RunInfo


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
    for link in facts.links:
        yield from _link(link, facts)


def _link(link: LinkFact, facts: UrlFacts) -> Iterator[RenderableType]:
    is_late = facts.is_late(link)
    when = "unknown" if link.fetched_at is None else at(link.fetched_at)
    score = "not followed" if link.score is None else f"{link.score:.3f}"
    mark = "^" if link.raised and not is_late else " "
    anchor = printable(link.anchor) or "(no text)"
    about = [f"link {link.number + 1}" if link.links is None else f"link {link.number + 1} of {link.links}"]
    about.append(f"block {link.block}")
    if link.relevance is not None:
        about.append(f"page's relevance {link.relevance:.3f}")
    if link.target != facts.url:
        about.append(f"to {printable(link.target)}")
    if is_late:
        about.append("after it was fetched")
    told = f"{anchor} ({', '.join(about)})"
    yield _indented(Text.assemble((when, "dim"), (f"  {score}{mark} ", "cyan"), told))
    yield _indented(printable(link.source), "dim", by=6)


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
    parts = [f"priority {queue.priority:.3f}"]
    if queue.rank is not None:
        parts.append(f"place when queued {count(queue.rank)}")
    if facts.ahead is not None:
        parts.append(f"place now {count(facts.ahead + 1)}")
    parts += [f"depth {queue.depth}", plural(queue.tries, "failed try").replace("trys", "tries")]
    if queue.worker is not None:
        parts.append(f"worker {printable(queue.worker)}")
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
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("when", "run", "what", "rule"):
        table.add_column(name, justify="right" if name == "run" else "left", no_wrap=True)
    table.add_column("")
    for event in facts.events:
        table.add_row(*_event(event))
    yield table


def _event(event: Event) -> Iterator[RenderableType]:
    yield at(event.at).removesuffix(" UTC")
    yield "" if event.run is None else str(event.run)
    yield Text(printable(event.what if event.host is None else f"host {event.what}"))
    yield Text(printable(event.rule))
    yield Text(printable(event.detail), overflow="fold")


def remarks(facts: UrlFacts) -> Text:
    """Return what could not be read, a line each, with what to type; to be printed without wrapping."""
    return Text("\n".join(without_controls(" ".join(one.split())) for one in facts.remarks), style="yellow")


def conclusion(answer: Answer) -> Text:
    """Return the answer; to be printed without wrapping, as it ends in what to type."""
    line = without_controls(" ".join(str(answer).split()))
    return Text(f"\n{line}", style="bold green")


def _named(values: Mapping[str, float], *, signs: bool = False) -> str:
    return ", ".join(f"{printable(name)} {value:{'+' if signs else ''}.3f}" for name, value in values.items())


def _heading(text: str) -> RenderableType:
    return Padding(Text(text, style="bold"), (1, 0, 0, 0), expand=False)


def _indented(text: str | Text, style: str = "", by: int = 2) -> Padding:
    shown = Text(text, style=style) if isinstance(text, str) else text
    shown.overflow = "fold"
    return Padding(shown, (0, 0, 0, by), expand=False)
