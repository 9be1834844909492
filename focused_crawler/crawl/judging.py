"""Recorded pages judged anew, by their stored texts: one judge for a whole crawl, or for several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.settings import ClassifierName
from focused_crawler.crawl.judgement_files import write_up
from focused_crawler.crawl.judges import judging_for, load_model, taxonomy_of
from focused_crawler.crawl.steering.soft_404 import is_soft_404
from focused_crawler.page.model import Page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import ConfigError, CrawlError
from focused_crawler.safety.formats import plural
from focused_crawler.safety.printable import did_you_mean
from focused_crawler.safety.progress import shown
from focused_crawler.safety.settings import RawSettings, read
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.item import GOOD
from focused_crawler.store.job import RunInfo
from focused_crawler.store.judges import (
    GROUND_TRUTH,
    KEYWORDS,
    LABELS,
    MODEL,
    TAXONOMY,
    UNLEARNT,
)
from focused_crawler.store.page_texts import PageText, PageTexts
from focused_crawler.store.pages import PageStore
from focused_crawler.topic.scope import EVERYWHERE, Scope
from focused_crawler.topic.topic import Topic, load_topic, typed

if TYPE_CHECKING:
    from focused_crawler.classify.taxonomy.marked import MarkedTaxonomy

BY = (MODEL, KEYWORDS, *UNLEARNT, TAXONOMY)
"""What judges a text."""
_OTHERS = {
    LABELS: "labels judge only the pages that people looked at; type scrapy report CRAWL, which estimates"
    " from them how many are relevant, or scrapy train TOPIC and then --by model",
    GROUND_TRUTH: "a ground truth comes with a recorded web, whose reports go by it already; type scrapy"
    " report CRAWL, or give one of " + ", ".join(BY),
}
"""Judges that judge no text, and why there is nothing to do."""

_RECORDED = "SELECT position, is_relevant, duplicate_of IS NOT NULL FROM pages ORDER BY position"
_PAGES = "SELECT count(*) FROM pages"
_WITHOUT_TEXT = """
SELECT count(*) FROM pages
WHERE duplicate_of IS NULL AND NOT EXISTS (SELECT 1 FROM page_texts WHERE page = position)
AND (checksum <> '' OR NOT EXISTS (SELECT 1 FROM page_texts))
"""  # of a page without words there is nothing to store, and a copy is never relevant


class TextVerdict(NamedTuple):
    """A recorded page and what a judge says of it."""

    position: int
    relevance: float  # [0, 1]
    is_relevant: bool  # and it is no copy
    was_relevant: bool  # as it is recorded


@dataclass(frozen=True, slots=True)
class TextJudge:
    """Judges stored texts; headlines are text there, so that relevances differ a little from a crawl's."""

    model: TopicModel
    analyzer: Analyzer
    scope: Scope = EVERYWHERE
    taxonomy: MarkedTaxonomy | None = None  # judges, and not the model

    @classmethod
    def of(
        cls,
        topic: Topic,
        kind: str,
        models: Path | None,
        classifiers: Mapping[str, str],
        taxonomy: Path | None = None,
    ) -> Self:
        """Return the judge of a kind in `BY`, or for "" the topic's model, its words where there is none.

        `taxonomy`: its folder, None: the project's. Raises ModelError, TopicError, CrawlError where there is
        no model, ConfigError for no such judge.
        """
        if kind and kind not in BY:
            cure = did_you_mean(kind, BY) or f"give one of {', '.join(BY)}"
            raise ConfigError(_OTHERS.get(kind) or f"no judge is called {kind!r}; {cure}")
        analyzer = Analyzer(topic.language)
        model = TopicModel.cold(topic, analyzer).judging_by(kind, analyzer)
        if kind in ("", MODEL):
            model = load_model(topic, models, analyzer, classifiers)
        if kind == MODEL and not model.trained:
            raise CrawlError(f"{topic.name} has no model yet; scrapy train {typed(topic)} makes one")
        tree = taxonomy_of(topic, taxonomy, models, must_be_good=True) if kind == TAXONOMY else None
        return cls(model, analyzer, topic.scope, tree)

    @classmethod
    def of_crawl(cls, run: RunInfo, settings: RawSettings, kind: str = "") -> Self:
        """Return the judge of a kind for a crawl that somebody ran: it judges as that crawl did."""
        judge = cls.of_several(run, settings, kind)
        if not run.has_frontier:  # nothing is left of what its strategy noted for its pages
            return judge
        model = judging_for(run.strategy, judge.model, judge.analyzer, is_named=bool(kind))
        return replace(judge, model=model)

    @classmethod
    def of_several(cls, run: RunInfo, settings: RawSettings, kind: str = "") -> Self:
        """Return the judge of a kind for all crawls of a topic, of which somebody ran one.

        Models and taxonomies lie where the settings say, else where they lay when it was crawled.
        """
        models, taxonomy = (
            Path(folder) if (folder := settings.get(name) or run.settings.get(name)) else None
            for name in ("FOCUSED_MODELS", "FOCUSED_TAXONOMY")
        )
        classifiers = read(ClassifierName, settings).classifiers
        return cls.of(load_topic(run.topic_name), kind, models, classifiers, taxonomy)

    @property
    def name(self) -> str:
        """Return its name: see `store.judges`."""
        return self.model.judge_name if self.taxonomy is None else self.taxonomy.judge_name

    def judge(self, text: PageText) -> tuple[float, bool]:
        """Return how relevant a page is, [0, 1], and whether it is."""
        page = text.page(self.analyzer)
        relevance, threshold = self._relevance(page)
        if self.scope.is_foreign(page.language, page.text):
            relevance = 0.0
        return relevance, relevance >= threshold and not is_soft_404(page)

    def _relevance(self, page: Page) -> tuple[float, float]:
        """Return how relevant a page is, and from where on it counts as such."""
        if self.taxonomy is None:
            return self.model.classifier.relevance(page), self.model.threshold
        return self.taxonomy.judge(page).relevance, exp(GOOD)

    def pages(self, database: CrawlDatabase) -> list[TextVerdict]:
        """Return all recorded pages, in order; one without words is not relevant. Shows its progress.

        Raises CrawlError where the crawl stored no texts.
        """
        check_texts(database)
        recorded = database.rows(_RECORDED)
        texts = PageTexts(database).texts()
        shown_texts = shown(texts, "pages judged", len(recorded), lambda text: text.position)
        found = {text.position: self.judge(text) for text in shown_texts}
        return [
            TextVerdict(position, relevance, bool(verdict and not is_copy), bool(was))
            for position, was, is_copy in recorded
            for relevance, verdict in [found.get(position, (0.0, False))]
        ]


class JudgedAnew(NamedTuple):
    """What another judge changes of a crawl."""

    judge: str
    pages: int
    relevant: int
    was_relevant: int
    more: int  # relevant by this judge only
    fewer: int  # by the one before only
    was_by: Mapping[str, int]  # `was_relevant` by who had judged; "": nobody knows


def judge_again(
    folder: Path, run: RunInfo, judge: TextJudge, database: CrawlDatabase, *, must_write: bool
) -> JudgedAnew:
    """Judge all pages of a crawl, and store what is said of them where it is to be written.

    Raises CrawlError for a crawl without pages.
    """
    pages, was_by = judge.pages(database), CrawlHistory(database).relevant_by()
    if not pages:
        raise CrawlError(f"{folder} has no pages yet; run its crawl, or wait for the first ones")
    if must_write:
        record(database, judge.name, pages)
        database.commit()
        write_up(folder, run, database, judge.name)
    return JudgedAnew(
        judge.name,
        len(pages),
        sum(page.is_relevant for page in pages),
        sum(page.was_relevant for page in pages),
        sum(page.is_relevant and not page.was_relevant for page in pages),
        sum(page.was_relevant and not page.is_relevant for page in pages),
        was_by,
    )


_JUDGED = """
UPDATE pages SET by_content = CASE WHEN is_relevant = ? THEN by_content END, relevance = ?, is_relevant = ?
WHERE position = ?
"""


def pages_without_text(database: CrawlDatabase) -> int:
    """Return how many pages of a crawl nobody can judge anew."""
    return int(database.rows(_WITHOUT_TEXT)[0][0])


def check_texts(database: CrawlDatabase) -> None:
    """Raise CrawlError where a crawl did not store the texts of all its pages."""
    if without := pages_without_text(database):
        ((pages,),) = database.rows(_PAGES)
        raise CrawlError(
            f"{database.location} has no texts of its pages (FOCUSED_KEEP_TEXTS was off for {without:,} of"
            f" {pages:,}): they cannot be judged anew; crawl once more with texts"
        )


def record(database: CrawlDatabase, judge: str, pages: list[TextVerdict]) -> int:
    """Let what a judge said be what the crawl says; return how many pages changed sides. Does not commit."""
    store = PageStore(database)
    rejudge(database, store, pages)
    store.name_judge(judge)
    changed = sum(page.is_relevant != page.was_relevant for page in pages)
    store.record_decision(
        "judged", judge, detail=f"{plural(len(pages), 'page')}, {changed} of them changed sides"
    )
    return changed


def rejudge(database: CrawlDatabase, store: PageStore, pages: list[TextVerdict]) -> None:
    """Store what a judge says of pages, and count it. Does not commit."""
    rows = [(int(page.is_relevant), page.relevance, int(page.is_relevant), page.position) for page in pages]
    database.executemany(_JUDGED, rows)
    store.count(relevant=sum(page.is_relevant - page.was_relevant for page in pages))
