"""A topic's search for start pages from its words to its choice."""

from __future__ import annotations

from pathlib import Path

from focused_crawler.config import CrawlConfig
from focused_crawler.errors import TopicError
from focused_crawler.search.base import SearchProvider
from focused_crawler.seeding.answers import FILE_NAME, Answers
from focused_crawler.seeding.choice import Choice, choose, merged_results
from focused_crawler.seeding.harvest import Harvest, harvest
from focused_crawler.seeding.looks import looks
from focused_crawler.seeding.queries import queries
from focused_crawler.seeding.rules import rules_of
from focused_crawler.text.tokens import Analyzer
from focused_crawler.thesaurus.of_topic import subject_wordings, thesaurus_of
from focused_crawler.thesaurus.scoring import ThesaurusScorer
from focused_crawler.topic import Topic, typed
from focused_crawler.virtualweb.bar import shown


class SeedSearch:
    """What a topic is searched for with, and what is made of the answers. No ground truth, no pages."""

    def __init__(self, topic: Topic, config: CrawlConfig, most: int) -> None:
        """Make up to `most` searches; raises TopicError where the topic's words give none.

        Also TopicError or CrawlError for what `choose` will look into: before anything is asked, or paid.
        """
        self.topic, self._config = topic, config
        rules_of(topic, config, 1, [])
        analyzer = Analyzer(topic.language)
        thesaurus = thesaurus_of(topic)
        self.queries = queries(thesaurus, analyzer, most, subject_wordings(topic, analyzer))
        if not self.queries:
            raise TopicError(
                f"{topic.name} has too few words to search for; add two or more keywords to its topic.toml,"
                f" or a thesaurus: scrapy thesaurus new {typed(topic)}"
            )
        self.looks = looks(ThesaurusScorer(thesaurus, analyzer), analyzer)

    def ask(self, provider: SearchProvider, top: int) -> Harvest:
        """Ask for the `top` results of each search; what live providers answer is kept for a day."""
        is_live = getattr(provider, "pause_seconds", 0.0) > 0
        kept = Answers(self.answers_path, provider.name) if is_live else None
        number = {query: position for position, query in enumerate(self.queries)}
        asked = shown(self.queries, f"Searching ({provider.name})", len(number), number.__getitem__)
        return harvest(provider, asked, top, kept)

    def choose(self, found: Harvest, per_site: int, n: int) -> Choice:
        """Return the best `n` start pages, so many of a site; raises TopicError or CrawlError."""
        rules = rules_of(self.topic, self._config, per_site, merged_results(found.answers))
        return choose(found.answers, self.looks, rules, n)

    @property
    def answers_path(self) -> Path:
        """Return where answers are kept: beside the topic's lists and model."""
        models = self._config.models
        return (self.topic.folder if models is None else models / self.topic.name) / FILE_NAME
