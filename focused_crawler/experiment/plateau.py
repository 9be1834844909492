"""Relevant pages found against number of searches, and from where on more searches bring hardly more.

Badia et al. 2006: "there was a plateau on the number of relevant pages after a certain number of searches".
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.discovery.choice import Judge
from focused_crawler.discovery.harvest import SearchAnswer
from focused_crawler.discovery.search.base import SearchResult
from focused_crawler.page.url import normalise, url_key
from focused_crawler.report.html import render_page
from focused_crawler.report.panels import Line, Panel, Point
from focused_crawler.report.plots import Plot
from focused_crawler.report.terminal.discovery import searches
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.formats import count, plural
from focused_crawler.safety.printable import harmless, place
from focused_crawler.safety.whole_file import unfinished
from focused_crawler.store.job import read_run
from focused_crawler.store.judges import MODEL, kind_of
from focused_crawler.store.opening import read_crawl
from focused_crawler.topic.topic import Topic
from focused_crawler.virtualweb.analysed.web import AnalysedWeb, Reading
from focused_crawler.virtualweb.truth import GroundTruth

WINDOW = 10
"""Searches of a window: a single one may bring nothing by chance."""
GAIN = 0.05
"""A plateau: a window brings less than this share of the relevant pages that were there before it."""

SAME_WORDS = "Judged by the words that found them: only repetition shows, not where relevance ends."


@dataclass(frozen=True, slots=True)
class PlateauJudge:
    """Who says which results are relevant. For a report: nothing is ordered by it."""

    is_relevant: Callable[[SearchResult], bool]
    name: str
    all_relevant: int | None = None  # that there are; None: nobody knows
    by_words: bool = False  # by the topic's words alone, which the searches are made of, too


@dataclass(frozen=True, slots=True)
class Step:
    """A search, and what all searches have found when it is done."""

    number: int  # from 1
    query: str
    results: int
    new: int  # pages that no search before it found
    new_relevant: int
    pages: int  # so far
    relevant: int  # so far


@dataclass(frozen=True, slots=True)
class Plateau:
    """What searches brought, one by one."""

    topic: Topic
    provider: str
    top: int  # results of each search
    judge: PlateauJudge
    steps: Sequence[Step]  # at least one

    @property
    def begins(self) -> int | None:
        """Return after how many searches the plateau begins, None where it does not.

        It is the first number of searches after which a window brings less than `GAIN` of what they found.
        """
        for step in self.steps[:-WINDOW]:
            more = self.steps[step.number - 1 + WINDOW].relevant - step.relevant
            if step.relevant and more < GAIN * step.relevant:
                return step.number
        return None

    def __str__(self) -> str:
        last, begins = self.steps[-1], self.begins
        found = f"{searches(last.number)} found {plural(last.pages, 'page')}"
        judged = f"{count(last.relevant)} of them relevant (by {self.judge.name})"
        if begins is None:
            where = "No plateau within these."
        else:
            before = count(self.steps[begins - 1].relevant)
            where = f"The plateau begins after {searches(begins)}, with {before} relevant."
        return f"{found}, {judged}. {where}{f' {SAME_WORDS}' if self.judge.by_words else ''}"


def steps_of(answers: Sequence[SearchAnswer], is_relevant: Callable[[SearchResult], bool]) -> list[Step]:
    """Return the searches in their order; a page counts once, as it was first found."""
    steps: list[Step] = []
    known: set[int] = set()
    relevant = 0
    for number, answer in enumerate(answers, start=1):
        found = {url_key(url): result for result in answer.results if (url := normalise(result.url))}
        new = [result for key, result in found.items() if key not in known]
        known |= found.keys()
        good = sum(map(is_relevant, new))
        relevant += good
        steps.append(Step(number, answer.query, len(answer.results), len(new), good, len(known), relevant))
    return steps


SNIPPET_THRESHOLD = 0.5
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
    by_words = run is not None and (kind_of(run.judge) != MODEL if run.judge else not run.trained)
    with read_crawl(folder) as database:

        def is_relevant(result: SearchResult) -> bool:
            url = normalise(result.url)
            return bool(url and database.rows(_IS_RELEVANT, (url_key(url),)) == [(1,)])

        yield PlateauJudge(is_relevant, "the crawl's classifier", by_words=by_words)


@contextmanager
def judge_by_snippets(relevance: Judge) -> Iterator[PlateauJudge]:
    """Judge by title, snippet and URL, as the pages themselves are not at hand."""
    yield PlateauJudge(
        lambda result: relevance(result) >= SNIPPET_THRESHOLD,
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


CSV, HTML = "plateau.csv", "plateau.html"


def save_plateau(plateau: Plateau, folder: Path) -> list[Path]:
    """Write both files, each whole or not at all; raises ConfigError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (
            unfinished(folder / CSV) as whole,
            whole.open("w", encoding="utf-8", errors="replace", newline="") as file,
        ):
            writer = csv.writer(file)
            writer.writerow([field.name for field in fields(Step)])
            writer.writerows([harmless(str(value)) for value in astuple(step)] for step in plateau.steps)
        with unfinished(folder / HTML) as page:
            page.write_text(render_plateau(plateau), "utf-8", errors="replace")
    except OSError as error:
        raise ConfigError(
            f"cannot write to {place(folder)} ({error.strerror}); name another folder with --plateau FOLDER"
        ) from None
    return [folder / CSV, folder / HTML]


def render_plateau(plateau: Plateau) -> str:
    """Return the page. Equal input gives equal text."""
    plot = _plot(plateau)
    rule = {"window": WINDOW, "gain": GAIN, "same_words": SAME_WORDS}
    values = {
        "plateau": plateau,
        "last": plateau.steps[-1],
        "plot": plot.svg(plot.panels[0], with_names=True),
        **rule,
    }
    return render_page("experiment/plateau.html", values)


def _plot(plateau: Plateau) -> Plot:
    searches = [0, *(step.number for step in plateau.steps)]
    pages = [0, *(step.pages for step in plateau.steps)]
    relevant = [0, *(step.relevant for step in plateau.steps)]
    lines = [
        Line("relevant", searches, relevant, "series-0", (), 2.6),
        Line("all", searches, pages, "muted", (7, 3), 1.6),
    ]
    begins = plateau.begins
    panel = Panel(
        "",
        lines,
        x_label="searches",
        points=[] if begins is None else [Point(begins, relevant[begins])],
        marks=[] if begins is None else [("plateau", begins)],
        has_counts=True,
    )
    return Plot("", "Pages found against searches", "", [panel], pixels=(700, 300))
