"""How right the monitor's alarms are, and the estimate of what is left, on a web whose truth is known.

    .venv/bin/python benchmarks/study.py estimate --web ../shared/webs/openweb.warc.gz \
        --into docs/research/monitor.md

Crawls each topic from each seed set, for four times as many pages as it has relevant ones; nothing steers
beside the strategy. Monitor and estimate go by what the crawl's own do: the topic's classifier, or log R(d).
A crawl is asked for its estimate when it has half as many pages as the topic has relevant ones, as many, and
twice as many. The ground truth says afterwards what was left that links lead to. Models stay in `--folder`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np

from benchmarks.harness import Names, Processes, Report, in_processes
from benchmarks.studies import crawls
from benchmarks.studies.crawls import ClassifierCrawler, Mask, Numbers
from benchmarks.studies.shared_pages import steps
from benchmarks.studies.traces import Stage, Trace, trace
from benchmarks.tables import Rows
from focused_crawler.crawl.steering.estimate import Tally, band_of, chances, estimate
from focused_crawler.crawl.steering.monitor import Monitor
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.grid import Subject
from focused_crawler.experiment.measures import FINISHED
from focused_crawler.store.item import PageItem, judged

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

    said: Mask  # by what the crawl's monitor goes by: its classifier, or R(d)
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
    bench = crawls.unsteered(crawls.taught(crawls.prepared(folder, subjects, processes), subjects))
    tasks = [(subject, name) for name in dict.fromkeys([*ESTIMATED, *WATCHED]) for subject in subjects]
    rows: dict[str, Rows] = {}
    for found in in_processes(partial(study, bench=bench), tasks, processes, "crawls"):
        for kind, row in found:
            rows.setdefault(kind, Rows()).append(row)
    return Report(rows)


def study(task: tuple[Subject, str], bench: Bench) -> Found:
    """Make the crawls of a topic with a strategy, and ask them."""
    subject, strategy = task
    size = len(crawls.truth_beside(subject))
    crawler = ClassifierCrawler(bench, subject, TIMES * size)
    is_asked = strategy in ESTIMATED
    stages = {size // 2: STAGES[0], size: STAGES[1], 2 * size: STAGES[2]} if is_asked else {}
    said = verdict(crawler, strategy) if is_asked else np.zeros(len(crawler.web), dtype=np.bool_)
    found: Found = []
    for seed_set in subject.seed_sets:
        traced = trace(crawler, seed_set, strategy, stages)
        reachable = steps(crawler.web.graph, crawler.seeds(seed_set)) >= 0
        for stage in traced.stages:
            about = {"strategy": strategy, "stage": stages[stage.pages]}
            found += guess(traced.run.visits, stage, Verdicts(said, crawler.relevant, reachable), about)
        if strategy in WATCHED:
            found.append(("alarms", {"strategy": strategy, **watch(traced, crawler.relevant, size)}))
    return found


def verdict(crawler: ClassifierCrawler, strategy: str) -> Mask:
    """Return which pages of the web are relevant to the monitor of a crawl with a strategy."""
    analyst, said = crawler.analyst(strategy), np.zeros(len(crawler.web), dtype=np.bool_)
    for number, relevance in crawler.known.items():
        page = crawler.web.page(number)
        analyst.judge(page, relevance)
        log_rd = None if page.focus is None else page.focus.log_rd
        about = {"relevance": relevance, "is_relevant": page.is_relevant, "log_rd": log_rd}
        said[number] = judged(PageItem(url=page.url, fetched_at=0.0, links=0, **about))[1]
    return said


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


def watch(traced: Trace, truth: Mask, size: int) -> dict[str, float | None]:
    """Let the monitor follow a crawl; judge its alarms by the truth. That a frontier runs dry is no alarm."""
    monitor, alarms, is_dry = Monitor(), [], traced.run.reason == FINISHED
    for page in traced.seen:
        monitor.record(page)
        if monitor.due():
            monitor.reported()
            alarms.append(monitor.pages)
    found = np.cumsum(truth[traced.run.visits])
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
