"""When the estimate of what is left is worth saying, and what alarms would be by a better judge.

    .venv/bin/python benchmarks/study.py left --webs WEB,WEB --into docs/research/monitor.md

Crawls as those of `estimate`, by models of the topics' examples, and by their words alone. What a simulated
person says of random pages corrects the estimate, as a report has it; she errs in 5 %. Alarms are raised by
what the crawl's judge calls relevant, and by what is: no correction of a judge comes to more than that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated
from zlib import crc32

import numpy as np

from benchmarks.harness import Names, Processes, Report, in_processes
from benchmarks.judged_crawls import CHOSEN, EXAMPLES, WORDS
from benchmarks.studies import crawls
from benchmarks.studies.coverage import WRONG
from benchmarks.studies.crawls import ClassifierCrawler, Mask, Numbers
from benchmarks.studies.estimate import STAGES, TIMES, Found, tallies, verdict, watch
from benchmarks.studies.shared_pages import steps
from benchmarks.studies.traces import Stage, Trace, trace
from benchmarks.tables import Rows
from focused_crawler.crawl.judged import Interval, Judged, LabelSet
from focused_crawler.crawl.judged import estimate as estimate_relevant
from focused_crawler.crawl.relevant_share import HeldOutCounts
from focused_crawler.crawl.steering.advice import in_words
from focused_crawler.crawl.steering.estimate import estimate
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.grid import Subject
from focused_crawler.page.url import host_of

STRATEGIES = {
    EXAMPLES: ("adaptive", "link_classifier", "soft_focus", "breadth_first"),
    WORDS: ("adaptive", "link_classifier", "breadth_first"),
}
GIVEN = {"uncorrected": None, "0_labels": 0, "50_labels": 50}
"""What the estimate is corrected by: nothing, what is known of the judge without labels, and with so many."""


@dataclass(frozen=True, slots=True)
class Case:
    """A crawl, what is said of the pages of its web, and what is so."""

    about: dict[str, object]
    traced: Trace
    size: int  # relevant pages of the web
    relevance: Numbers  # of each page of the web, by the topic's model or words
    called: Mask  # relevant, by the same
    said: Mask  # by what monitor and estimate go by: the same, or R(d)
    true: Mask
    host: Numbers
    reachable: Mask
    held_out: HeldOutCounts | None


def measure(
    *,
    webs: Annotated[str, "WARC files with their topics beside them, with commas between"],
    topics: Names = "",
    folder: Annotated[Path, "for models"] = Path("experiments/left"),
    processes: Processes = 2,
) -> Report:
    """Make all crawls, and ask them."""
    rows: dict[str, Rows] = {"left": Rows(), "alarms_by": Rows()}
    for web in webs.split(","):
        for kind, strategies in STRATEGIES.items():
            subjects = crawls.subjects_of(Path(web), topics)
            if kind == WORDS:
                subjects = [without_examples(subject) for subject in subjects]
            bench = crawls.unsteered(crawls.prepared(folder / kind, subjects, processes))
            if kind == EXAMPLES:
                crawls.taught(bench, subjects)
            tasks = [(subject, kind, name) for name in strategies for subject in subjects]
            for found in in_processes(partial(study, bench=bench), tasks, processes, "crawls"):
                for name, row in found:
                    rows[name].append(row)
    return Report(rows)


def without_examples(subject: Subject) -> Subject:
    """Return a subject whose topic has words only."""
    return replace(subject, topic=replace(subject.topic, relevant_examples=(), other_examples=()))


def study(task: tuple[Subject, str, str], bench: Bench) -> Found:
    """Make the crawls of a topic with a strategy, and ask them."""
    subject, kind, strategy = task
    size = len(crawls.truth_beside(subject))
    crawler = ClassifierCrawler(bench, subject, TIMES * size)
    analyst, web = crawler.analyst(strategy), crawler.web
    relevance = np.array([crawler.known[number] for number in range(len(web))])
    said, found = verdict(crawler, strategy), Found()
    about = {"kind": kind, "strategy": strategy, "topic": subject.topic.name, "group": group_of(subject)}
    for seed_set in subject.seed_sets:
        case = Case(
            about={**about, "seed_set": seed_set},
            traced=trace(crawler, seed_set, strategy, stages_of(size)),
            size=size,
            relevance=relevance,
            called=relevance >= analyst.model.threshold,
            said=said,
            true=crawler.relevant,
            host=np.unique([host_of(url) for url in web.urls], return_inverse=True)[1],
            reachable=steps(web.graph, crawler.seeds(seed_set)) >= 0,
            held_out=HeldOutCounts.of(analyst.model),
        )
        found += rows_of(case)
    return found


def group_of(subject: Subject) -> str:
    """Return what the crawls about a topic are for."""
    if subject.web_name != "openweb":
        return subject.web_name
    return "chosen topics" if subject.topic.name in CHOSEN else "other topics"


def stages_of(size: int) -> dict[int, str]:
    """Return after how many pages a crawl is asked."""
    return {size // 2: STAGES[0], size: STAGES[1], 2 * size: STAGES[2]}


def rows_of(case: Case) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield what a crawl says at its stages after so many labels, and its alarms by each judge."""
    for stage in case.traced.stages:
        for name, labels in GIVEN.items():
            yield "left", {**case.about, "given": name, **_left(case, stage, labels)}
    seen, visits = case.traced.seen, case.traced.run.visits
    truly = [
        page._replace(is_gain=bool(case.true[number])) for page, number in zip(seen, visits, strict=True)
    ]
    for by, pages in (("its judge", seen), ("the truth", truly)):
        watched = watch(replace(case.traced, seen=pages), case.true, case.size)
        yield "alarms_by", {**case.about, "by": by, **watched}


def _left(case: Case, stage: Stage, labels: int | None) -> dict[str, object]:
    visits = np.array(case.traced.run.visits[: stage.pages])
    relevant = None if labels is None else _relevant(case, visits, labels)
    found = estimate(tallies(stage, case.said), relevant)
    assert found is not None
    fetched = np.zeros(len(case.true), dtype=np.bool_)
    fetched[visits] = True
    left = int((case.true & case.reachable & ~fetched).sum())
    waiting = np.unique(stage.page[: stage.pending])
    waits = int((case.true & ~fetched)[waiting[waiting >= 0]].sum())
    called = float(case.said[visits].sum()) if relevant is None else relevant.value
    said = in_words(found, called)
    least, most = found.low <= left, waits <= found.high
    return {
        "stage": stages_of(case.size)[len(visits)],
        "found": int(case.true[visits].sum()),
        "left": left,
        "waits": waits,
        "least": least,
        "most": most,
        "width": (found.high - found.low) / max(called, 1.0),
        "is_said": bool(said),
        "is_right": (least or "at least" not in said) and (most or "at most" not in said) if said else None,
    }


def _relevant(case: Case, visits: Numbers, labels: int) -> Interval:
    """Return how many of the pages fetched are relevant, by what a report knows after so many labels."""
    about = f"{case.about['topic']} {case.about['seed_set']} {len(visits)}"
    chance = np.random.default_rng(crc32(about.encode()))
    order, errs = chance.permutation(len(visits)), chance.random(len(visits)) < WRONG
    index = order[:labels]
    given = LabelSet(index, case.true[visits[index]] ^ errs[index], np.ones(len(index), dtype=np.bool_))
    host = np.unique(case.host[visits], return_inverse=True)[1]
    judged = Judged(case.relevance[visits], case.called[visits], host)
    return estimate_relevant(judged, given, case.held_out).relevant
