"""What several people say of the same pages: what most of them say, and how far they agree."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple


class PairAgreement(NamedTuple):
    """Two judges side by side."""

    first: str
    second: str
    pages: int  # that both decided
    agreed: int  # of these
    kappa: float | None  # Cohen's; None where both said the same of all pages, so that chance is unknown


def vote(answers: Iterable[bool | None]) -> bool | None:
    """Return what more of those say who decided; None where as many say yes as no.

    >>> vote([True, None, True, False]), vote([True, False, None])
    (True, None)
    """
    given = list(answers)
    yes, no = given.count(True), given.count(False)
    return None if yes == no else yes > no


def agree(first: str, second: str, judges: Mapping[str, Mapping[int, bool | None]]) -> PairAgreement:
    """Compare two judges on what both of them decided."""
    one, other = judges[first], judges[second]
    both = [page for page in one if one[page] is not None and other.get(page) is not None]
    pairs = [(bool(one[page]), bool(other[page])) for page in both]
    return PairAgreement(first, second, len(both), sum(a == b for a, b in pairs), cohen_kappa(pairs))


def cohen_kappa(pairs: Collection[tuple[bool, bool]]) -> float | None:
    """Return by how much two judges agree beyond chance, 1 for always; None where chance is unknown.

    >>> cohen_kappa([(True, True), (True, False), (False, False), (False, False)])
    0.5
    """
    n = len(pairs)
    firsts, seconds = (sum(side) for side in zip(*pairs, strict=True)) if pairs else (0, 0)
    by_chance = firsts * seconds + (n - firsts) * (n - seconds)  # of n * n
    if by_chance == n * n:
        return None
    return (n * sum(a == b for a, b in pairs) - by_chance) / (n * n - by_chance)


def alpha(judges: Collection[Mapping[int, bool | None]]) -> float | None:
    """Return Krippendorff's alpha over all judges, whatever each of them left out.

    None where no page was decided by two of them, or all answers are the same.
    """
    import krippendorff  # noqa: PLC0415 - loads slowly
    import numpy as np  # noqa: PLC0415

    pages = list({page: None for answers in judges for page in answers if answers[page] is not None})
    table = [[_value(answers.get(page)) for page in pages] for answers in judges]
    paired = [column for column in zip(*table, strict=True) if sum(map(math.isfinite, column)) > 1]
    if len({value for column in paired for value in column if math.isfinite(value)}) < 2:
        return None
    data = np.array(table, dtype=float)
    return float(krippendorff.alpha(reliability_data=data, level_of_measurement="nominal"))


def _value(answer: bool | None) -> float:
    return math.nan if answer is None else float(answer)
