"""What each habit of steering brings: the same crawls with it and without, on all topics and seed sets.

    .venv/bin/python benchmarks/steering.py --web ../shared/webs/openweb.warc.gz --out FOLDER

Each variant is one `scrapy experiment` in FOLDER, so that a run that was broken off goes on. Compared is the
area under R(n) at |T| pages over the upper bound's (under target recall, that is): the mean of the paired
differences over topics, with the interval of a bootstrap over topics and seed sets.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from focused_crawler.experiment.measures import Setting
from focused_crawler.experiment.statistics import Interval, Resampling

STRATEGIES = ("link_classifier", "best_first_content_anchor", "lpe_soft", "soft_focus", "breadth_first")
OFF = {"FOCUSED_HUB_TRIGGER": "0", "FOCUSED_NEAR_DUPLICATES": "False", "FOCUSED_TRAP_BUDGETS": "False"}
VARIANTS: Mapping[str, Mapping[str, str]] = {
    "hub trigger, 10 hubs every 500 pages": {"FOCUSED_HUB_TRIGGER": "10", "FOCUSED_DISTILL_PAGES": "500"},
    "hub trigger, 5 hubs every 200 pages": {"FOCUSED_HUB_TRIGGER": "5", "FOCUSED_DISTILL_PAGES": "200"},
    "trap budgets": {"FOCUSED_TRAP_BUDGETS": "True"},
    "trap budgets and near-duplicates": {"FOCUSED_TRAP_BUDGETS": "True", "FOCUSED_NEAR_DUPLICATES": "True"},
}
"""Near-duplicates alone change no order: what they bring is no gain, which only budgets look at."""
MEASURES = ("area_upper_1", "area_upper_2")

Areas = Mapping[tuple[Setting, str], float]
"""One measure of every run, by setting and strategy."""


class Change(NamedTuple):
    """What a habit changes in one measure of one strategy, or in the mean of all."""

    variant: str
    strategy: str
    measure: str
    without: float
    difference: Interval
    worst: float  # difference on the topic that it does least for
    changed: int  # settings whose value is another


def main() -> None:
    """Make what is missing of all experiments and print the table."""
    options = _options()
    known = dict(VARIANTS) if not options.variant else {name: VARIANTS[name] for name in options.variant}
    without = _experiment(options, "without", OFF)
    changes = []
    for name, settings in known.items():
        with_it = _experiment(options, name, {**OFF, **settings})
        changes += [change for measure in MEASURES for change in _changes(name, measure, without, with_it)]
    Console(width=150).print(_table(changes))
    if options.json:
        options.json.write_text(json.dumps({"figures": _figures(changes)}, indent=2) + "\n", "utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--web", type=Path, action="append", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    parser.add_argument("--variant", action="append", choices=sorted(VARIANTS), help="only this one")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def _experiment(options: argparse.Namespace, name: str, settings: Mapping[str, str]) -> list[dict[str, str]]:
    """Make one experiment, or go on with it, and return the rows of its summary."""
    folder = options.out / name.replace(",", "").replace(" ", "-")
    command = [sys.executable, "-m", "scrapy", "experiment", "--out", str(folder)]
    command += ["--strategies", options.strategies]
    for web in options.web:
        command += ["--web", str(web)]
    for setting, value in settings.items():
        command += ["-s", f"{setting}={value}"]
    print(f"{name} ...", file=sys.stderr)
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    with (folder / "summary.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _changes(
    variant: str, measure: str, without: Sequence[dict[str, str]], with_it: Sequence[dict[str, str]]
) -> Iterable[Change]:
    """Compare run by run; last in the mean over strategies."""
    before, after = _areas(without, measure), _areas(with_it, measure)
    settings = sorted({setting for setting, _ in before})
    strategies = list(dict.fromkeys(strategy for _, strategy in before))
    rows = {strategy: _pair(before, after, settings, (strategy,)) for strategy in strategies}
    rows["mean"] = _pair(before, after, settings, strategies)
    resampling = Resampling.of(settings)
    for strategy, (old, new) in rows.items():
        by_topic: dict[tuple[str, str], list[float]] = {}
        for setting, difference in zip(settings, (new - old).tolist(), strict=True):
            by_topic.setdefault((setting.web, setting.topic), []).append(difference)
        yield Change(
            variant,
            strategy,
            measure,
            resampling.interval(old).mean,
            resampling.interval(new - old),
            min(float(np.mean(values)) for values in by_topic.values()),
            int((new != old).sum()),
        )


def _areas(rows: Iterable[dict[str, str]], measure: str) -> Areas:
    return {
        (Setting(row["web"], row["topic"], row["seed_set"]), row["strategy"]): float(row[measure])
        for row in rows
    }


def _pair(
    before: Areas, after: Areas, settings: Sequence[Setting], strategies: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Return one number a setting, without and with: the mean over the strategies."""
    old, new = (
        np.array([np.mean([areas[setting, strategy] for strategy in strategies]) for setting in settings])
        for areas in (before, after)
    )
    return old, new


def _table(changes: Iterable[Change]) -> Table:
    table = Table(title="Area under target recall over the upper bound's, with less without")
    for name in ("habit", "strategy", "at"):
        table.add_column(name)
    for name in ("without", "change", "95 % interval", "least topic", "settings changed"):
        table.add_column(name, justify="right")
    for change in changes:
        mean, low, high = change.difference
        table.add_row(
            change.variant,
            change.strategy,
            "|T|" if change.measure == "area_upper_1" else "2|T|",
            f"{change.without:.4f}",
            f"{mean:+.4f}",
            f"{low:+.4f} to {high:+.4f}",
            f"{change.worst:+.4f}",
            str(change.changed),
        )
    return table


def _figures(changes: Iterable[Change]) -> dict[str, float]:
    return {
        f"{change.measure}_{change.strategy}_{change.variant.replace(',', '').replace(' ', '_')}": round(
            change.difference.mean, 5
        )
        for change in changes
    }


if __name__ == "__main__":
    main()
