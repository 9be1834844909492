"""What a result looks like before its page is fetched: its title, snippet and URL against the thesaurus."""

from __future__ import annotations

from focused_crawler.search.base import SearchResult
from focused_crawler.seeding.choice import Judge
from focused_crawler.text.tokens import Analyzer
from focused_crawler.thesaurus.scoring import ThesaurusScorer, relevance_of


def looks(scorer: ThesaurusScorer, analyzer: Analyzer) -> Judge:
    """Return what says how relevant a result looks, in [0, 1]: 0 where none of the thesaurus is in it."""

    def look(result: SearchResult) -> float:
        words = scorer.text(analyzer.terms(result.title), analyzer.terms(result.snippet))
        return relevance_of(words + scorer.scoring.url * scorer.url(result.url))

    return look
