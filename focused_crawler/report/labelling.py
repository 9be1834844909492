"""What a person sees of a page that is to be labelled, and what is said of a topic's labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich.console import RenderableType

from focused_crawler.classify.model import TopicModel
from focused_crawler.crawl.analysis import Analyst
from focused_crawler.report.explain.page import PageReasons, TermReason, telling_terms
from focused_crawler.report.explain.stored import text_reasons, writing
from focused_crawler.report.explain.terminal import signed
from focused_crawler.report.sampling.menus import without_menus
from focused_crawler.report.terminal.output import sentence, text
from focused_crawler.report.terminal.tables import heading, table
from focused_crawler.safety.formats import folded, plural, tidy
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.page_texts import PageTexts
from focused_crawler.topic.label import ANSWER_NAMES, QUEUES, key_of
from focused_crawler.topic.labels import Labels

LONGEST_EXTRACT = 1_500
"""Characters of a page's text that are shown."""
MOST_TERMS = 8
"""Words for a page, and against it, that are shown."""
MOST_ROWS = 50
"""Labelled pages that are listed, the newest."""

_PAGE = """
SELECT position, title, relevance, checksum, host, runs.judge
FROM pages LEFT JOIN runs ON runs.id = pages.run WHERE key = ?
"""
_BESIDE = "SELECT position FROM pages WHERE host = ? ORDER BY position LIMIT 4"


class Card(NamedTuple):
    """A page to be labelled."""

    url: str
    title: str = ""
    relevance: str = ""  # as the crawl judged it, by whom; empty: it has no such page
    checksum: str = ""  # of its text
    text: str = ""  # what of it others on its host do not say, too
    reasons: PageReasons | None = None  # by its stored words; None: there are none


@dataclass(frozen=True, slots=True)
class Cards:
    """Makes them from a crawl's database; `analyst` judges as the crawl would today."""

    database: CrawlDatabase
    analyst: Analyst  # a `writing` one
    judge: str  # of recorded pages whose run names none

    def card(self, url: str) -> Card:
        """Return the card of a page."""
        rows = self.database.rows(_PAGE, (key_of(url),))
        if not rows:
            return Card(url)
        position, title, relevance, checksum, host, judge = rows[0]
        beside = {place for (place,) in self.database.rows(_BESIDE, (host,))}
        texts_of = PageTexts(self.database)
        found = {page.position: page for page in texts_of.of(sorted({position, *beside}))}
        card = Card(url, folded(title), f"{relevance:.2f} by {judge or self.judge}", checksum or "")
        if position not in found:
            return card
        texts = {page.url: page.text for page in found.values()}
        words = without_menus(texts)[found[position].url]
        return card._replace(text=words, reasons=text_reasons(self.analyst, found[position]))


def cards_of(database: CrawlDatabase, analyst: Analyst, judge: str) -> Cards:
    """Return the maker of cards."""
    return Cards(database, writing(analyst), judge)


def shown_card(card: Card, place: str) -> Iterator[RenderableType]:
    """Yield a page as a person is to judge it: nothing of what the crawl thinks."""
    yield sentence("")
    yield text(place, "dim")
    yield heading(card.title or "(no title)")
    yield text(card.url, "cyan")
    if card.reasons is None:
        yield sentence(
            "(the crawl has no words of it: o prints its URL, to be opened in a browser)", "yellow"
        )
    else:
        yield sentence(tidy(card.text, LONGEST_EXTRACT) or "(no words)")


def shown_reasons(card: Card, why: str, model: TopicModel) -> Iterator[RenderableType]:
    """Yield what the crawl thinks of a page, and what speaks for and against it."""
    if why:
        yield text(f"queue:    {why}", "dim")
    if card.relevance:
        yield text(f"crawl:    {card.relevance}", "dim")
    if card.reasons is not None:
        for_it, against_it = map(_named, telling_terms(card.reasons, MOST_TERMS))
        yield text(f"words:    {card.reasons.relevance:.2f} by {model.judge_name}", "dim")
        yield text(f"for:      {for_it}", "green")
        yield text(f"against:  {against_it}", "red")


def _named(terms: Sequence[TermReason]) -> str:
    return ", ".join(f"{tidy(term.word, 40)} {signed(term.value)}" for term in terms) or "nothing"


def listed(labels: Labels) -> Iterator[RenderableType]:
    """Yield the labels of a topic: the newest pages, who labelled from where, and how far people agree."""
    if not labels.labels:
        yield sentence("No page is labelled.")
        return
    newest = list(dict.fromkeys(label.key for label in reversed(labels.labels)))
    verdicts = [labels.by_key[key] for key in newest[:MOST_ROWS]]
    rows = ((_said(one.yes, one.no, one.unsure), ANSWER_NAMES[one.answer], one.url) for one in verdicts)
    title = f"The last {len(verdicts)} of {plural(len(newest), 'labelled page')}"
    yield table("said", "counts as", "page", rows=rows, title=title)
    yield from map(sentence, _people(labels))
    disagreements = labels.disagreements
    if disagreements.pairs:
        pairs = (
            (
                f"{pair.first}, {pair.second}",
                str(pair.pages),
                str(pair.agreed),
                "-" if pair.kappa is None else f"{pair.kappa:.3f}",
            )
            for pair in disagreements.pairs
        )
        yield table("who", ">both decided", ">agreed", ">Cohen's kappa", rows=pairs)
    for page in disagreements.pages:
        yield sentence(f"Contradicted: {_said(page.yes, page.no, page.unsure)}: {page.url}")


def _people(labels: Labels) -> Iterator[str]:
    for name, pages in labels.people.items():
        own = Counter(known[name].queue for known in labels.newest.values() if name in known)
        queues = ", ".join(f"{own[queue]} {queue}" for queue in QUEUES if own[queue])
        yield f"{name}: {plural(pages, 'page')} ({queues})"


def _said(yes: int, no: int, unsure: int) -> str:
    counts = {"yes": yes, "no": no, "unsure": unsure}
    return ", ".join(f"{number} {name}" for name, number in counts.items() if number)
