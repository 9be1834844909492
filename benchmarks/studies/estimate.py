"""How right the monitor's alarms are, and the estimate of what is left, on a web whose truth is known.

    .venv/bin/python benchmarks/study.py estimate --web ../shared/webs/openweb.warc.gz --into docs/monitor.md

Crawls each topic from each seed set, for four times as many pages as it has relevant ones. A crawl is asked
for its estimate when it has half as many pages as the topic has relevant ones, as many, and twice as many.
The ground truth says afterwards what was left that links lead to. Models stay in `--folder`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np

from benchmarks.harness import Names, Processes, Report, in_processes
from benchmarks.studies import crawls
from benchmarks.studies.crawls import ClassifierCrawler, Floats, Mask, Numbers
from benchmarks.studies.shared_pages import steps
from benchmarks.studies.traces import Stage, trace
from benchmarks.tables import Rows
from focused_crawler.crawl.steering.estimate import Tally, band_of, chances, estimate
from focused_crawler.crawl.steering.monitor import Monitor, Seen
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.grid import Subject
from focused_crawler.experiment.simulator import FINISHED, Simulation

ESTIMATED = ("link_classifier", "soft_focus", "best_first_content_anchor")
WATCHED = (
    "hard_focus",
    "soft_focus",
    "link_classifier",
    "best_first_content_anchor",
    "breadth_first",
    "unfocused",
)
STAGES = ("half", "once", "twice")
"""Pages fetched, by the number of relevant ones."""
TIMES = 4  # pages of a crawl, by the same
MORE = 1.2
"""An alarm is false if so many times as many relevant pages are found in the next |T| pages; a harvest has
ended where it is no more than that from there on."""


class Verdicts(NamedTuple):
    """Which pages of the web are relevant."""

    said: Mask  # by the crawler's own classifier
    true: Mask  # by the ground truth
    reachable: Mask  # from the seeds


Found = list[tuple[str, dict[str, object]]]
"""Rows by kind: guesses, methods, alarms."""


def measure(
    *,
    web: Annotated[Path, "a WARC file with its topics beside it"],
    topics: Names = "",
    folder: Annotated[Path, "for models"] = Path("experiments/estimate"),
    processes: Processes = 2,
) -> Report:
    """Make all crawls, and ask them."""
    subjects = crawls.subjects_of(web, topics)
    bench = crawls.taught(crawls.prepared(folder, subjects, processes), subjects)
    tasks = crawls.settings_of(subjects, list(dict.fromkeys([*ESTIMATED, *WATCHED])))
    rows: dict[str, Rows] = {}
    for found in in_processes(partial(study, bench=bench), tasks, processes, "crawls"):
        for kind, row in found:
            rows.setdefault(kind, Rows()).append(row)
    return Report(rows)


def study(task: tuple[Subject, str, str], bench: Bench) -> Found:
    """Make a crawl, and ask it."""
    subject, seed_set, strategy = task
    size = len(crawls.truth_beside(subject))
    crawler = ClassifierCrawler(bench, subject, TIMES * size)
    stages = {size // 2: STAGES[0], size: STAGES[1], 2 * size: STAGES[2]} if strategy in ESTIMATED else {}
    run, at_stages = trace(crawler, seed_set, strategy, stages)
    scores = np.array(list(crawler.known.values()))
    threshold = crawler.analyst("breadth_first").threshold
    reachable = steps(crawler.web.graph, crawler.seeds(seed_set)) >= 0
    verdicts = Verdicts(scores >= threshold, crawler.relevant, reachable)
    found: Found = []
    for stage in at_stages:
        about = {"strategy": strategy, "stage": stages[stage.pages]}
        found += guess(run.visits, stage, verdicts, about)
    if strategy in WATCHED:
        found.append(("alarms", {"strategy": strategy, **watch(run, scores, verdicts, size, threshold)}))
    return found


def guess(
    visits: Sequence[int], stage: Stage, verdicts: Verdicts, about: Mapping[str, object]
) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield what was said of a crawl at a stage, and what was so by its classifier and by the truth."""
    fetched = np.zeros(len(verdicts.said), dtype=np.bool_)
    fetched[visits[: stage.pages]] = True
    interval = estimate(tallies(stage, verdicts.said))
    assert interval is not None
    said = {"ours": interval.middle, **dict(methods(visits, stage, verdicts.said, fetched))}
    found = int((verdicts.said & fetched).sum())
    ends = {"middle": interval.middle, "low_end": interval.low, "high_end": interval.high}
    row = {**about, "found": found, **ends}
    for judge, mask in (("classifier", verdicts.said), ("truth", verdicts.true)):
        left = int((mask & verdicts.reachable & ~fetched).sum())
        total = int((mask & fetched).sum()) + left
        row[f"left_{judge}"] = left
        row[f"rest_{judge}"] = abs(interval.middle - left) / max(left, 1)
        row[f"holds_{judge}"] = interval.low <= left <= interval.high
        for method, value in said.items():
            error = abs(found + value - total) / max(total, 1)
            yield "methods", {**about, "method": method, "judge": judge, "error": error}
            if method == "ours":
                row[f"error_{judge}"] = error
    yield "guesses", row


def tallies(stage: Stage, said: Mask, *, hosts: bool = True) -> list[Tally]:
    """Count URLs as `steering.inputs` counts those of a crawl's database."""
    counts: dict[tuple[int, int], list[int]] = {}
    tried = len(stage.page) - stage.pending
    for place, (score, page, host) in enumerate(zip(stage.priority, stage.page, stage.host, strict=True)):
        count = counts.setdefault((int(host) * hosts, band_of(score)), [0] * 5)
        if place < stage.pending:
            count[4] += 1
            continue
        hit, is_late = int(page >= 0 and said[page]), place - stage.pending >= tried // 2
        for number, value in enumerate((1, hit, is_late, is_late and hit)):
            count[number] += value
    return [Tally(*key, *count) for key, count in counts.items()]


def methods(visits: Sequence[int], stage: Stage, said: Mask, fetched: Mask) -> Iterator[tuple[str, float]]:
    """Yield what other methods say."""
    yield "score", _by_score(tallies(stage, said, hosts=False))
    waits, gone = slice(stage.pending), slice(stage.pending, None)
    hits = (stage.page[gone] >= 0) & said[stage.page[gone]]
    hosts = int(stage.host.max()) + 1
    share = np.bincount(stage.host[gone], hits, hosts) / (np.bincount(stage.host[gone], minlength=hosts) + 1)
    yield "host", float(share[stage.host[waits]].sum())
    once, twice = (int((hits & (stage.links[gone] == number)).sum()) for number in (1, 2))
    yield "chao", once * (once - 1) / (2 * (twice + 1))
    halves = [int(part.sum()) for part in np.array_split(said[visits[: stage.pages]], 2)]
    yield "growth", min(halves[1] ** 2 / max(halves[0] - halves[1], 1), 100.0 * sum(halves))
    pages = np.unique(stage.page[waits][stage.page[waits] >= 0])
    yield "known", float((said & ~fetched)[pages].sum())


def _by_score(counted: Sequence[Tally]) -> float:
    """Return what the curve over scores says, of all hosts as one."""
    bands, tried, relevant, pending = np.array(counted, dtype=np.float64)[:, [1, 2, 3, 6]].T
    return float(chances(bands, tried, relevant) @ pending)


def watch(
    run: Simulation, scores: Floats, verdicts: Verdicts, size: int, threshold: float
) -> dict[str, float | None]:
    """Let the monitor follow a crawl; judge its alarms by the truth. That a frontier runs dry is no alarm."""
    monitor, alarms, is_dry = Monitor(threshold), [], run.reason == FINISHED
    for page in run.visits:
        monitor.record(Seen(float(scores[page]), bool(verdicts.said[page]), ""))
        if monitor.due():
            monitor.reported()
            alarms.append(monitor.pages)
    found = np.cumsum(verdicts.true[run.visits])
    has_ended = is_dry or not has_more(found, max(1, len(found) - size), size)
    return {
        "alarms": len(alarms),
        "false": sum(has_more(found, place, size) for place in alarms),
        "first": alarms[0] / size if alarms else None,
        "at_first": float(found[alarms[0] - 1] / max(found[-1], 1)) if alarms else None,
        "ended": has_ended,
        "silent": has_ended and not alarms and not is_dry,
        "dry": has_ended and is_dry,
    }


def has_more(found: Numbers, place: int, size: int) -> bool:
    """Tell whether the |T| pages after so many brought markedly more."""
    return bool(found[min(place + size, len(found)) - 1] >= MORE * max(found[place - 1], 1))
