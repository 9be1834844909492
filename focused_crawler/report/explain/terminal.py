"""The reasons of a page and its links, for the terminal: nothing of the page can steer it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from focused_crawler.classify import words
from focused_crawler.link_scoring.base import Parts
from focused_crawler.page.model import Page
from focused_crawler.report.explain.links import BestLink
from focused_crawler.report.explain.page import SECTIONS, BlockReason, PageReasons, TermReason
from focused_crawler.report.terminal.output import assembled, clipped, sentence, text
from focused_crawler.report.terminal.tables import add_row, heading, indented, reckoned, table
from focused_crawler.safety.formats import count, plural
from focused_crawler.safety.printable import printable
from focused_crawler.topic.thesaurus import scoring as thesaurus


def verdict(reasons: PageReasons) -> str:
    """Return whether the page is relevant, and by how much, or why not although its words are."""
    page, relevance, threshold = reasons.page, f"{reasons.relevance:.3f}", f"{reasons.threshold:.3f}"
    if page.relevance != reasons.relevance:
        return f"Not relevant: the topic's scope leaves its language out. Its words alone have {relevance}."
    if reasons.relevance >= reasons.threshold and not page.is_relevant:
        return (
            f"Not relevant: it reports that there is no such page. Its words alone have {relevance},"
            f" which reaches the threshold of {threshold}."
        )
    word, side = ("Relevant", "reaches") if page.is_relevant else ("Not relevant", "stays below")
    return f"{word}: its relevance of {relevance} {side} the threshold of {threshold}."


def place_in_taxonomy(page: Page) -> Iterator[str]:
    """Yield the place of a page in the taxonomy, if the crawl has one."""
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
    total, relevance = reasons.total, reasons.relevance
    if reasons.unit == "words":
        yield f"score s = {total:.3f}; relevance = s⁴ / (s⁴ + {words.HALF_POINT}⁴) = {relevance:.3f}"
    elif reasons.unit == "cosine":
        yield f"relevance = cosine of page and keywords = {relevance:.4f}"
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
        heading(page.title or "(no title)"),
        text(page.url, "dim"),
        Text(),
        sentence(verdict(reasons), "green" if page.is_relevant else "yellow"),
        *map(sentence, reckoning(reasons)),
        *map(sentence, place_in_taxonomy(page)),
    ]
    if reasons.terms:
        parts += [_terms(reasons), _blocks(reasons)]
    return Group(*parts)


def closed_links(page: Page) -> str:
    """Return how many links of a page are left alone for FOCUSED_NOFOLLOW; empty: none."""
    left = plural(page.closed, "link")
    return f"{left} with nofollow {'is' if page.closed == 1 else 'are'} left alone" if page.closed else ""


def link_reasons(
    page: Page,
    links: Sequence[BestLink],
    shown: Sequence[tuple[BestLink, Parts | None]],
    strategy: str,
    *,
    too_deep: bool = False,
) -> Group:
    """Return the links of a page, and what makes the priorities of some of them.

    `too_deep`: they lie beyond DEPTH_LIMIT.
    """
    followed = sum(link.score is not None for link in links)
    seed = " and is a seed" if page.depth == 0 else ""
    reason = ", as they lie beyond DEPTH_LIMIT" if too_deep else ""
    head = f"It links to {plural(len(links), 'page')}{seed};"
    head = f"{head} {printable(strategy)} follows {count(followed)}{reason}"
    rows: list[RenderableType] = [heading("; ".join(filter(None, (head, closed_links(page)))))]
    formula = None
    for found, parts in shown:
        if parts is not None and parts.formula != formula:
            formula = parts.formula
            rule = f"priority = {formula}" if formula else "the strategy does not show its formula"
            rows += [Text(), text(rule, "dim")]
        rows += _link(found, parts)
    return Group(*rows)


def _terms(reasons: PageReasons) -> Table:
    shown = table("word", "term", f">{reasons.unit}", *(f">{name}" for name in SECTIONS))
    shown.columns[0].min_width, shown.columns[1].style = 10, "dim"
    for_topic = [term for term in reasons.terms if term.value > 0]
    against = [term for term in reasons.terms[::-1] if term.value < 0]
    for terms in (for_topic, against):
        for term in terms[:MOST_TERMS]:
            add_row(shown, *_row(term))
        if rest := terms[MOST_TERMS:]:
            value = sum(term.value for term in rest)
            add_row(shown, text(f"{count(len(rest))} more", "dim"), "", signed(value))
        add_row(shown)
    return shown


def _row(term: TermReason) -> Iterator[str]:
    yield term.word
    yield "" if term.word == term.term else term.term
    yield signed(term.value)
    for share in term.shares:
        yield f"{share:.0%}" if share >= LEAST_SHARE else ""


def _blocks(reasons: PageReasons) -> Table:
    weightiest = sorted(reasons.blocks, key=lambda block: -abs(block.value))
    shown, rest = weightiest[:MOST_BLOCKS], weightiest[MOST_BLOCKS:]
    rows = [_block(block) for block in sorted(shown, key=lambda block: block.number)]
    if rest:
        value = sum(block.value for block in rest)
        rows.append(("", signed(value), "", text(f"({count(len(rest))} more)", "dim")))
    rows.append(("", signed(reasons.elsewhere), "", text(f"({reasons.outside})", "dim")))
    return table(">block", ">adds", ">similarity", "begins with", rows=rows)


def _block(block: BlockReason) -> tuple[RenderableType, ...]:
    return str(block.number), signed(block.value), f"{block.similarity:.2f}", clipped(block.text)


def _link(found: BestLink, parts: Parts | None) -> Iterator[RenderableType]:
    reason = f" ({found.reason})" if found.reason else ""
    score = f"not followed{reason}" if found.score is None else f"{found.score:.3f}"
    yield assembled((score, "cyan"), "  ", printable(found.link.text) or "(no text)")
    yield indented(found.link.url, "dim", by=7)
    if parts is not None:
        yield from reckoned(parts, by=7)


def signed(value: float) -> str:
    """Return a number with its sign and three digits behind the point."""
    return f"{value:+.3f}"
