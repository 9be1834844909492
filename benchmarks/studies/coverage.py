"""How often the 95 % intervals of a crawl's harvest rate hold the truth, and how wide they are.

Each topic is crawled from each seed set, once by a judge from words alone, once by a model of its examples;
what the words' crawls fetched is judged by a thesaurus, too. A person who errs in 5 % is simulated from the
ground truth, many times a crawl, and judges pages of the queue `spread`, and random ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from zlib import crc32

import numpy as np
from scipy import optimize

from benchmarks.harness import in_processes
from benchmarks.judged_crawls import EXAMPLES, THESAURUS, WORDS, JudgedCrawl
from benchmarks.studies.crawls import Floats, Mask, Numbers
from benchmarks.tables import Rows
from focused_crawler.crawl.judged import BY_PLAIN_WORDS, BY_WORDS, Interval, Judged, LabelSet, estimate
from focused_crawler.crawl.label_sample import spread
from focused_crawler.crawl.relevant_draws import nearest
from focused_crawler.crawl.relevant_share import Cells, Prior
from focused_crawler.report.sampling.precision import Count, Z, precision

LABELS = (0, 20, 50, 100)
WRONG = 0.05
_HALF = 0.5


def rows_of(crawls: Sequence[JudgedCrawl], people: int, processes: int) -> dict[str, Rows]:
    """Return a row an estimate, of so many people a crawl; those of a thesaurus apart."""
    found = in_processes(partial(estimates, people=people), crawls, processes, "estimates")
    rows = Rows(row for rows in found for row in rows)
    return {
        "estimates": rows.where(kind=[WORDS, EXAMPLES]),
        "thesaurus": rows.where(kind=THESAURUS, method="ours"),
    }


def constants(crawls: Sequence[JudgedCrawl]) -> Iterator[tuple[str, Prior]]:
    """Yield the constants of `focused_crawler/crawl/judged.py`, as crawls about chosen topics have them."""
    for kind in (WORDS, EXAMPLES):
        of_kind = [crawl for crawl in crawls if crawl.kind == kind and crawl.group == "chosen topics"]
        yield kind, fitted(of_kind)


def estimates(crawl: JudgedCrawl, people: int) -> list[dict[str, object]]:
    """Return a row an estimate: of each method, after so many labels."""
    about = {"web": crawl.web, "topic": crawl.topic, "seed_set": crawl.seed_set, "kind": crawl.kind}
    called, size = crawl.judged.is_relevant, len(crawl.truth)
    untrained = BY_WORDS if crawl.kind == WORDS else BY_PLAIN_WORDS
    hits = int((called & crawl.truth).sum())
    shares = (crawl.truth.mean(), hits / max(called.sum(), 1), hits / max(crawl.truth.sum(), 1))
    rows = []
    for person in range(people):
        chance = np.random.default_rng(crc32(f"{about} {person}".encode()))
        order, errs = chance.permutation(size), chance.random(size) < WRONG
        chosen = np.array(list(islice(spread(crawl.judged, order.tolist(), ()), max(LABELS))), dtype=np.intp)

        def given(index: Numbers, errs: Mask = errs) -> LabelSet:
            return LabelSet(index, crawl.truth[index] ^ errs[index], np.ones(len(index), dtype=np.bool_))

        for labels in LABELS if person == 0 else LABELS[1:]:
            for method, pages in (("ours", chosen), ("ours, of pages at random", order)):
                ours = estimate(crawl.judged, given(pages[:labels]), crawl.held_out, untrained=untrained)
                row = {**about, "group": crawl.group, "labels": labels, "method": method}
                for name, true in zip(("harvest_rate", "precision", "recall"), shares, strict=True):
                    row |= _compared(name, getattr(ours, name), float(true))
                rows.append(row)
            for method, how in OTHERS.items() if labels else ():
                other = {**about, "group": crawl.group, "labels": labels, "method": method}
                found = how(crawl.judged, given(order[:labels]))
                rows.append(other | _compared("harvest_rate", found, float(shares[0])))
    return rows


def _compared(name: str, found: Interval, true: float) -> dict[str, object]:
    is_held = found.low - 1e-9 <= true <= found.high + 1e-9
    return {name: is_held, f"{name}_width": found.high - found.low, f"{name}_error": found.value - true}


# Other methods; each takes the share of wrong labels for known.


def _wilson(judged: Judged, labels: LabelSet) -> Interval:
    """Return the share of yeses among the labels."""
    return _righted(*precision([Count(labels.truth.sum(), len(labels.index), len(judged.relevance))]))


def _stratified(judged: Judged, labels: LabelSet) -> Interval:
    """Return it by strata of what the judge calls relevant and what not (Yan and Su)."""
    called = judged.is_relevant[labels.index]
    counts = [
        Count(labels.truth[called == side].sum(), (called == side).sum(), (judged.is_relevant == side).sum())
        for side in (True, False)
    ]
    if not all(count.judged for count in counts if count.pages):
        return _wilson(judged, labels)
    return _righted(*precision([count for count in counts if count.pages]))


def _difference(judged: Judged, labels: LabelSet) -> Interval:
    """Return the judge's share, corrected by its mean error on the labels (prediction-powered inference)."""
    wrong = (labels.truth - WRONG) / (1 - 2 * WRONG) - judged.is_relevant[labels.index]
    value = float(judged.is_relevant.mean() + wrong.mean())
    end = Z * float(wrong.std(ddof=1)) / len(wrong) ** 0.5
    return Interval(value, max(value - end, 0.0), min(value + end, 1.0))


def _righted(*shares: float) -> Interval:
    return Interval(*(min(max((share - WRONG) / (1 - 2 * WRONG), 0.0), 1.0) for share in shares))


OTHERS: dict[str, Callable[[Judged, LabelSet], Interval]] = {
    "labels alone": _wilson,
    "by side": _stratified,
    "difference": _difference,
}


# The constants


def fitted(crawls: Sequence[JudgedCrawl]) -> Prior:
    """Return the prior that makes what these crawls' cells hold most likely; each topic counts once.

    Spreads between topics are those to expect of one more topic: as likelihood has them, they are too small.
    """
    cases = [_case(crawl) for crawl in crawls]
    times = [1 / sum(other.topic == crawl.topic for other in crawls) for crawl in crawls]

    def cost(point: Floats) -> float:
        prior = _prior(point)
        evidence = [nearest(cells, prior, yes, no, _NEVER).log_evidence for cells, yes, no in cases]
        return float(((point - _START) ** 2)[3:].sum() / 2 - np.dot(times, evidence))

    best = optimize.minimize(cost, _START, method="Powell", options={"ftol": 1e-5, "xtol": 1e-2})
    best.x[3:6] += np.log(_one_more(len({crawl.topic for crawl in crawls})))
    return _prior(best.x)._replace(**_shifts([crawl for crawl in crawls if crawl.held_out]))


def _one_more(topics: int) -> float:
    """Return how many times as far one topic more may be from the mean as these are from theirs."""
    return float(np.sqrt((topics + 1) / max(topics - 1, 1)))


_START = np.array([0.0, 0.5, 0.5, *np.log([0.7, 0.5, 0.5, 0.7, 2.0])])
"""As `Prior`, but logarithms of spreads. Those are also what is expected before a crawl was seen, give or
take a factor of e: four topics say little of what differs from topic to topic."""
_NEVER = 1e-6  # ground truth is not wrong


def _prior(point: Floats) -> Prior:
    return Prior(*point[:3].tolist(), *np.exp(point[3:]).tolist())


def _case(crawl: JudgedCrawl) -> tuple[Cells, Floats, Floats]:
    cells = Cells.of(crawl.judged.relevance, crawl.judged.is_relevant, crawl.judged.host)
    yes, no = (cells.sizes(np.flatnonzero(crawl.truth == side)) for side in (True, False))
    return cells, yes, no


def _shifts(crawls: Sequence[JudgedCrawl]) -> dict[str, float]:
    """Return how far what held-out examples promise was from what crawls got: mean and spread over topics."""
    if not crawls:
        return {}
    found: dict[str, list[tuple[float, float]]] = {}
    for crawl in crawls:
        called, held_out = crawl.judged.is_relevant, crawl.held_out
        found.setdefault(crawl.topic, []).append(
            (
                _promised(held_out.hits, held_out.misses)
                - _odds(called & crawl.truth, ~called & crawl.truth),
                _promised(held_out.alarms, held_out.passes)
                - _odds(called & ~crawl.truth, ~called & ~crawl.truth),
            )
        )
    means = np.array([np.mean(shifts, axis=0) for shifts in found.values()])
    (hits, alarms), spreads = means.mean(axis=0), means.std(axis=0, ddof=1) * _one_more(len(means))
    return {
        "hits": float(hits),
        "hits_spread": float(spreads[0]),
        "alarms": float(alarms),
        "alarms_spread": float(spreads[1]),
    }


def _odds(part: Mask, rest: Mask) -> float:
    return _promised(float(part.sum()), float(rest.sum()))


def _promised(part: float, rest: float) -> float:
    return float(np.log((part + _HALF) / (rest + _HALF)))
