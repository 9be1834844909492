"""What is found out about a page past its download, step by step: the same steps in every process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from focused_crawler.classify.model import TopicModel
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.judges import judging_for, load_model, load_taxonomy
from focused_crawler.crawl.link_order import LinkOrder
from focused_crawler.crawl.lists.use import load_priors
from focused_crawler.crawl.scored_links import FoundLinks, ScoredLink
from focused_crawler.crawl.steering.copies import count_own_words, own_words, sketch
from focused_crawler.crawl.steering.soft_404 import is_soft_404
from focused_crawler.link_scoring.registry import create, needs_focus, options_of
from focused_crawler.page.blocks import hub_measure, partitioning
from focused_crawler.page.model import NOTHING_NAMED, Focus, Named, Page
from focused_crawler.page.parser import parsing
from focused_crawler.page.stored_text import stored_text
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.aside import Parts, finished
from focused_crawler.store.judges import UNLEARNT
from focused_crawler.topic.scope import EVERYWHERE, Scope
from focused_crawler.topic.topic import Topic

if TYPE_CHECKING:
    from focused_crawler.classify.taxonomy.marked import MarkedTaxonomy


LEAST_OWN_WORDS = 20
"""Words outside links, without stop words, by which a page that is mostly links can be relevant."""


class Way(NamedTuple):
    """How a page was come to: what its lease says."""

    depth: int  # links from a seed
    path: bytes | None = None  # what the strategy noted on the page whose link led there
    asked: str = ""  # URL of that link


@dataclass(slots=True)
class Analysis:
    """The results of a page, as plain values, and the `Page` itself."""

    title: str
    checksum: str  # of the words, not of the markup; empty for a page without words, as those are no copies
    relevance: float  # [0, 1]
    is_relevant: bool
    depth: int  # links from a seed
    source: Page | Callable[[], Page] | None  # or how to read it once more; None: it was left behind
    focus: Focus | None = None  # where it stands in the taxonomy; None: no taxonomy
    links: int | None = None  # followed or not; None: not partitioned yet
    scored: list[ScoredLink] | None = None  # all links, in reading order; None: not scored yet
    found: FoundLinks | None = None  # the same, as a worker found them, until they are scored
    hubness: float | None = None  # links to other sites a word outside links; None: not known
    text: bytes = b""  # its words as they are stored; empty: they are not
    sketch: bytes = b""  # of its own words, for pages nearly the same; empty: too few, or not asked for
    is_missing: bool = False  # it reports that there is no such page, whatever its status
    by_content: bool = False  # it is relevant by what stands outside its links, too
    words: int = 0  # that a reader sees
    cut: int = 0  # links that were left out; not among `links`
    closed: int = 0  # links that were left alone by FOCUSED_NOFOLLOW; not among `links`
    named: Named = NOTHING_NAMED  # what its head names for crawlers
    learnt: bytes = b""  # what it teaches the strategies of other processes, or of a next run

    def __reduce__(self) -> tuple[type[Analysis], tuple[Any, ...]]:
        # a dataclass with slots would be pickled by the names of its fields, in Python
        return Analysis, tuple(getattr(self, name) for name in self.__slots__)

    @property
    def page(self) -> Page:
        """Return the page, read once more if another process analysed it."""
        if callable(self.source):
            self.source = self.source()
        assert self.source is not None
        return self.source


@dataclass
class Analyst:
    """Knows all that a page is judged by. No ground truth, no clock, no input or output."""

    config: CrawlConfig
    analyzer: Analyzer
    model: TopicModel
    order: LinkOrder
    taxonomy: MarkedTaxonomy | None = None  # of hard and soft focus, and where the settings name one
    scope: Scope = EVERYWHERE

    @classmethod
    def make(cls, config: CrawlConfig, topic: Topic, model: TopicModel | None = None) -> Self:
        """Load what the topic's pages are judged by and make its strategy; `model`: for its trained one.

        Raises ModelError or ConfigError, and TopicError where its strategy needs good categories.
        """
        analyzer = Analyzer(topic.language)
        strategy = config.strategy or config.default_strategy
        model = (
            load_model(topic, config.models, analyzer, config.classifiers, config.classifier)
            if model is None
            else model.judging_by(config.classifier, analyzer)
        )
        is_named = config.classifier in UNLEARNT
        model = judging_for(strategy, model, analyzer, config.link_scorers, is_named=is_named)
        options = options_of(strategy, config.strategy_options, config.link_scorers)
        if topic.link_threshold is not None:
            options = replace(options, threshold=topic.link_threshold)
        scorer, scope = create(strategy, model, options, config.link_scorers), config.scope(topic.scope)
        return cls(
            config=config,
            analyzer=analyzer,
            model=model,
            order=LinkOrder(strategy, scorer, model.reads_path, load_priors(config, topic), scope),
            taxonomy=load_taxonomy(config, topic, is_needed=needs_focus(strategy, config.link_scorers)),
            scope=scope,
        )

    def take_over(self, other: Self) -> None:
        """Judge and score from now on as another does, for the same topic, with what this one has learnt."""
        self.model, self.taxonomy = other.model, other.taxonomy
        self.order.take_over(other.order)

    @property
    def watched_by(self) -> str:
        """Return the judge of alarms, hubs and what is left to find, a taxonomy; empty: that of pages."""
        return self.taxonomy.judge_name if self.taxonomy is not None and self.taxonomy.good else ""

    def classify(
        self, body: bytes, url: str, encoding: str | None, way: Way, nofollow: str | None = None
    ) -> Analysis:
        """Parse a page and judge its relevance; raises UnparsablePage.

        `nofollow`: as `parse_page` takes it; None: as it is set.
        """
        return finished(self.classifying(body, url, encoding, way, nofollow))

    def classifying(
        self, body: bytes, url: str, encoding: str | None, way: Way, nofollow: str | None = None
    ) -> Parts[Analysis]:
        """Do what `classify` does, in parts."""
        page = yield from parsing(body, url, self.analyzer, encoding, nofollow or self.config.nofollow)
        yield
        page.depth, page.path, page.asked = way
        if self.model.reads_blocks:
            yield from self._cutting(page)
        relevance = self.model.classifier.relevance(page)
        yield
        is_missing = self.judge(page, relevance)
        yield
        analysis = Analysis(
            page.title, checksum(page.text), page.relevance, page.is_relevant, way.depth, page, page.focus
        )
        analysis.sketch, analysis.is_missing = self.sketch(page), is_missing
        analysis.by_content = page.by_content
        yield
        analysis.words = page.sections.words
        analysis.named = page.named
        return analysis

    def judge(self, page: Page, relevance: float) -> bool:
        """Say of a page how relevant it is, and where it stands in the taxonomy.

        Return whether it reports that there is no such page: then it is not relevant, whatever its words.
        """
        is_missing = is_soft_404(page)
        is_foreign = self.scope.languages and self.scope.is_foreign(page.language, page.text)
        page.relevance = 0.0 if is_foreign else relevance
        page.is_relevant = page.relevance >= self.model.threshold and not is_missing
        page.by_content = page.is_relevant and self._is_relevant_by_content(page)
        page.focus = self.focus(page)
        return is_missing

    def _is_relevant_by_content(self, page: Page) -> bool:
        """Tell whether a relevant page stays so without its links: what they say, anybody can say."""
        sections = page.sections
        if len(sections.anchor) <= len(sections.headline) + len(sections.body):
            return True
        if count_own_words(page) < LEAST_OWN_WORDS:
            return False
        bare = replace(page, sections=replace(sections, anchor=[]))
        return self.model.classifier.relevance(bare) >= self.model.threshold

    def sketch(self, page: Page) -> bytes:
        """Return what near-duplicates of a page are found by, nothing where they are not detected."""
        return sketch(own_words(page)) if self.config.steering.near_duplicates else b""

    def focus(self, page: Page) -> Focus | None:
        """Return where a page stands in the taxonomy, None without one."""
        return None if self.taxonomy is None else self.taxonomy.judge(page)

    def read(
        self, body: bytes, url: str, encoding: str | None, way: Way, nofollow: str | None = None
    ) -> Page:
        """Return a page with its blocks and links; raises UnparsablePage."""
        analysis = self.classify(body, url, encoding, way, nofollow)
        self.partition(analysis)
        return analysis.page

    def partition(self, analysis: Analysis) -> None:
        """Cut a page into content blocks and find its links, unless that is done."""
        finished(self.partitioning(analysis))

    def partitioning(self, analysis: Analysis) -> Parts[None]:
        """Do what `partition` does, in parts."""
        if analysis.links is None:
            page = analysis.page
            yield from self._cutting(page)
            analysis.links = len(page.links)
            analysis.hubness = hub_measure(page)
            analysis.cut, analysis.closed = page.cut, page.closed
            yield
            analysis.text = stored_text(page) if self.config.keeps_texts else b""

    def _cutting(self, page: Page) -> Parts[None]:
        config = self.config
        return partitioning(page, config.block_alpha, config.block_min_words, config.context_words)

    def score(self, analysis: Analysis) -> list[ScoredLink]:
        """Return the links with their scores, in reading order; the strategy learns from the page first.

        CrawlError if they are to carry more than may be.
        """
        if analysis.scored is None:
            found = self.order.find(analysis.page) if analysis.found is None else analysis.found
            scores = found.scores
            if scores is None:
                scores = self.order.learn_and_score(found, analysis.depth)
                analysis.learnt = self.order.lesson(found.features)
            analysis.scored, analysis.found = found.scored(scores), None
        return analysis.scored

    def find_links(self, analysis: Analysis) -> None:
        """Leave the page behind, and take along all that `score` needs in another process.

        Of a strategy that learns and has no features that is the page.
        """
        if not self.order.needs_pages:
            analysis.found = self.order.find(analysis.page)
            analysis.source = None


LONG = 96 * 1024
MANY_TAGS = 6_000


def takes_long(body: bytes) -> bool:
    """Tell whether a page may take more than .1 s; of pages of the real web, one in fifty does."""
    return len(body) > LONG or body.count(b"<") > MANY_TAGS


def checksum(text: str) -> str:
    """Return the fingerprint of a text; empty for no text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest() if text else ""
