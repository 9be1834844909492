"""The classifiers of pages, measured on text sets and on the pages of recorded webs.

    .venv/bin/python benchmarks/classifier.py --data ../shared/classify --webs ../shared/webs

Where only the sets are named, the webs are those of the folder `webs` beside theirs, if there is one.

On the sets: scikit-learn's simple classifiers beside their reference figures, then TFIDF against ITFIDF under
Naive Bayes (Lu et al. 2016). On the webs: every classifier that `scrapy train` can make, and scikit-learn's,
learn from a topic's examples and judge all other pages; then from examples drawn at random. The ground truth
judges, and draws examples here, where nothing is crawled. `--into docs/classifier.md` writes the tables
between the document's markers. F1 is a share in the figures, points of a hundred in the tables.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.classifier_comparison import Comparison, one_against_rest
from benchmarks.classifier_reference import outcomes
from benchmarks.classifier_report import Study, set_figures, set_grids
from benchmarks.classifier_sets import SETS, TextSet
from benchmarks.classifier_tables import put_into
from benchmarks.classifier_web_report import Trial, web_figures, web_grids
from benchmarks.classifier_webs import (
    DEFAULT,
    DRAWN_TEST,
    DRAWS,
    SIZES,
    Pages,
    Rows,
    Subject,
    judged,
    subjects,
)
from focused_crawler.experiment.grid import web_name
from focused_crawler.virtualweb.analysed.web import AnalysedWeb

WIDTH = 150  # of a table, where the terminal is narrower or there is none


def studies(data: Path, bar: Progress) -> list[Study]:
    """Measure all on each text set."""
    found = []
    names = [name for name in SETS if (data / name).is_dir()]
    task = bar.add_task("", total=3 * len(names))
    for name in names:
        bar.update(task, description=name)
        text_set = TextSet.read(data / name)
        reference = dict(outcomes(text_set))
        bar.advance(task)
        comparison = Comparison.of(text_set)
        bar.advance(task)
        found.append(Study(reference, comparison, one_against_rest(text_set)))
        bar.advance(task)
    return found


def trials(path: Path, bar: Progress) -> Iterator[Trial]:
    """Measure each method on each topic of a web."""
    name = web_name(path)
    with AnalysedWeb(path) as web:
        topics = subjects(path, web)
        steps = 1 + len(SIZES) * DRAWS
        task = bar.add_task(f"{name}: reading", total=steps * len(topics))
        pages = Pages.of(web)
        for subject in topics:
            bar.update(task, description=f"{name}: {subject.topic.name}")
            for size, pupil, tested in _settings(subject):
                for method, measured, reliability in judged(pages, pupil, tested):
                    yield Trial(name, subject.topic.name, method, size, measured, reliability)
                bar.advance(task)


def _settings(subject: Subject) -> Iterator[tuple[tuple[int, int] | None, Subject, Rows]]:
    """Yield how many examples are drawn, the topic with its examples, and the pages to judge."""
    yield None, subject, subject.tested()
    for size in SIZES:
        for draw in range(DRAWS):
            pupil = subject.drawn(*size, draw)
            yield size, pupil, pupil.tested(DRAWN_TEST)


def progress() -> Progress:
    """Return a bar on standard error."""
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="the folder of the text sets")
    parser.add_argument("--webs", type=Path, help="a folder of webs with their topics (webs beside --data)")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--into", type=Path, help="a document with markers")
    options = parser.parse_args()
    if options.data and not options.webs:
        beside = options.data.resolve().parent / "webs"
        options.webs = beside if beside.is_dir() else None
    if not (options.data or options.webs):
        parser.error("name what to measure on: --data SETS, --webs WEBS or both")
    with threadpool_limits(1), progress() as bar:
        text = studies(options.data, bar) if options.data else []
        paths = sorted(options.webs.glob("*.warc.gz")) if options.webs else []
        tried = [trial for path in paths for trial in trials(path, bar)]
    grids = (set_grids(text) if text else []) + (web_grids(tried, DEFAULT) if tried else [])
    console = Console(width=max(Console().width, WIDTH))
    for grid in grids:
        console.print(grid.shown())
    if options.into:
        put_into(options.into, grids)
    if options.json:
        figures = dict(set_figures(text)) | dict(web_figures(tried, DEFAULT))
        options.json.write_text(json.dumps({"figures": figures}, indent=1) + "\n")


if __name__ == "__main__":
    main()
