"""Relevant pages found against number of searches, and from where on more searches bring hardly more.

Badia et al. 2006: "there was a plateau on the number of relevant pages after a certain number of searches".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from focused_crawler.page.url import normalise, url_key
from focused_crawler.search.base import SearchResult
from focused_crawler.seeding.harvest import Answer

WINDOW = 10
"""Searches that are looked at together: a single one may bring nothing by chance."""
GAIN = 0.05
"""A plateau: a window brings less than this share of the relevant pages that were there before it."""


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


def plateau_of(steps: Sequence[Step]) -> int | None:
    """Return after how many searches the plateau begins, None where it does not.

    It is the first number of searches after which a window brings less than `GAIN` of what they found.
    """
    for step in steps[:-WINDOW]:
        more = steps[step.number - 1 + WINDOW].relevant - step.relevant
        if step.relevant and more < GAIN * step.relevant:
            return step.number
    return None
