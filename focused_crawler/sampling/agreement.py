"""How far judges agree beyond chance, on the pages that they decided."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import NamedTuple

Answers = Mapping[int, bool | None]
"""Number of a page -> relevant or not; None: undecided."""


class PairAgreement(NamedTuple):
    """Two judges side by side."""

    first: str
    second: str
    pages: int  # that both decided
    agreed: int  # of these
    kappa: float | None  # Cohen's; None where both said the same of all pages, so that chance cannot be told


def agree(first: str, second: str, judges: Mapping[str, Answers]) -> PairAgreement:
    """Compare two judges on what both of them decided."""
    one, other = judges[first], judges[second]
    both = [page for page in one if one[page] is not None and other.get(page) is not None]
    pairs = [(bool(one[page]), bool(other[page])) for page in both]
    return PairAgreement(first, second, len(both), sum(a == b for a, b in pairs), _kappa(pairs))


def alpha(judges: Collection[Answers]) -> float | None:
    """Return Krippendorff's alpha over all judges, whatever each of them left out.

    None where no page was decided by two of them, or all answers are the same.
    """
    import krippendorff  # noqa: PLC0415 - loads slowly
    import numpy as np  # noqa: PLC0415

    pages = sorted({page for answers in judges for page, answer in answers.items() if answer is not None})
    table = [[_value(answers.get(page)) for page in pages] for answers in judges]
    paired = [column for column in zip(*table, strict=True) if sum(map(math.isfinite, column)) > 1]
    if len({value for column in paired for value in column if math.isfinite(value)}) < 2:
        return None
    data = np.array(table, dtype=float)
    return float(krippendorff.alpha(reliability_data=data, level_of_measurement="nominal"))


def _kappa(pairs: Collection[tuple[bool, bool]]) -> float | None:
    from sklearn.metrics import cohen_kappa_score  # noqa: PLC0415 - loads slowly

    if len({answer for pair in pairs for answer in pair}) < 2:
        return None
    firsts, seconds = zip(*pairs, strict=True)
    return float(cohen_kappa_score(firsts, seconds))


def _value(answer: bool | None) -> float:
    return math.nan if answer is None else float(answer)
