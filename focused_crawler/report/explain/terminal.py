"""The reasons of a page and its links, for the terminal: nothing of the page can steer it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from focused_crawler.classify.page_classifiers import HALF_POINT
from focused_crawler.link_scoring.base import Parts
from focused_crawler.page.model import Page
from focused_crawler.report.explain.links import ScoredLink
from focused_crawler.report.explain.page import SECTIONS, BlockReason, PageReasons, TermReason
from focused_crawler.safety.formats import count, plural
from focused_crawler.safety.printable import printable
from focused_crawler.topic.thesaurus import scoring as thesaurus


def verdict(reasons: PageReasons) -> str:
    """Return whether the page is relevant, and by how much."""
    page = reasons.page
    word, side = ("Relevant", "reaches") if page.is_relevant else ("Not relevant", "stays below")
    return f"{word}: its relevance of {page.relevance:.3f} {side} the threshold of {reasons.threshold:.3f}."


def standing(page: Page) -> Iterator[str]:
    """Yield where the page stands in the taxonomy, if the crawl has one."""
    if page.focus is not None:
        kind = "a good one" if page.focus.is_good else "not a good one"
        yield (
            f"Its best category is {printable(page.focus.category)}, {kind};"
            f" R(d), that it belongs to a good one, is {page.focus.relevance:.3f}."
        )


def reckoning(reasons: PageReasons) -> Iterator[str]:
    """Yield how the relevance comes from the terms."""
    if reasons.unit == "score":
        yield f"Its score by the thesaurus has {plural(len(reasons.terms), 'part')}."
    else:
        yield f"The classifier knows {count(len(reasons.terms))} of its {count(reasons.all_terms)} terms."
    if not reasons.terms:
        yield "A page without one known term has relevance 0."
        return
    good = sum(term.value for term in reasons.terms if term.value > 0)
    poor = sum(term.value for term in reasons.terms if term.value < 0)
    total, relevance = reasons.total, reasons.page.relevance
    if reasons.unit == "similarity":
        half = f"{HALF_POINT}²"
        yield f"similarity s = {total:.4f}; relevance = s² / (s² + {half}) = {relevance:.3f}"
    elif reasons.unit == "score":
        parts = f"{good:+.3f} (for) {poor:+.3f} (against) = {total:.3f}"
        yield f"score s = {parts}; relevance = s² / (s² + {thesaurus.HALF_POINT}²) = {relevance:.3f}"
    else:
        parts = f"{reasons.bias:+.3f} (any page) {good:+.3f} (for) {poor:+.3f} (against)"
        yield f"log odds x = {parts} = {total:+.3f}"
        yield f"relevance = 1 / (1 + e^-x) = {relevance:.3f}"


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
