"""One yardstick: how well pages are judged, how sure rates are, and what labels change.

    .venv/bin/python benchmarks/yardstick.py --web ../shared/webs/openweb.warc.gz --json figures.json
        [--parts judges,coverage,loop] [--folder experiments/yardstick] [--people 20] [--seed-sets 3]
        [--into DOCUMENT] [--prior]

Three parts, each on the web and on the demo web; of openweb, on one core, they take about 2 minutes, an hour
and half an hour: `judges` (docs/research/judge.md), `coverage` (coverage.md), `loop` (labels_loop.md).
Crawls stay in `--folder`, and the same command goes on there; take another where the code has changed.
`--prior` prints the constants of `focused_crawler/crawl/judged.py` anew: for when a judge has changed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness import OPEN_WEB, Processes, Report, in_processes, main
from benchmarks.judged_crawls import judged_crawls
from benchmarks.studies import coverage, judges, labels_loop
from benchmarks.studies.crawls import subjects_of
from benchmarks.studies.web_classifiers import DEFAULT
from benchmarks.tables import Rows
from focused_crawler.virtualweb.demo import NAME, write_demo_web

PARTS = ("judges", "coverage", "loop")


def measure(
    *,
    web: Annotated[Path, "a WARC file with its topics beside it"] = OPEN_WEB,
    parts: Annotated[str, "what to measure"] = ",".join(PARTS),
    classifier: Annotated[str, "the method to train, of the part judges"] = DEFAULT,
    folder: Annotated[Path, "for crawls and models"] = Path("experiments/yardstick"),
    people: Annotated[int, "simulated, a crawl; each labels pages of her own"] = 20,
    seed_sets: Annotated[int, "of a topic, that loops begin with"] = 3,
    prior: Annotated[bool, "print constants"] = False,
    processes: Processes = 2,
) -> Report:
    """Measure the parts."""
    wanted, rows = set(parts.split(",")), dict[str, Rows]()
    if unknown := wanted.difference(PARTS):
        raise SystemExit(f"--parts names {', '.join(sorted(unknown))}; use some of {', '.join(PARTS)}")
    demo = folder / NAME if (folder / NAME).is_file() else write_demo_web(folder)
    if "judges" in wanted:
        rows |= judges.rows_of(web, demo, classifier)
    if "coverage" in wanted:
        crawls = judged_crawls([web, demo], "", folder, processes)
        if prior:
            print(*coverage.constants(crawls), sep="\n")
        rows |= coverage.rows_of(crawls, people, processes)
    if "loop" in wanted:
        for row in _loops({"web": web, "demo": demo}, seed_sets, folder, processes):
            rows.setdefault("rounds" if "arm" in row else "gains", Rows()).append(row)
    return Report(rows)


def _loops(
    webs: dict[str, Path], seed_sets: int, folder: Path, processes: int
) -> Iterator[dict[str, object]]:
    tasks = [
        labels_loop.Task(name, subject, seed_set)
        for number in range(seed_sets)
        for name, web in webs.items()
        for subject in subjects_of(web)
        for seed_set in list(subject.seed_sets)[number : number + 1]
    ]
    work = partial(labels_loop.rows_of, folder=folder / "loop")
    return chain.from_iterable(in_processes(work, tasks, processes, "loops"))


if __name__ == "__main__":
    main(measure, __doc__)
