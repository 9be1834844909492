"""Rows of the tables beside Chakrabarti et al. 1999: crawls, pairs of them, leaves of the taxonomy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from benchmarks.studies import shared_pages as shared
from benchmarks.studies.crawls import Crawl, Floats
from benchmarks.studies.shared_pages import COMPARED, FOCUS, HALVED, OUTSIDE, D, E, Study, apart
from benchmarks.tables import Rows
from focused_crawler.classify.evaluation import ConfusionMatrix
from focused_crawler.classify.taxonomy.classifier import TaxonomyModel, page_counts
from focused_crawler.classify.taxonomy.tree import OTHER
from focused_crawler.experiment.bench import Bench, truth_of
from focused_crawler.experiment.grid import Subject
from focused_crawler.experiment.training import folder_of, tree_of

PARTS = {"|T|/4": 4, "|T|": 1}
TOPS = (25, shared.BEST)
STARTS = {"near": (D, E), "apart": (apart(D), apart(E)), "outside": (OUTSIDE,)}
"""Of Figure 11."""


def measured(found: Sequence[Study]) -> dict[str, Rows]:
    """Return all measures: of seed sets, of pairs of crawls, of their best pages, of their hosts."""
    return {
        "harvest": Rows(_row(crawl) for study in found for name in FOCUS for crawl in study.of(name)),
        "spread": Rows(row for study in found for row in _spread(study)),
        "pairs": Rows(_pair(study, name, part) for name in COMPARED for part in PARTS for study in found),
        "best": Rows(_best(study, name) for study in found for name in HALVED),
        "far": Rows(row for study in found for name in HALVED for row in _far(study, name)),
        "hosts": Rows(_hosts(study, name) for study in found for name in COMPARED),
    }


def _row(crawl: Crawl) -> dict[str, object]:
    """Figures 4 to 6. Means are of the pages fetched; harvest counts those that a dry crawl did not fetch."""
    first = {"R": crawl.relevance[: crawl.targets], "relevant": crawl.hits[: crawl.targets]}
    return {
        "topic": crawl.topic,
        "seed_set": crawl.start.seeds,
        "crawler": crawl.strategy,
        **{kind: float(values.mean()) for kind, values in first.items()},
        "second": float(crawl.hits[100:200].mean()) if len(crawl.hits) > 100 else None,
        "harvest_100": crawl.harvest(100),
        "harvest": crawl.harvest(crawl.targets),
        "dry": float(crawl.is_dry),
        "dry_pages": len(crawl.visits) if crawl.is_dry else None,
    }


def _spread(study: Study) -> Iterator[dict[str, object]]:
    """Figure 7: the share of pages by their R."""
    bins = [f"{low} <= R < {high}" for (low, _), (high, _) in pairwise(shared.BINS)]
    for name in FOCUS:
        for kind, share in zip([*bins, "R = 1"], shared.spread(study.of(name)), strict=True):
            yield {"crawler": name, "bin": kind, "share": float(share)}


def _pair(study: Study, name: str, part: str) -> dict[str, object]:
    """Figure 8: compare two crawls after so many pages in all ways."""
    pages = max(1, study.targets // PARTS[part])
    row = {"topic": study.topic, "crawler": name, "part": part, "targets": study.targets}
    row |= {kind: at(study.pages(name, kind), pages) for kind in ("own", "twice", "same_ties", "apart")}
    row |= {"hits": study.hits(name, pages), "apart_chance": study.chance_apart(pages)}
    row |= {"within": at(study.chance_within(name), pages), "chance": at(study.chance(pages), pages)}
    row |= dict(zip(("reach_d", "reach_e"), map(len, study.reaches_apart), strict=True))
    if name in HALVED:
        draws = study.halves(name)
        drawn = draws[:, min(pages, draws.shape[1]) - 1]
        row |= {"halves": float(drawn.mean()), "halves_range": float(np.ptp(drawn))}
    return row


def _hosts(study: Study, name: str) -> dict[str, object]:
    """Figure 9: hosts of the crawls from d and e after |T| pages."""
    pair = study.sites(name)
    place = min(study.targets, len(pair.shared)) - 1
    row = {kind: float(getattr(pair, kind)[place]) for kind in ("first", "second", "of_first", "of_second")}
    row |= {"overlap": float(pair.mean[place]), "random": float(study.random_hosts(pair)[place])}
    row |= {"random_pages": at(study.chance_of_sites(study.targets), study.targets)}
    return {"topic": study.topic, "crawler": name, **row}


def _best(study: Study, name: str) -> dict[str, object]:
    """Figure 10: what is rated at all, and how far the best of both crawls agree."""
    rated = study.rated(name, study.targets)
    mine, other = (one.pages for one in study.rated(name, study.targets, inside=True))
    shares = shared.top_overlap(mine, other, shared.BEST)
    return {
        "topic": study.topic,
        "crawler": name,
        "rated_hosts": len(rated[0].hosts),
        "links": " / ".join(f"{one.links:,}" for one in rated),
        "hosts": " / ".join(str(len(one.hosts)) for one in rated),
        "both": len(np.intersect1d(rated[0].hosts, rated[1].hosts)),
        **{f"top_{most}": at(shares, most) for most in TOPS},
        "chance": at(shared.top_chance(mine, other, shared.BEST), shared.BEST),
        "pages": f"{len(mine):,} / {len(other):,}",
    }


def _far(study: Study, name: str) -> Iterator[dict[str, object]]:
    """Figure 11: links from the start pages to each of the best rated, a row each."""
    seeds = [study.crawls[COMPARED[0], start].seeds for start in (D, E)]
    start_hosts = " / ".join(str(len(np.unique(study.ground.hosts[one]))) for one in seeds)
    for kind, starts in STARTS.items():
        row = {"topic": study.topic, "crawler": name, "starts": kind, "start_hosts": start_hosts}
        for one in study.distances(name, starts, study.targets):
            yield from (row | {"pages": far, "remote": far >= 3} for far in one.tolist() if far >= 0)


def at(values: Floats, place: int) -> float:
    """Return the value after so many pages, or at the end; NaN where there is none."""
    return float(values[min(place, len(values)) - 1]) if len(values) else float("nan")


def leaves(bench: Bench, subjects: Sequence[Subject]) -> Iterator[dict[str, object]]:
    """Yield how well each topic's leaf is separated from the rest, on all pages of the web by the truth."""
    model, web = TaxonomyModel.load(folder_of(bench, subjects[0])), bench.web(subjects[0])
    best = [model.best_leaf(page_counts(web.page(number))) for number in range(len(web))]
    for subject in subjects:
        truth = truth_of(bench, subject).among(web.urls)
        said = (leaf == subject.topic.name for leaf in best)
        matrix = ConfusionMatrix.from_pairs(zip(said, truth.tolist(), strict=True))
        shares = {"precision": matrix.precision, "recall": matrix.recall, "f1": matrix.f1}
        yield {"topic": subject.topic.name, "relevant": int(truth.sum()), **shares}


def others(bench: Bench, subjects: Sequence[Subject]) -> Iterator[dict[str, object]]:
    """Yield for each example of `other` in the flat tree whether it is about a topic, by the truth."""
    truths = [truth_of(bench, subject) for subject in subjects]
    for url in tree_of(bench, subjects)[OTHER].examples:
        yield {"is_relevant": any(truth.is_relevant(url) for truth in truths)}
