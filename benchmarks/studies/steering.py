"""What each habit of steering brings: the same crawls with it and without, on all topics and seed sets.

    .venv/bin/python benchmarks/study.py steering --web ../shared/webs/openweb.warc.gz --out FOLDER

Each variant of steering_variants.toml is one `scrapy experiment` in FOLDER, so that a run that was broken off
goes on. Compared is the area under R(n) at |T| pages over the upper bound's (under target recall, that is):
the mean of the paired differences over topics, with the interval of a bootstrap over topics and seed sets.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from benchmarks.harness import Report
from benchmarks.studies.crawls import experiment
from benchmarks.tables import Rows

STRATEGIES = "link_classifier,best_first_content_anchor,lpe_soft,soft_focus,breadth_first"
SPEC = tomllib.loads(Path(__file__).with_name("steering_variants.toml").read_text("utf-8"))
MEASURES = {"area_upper_1": "|T|", "area_upper_2": "2|T|"}


def measure(
    *,
    web: Annotated[str, "WARC files, with commas between"],
    out: Path,
    strategies: str = STRATEGIES,
    variants: Annotated[str, "names, with semicolons between (default: all)"] = "",
) -> Report:
    """Make what is missing of all experiments, and compare run by run."""
    names = variants.split(";") if variants else list(SPEC["variants"])
    off = experiment(out / "without", web, SPEC["off"], strategies=strategies)
    rows = Rows()
    for name in names:
        folder, settings = out / name.replace(",", "").replace(" ", "-"), SPEC["off"] | SPEC["variants"][name]
        rows += compared(name, off, experiment(folder, web, settings, strategies=strategies))
    return Report({"runs": rows, "topics": by_topic(rows)})


def compared(variant: str, off: Rows, with_it: Rows) -> Iterator[dict[str, object]]:
    """Yield each run with a habit beside the same without, and for each setting the mean of strategies."""
    pairs = Rows([*off, *with_it]).by("web", "topic", "seed_set", "strategy")
    for column, at in MEASURES.items():
        means: dict[tuple[str, ...], Rows] = {}
        for (web, topic, seed_set, strategy), (one, two) in pairs.items():
            old, new = float(one[column]), float(two[column])
            setting = {"web": web, "topic": topic, "seed_set": seed_set}
            row = {"variant": variant, "measure": column, "at": at, "strategy": strategy, **setting}
            row |= {"without": old, "change": new - old, "changed": old != new}
            means.setdefault((web, topic, seed_set), Rows()).append(row)
            yield row
        for rows in means.values():
            values = {name: rows.value(name) for name in ("without", "change")}
            yield {**rows[0], "strategy": "mean", **values, "changed": any(row["changed"] for row in rows)}


def by_topic(rows: Rows) -> Rows:
    """Return the mean change on each topic, of which the least is shown."""
    keys = ("variant", "strategy", "at", "web", "topic")
    grouped = rows.by(*keys).values()
    return Rows({key: mine[0][key] for key in keys} | {"change": mine.value("change")} for mine in grouped)
