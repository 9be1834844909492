"""The papers' formulas, worked out by hand, beside what we compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from focused_crawler.classify.hmm.forward import Forward
from focused_crawler.classify.hmm.model import markov_chain

BATSAKIS, SUBATRA_DEVI, LU, CHAKRABARTI = "Batsakis 2009", "Subatra Devi 2017", "Lu 2016", "Chakrabarti 1999"


class Case(NamedTuple):
    """A value of a formula; `by_hand` has all digits of the hand-made calculation."""

    paper: str
    equation: str
    by_hand: float
    ours: Callable[[], float]


def hmm(*clusters: int, is_normalised: bool = False, links: int = 1) -> float:
    """P(L0, t+1), or P(L0, t+2), after these clusters."""
    chain = markov_chain(
        [0.2, 0.3, 0.5],
        [[0.5, 0.3, 0.2], [0.6, 0.2, 0.2], [0.1, 0.6, 0.3]],
        [[1, 0, 0], [0, 0.7, 0.3], [0, 0.2, 0.8]],
    )
    forward = Forward(chain, is_normalised=is_normalised)
    levels = forward.unpack(None)
    for cluster in clusters:
        levels = forward.follow(levels, cluster)
    return forward.priority(levels) if links == 1 else forward.further(levels)


CASES = [
    # (.33, .42, .25) * b(., 2) = (0, .126, .2), A makes (.0956, .1452, .0852); * b(., 1): (0, .10164, .01704)
    Case(BATSAKIS, "5, 6: after C2", 0.126 * 0.6 + 0.2 * 0.1, lambda: hmm(2)),
    Case(BATSAKIS, "5, 6: after C2, C1", 0.10164 * 0.6 + 0.01704 * 0.1, lambda: hmm(2, 1)),
    Case(BATSAKIS, "5, 6: normalised, after C2", 0.0956 / 0.326, lambda: hmm(2, is_normalised=True)),
    Case(BATSAKIS, "5, 6: normalised, C2, C1", 0.062688 / 0.11868, lambda: hmm(2, 1, is_normalised=True)),
    # P(L, t+1) = (.0956, .1452, .0852); once more through A
    Case(BATSAKIS, "6: P(L0, t+2)", 0.0956 * 0.5 + 0.1452 * 0.6 + 0.0852 * 0.1, lambda: hmm(2, links=2)),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.paper}, {case.equation}")
def test_by_hand_and_ours(case: Case) -> None:
    """They differ by no more than rounding."""
    assert case.ours() == pytest.approx(case.by_hand, rel=0, abs=1e-9)
