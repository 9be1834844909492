"""A harvest for the terminal: nothing of the pages can steer it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from focused_crawler.discovery.choice import Choice, Seed
from focused_crawler.discovery.harvest import Harvest
from focused_crawler.safety.formats import count, plural
from focused_crawler.safety.printable import printable


def table(seeds: Sequence[Seed]) -> Table:
    """Return the start pages, the best first."""
    shown = Table(box=SIMPLE_HEAD, pad_edge=False)
    shown.add_column("score", justify="right", no_wrap=True)
    shown.add_column("searches", justify="right", no_wrap=True)
    shown.add_column("page", overflow="fold")
    for seed in seeds:
        shown.add_row(f"{seed.score:.2f}", count(len(seed.queries)), _named(seed))
    return shown


def story(harvest: Harvest, choice: Choice) -> Iterator[str]:
    """Yield in words how it went, a line each."""
    kept = sum(answer.is_kept for answer in harvest.answers)
    earlier = f" ({kept} of them asked earlier today)" if kept else ""
    yield f"{searches(len(harvest.answers))}{earlier} found {plural(choice.found, 'page')}."
    if choice.left_out:
        reasons = (f"{count(pages)} {reason}" for reason, pages in sorted(choice.left_out.items()))
        yield f"Left out: {', '.join(reasons)}."
    if not choice.seeds:
        yield "None of them is left to start from; other words, or another provider, may find some."
    for query, why in harvest.failures:
        yield f"No answer to {printable(query)}: {printable(why)}"
    if harvest.ended:
        yield "No more was asked."


def searches(number: int) -> str:
    return "1 search" if number == 1 else f"{count(number)} searches"


def _named(seed: Seed) -> RenderableType:
    line = Text(printable(seed.title or "(no title)"), no_wrap=True, overflow="ellipsis")
    return Group(line, Text(printable(seed.url), style="dim", overflow="fold"))
