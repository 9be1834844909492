"""Crawl every topic of every web with every strategy, and write the table of docs/results.md.

    .venv/bin/python benchmarks/strategies.py ../shared/webs --pages 1000 --seed-set a --into docs/results.md

Real crawls (`scrapy crawl`) at concurrency 1 over virtual webs, each topic's classifier trained first on its
own examples. Crawls and models that are there already, under --crawls and --models, are not made again.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from rich.console import Console
from rich.progress import Progress

from focused_crawler.link_scoring.registry import STRATEGIES

ROOT = Path(__file__).resolve().parent.parent
MARKS = ("<!-- table: begin -->", "<!-- table: end -->")


@dataclass(frozen=True, slots=True)
class Case:
    """One crawl."""

    web: Path
    topic: Path
    strategy: str

    @property
    def key(self) -> tuple[str, str]:
        return self.web.name.removesuffix(".warc.gz"), self.topic.name


@dataclass(frozen=True, slots=True)
class Result:
    """What a crawl came to."""

    pages: int
    harvest_rate: float
    target_recall: float


def scrapy(*words: str) -> None:
    """Run a scrapy command; its own words on failure."""
    command = [sys.executable, "-m", "scrapy", *words, "-s", "LOG_LEVEL=ERROR"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")


def train(web: Path, topic: Path, models: Path) -> None:
    if not (models / topic.name / "model.json").exists():
        scrapy("train", str(topic), "-s", f"FOCUSED_WEB={web}", "-s", f"FOCUSED_MODELS={models}")


def crawl(case: Case, options: argparse.Namespace) -> Result:
    """Run one crawl, or read what it came to."""
    crawls = options.crawls / f"{case.key[0]}-{options.seed_set}-{options.pages}"
    run = crawls / case.topic.name / case.strategy / "run.json"
    if not run.exists() or json.loads(run.read_text())["state"] != "finished":
        arguments = {
            "topic": case.topic,
            "strategy": case.strategy,
            "pages": options.pages,
            "seed_set": options.seed_set,
            "job": case.strategy,
            "profile": "offline",
        }
        settings = {
            "FOCUSED_WEB": case.web,
            "FOCUSED_MODELS": options.models,
            "FOCUSED_CRAWLS": crawls,
        }
        words = [word for name, value in arguments.items() for word in ("-a", f"{name}={value}")]
        words += [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]
        scrapy("crawl", "topic", *words)
    totals = json.loads(run.read_text())["totals"]
    return Result(int(totals["pages"]), totals["harvest_rate"], totals["target_recall"])


def table(results: dict[Case, Result]) -> str:
    """Return two Markdown tables, harvest rate and target recall, best of a row in bold."""
    rows = sorted({case.key for case in results})
    by_key = {(*case.key, case.strategy): result for case, result in results.items()}
    parts = []
    for title, name in (("Harvest rate", "harvest_rate"), ("Target recall", "target_recall")):
        lines = [
            f"**{title}**",
            "",
            _line(["web", "topic", *STRATEGIES]),
            _line(["---"] * (len(STRATEGIES) + 2)),
        ]
        columns: dict[str, list[float]] = {strategy: [] for strategy in STRATEGIES}
        for row in rows:
            found = [by_key[(*row, strategy)] for strategy in STRATEGIES]
            for strategy, result in zip(STRATEGIES, found, strict=True):
                columns[strategy].append(getattr(result, name))
            lines.append(_line([*row, *_cells(found, name, options_pages(results))]))
        means = [mean(columns[strategy]) for strategy in STRATEGIES]
        lines.append(_line(["**mean**", "", *(f"**{value:.3f}**" for value in means)]))
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def options_pages(results: dict[Case, Result]) -> int:
    """Return the budget: what the longest crawl fetched."""
    return max(result.pages for result in results.values())


def _cells(found: Sequence[Result], name: str, budget: int) -> list[str]:
    best = max(getattr(result, name) for result in found)
    cells = []
    for result in found:
        value = getattr(result, name)
        text = f"**{value:.3f}**" if value == best else f"{value:.3f}"
        cells.append(text if result.pages >= budget else f"{text} ({result.pages})")
    return cells


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("webs", type=Path, help="a folder of NAME.warc.gz, each with its NAME.topics")
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--seed-set", default="a")
    parser.add_argument("--crawls", type=Path, default=ROOT / "crawls/strategies")
    parser.add_argument("--models", type=Path, default=ROOT / "models/strategies")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--into", type=Path, help="a Markdown file with the marks " + " and ".join(MARKS))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    cases = [
        Case(web.resolve(), topic.resolve(), strategy)
        for web in sorted(options.webs.glob("*.warc.gz"))
        for topic in sorted(web.with_name(web.name.removesuffix(".warc.gz") + ".topics").iterdir())
        for strategy in STRATEGIES
    ]
    with ThreadPoolExecutor(options.processes) as pool, Progress(console=Console(stderr=True)) as progress:
        topics = list(dict.fromkeys((case.web, case.topic) for case in cases))
        for _ in progress.track(
            pool.map(lambda t: train(*t, options.models), topics), len(topics), description="train"
        ):
            pass
        found = pool.map(lambda case: crawl(case, options), cases)
        results = dict(zip(cases, progress.track(found, len(cases), description="crawl"), strict=True))
    text = table(results)
    print(text)
    if options.into:
        page = options.into.read_text()
        begin, end = MARKS
        inside = re.compile(f"{re.escape(begin)}.*{re.escape(end)}", re.DOTALL)
        options.into.write_text(inside.sub(lambda _: f"{begin}\n\n{text}\n\n{end}", page))
    if options.json:
        figures = {
            f"{what}_{strategy}": mean(getattr(r, what) for c, r in results.items() if c.strategy == strategy)
            for what in ("harvest_rate", "target_recall")
            for strategy in STRATEGIES
        }
        options.json.write_text(json.dumps({"figures": figures}, indent=2) + "\n")


if __name__ == "__main__":
    main()
