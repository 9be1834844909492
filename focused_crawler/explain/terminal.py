"""The reasons of a page and its links, for the terminal: nothing of the page can steer it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from focused_crawler.explain.links import ScoredLink
from focused_crawler.explain.page import SECTIONS, BlockReason, PageReasons, TermReason
from focused_crawler.explain.sentences import reckoning, standing, verdict
from focused_crawler.link_scoring.base import Parts
from focused_crawler.net.printable import printable
from focused_crawler.report.words import count, plural

MOST_TERMS = 10
"""Of each kind: for the topic and against it."""
MOST_BLOCKS = 10
LEAST_SHARE = 0.005
"""Of a term's weight: a section that has less of it is left blank."""


def page_reasons(reasons: PageReasons) -> Group:
    """Return why a page has its relevance."""
    page = reasons.page
    parts: list[RenderableType] = [
        Text(printable(page.title or "(no title)"), style="bold"),
        Text(printable(page.url), style="dim", overflow="fold"),
        Text(),
        Text(verdict(reasons), style="green" if page.is_relevant else "yellow"),
        *map(Text, reckoning(reasons)),
        *map(Text, standing(page)),
    ]
    if reasons.terms:
        parts += [_terms(reasons), _blocks(reasons)]
    return Group(*parts)


def link_reasons(
    links: Sequence[ScoredLink],
    shown: Sequence[tuple[ScoredLink, Parts | None]],
    strategy: str,
    depth: int,
    *,
    too_deep: bool = False,
) -> Group:
    """Return the links of a page, and what makes the priorities of some of them.

    `too_deep`: they lie beyond DEPTH_LIMIT.
    """
    followed = sum(link.score is not None for link in links)
    seed = " and is a seed" if depth == 0 else ""
    reason = ", as they lie beyond DEPTH_LIMIT" if too_deep else ""
    head = f"It links to {plural(len(links), 'page')}{seed};"
    head = f"{head} {printable(strategy)} follows {count(followed)}{reason}"
    rows: list[RenderableType] = [Text(head, style="bold")]
    formula = None
    for found, parts in shown:
        if parts is not None and parts.formula != formula:
            formula = parts.formula
            rule = f"priority = {formula}" if formula else "the strategy does not tell its formula"
            rows.append(Padding(Text(rule, style="dim"), (1, 0, 0, 0), expand=False))
        rows += _link(found, parts)
    return Group(*rows)


def _terms(reasons: PageReasons) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("word", overflow="fold", min_width=10)
    table.add_column("term", overflow="fold", style="dim")
    for name in (reasons.unit, *SECTIONS):
        table.add_column(name, justify="right", no_wrap=True)
    rising = reasons.terms[::-1]
    speaking = [term for term in reasons.terms if term.value > 0], [term for term in rising if term.value < 0]
    for terms in speaking:
        for term in terms[:MOST_TERMS]:
            table.add_row(*_row(term))
        if rest := terms[MOST_TERMS:]:
            value = sum(term.value for term in rest)
            table.add_row(Text(f"{count(len(rest))} more", style="dim"), "", signed(value))
        table.add_section()
    return table


def _row(term: TermReason) -> Iterator[RenderableType]:
    yield Text(printable(term.word))
    yield "" if term.word == term.term else Text(printable(term.term))
    yield signed(term.value)
    for share in term.shares:
        yield f"{share:.0%}" if share >= LEAST_SHARE else ""


def _blocks(reasons: PageReasons) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("block", "adds", "similarity"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("begins with")
    weightiest = sorted(reasons.blocks, key=lambda block: -abs(block.value))
    shown, rest = weightiest[:MOST_BLOCKS], weightiest[MOST_BLOCKS:]
    for block in sorted(shown, key=lambda block: block.number):
        table.add_row(*_block(block))
    if rest:
        value = sum(block.value for block in rest)
        table.add_row("", signed(value), "", Text(f"({count(len(rest))} more)", style="dim"))
    table.add_row("", signed(reasons.elsewhere), "", Text(f"({reasons.outside})", style="dim"))
    return table


def _block(block: BlockReason) -> Iterator[RenderableType]:
    yield str(block.number)
    yield signed(block.value)
    yield f"{block.similarity:.2f}"
    yield Text(printable(block.text), no_wrap=True, overflow="ellipsis")


def _link(found: ScoredLink, parts: Parts | None) -> Iterator[RenderableType]:
    reason = f" ({found.reason})" if found.reason else ""
    score = f"not followed{reason}" if found.score is None else f"{found.score:.3f}"
    yield Text.assemble((score, "cyan"), "  ", (printable(found.link.text) or "(no text)", ""))
    yield _indented(printable(found.link.url), "dim")
    if parts is not None:
        yield _indented(_named(parts.values))
        for name, addends in parts.sums.items():
            yield _indented(f"{name} = {_named(addends, signs=True)}")


def _named(values: Mapping[str, float], *, signs: bool = False) -> str:
    return ", ".join(f"{printable(name)} {value:{'+' if signs else ''}.3f}" for name, value in values.items())


def _indented(text: str, style: str = "") -> Padding:
    return Padding(Text(text, style=style, overflow="fold"), (0, 0, 0, 7), expand=False)


def signed(value: float) -> str:
    """Return a number with its sign and three digits behind the point."""
    return f"{value:+.3f}"
