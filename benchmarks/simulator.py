"""Pages a second of one processor that simulated crawls fetch, by strategy, beside the floor under them all.

    .venv/bin/python benchmarks/simulator.py ../shared/webs/openweb.warc.gz --topic TOPIC

`scrapy experiment` by one process, `--rounds` times: each strategy crawls `--pages` pages from the topic's
seed set, and its shortest CPU time counts. Pages were analysed (once a web) and classified (once a topic)
before. The floor: pages are only loaded, in random order.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Annotated

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness import Names, Report, main, temporary_folder
from benchmarks.meter import Meter
from benchmarks.studies.crawls import experiment
from benchmarks.tables import Rows
from focused_crawler.virtualweb.analysed.web import AnalysedWeb


def measure(
    web: Path,
    *,
    topic: Annotated[str, "name or folder"],
    strategies: Names = "",
    seed_set: str = "a",
    pages: int = 3000,
    rounds: int = 2,
) -> Report:
    """Crawl with each strategy, and load pages without crawling."""
    web, place = web.resolve(), Path(topic).resolve() if Path(topic).is_dir() else topic
    options = {"topics": place, "seed_sets": seed_set, "pages": pages, "processes": 1}
    options |= {"strategies": strategies} if strategies else {}
    runs, rows = Rows(), Rows([load_speed(web, pages)])
    with temporary_folder() as folder:
        for number in range(rounds):
            runs += experiment(folder / str(number), str(web), **options)
    for (strategy,), mine in runs.by("strategy").items():
        ms, fetched = min(float(run["ms_per_page"]) for run in mine), int(mine[0]["pages"])
        about = {"strategy": strategy, "pages": fetched, "reason": mine[0]["reason"]}
        rows.append({**about, "ms": ms, "rate": 1000 / ms if ms else None})
    return Report({"strategies": Rows(sorted(rows, key=lambda row: -(row["rate"] or 0.0)))})


def load_speed(web: Path, pages: int) -> dict[str, object]:
    """Load so many pages in random order, and do nothing with them."""
    with AnalysedWeb(web) as analysed:
        numbers, meter = random.Random(0).choices(range(len(analysed)), k=pages), Meter()
        with meter.running():
            for number in numbers:
                analysed.page(number)
    ms = 1000 * meter.cpu / pages
    return {"strategy": "loaded", "pages": pages, "reason": "", "ms": ms, "rate": 1000 / ms}


if __name__ == "__main__":
    main(measure, __doc__)
