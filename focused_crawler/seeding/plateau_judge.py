"""Who says which results are relevant in the plateau experiment: a report, nothing is ordered by it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from focused_crawler.analysis import Analyst
from focused_crawler.config import CrawlConfig
from focused_crawler.page.url import normalise, url_key
from focused_crawler.search.base import SearchResult
from focused_crawler.seeding.choice import Judge
from focused_crawler.seeding.plateau import PlateauJudge
from focused_crawler.store.job import read_run
from focused_crawler.store.opening import read_crawl
from focused_crawler.topic import Topic
from focused_crawler.virtualweb.analysed import AnalysedWeb, Reading
from focused_crawler.virtualweb.truth import GroundTruth

LOOKS_RELEVANT = 0.5
MODEL = "model"
_IS_RELEVANT = "SELECT is_relevant FROM pages WHERE key = ?"


@contextmanager
def judge_of_web(web: Path, topic: Topic, config: CrawlConfig) -> Iterator[PlateauJudge]:
    """Judge by the web's ground truth, where it has none by the crawler's classifier; raises WebError."""
    truth = GroundTruth.beside(web, topic.name)
    if truth is not None:
        yield PlateauJudge(lambda result: truth.is_relevant(result.url), "ground truth", len(truth))
        return
    analyst = Analyst.make(config, topic)
    with AnalysedWeb(web, Reading(language=topic.language)) as pages:
        by_words = analyst.model.judge != MODEL
        name = "the crawler's classifier"
        yield PlateauJudge(lambda result: _judged(result, pages, analyst), name, by_words=by_words)


@contextmanager
def judge_of_crawl(folder: Path) -> Iterator[PlateauJudge]:
    """Judge as the crawl did when it fetched the pages, by its own classifier; raises CrawlError."""
    run = read_run(folder)
    by_words = run is not None and (run.judge != MODEL if run.judge else not run.trained)
    with read_crawl(folder) as database:

        def is_relevant(result: SearchResult) -> bool:
            url = normalise(result.url)
            return bool(url and database.rows(_IS_RELEVANT, (url_key(url),)) == [(1,)])

        yield PlateauJudge(is_relevant, "the crawl's classifier", by_words=by_words)


@contextmanager
def judge_by_looks(looks: Judge) -> Iterator[PlateauJudge]:
    """Judge by title, snippet and URL, as the pages themselves are not at hand."""
    yield PlateauJudge(
        lambda result: looks(result) >= LOOKS_RELEVANT,
        "the thesaurus, from titles and snippets",
        by_words=True,
    )


def _judged(result: SearchResult, pages: AnalysedWeb, analyst: Analyst) -> bool:
    number = pages.number(result.url)
    if number is None:
        return False
    page = pages.page(number)
    analyst.judge(page, analyst.model.classifier.relevance(page))
    return page.is_relevant
