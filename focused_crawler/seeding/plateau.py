"""Relevant pages found against number of searches, and from where on more searches bring hardly more.

Badia et al. 2006: "there was a plateau on the number of relevant pages after a certain number of searches".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from focused_crawler.page.url import normalise, url_key
from focused_crawler.report.words import count, plural
from focused_crawler.search.base import SearchResult
from focused_crawler.seeding.harvest import Answer
from focused_crawler.seeding.terminal import searches
from focused_crawler.topic import Topic

WINDOW = 10
"""Searches that are looked at together: a single one may bring nothing by chance."""
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


def steps_of(answers: Sequence[Answer], is_relevant: Callable[[SearchResult], bool]) -> list[Step]:
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
