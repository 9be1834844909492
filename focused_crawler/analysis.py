"""What is found out about a page past its download, step by step: the same steps in every process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.model_file import broken
from focused_crawler.config import CrawlConfig
from focused_crawler.errors import CrawlError
from focused_crawler.link_scoring.base import LONGEST_PATH, LinkScorer
from focused_crawler.link_scoring.registry import LinkScoringSettings, create, needs_focus
from focused_crawler.link_scoring.strategy import Strategy
from focused_crawler.page.blocks import partition
from focused_crawler.page.model import Focus, Page
from focused_crawler.page.parser import parse_page
from focused_crawler.steering.copies import own_words, sketch
from focused_crawler.steering.soft_404 import is_soft_404
from focused_crawler.text.tokens import Analyzer
from focused_crawler.topic import Topic

if TYPE_CHECKING:
    from focused_crawler.taxonomy.marked import MarkedTaxonomy


class ScoredLink(NamedTuple):
    """A link with the strategy's verdict."""

    url: str
    text: str
    block: int  # content block on its page
    score: float | None  # [0, 1]; None: not to be followed


@dataclass(slots=True)
class Analysis:
    """What a crawl keeps of a page, as plain values, and the `Page` itself for whoever asks."""

    title: str
    checksum: str  # of the words, not of the markup; empty for a page without words, as those are no copies
    relevance: float  # [0, 1]
    is_relevant: bool
    depth: int  # links from a seed
    source: (
        Page | Callable[[], Page] | None
    )  # the page, or how to read it once more; None: it was left behind
    category: str | None = None  # best leaf of the taxonomy; None: no taxonomy
    links: int | None = None  # followed or not; None: not partitioned yet
    scored: list[ScoredLink] | None = None  # all links, in reading order; None: not scored yet
    path: bytes | None = None  # what the strategy notes for the pages these links lead to
    sketch: bytes = b""  # of its own words, for pages nearly the same; empty: too few, or not asked for
    is_missing: bool = False  # it says that there is no such page, whatever its status

    @property
    def page(self) -> Page:
        """Return the page, read once more if another process analysed it."""
        if callable(self.source):
            self.source = self.source()
        assert self.source is not None
        return self.source


@dataclass(frozen=True)
class Analyst:
    """Knows all that a page is judged by. No ground truth, no clock, no input or output."""

    config: CrawlConfig
    analyzer: Analyzer
    model: TopicModel
    threshold: float  # relevance from which on a page is relevant
    strategy: str
    scorer: LinkScorer
    taxonomy: MarkedTaxonomy | None = None  # of hard and soft focus, and where the settings name one

    @classmethod
    def make(cls, config: CrawlConfig, topic: Topic) -> Self:
        """Load what the topic's pages are judged by and make its strategy.

        Raises ModelError or ConfigError, and TopicError where its strategy needs good categories.
        """
        analyzer = Analyzer(topic.language)
        model = load_model(topic, config.models, analyzer, config.classifiers)
        strategy = config.strategy or config.default_strategy
        settings = LinkScoringSettings(
            threshold=_first(topic.link_threshold, config.link_threshold),
            beta=config.jfe_beta,
            is_calibrated=config.link_similarity == "calibrated",
            soft_evidence=config.lpe_soft,
            shark_inherits=config.shark_inherits,
            hmm_neighbours=config.hmm_neighbours,
            hmm_normalise=config.hmm_normalise,
            hmm_epsilon=config.hmm_epsilon,
            learning_weights=config.learning_weights,
            learning_threshold=config.learning_threshold,
            learning_counts=config.learning_counts,
            random_seed=config.random_seed,
        )
        return cls(
            config=config,
            analyzer=analyzer,
            model=model,
            threshold=_first(topic.relevance_threshold, model.threshold),
            strategy=strategy,
            scorer=create(strategy, model, settings, config.link_scorers),
            taxonomy=load_taxonomy(config, topic, is_needed=needs_focus(strategy, config.link_scorers)),
        )

    @property
    def learns(self) -> bool:
        """Tell whether the strategy learns from pages: then one process must see all of them, in order."""
        return getattr(type(self.scorer), "learn", None) is not Strategy.learn

    def classify(
        self, body: bytes, url: str, encoding: str | None, depth: int, path: bytes | None = None
    ) -> Analysis:
        """Parse a page and say how relevant it is; raises UnparsablePage. `path`: what its lease carries."""
        page = parse_page(body, url, self.analyzer, encoding)
        page.depth, page.path = depth, path
        is_missing = self.judge(page, self.model.classifier.relevance(page))
        category = None if page.focus is None else page.focus.category
        analysis = Analysis(
            page.title, checksum(page.text), page.relevance, page.is_relevant, depth, page, category
        )
        analysis.sketch, analysis.is_missing = self.sketch(page), is_missing
        return analysis

    def judge(self, page: Page, relevance: float) -> bool:
        """Say of a page how relevant it is, and where it stands in the taxonomy.

        Return whether it says that there is no such page: then it is not relevant, whatever its words.
        """
        is_missing = is_soft_404(page)
        page.relevance = relevance
        page.is_relevant = relevance >= self.threshold and not is_missing
        page.focus = self.focus(page)
        return is_missing

    def sketch(self, page: Page) -> bytes:
        """Return what near-duplicates of a page are found by, nothing where nobody looks for them."""
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
        if analysis.links is None:
            page, config = analysis.page, self.config
            partition(page, config.block_alpha, config.block_min_words, config.context_words)
            analysis.links = len(page.links)

    def score(self, analysis: Analysis) -> list[ScoredLink]:
        """Return the links with their scores, in reading order; the strategy learns from the page first.

        `analysis.path` then holds what they are to carry. CrawlError if that is more than may be.
        """
        if analysis.scored is None:
            page = analysis.page
            self.scorer.learn(page)
            is_too_deep = self.is_too_deep(analysis.depth)
            scores = [None] * len(page.links) if is_too_deep else self.scorer.score(page, page.links)
            analysis.scored = [
                ScoredLink(link.url, link.text, link.block, score)
                for link, score in zip(page.links, scores, strict=True)
            ]
            analysis.path = self._path(page)
        return analysis.scored

    def _path(self, page: Page) -> bytes | None:
        note = getattr(self.scorer, "path", None)
        path: bytes | None = None if note is None else note(page)
        if path is not None and len(path) > LONGEST_PATH:
            raise CrawlError(
                f"strategy {self.strategy} notes {len(path):,} bytes for the links of one page;"
                f" {LONGEST_PATH:,} may be kept: make its path shorter"
            )
        return path

    def memory(self) -> bytes | None:
        """Return what the strategy has learnt, None if it keeps nothing."""
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
            raise CrawlError(
                f"strategy {self.strategy} cannot use what it had learnt in this crawl ({error});"
                " begin another with -a job=NAME"
            ) from error

    def is_too_deep(self, depth: int) -> bool:
        """Tell whether the links of a page so many links from a seed lie beyond DEPTH_LIMIT."""
        return 0 < self.config.depth_limit <= depth


def highest(links: Sequence[ScoredLink]) -> dict[str, float]:
    """Return the highest score of each URL that is to be followed."""
    best: dict[str, float] = {}
    for url, _, _, score in links:
        if score is not None and score > best.get(url, -1.0):
            best[url] = score
    return best


def checksum(text: str) -> str:
    """Return the fingerprint of a text; empty for no text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest() if text else ""


def model_folder(topic: Topic, models: Path | None) -> Path:
    """Return where a topic's model lies: in the topic's own folder, or under FOCUSED_MODELS."""
    return models / topic.name if models is not None else topic.folder / "model"


def load_model(
    topic: Topic, models: Path | None, analyzer: Analyzer, classifiers: Mapping[str, str]
) -> TopicModel:
    """Return the trained model, the untrained one where nothing was trained; raises ModelError.

    `classifiers`: the user's own, name -> import path.
    """
    folder = model_folder(topic, models)
    if not (folder / "model.json").exists():
        return TopicModel.cold(topic, analyzer)
    model = TopicModel.load(folder, classifiers)
    if (model.topic, model.language) != (topic.name, topic.language):
        raise broken(folder, f"it is of {model.topic}, language {model.language}")
    return model.of_topic(topic)


def load_taxonomy(config: CrawlConfig, topic: Topic, *, is_needed: bool) -> MarkedTaxonomy | None:
    """Return the taxonomy to judge by: that of FOCUSED_TAXONOMY, else the project's if one is needed."""
    if config.taxonomy is None and not is_needed:
        return None
    # a room of its own, which few crawls enter
    from focused_crawler.taxonomy.folder import model_folder, taxonomy_folder  # noqa: PLC0415
    from focused_crawler.taxonomy.marked import MarkedTaxonomy  # noqa: PLC0415

    folder = model_folder(config.taxonomy or config.models or taxonomy_folder(), config.models)
    return MarkedTaxonomy.load(folder, topic, must_be_good=is_needed)


def _first(chosen: float | None, default: float) -> float:
    return default if chosen is None else chosen
