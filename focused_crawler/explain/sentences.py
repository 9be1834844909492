"""What there is to say of a page's relevance, in plain sentences that a reader can work out anew."""

from __future__ import annotations

from collections.abc import Iterator

from focused_crawler.classify.cold import HALF_POINT
from focused_crawler.explain.page import PageReasons
from focused_crawler.net.printable import printable
from focused_crawler.page.model import Page
from focused_crawler.report.words import count, plural
from focused_crawler.thesaurus import scoring as thesaurus


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
