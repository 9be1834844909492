"""The findings of the robustness experiments as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import mean

import numpy as np

from benchmarks.classifier_tables import Grid
from benchmarks.robustness_crawls import COMPARED, FOCUS, HALVED, OUTSIDE, D, E, Start, apart
from benchmarks.robustness_overlap import Floats, Numbers
from benchmarks.robustness_rating import BEST, Rated, top_chance, top_overlap
from benchmarks.robustness_spread import BINS, spread
from benchmarks.robustness_study import Study
from focused_crawler.experiment.measures import Setting
from focused_crawler.experiment.statistics import Interval, Resampling

EARLY = 4
PARTS = {EARLY: "|T|/4", 1: "|T|"}
TOPS = (25, BEST)
STARTS = ((D, E), (apart(D), apart(E)), (OUTSIDE,))
"""Of Figure 11."""


def grids(found: Sequence[Study]) -> list[Grid]:
    """Return all tables, in the paper's order."""
    return [
        harvest(found),
        spreads(found),
        overlaps(found),
        controls(found),
        hosts(found),
        tops(found),
        far(found),
    ]


def harvest(found: Sequence[Study]) -> Grid:
    """Figures 4 to 6: mean R, and the share of relevant pages by the truth, over five seed sets.

    Of a crawl that ran dry, the mean of the pages that it fetched.
    """
    head = ["topic"] + [f"{name}: {kind}" for name in FOCUS for kind in ("R", "relevant")]
    grid = Grid("harvest", "Means of the first |T| pages: over five seed sets (lowest - highest)", head)
    for study in found:
        grid.add(study.topic, *(_ranged(values) for _, _, values in harvests(study)))
    settings = [Setting("", study.topic, trip.start.seeds) for study in found for trip in study.of(FOCUS[0])]
    resampling = Resampling.of(settings)
    columns = zip(*(harvests(study) for study in found), strict=True)
    bands = [resampling.interval(np.concatenate([values for *_, values in column])) for column in columns]
    grid.add("mean, 95 % interval", *map(_interval, bands))
    return grid


def harvests(study: Study) -> Iterator[tuple[str, str, Floats]]:
    """Yield strategy, kind and one value a seed set."""
    for name in FOCUS:
        for kind in ("relevance", "hits"):
            values = [getattr(trip, kind)[: study.targets].mean() for trip in study.of(name)]
            yield name, kind, np.array(values)


def spreads(found: Sequence[Study]) -> Grid:
    """Figure 7: the share of pages by their R, the mean over topics and seed sets."""
    names = [name for name, _ in BINS]
    bins = [f"{low} <= R < {high}" for low, high in pairwise(names)]
    grid = Grid("spreads", "R of the first |T| pages", ["crawler", *bins, "R = 1"])
    for name in FOCUS:
        shares = np.mean([spread(study.of(name)) for study in found], axis=0)
        grid.add(name, *(f"{share:.2f}" for share in shares))
    return grid


def overlaps(found: Sequence[Study]) -> Grid:
    """Figure 8: what the crawls from d and e share, on the way to |T| pages, there and at the end."""
    head = ["topic", "|T|"]
    head += [f"at |T|/4: {kind}" for name in HALVED for kind in (name, "in the topic by chance")]
    head += [f"at |T|: {kind}" for kind in (*COMPARED, "chance")] + [f"at the end: {name}" for name in HALVED]
    grid = Grid(
        "overlaps", "Overlap of URLs; |T|: as many pages as are relevant", [*head, "without directory"]
    )
    for study in found:
        reaches = " / ".join(f"{len(reach):,}" for reach in study.reaches_apart)
        grid.add(study.topic, f"{study.targets:,}", *map(_share, _overlaps(study)), reaches)
    grid.add("mean", "", *(_share(mean(column)) for column in zip(*map(_overlaps, found), strict=True)), "")
    return grid


def _overlaps(study: Study) -> list[float]:
    early = part_of(study, EARLY)
    pairs = [study.pages(name).mean for name in COMPARED]
    own = [
        (at(pair, early), at(study.chance_within(name), early))
        for name, pair in zip(HALVED, pairs, strict=False)
    ]
    later = [at(pair, study.targets) for pair in pairs]
    chance = at(study.chance(study.targets), study.targets)
    return [*own[0], *own[1], *later, chance, *(float(pair[-1]) for pair in pairs[:2])]


def controls(found: Sequence[Study]) -> Grid:
    """Figure 8: what else two crawls may differ in."""
    head = ["crawler", "pages", "d and e", "their relevant pages", "d twice", "d and e, same ties"]
    head += ["d and e, no directory", "by chance", "random parts", "their range over draws"]
    grid = Grid("controls", "Overlap of URLs: mean over topics (lowest - highest)", head)
    for name in COMPARED:
        for part, text in PARTS.items():
            columns = zip(*(_controls(study, name, part_of(study, part)) for study in found), strict=True)
            cells = [_ranged(np.array(column)) for column in columns]
            cells += _random_parts(found, name, part) if name in HALVED else ["-", "-"]
            grid.add(name, text, *cells)
    return grid


def part_of(study: Study, part: int) -> int:
    """Return this part of |T| in pages, one at least."""
    return max(1, study.targets // part)


def _controls(study: Study, name: str, pages: int) -> list[float]:
    pairs = (study.pages(name), study.ties(name), study.same_ties(name), study.apart(name))
    own, *others = (at(pair.mean, pages) for pair in pairs)
    return [own, study.hits(name, pages), *others, study.chance_apart(pages)]


def _random_parts(found: Sequence[Study], name: str, part: int) -> list[str]:
    draws = [drawn(study, name, part_of(study, part)) for study in found]
    spans = [float(np.ptp(one)) for one in draws]
    return [_ranged(np.array([one.mean() for one in draws])), _share(mean(spans))]


def drawn(study: Study, name: str, pages: int) -> Floats:
    """Return the overlap after so many pages of each pair of random parts."""
    draws = study.halves(name)
    found: Floats = draws[:, min(pages, draws.shape[1]) - 1]
    return found


def hosts(found: Sequence[Study]) -> Grid:
    """Figure 9: hosts of the crawls from d and e after |T| pages."""
    head = ["topic"]
    for name in COMPARED:
        head += [f"{name}: hosts", "in both", "as many at random"]
    head.append("hosts of random pages")
    grid = Grid(
        "hosts", "Hosts after |T| pages: of the crawls from d and e; the share of either in both", head
    )
    for study in found:
        cells = []
        for name in COMPARED:
            pair, place = study.sites(name), study.targets - 1
            place = min(place, len(pair.shared) - 1)
            cells.append(f"{pair.first[place]} / {pair.second[place]}")
            cells.append(f"{pair.of_first[place]:.2f} / {pair.of_second[place]:.2f}")
            cells.append(_share(float(study.random_hosts(pair)[place])))
        grid.add(study.topic, *cells, _share(at(study.chance_of_sites(study.targets), study.targets)))
    return grid


def tops(found: Sequence[Study]) -> Grid:
    """Figure 10: what is rated at all, and how far the best of both crawls agree."""
    head = ["topic", "crawler", "links between hosts", "rate hosts", "at the end: links", "rate hosts"]
    head += ["of both", "all links: pages", f"top {TOPS[0]}", f"top {TOPS[1]}", "by chance"]
    grid = Grid("tops", "The best rated of the crawls from d and e, after |T| pages", head)
    for study in found:
        for name in HALVED:
            mine, other = (one.pages for one in study.rated(name, study.targets, inside=True))
            first, second = ends = study.rated(name)
            shares = top_overlap(mine, other, BEST)
            grid.add(
                study.topic,
                name,
                *_counts(study.rated(name, study.targets)),
                *_counts(ends),
                str(len(np.intersect1d(first.hosts, second.hosts))),
                f"{len(mine):,} / {len(other):,}",
                *(_share(at(shares, most)) for most in TOPS),
                _share(at(top_chance(mine, other, BEST), BEST)),
            )
    return grid


def _counts(pair: tuple[Rated, Rated]) -> list[str]:
    return [" / ".join(f"{one.links:,}" for one in pair), " / ".join(str(len(one.hosts)) for one in pair)]


def far(found: Sequence[Study]) -> Grid:
    """Figure 11: links from the start pages to the best rated."""
    head = ["topic", "crawler", "hosts of the start pages", f"{BEST} best pages", "no directory"]
    head += [f"from {OUTSIDE.seeds}", "at 3 or more", "rated hosts, at the end", f"from {OUTSIDE.seeds}"]
    grid = Grid("far", "Links from the start pages after |T| pages: median (highest)", head)
    for study in found:
        for name in HALVED:
            near, without, beyond = (best_pages(study, name, starts) for starts in STARTS)
            ends = [_best_hosts(study, name, starts) for starts in (STARTS[0], STARTS[2])]
            counts = " / ".join(str(len(study.start_hosts(start))) for start in STARTS[0])
            cells = [_middle(near), _middle(without), _middle(beyond), _remote(beyond), *map(_middle, ends)]
            grid.add(study.topic, name, counts, *cells)
    return grid


def best_pages(study: Study, name: str, starts: Sequence[Start]) -> Numbers:
    found = study.distances(name, starts, study.targets, inside=True)
    return np.concatenate([np.array([], dtype=np.int64), *(one.pages for one in found)])


def _best_hosts(study: Study, name: str, starts: Sequence[Start]) -> Numbers:
    found = study.distances(name, starts)
    return np.concatenate([np.array([], dtype=np.int64), *(one.hosts for one in found)])


def _middle(steps: Numbers) -> str:
    known = steps[steps >= 0]
    return f"{np.median(known):.0f} ({known.max()})" if known.size else "-"


def _remote(steps: Numbers) -> str:
    known = steps[steps >= 0]
    return _share(float((known >= 3).mean())) if known.size else "-"


def at(values: Floats, place: int) -> float:
    """Return the value after so many pages, or at the end; NaN where there is none."""
    return float(values[min(place, len(values)) - 1]) if len(values) else float("nan")


def _share(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.2f}"


def _interval(band: Interval) -> str:
    return f"{band.mean:.2f} ({band.low:.2f} - {band.high:.2f})" if band.is_known else f"{band.mean:.2f}"


def _ranged(values: Floats) -> str:
    return f"{values.mean():.2f} ({values.min():.2f} - {values.max():.2f})"
