"""What a strategy, perhaps a user's own, gives as scores: held to a number from 0 to 1 a link, or None."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from focused_crawler.safety.errors import WrongScores

_PLAIN = frozenset((float, type(None)))


def one_a_link(strategy: str, given: Any, links: int) -> Sequence[float | None]:
    """Return a strategy's scores as plain numbers; raises WrongScores, which names what was given."""
    try:
        scores: list[Any] = list(given)
    except TypeError as error:
        raise WrongScores(
            f"strategy {strategy} gives {given!s:.40} in the place of scores; return one a link"
        ) from error
    if len(scores) != links:
        raise WrongScores(
            f"strategy {strategy} gives {len(scores)} scores for {links} links; give one a link"
        )
    wrong: Any = None
    try:
        for wrong in scores:
            if wrong is not None and not 0 <= wrong <= 1:  # nor is NaN
                break
        else:
            wrong = None
    except TypeError:  # nor is a text
        pass
    if wrong is not None:
        raise WrongScores(
            f"strategy {strategy} gives {wrong!s:.40} as a score; give a number from 0 to 1, or None"
            " for a link that is not to be followed"
        )
    if not _PLAIN.issuperset(map(type, scores)):  # SQLite would store numpy's as their bytes
        scores = [None if score is None else float(score) for score in scores]
    return scores
