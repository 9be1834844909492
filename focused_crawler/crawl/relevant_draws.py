"""What a crawl's labels and a judge's examples leave open of its relevant pages: draws of the posterior.

Each draw is one answer to what nobody knows. Effects are drawn by elliptical slice sampling around the normal
distribution that Newton's method finds (Nishihara, Murray and Adams 2014): many short chains side by side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from focused_crawler.crawl.relevant_share import Cells, Floats, HeldOutCounts, Prior

WRONG, WRONG_SPREAD = 0.05, 0.4
"""Share of labels that are wrong, and the standard deviation of its log odds: 2 % to 10 %."""
_CHAINS, _UNUSED, _USED, _RANDOM_SEED = 128, 4, 8, 0
_UNUSED_OF_ALL = 30
"""Moves until chains are where labels of all pages alike want them: the normal distribution knows none."""
_MOST_STEPS, _LONGEST_STEP, _CLOSE, _MOST_CUTS = 60, 2.0, 1e-6, 8
_HALF = 0.5


class LabelCounts(NamedTuple):
    """Labels, cell by cell."""

    yes: Floats  # of pages chosen at random
    no: Floats
    known_yes: Floats  # of pages chosen in any other way: they stand for themselves only
    known_no: Floats


class Draws(NamedTuple):
    """Relevant pages of a crawl, as they may be."""

    hits: Floats  # called relevant by the judge; whole numbers
    missed: Floats
    doubt: float  # variance of what a label of a random page says of the share of relevant pages


class Normal(NamedTuple):
    """A normal distribution of the effects."""

    mean: Floats
    covariance: Floats
    log_evidence: float  # of the answers, by Laplace's method


def share(odds: Floats) -> Floats:
    """Return the probability of log odds."""
    return np.asarray(1 / (1 + np.exp(-odds)), dtype=np.float64)


def nearest(cells: Cells, prior: Prior, yes: Floats, no: Floats, wrong: float = WRONG) -> Normal:
    """Return the normal distribution that is nearest to the effects' posterior, at its mode."""
    mean, spread = cells.expected(prior)
    certainty = np.diag(spread**-2.0)
    rows = yes + no > 0
    design, yes, no = cells.design[rows], yes[rows], no[rows]
    effects = mean
    for _ in range(_MOST_STEPS):
        said, change = _said(share(design @ effects), wrong)
        information = (yes + no) * change**2 / (said * (1 - said))
        slope = design.T @ ((yes / said - no / (1 - said)) * change) - (effects - mean) / spread**2
        curvature = certainty + (design.T * information) @ design
        step = np.linalg.solve(curvature, slope)
        effects = effects + np.clip(step, -_LONGEST_STEP, _LONGEST_STEP)
        if np.abs(step).max() < _CLOSE:
            break
    said, _ = _said(share(design @ effects), wrong)
    fit = yes @ np.log(said) + no @ np.log1p(-said) - (((effects - mean) / spread) ** 2).sum() / 2
    room = np.linalg.slogdet(curvature)[1] / 2 + np.log(spread).sum()
    covariance = np.asarray(np.linalg.inv(curvature), dtype=np.float64)
    return Normal(effects, covariance, float(fit - room))


def _said(chance: Floats, wrong: float | Floats) -> tuple[Floats, Floats]:
    """Return how likely a label says yes, and how fast that changes with the log odds."""
    right = 1 - 2 * wrong
    return wrong + right * chance, right * chance * (1 - chance)


def draws(
    cells: Cells,
    prior: Prior,
    answers: LabelCounts,
    held_out: HeldOutCounts | None,
    of_all: tuple[int, int] = (0, 0),
) -> Draws:
    """Draw how many pages of each cell are relevant.

    `of_all`: what labels say, yes and no, of pages chosen at random whose cells mean nothing.
    """
    chance = np.random.default_rng(_RANDOM_SEED)
    start = nearest(cells, prior, answers.yes, answers.no)
    target = _Target(cells, prior, answers, held_out, start, of_all=of_all)
    place = chance.standard_normal((_CHAINS, len(start.mean) + 1))
    height, kept = target.excess(place), []
    unused = _UNUSED_OF_ALL if any(of_all) else _UNUSED
    for number in range(unused + _USED):
        place, height = _slice(target, place, height, chance)
        if number >= unused:
            kept.append(place)
    effects, wrong = target.at(np.concatenate(kept))
    chances = share(effects @ cells.design.T)
    said, _ = _said(chances, wrong)
    doubt = (said * (1 - said) / (1 - 2 * wrong) ** 2).mean(axis=0) @ cells.pages / cells.pages.sum()
    return Draws(*_numbers(cells, answers, chances, wrong, chance), float(doubt))


class _Target:
    """The posterior of the effects and of the share of wrong labels, in units of the distribution nearest."""

    def __init__(
        self,
        cells: Cells,
        prior: Prior,
        answers: LabelCounts,
        held_out: HeldOutCounts | None,
        start: Normal,
        *,
        of_all: tuple[int, int],
    ) -> None:
        self._cells, self._prior, self._held_out, self._start = cells, prior, held_out, start
        self._of_all = of_all
        rows = answers.yes + answers.no > 0
        self._design, self._yes, self._no = cells.design[rows], answers.yes[rows], answers.no[rows]
        self._root = np.linalg.cholesky(start.covariance)
        self._mean, self._spread = cells.expected(prior)

    def at(self, place: Floats) -> tuple[Floats, Floats]:
        """Return effects, and shares of wrong labels."""
        effects = self._start.mean + place[:, :-1] @ self._root.T
        return effects, share(np.log(WRONG / (1 - WRONG)) + WRONG_SPREAD * place[:, -1:])

    def excess(self, place: Floats) -> Floats:
        """Return the log density less that of the normal distribution."""
        effects, wrong = self.at(place)
        said, _ = _said(share(effects @ self._design.T), wrong)
        total = np.log(said) @ self._yes + np.log1p(-said) @ self._no
        apart = ((effects - self._mean) / self._spread) ** 2
        total = total - apart.sum(axis=1) / 2 + (place[:, :-1] ** 2).sum(axis=1) / 2
        if self._held_out is not None:
            total = total + self._examples(effects, self._held_out)
        if any(self._of_all):
            total = total + self._all(effects, wrong[:, 0])
        return np.asarray(total, dtype=np.float64)

    def _all(self, effects: Floats, wrong: Floats) -> Floats:
        """Return how well labels fit of which only the share of all pages is to be known."""
        pages, (yes, no) = self._cells.pages, self._of_all
        said, _ = _said(share(effects @ self._cells.design.T) @ pages / pages.sum(), wrong)
        return np.asarray(yes * np.log(said) + no * np.log1p(-said), dtype=np.float64)

    def _examples(self, effects: Floats, held_out: HeldOutCounts) -> Floats:
        """Return how well examples fit: the odds that relevant pages, and others, are called relevant."""
        prior, total = self._prior, np.zeros(len(effects))
        relevant = share(effects @ self._cells.design.T) * self._cells.pages
        for pages, called, missed, shift, spread in (
            (relevant, held_out.hits, held_out.misses, prior.hits, prior.hits_spread),
            (
                self._cells.pages - relevant,
                held_out.alarms,
                held_out.passes,
                prior.alarms,
                prior.alarms_spread,
            ),
        ):
            is_called = self._cells.is_called
            found = np.log(
                (pages[:, is_called].sum(axis=1) + _HALF) / (pages[:, ~is_called].sum(axis=1) + _HALF)
            )
            promised = np.log((called + _HALF) / (missed + _HALF))
            variance = spread**2 + 1 / (called + _HALF) + 1 / (missed + _HALF)
            total -= (found + shift - promised) ** 2 / variance / 2
        return total


def _slice(
    target: _Target, place: Floats, height: Floats, chance: np.random.Generator
) -> tuple[Floats, Floats]:
    """Move each chain along an ellipse to a place that is high enough."""
    other = chance.standard_normal(place.shape)
    floor = height + np.log(chance.random(len(place)))
    angle = chance.uniform(0, 2 * np.pi, len(place))
    low, high = angle - 2 * np.pi, angle.copy()
    moves, new, reached = np.arange(len(place)), place.copy(), height.copy()
    for _ in range(_MOST_CUTS):
        tried = place[moves] * np.cos(angle[moves])[:, None] + other[moves] * np.sin(angle[moves])[:, None]
        found = target.excess(tried)
        ends = found > floor[moves]
        new[moves[ends]], reached[moves[ends]] = tried[ends], found[ends]
        moves = moves[~ends]
        if not len(moves):
            break
        is_left = angle[moves] < 0
        low[moves[is_left]], high[moves[~is_left]] = angle[moves[is_left]], angle[moves[~is_left]]
        angle[moves] = chance.uniform(low[moves], high[moves])
    return new, reached


def _numbers(
    cells: Cells, answers: LabelCounts, chances: Floats, wrong: Floats, chance: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draw numbers of relevant pages, of those with a label, too: it may be wrong."""
    mean, variance = _moments(chances, cells.pages - sum(answers))
    some = sum(answers) > 0
    for labels, likely in (
        (answers.yes + answers.known_yes, 1 - wrong),
        (answers.no + answers.known_no, wrong),
    ):
        right = chances[:, some] * likely
        more = _moments(right / (right + (1 - chances[:, some]) * (1 - likely)), labels[some])
        mean[:, some] += more[0]
        variance[:, some] += more[1]
    drawn = []
    for side in (cells.is_called, ~cells.is_called):
        noise = np.sqrt(variance[:, side].sum(axis=1)) * chance.standard_normal(len(chances))
        drawn.append(np.clip(np.rint(mean[:, side].sum(axis=1) + noise), 0, cells.pages[side].sum()))
    return drawn[0], drawn[1]


def _moments(chances: Floats, pages: Floats) -> tuple[Floats, Floats]:
    """Return mean and variance of so many pages, each relevant with its chance."""
    mean = chances * pages
    return mean, mean * (1 - chances)
