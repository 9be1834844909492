"""A topic's search for start pages from its words to its choice."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.lists.file import lists_path
from focused_crawler.crawl.lists.lists import Lists
from focused_crawler.discovery.choice import Choice, ChoiceRules, Judge, choose, merged_results
from focused_crawler.discovery.harvest import FILE_NAME, Answers, Harvest, harvest
from focused_crawler.discovery.queries import queries
from focused_crawler.discovery.search.base import SearchProvider, SearchResult
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.url import normalise, url_key
from focused_crawler.safety.errors import TopicError
from focused_crawler.safety.progress import shown
from focused_crawler.store.opening import read_crawl
from focused_crawler.topic.thesaurus.of_topic import subject_wordings, thesaurus_of
from focused_crawler.topic.thesaurus.scoring import ThesaurusScorer, relevance_of
from focused_crawler.topic.topic import Topic, typed

SEARCHES = 30
TOP = 10
MOST = 1000
"""Searches of a topic, and results that are taken of each, where nothing is said; and the most of either."""


def apparent_relevance(scorer: ThesaurusScorer, analyzer: Analyzer) -> Judge:
    """Return the judge of results, by title, snippet and URL; 0 where they have no word of the thesaurus."""

    def judge(result: SearchResult) -> float:
        words = scorer.text(analyzer.terms(result.title), analyzer.terms(result.snippet))
        return relevance_of(words + scorer.scoring.url * scorer.url(result.url))

    return judge


_IS_PAGE = "SELECT 1 FROM pages WHERE key = ?"


def rules_of(
    topic: Topic, config: CrawlConfig, per_site: int, results: Iterable[SearchResult]
) -> ChoiceRules:
    """Return the rules for some results; raises TopicError for broken lists, CrawlError.

    FOCUSED_KNOWN names the crawl whose pages are known.
    """
    known = {url_key(url) for seed in topic.seeds if (url := normalise(seed))}
    if config.known is not None:
        known |= _recorded(config.known, {url_key(result.url) for result in results})
    sites, hubs = banned(topic, config.models)
    return ChoiceRules(per_site, known, sites, hubs, config.scope(topic.scope).outside)


def _recorded(folder: Path, keys: Iterable[int]) -> set[int]:
    with read_crawl(folder) as database:
        return {key for key in keys if database.rows(_IS_PAGE, (key,))}


def banned(topic: Topic, models: Path | None) -> tuple[set[str], set[int]]:
    """Return the sites, and the keys of the hubs, that a person has banned."""
    path = lists_path(topic, models)
    if not path.exists():
        return set(), set()
    with Lists(path, read_only=True) as lists:
        sites = {site.site for site in lists.sites() if site.mark == "banned"}
        return sites, {url_key(hub.url) for hub in lists.hubs() if hub.mark == "banned"}


class SeedSearch:
    """The searches of a topic, and the choice among their answers. No ground truth, no pages."""

    def __init__(self, topic: Topic, config: CrawlConfig, most: int) -> None:
        """Make up to `most` searches; raises TopicError where the topic's words give none.

        Also TopicError or CrawlError for files that `choose` reads: before any search is made, or paid.
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
        self.looks = apparent_relevance(ThesaurusScorer(thesaurus, analyzer), analyzer)

    def ask(self, provider: SearchProvider, top: int) -> Harvest:
        """Ask for the `top` results of each search; answers of live providers are stored for a day."""
        is_live = getattr(provider, "pause_seconds", 0.0) > 0
        cache = Answers(self.answers_path, provider.name) if is_live else None
        number = {query: position for position, query in enumerate(self.queries)}
        asked = shown(self.queries, f"Searching ({provider.name})", len(number), number.__getitem__)
        return harvest(provider, asked, top, cache)

    def choose(self, found: Harvest, per_site: int, n: int, agree: int = 1) -> Choice:
        """Return the best `n` start pages, so many of a site, that `agree` providers return."""
        rules = rules_of(self.topic, self._config, per_site, merged_results(found.answers))
        return choose(found.answers, self.looks, replace(rules, agree=agree), n)

    @property
    def answers_path(self) -> Path:
        """Return the file of stored answers: beside the topic's lists and model."""
        return lists_path(self.topic, self._config.models).with_name(FILE_NAME)
