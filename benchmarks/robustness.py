"""The paper's robustness experiments on a recorded web: its Figures 4 to 11 (Chakrabarti et al. 1999).

    .venv/bin/python benchmarks/robustness.py --web ../shared/webs/openweb.warc.gz

Some fifty crawls a topic: by the three crawlers of the paper and by our default, from each seed set, from two
that share but one page, and from random parts of all start pages. Taxonomy and models learn from the topics'
examples only; the ground truth counts what was found, afterwards. Draws into --out; the tables go between
their markers in the document of that name (docs/robustness.md), if there is one.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.classifier_tables import put_into
from benchmarks.focus import taught
from benchmarks.focus_crawls import bench_of, unsteered
from benchmarks.robustness_crawls import D, E, crawl_topic
from benchmarks.robustness_figures import figures
from benchmarks.robustness_plots import draw
from benchmarks.robustness_study import Ground, Study, studies
from benchmarks.robustness_tables import grids
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.grid import Subject, find_subjects


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--web", type=Path, required=True, help="a WARC file with its topics beside it")
    parser.add_argument("--topics", default="", help="names, with commas between (default: all)")
    parser.add_argument("--pages", type=int, default=3000, help="of a crawl")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("docs/robustness"), help="folder to draw into")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    began = time.monotonic()
    subjects = find_subjects([chosen.web.resolve()], chosen.topics, None)
    _check(subjects)
    with TemporaryDirectory() as folder:
        bench = taught(unsteered(bench_of(Path(folder))), subjects)
        found = study(bench, subjects, chosen.pages, chosen.processes)
    tables = grids(found)
    Console(width=200).print(*(grid.shown() for grid in tables))
    draw(chosen.out, found)
    document = chosen.out.with_suffix(".md")
    if document.is_file():
        put_into(document, tables)
    if chosen.json:
        values = dict(figures(found)) | {"robustness_s": time.monotonic() - began}
        chosen.json.write_text(json.dumps({"figures": values}, indent=2) + "\n")


def study(bench: Bench, subjects: Sequence[Subject], pages: int, processes: int) -> list[Study]:
    """Make all crawls; the taxonomy must be there."""
    ground = Ground.of(bench.web(subjects[0]))
    with ProcessPoolExecutor(processes) as pool:
        topics = pool.map(partial(crawl_topic, bench=bench, pages=pages), subjects)
        return studies([trip for trips in topics for trip in trips], ground)


def _check(subjects: Sequence[Subject]) -> None:
    for subject in subjects:
        for start in (D, E):
            if start.seeds not in subject.seed_sets:
                sys.exit(f"{subject.name} has no seed set {start.seeds}; name topics that have with --topics")


if __name__ == "__main__":
    main()
