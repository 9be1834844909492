"""What is found out about a page past its download, step by step: the same steps in every process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Self, TypeAlias, cast

from focused_crawler.classify.model import TopicModel
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.judges import load_model, load_taxonomy
from focused_crawler.crawl.lists.use import Priors, load_priors
from focused_crawler.crawl.scored_links import FoundLinks, ScoredLink
from focused_crawler.crawl.steering.copies import own_words, sketch
from focused_crawler.crawl.steering.soft_404 import is_soft_404
from focused_crawler.link_scoring.base import (
    LONGEST_PATH,
    HeldLink,
    LearningScorer,
    LinkScorer,
    Rescorer,
    splits,
)
from focused_crawler.link_scoring.registry import create, needs_focus, notes_windows, options_of
from focused_crawler.link_scoring.rescoring import RescoringStrategy
from focused_crawler.link_scoring.strategy import Strategy
from focused_crawler.page.blocks import hub_measure, partitioning
from focused_crawler.page.model import NOTHING_NAMED, Focus, Named, Page
from focused_crawler.page.parser import parsing
from focused_crawler.page.stored_text import stored_text
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.aside import Parts, finished
from focused_crawler.safety.errors import CrawlError, WrongScores
from focused_crawler.store.judges import UNLEARNT
from focused_crawler.topic.scope import EVERYWHERE, Scope
from focused_crawler.topic.topic import Topic

if TYPE_CHECKING:
    from focused_crawler.classify.taxonomy.marked import MarkedTaxonomy


Rescore: TypeAlias = Callable[[Sequence[HeldLink]], Sequence[float]]

LEAST_OWN_WORDS = 20
"""Words outside links, without stop words, by which a page that is mostly links can be relevant."""


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
    learnt: bytes = b""  # what the strategy learnt from it, if it has to learn that again in a next run

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
    threshold: float  # relevance from which on a page is relevant
    strategy: str
    scorer: LinkScorer
    taxonomy: MarkedTaxonomy | None = None  # of hard and soft focus, and where the settings name one
    priors: Priors | None = None  # from earlier crawls, for sites
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
        if notes_windows(strategy, config.link_scorers):
            named = model.trained or config.classifier in UNLEARNT
            model = (model if named else model.by_thesaurus(analyzer)).reading_windows()
        options = options_of(strategy, config.strategy_options, config.link_scorers)
        if topic.link_threshold is not None:
            options = replace(options, threshold=topic.link_threshold)
        return cls(
            config=config,
            analyzer=analyzer,
            model=model,
            threshold=model.threshold,
            strategy=strategy,
            scorer=create(strategy, model, options, config.link_scorers),
            taxonomy=load_taxonomy(config, topic, is_needed=needs_focus(strategy, config.link_scorers)),
            priors=load_priors(config, topic),
            scope=config.scope(topic.scope),
        )

    def take_over(self, other: Self) -> None:
        """Judge and score from now on as another does, for the same topic, with what this one has learnt."""
        memory = self.memory()
        self.model, self.threshold, self.taxonomy = other.model, other.threshold, other.taxonomy
        self.scorer = other.scorer
        self.__dict__.pop("_learner", None)  # of the earlier strategy
        if memory is not None:
            with suppress(CrawlError):  # of a strategy that was untrained, or now is
                self.remember(memory)

    @property
    def acts_as(self) -> str:
        """Return the strategy that its own is where nothing was trained for it; empty: it is itself."""
        return str(getattr(self.scorer, "acts_as", ""))

    @property
    def watched_by(self) -> str:
        """Return the judge of alarms, hubs and what is left to find, a taxonomy; empty: that of pages."""
        return self.taxonomy.judge_name if self.taxonomy is not None and self.taxonomy.good else ""

    @property
    def learns(self) -> bool:
        """Tell whether the strategy learns from pages: then one process must see all of them, in order."""
        return getattr(type(self.scorer), "learn", None) is not Strategy.learn

    @cached_property
    def _learner(self) -> LearningScorer | None:
        """Return the strategy if it learns from features of pages."""
        return cast("LearningScorer", self.scorer) if splits(self.scorer) else None

    def classify(
        self, body: bytes, url: str, encoding: str | None, depth: int, path: bytes | None = None
    ) -> Analysis:
        """Parse a page and judge its relevance; raises UnparsablePage. `path`: what its lease carries."""
        return finished(self.classifying(body, url, encoding, depth, path))

    def classifying(
        self, body: bytes, url: str, encoding: str | None, depth: int, path: bytes | None = None
    ) -> Parts[Analysis]:
        """Do what `classify` does, in parts."""
        page = yield from parsing(body, url, self.analyzer, encoding, self.config.nofollow)
        yield
        page.depth, page.path = depth, path
        if self.model.reads_blocks:
            yield from self._cutting(page)
        is_missing = self.judge(page, self.model.classifier.relevance(page))
        yield
        analysis = Analysis(
            page.title, checksum(page.text), page.relevance, page.is_relevant, depth, page, page.focus
        )
        analysis.sketch, analysis.is_missing = self.sketch(page), is_missing
        analysis.by_content = page.by_content
        yield
        analysis.text = stored_text(page) if self.config.keeps_texts else b""
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
        page.is_relevant = page.relevance >= self.threshold and not is_missing
        page.by_content = page.is_relevant and self._is_relevant_by_content(page)
        page.focus = self.focus(page)
        return is_missing

    def _is_relevant_by_content(self, page: Page) -> bool:
        """Tell whether a relevant page stays so without its links: what they say, anybody can say."""
        sections = page.sections
        if len(sections.anchor) <= len(sections.headline) + len(sections.body):
            return True
        if len(own_words(page)) < LEAST_OWN_WORDS:
            return False
        bare = replace(page, sections=replace(sections, anchor=[]))
        return self.model.classifier.relevance(bare) >= self.threshold

    def sketch(self, page: Page) -> bytes:
        """Return what near-duplicates of a page are found by, nothing where they are not detected."""
        return sketch(own_words(page)) if self.config.steering.near_duplicates else b""

    def focus(self, page: Page) -> Focus | None:
        """Return where a page stands in the taxonomy, None without one."""
        return None if self.taxonomy is None else self.taxonomy.judge(page)

    def read(
        self, body: bytes, url: str, encoding: str | None, depth: int, path: bytes | None = None
    ) -> Page:
        """Return a page with its blocks and links; raises UnparsablePage."""
        analysis = self.classify(body, url, encoding, depth, path)
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

    def _cutting(self, page: Page) -> Parts[None]:
        config = self.config
        return partitioning(page, config.block_alpha, config.block_min_words, config.context_words)

    def score(self, analysis: Analysis) -> list[ScoredLink]:
        """Return the links with their scores, in reading order; the strategy learns from the page first.

        CrawlError if they are to carry more than may be.
        """
        if analysis.scored is None:
            found = analysis.found
            if found is None:
                found = self._scored_links(analysis.page)
            if found.scores is not None:
                scores = found.scores
            else:
                scores = self._learn_and_score(found.features, found.urls, analysis.depth)
                analysis.learnt = found.features if self.rescores else b""
            analysis.scored, analysis.found = found.scored(scores), None
        return analysis.scored

    def scores(self, page: Page) -> Sequence[float | None]:
        """Return the scores of a page's links, in reading order; the strategy learns from the page first."""
        if self._learner is not None:
            urls = [link.url for link in page.links]
            return self._learn_and_score(self._learner.features(page, page.links), urls, page.depth)
        self.scorer.learn(page)
        urls = [link.url for link in page.links]  # a user's own may leave some out
        if self.is_too_deep(page.depth):
            return [None] * len(urls)
        return self.corrected(urls, self.scorer.score(page, page.links))

    def find_links(self, analysis: Analysis) -> None:
        """Leave the page behind, and take along all that `score` needs in another process.

        Of a strategy that learns and has no features that is the page.
        """
        if self.learns and self._learner is None:
            return
        analysis.found = self._scored_links(analysis.page)
        analysis.source = None

    def score_listing(self, page: Page) -> list[ScoredLink]:
        """Return what a sitemap or feed lists with scores, in its order; the strategy learns nothing."""
        urls = [link.url for link in page.links]
        scores = self.corrected(urls, self.scorer.score(page, page.links))
        return [
            ScoredLink(link.url, link.text, 0, score) for link, score in zip(page.links, scores, strict=True)
        ]

    def _scored_links(self, page: Page) -> FoundLinks:
        """Return the links of a page with scores, or with the features that these are to come from."""
        if self._learner is not None:
            return self._found(page)._replace(features=self._learner.features(page, page.links))
        scores = self.scores(page)
        return self._found(page)._replace(scores=scores)

    def _found(self, page: Page) -> FoundLinks:
        links = page.links
        return FoundLinks(
            [link.url for link in links],
            [link.text for link in links],
            [link.block for link in links],
            self._paths(page),
        )

    def _learn_and_score(self, features: Any, urls: Sequence[str], depth: int) -> Sequence[float | None]:
        learner = self._learner
        assert learner is not None
        learner.learn_from(features)
        if self.is_too_deep(depth):
            return [None] * len(urls)
        return self.corrected(urls, learner.score_from(features))

    def corrected(self, urls: Sequence[str], scores: Sequence[float | None]) -> Sequence[float | None]:
        """Return what lists of sites and the scope make of the strategy's scores.

        WrongScores if these are more or fewer than the links, or one is no priority.
        """
        scores = list(scores)
        if len(scores) != len(urls):
            raise WrongScores(
                f"strategy {self.strategy} gives {len(scores)} scores for {len(urls)} links; give one a link"
            )
        for score in scores:
            if score is not None and not 0 <= score <= 1:  # nor is NaN
                raise WrongScores(
                    f"strategy {self.strategy} gives {score} as a score; give a number from 0 to 1, or None"
                    " for a link that is not to be followed"
                )
        if self.priors is not None:
            scores = self.priors.apply(urls, scores)
        if (scope := self.scope).bounds:
            pairs = zip(urls, scores, strict=True)
            scores = [None if scope.outside(url) else score for url, score in pairs]
        return scores

    def _paths(self, page: Page) -> Sequence[bytes | None]:
        """Return what each link is to carry; most strategies note the same for all of a page, or nothing.

        Nothing is noted that only a classifier would read which is not this crawl's.
        """
        if getattr(self.scorer, "notes_windows", False) and not self.model.reads_path:
            return [None] * len(page.links)
        note_each, note = getattr(self.scorer, "paths", None), getattr(self.scorer, "path", None)
        if note_each is not None:
            paths: Sequence[bytes | None] = note_each(page, page.links)
        else:
            paths = [None if note is None else note(page)] * len(page.links)
        longest = max(map(len, filter(None, paths)), default=0)
        if longest > LONGEST_PATH:
            raise WrongScores(
                f"strategy {self.strategy} notes {longest:,} bytes for a link;"
                f" {LONGEST_PATH:,} may be kept: make its path shorter"
            )
        return paths

    @cached_property
    def rescores(self) -> bool:
        """Tell whether the strategy changes its mind about any links: then it must learn all pages again."""
        return isinstance(self.scorer, RescoringStrategy)

    def rescored(self) -> Iterator[tuple[list[int], list[float]]]:
        """Yield keys of links and the strategy's new scores: called after each page, it does a part."""
        if self.rescores:
            for keys, priorities in cast("RescoringStrategy", self.scorer).rescored():
                yield keys.tolist(), priorities.tolist()

    def learn_again(self, learnt: bytes) -> None:
        """Take the strategy through a page of an earlier run; raises CrawlError."""
        strategy = cast("RescoringStrategy", self.scorer)
        try:
            strategy.learn_from(learnt)
            strategy.score_from(learnt)
        except ValueError as error:
            raise self._forgetful(error) from error
        for _ in strategy.rescored():
            pass

    @property
    def rescore(self) -> Rescore | None:
        """Return how the strategy changes its mind about links that further pages hold; None: it does not."""
        return self._rescore if hasattr(self.scorer, "rescore") else None

    def _rescore(self, links: Sequence[HeldLink]) -> Sequence[float]:
        """Return new priorities; WrongScores where the strategy fails: it is too late to fail the page."""
        try:
            scores = list(cast("Rescorer", self.scorer).rescore(links))
            if len(scores) != len(links):
                raise ValueError(f"{len(scores)} for {len(links)} links")
        except Exception as error:
            raise WrongScores(
                f"strategy {self.strategy} failed to score links again ({type(error).__name__}: {error});"
                " mend it and run the same command again"
            ) from error
        return scores

    def memory(self) -> bytes | None:
        """Return what the strategy has learnt, None if it stores nothing."""
        memory = getattr(self.scorer, "memory", None)
        return None if memory is None else memory()

    def remember(self, memory: bytes) -> None:
        """Give the strategy back what it had learnt; raises CrawlError."""
        remember = getattr(self.scorer, "remember", None)
        if remember is None:
            return
        try:
            remember(memory)
        except ValueError as error:
            raise self._forgetful(error) from error

    def _forgetful(self, error: ValueError) -> CrawlError:
        return CrawlError(
            f"strategy {self.strategy} cannot use what it had learnt in this crawl ({error});"
            " begin another with -a job=NAME"
        )

    def is_too_deep(self, depth: int) -> bool:
        """Tell whether the links of a page so many links from a seed lie beyond the scope's depth."""
        return 0 < self.scope.depth <= depth


LONG = 96 * 1024
MANY_TAGS = 6_000


def takes_long(body: bytes) -> bool:
    """Tell whether a page may take more than .1 s; of pages of the real web, one in fifty does."""
    return len(body) > LONG or body.count(b"<") > MANY_TAGS


def checksum(text: str) -> str:
    """Return the fingerprint of a text; empty for no text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest() if text else ""
