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


@dataclass(frozen=True, slots=True)
class PlateauJudge:
    """Who says which results are relevant. For a report: nothing is ordered by it."""

    is_relevant: Callable[[SearchResult], bool]
    name: str
    all_relevant: int | None = None  # that there are; None: nobody knows


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
    judged_by: str
    steps: Sequence[Step]  # at least one
    all_relevant: int | None = None  # that there are; None: nobody knows

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
        judged = f"{count(last.relevant)} of them relevant (by {self.judged_by})"
        if begins is None:
            return f"{found}, {judged}. No plateau within these."
        before = count(self.steps[begins - 1].relevant)
        return f"{found}, {judged}. The plateau begins after {searches(begins)}, with {before} relevant."


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
