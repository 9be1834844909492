from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.experiment.hosts import NEVER, HostsFound
from focused_crawler.experiment.measures import Case, Run, RunTable, hosts_found
from focused_crawler.experiment.ranking import HOSTS, markdown_tables, on_webs
from focused_crawler.experiment.report import write_tables
from focused_crawler.virtualweb.bounds import Bounds
from focused_crawler.virtualweb.truth import GroundTruth

TRUTH = GroundTruth(
    [f"http://www.large.example/{n}" for n in range(6)]
    + ["http://small.example/", "http://other.example:81/"]
)


def run(*urls: str, web: str = "web", topic: str = "bees", strategy: str = "lpe", budget: int = 20) -> Run:
    hits = np.array([TRUTH.is_relevant(url) for url in urls], dtype=np.bool_)
    found = HostsFound.of(TRUTH.hosts, urls, hits)
    return Run(Case(web, topic, "a", strategy), hits, budget, 0.1, "finished", found)


def bounds(targets: int = 8, budget: int = 20) -> Bounds:
    best = np.minimum(np.arange(budget + 1), targets)
    return Bounds(targets, best, best, best)


def test_hosts_are_told_apart_as_pages_are() -> None:
    """www. makes no difference, a port does."""
    assert TRUTH.hosts == {"example,large": 6, "example,small": 1, "example,other:81": 1}


def test_a_host_is_found_by_its_first_relevant_page() -> None:
    """Another page of it does not count, and its copy under www. does."""
    one = run(
        "http://small.example/about",
        "http://x.example/",
        "http://large.example/3",
        "http://www.small.example",
    )
    assert one.hosts.targets.tolist() == [6, 1, 1]
    assert one.hosts.found.tolist() == [3, 4, NEVER]


def test_shares_at_the_targets_and_at_twice_as_many() -> None:
    """Of all hosts with relevant pages, and of those with five or more."""
    pages = [f"http://x.example/{n}" for n in range(7)]
    one = run(*pages, "http://small.example/", *pages[:5], "http://large.example/1")
    shares = [measure(one, bounds()) for measure in HOSTS.values()]
    assert shares == [pytest.approx(1 / 3), pytest.approx(2 / 3), 0.0, 1.0]
    late = run(*pages, *pages, "http://small.example/", *pages, "http://large.example/1", budget=15)
    assert hosts_found(1, 2.0)(late, bounds(8, 15)) == pytest.approx(1 / 3)  # no page after the budget


def test_without_such_hosts_there_is_no_share() -> None:
    """In no mean, an empty cell in summary.csv, and a dash in tables."""
    one = run("http://small.example/")
    assert math.isnan(hosts_found(7)(one, bounds()))


@given(st.lists(st.sampled_from([*TRUTH.urls, "http://x.example/"]), unique=True, max_size=9))
def test_more_pages_never_lose_a_host(urls: list[str]) -> None:
    """And all that was fetched is as many hosts as there are among the relevant pages."""
    found = run(*urls).hosts
    shares = [found.share(1, pages) for pages in range(len(urls) + 1)]
    assert shares == sorted(shares)
    assert shares[-1] * 3 == pytest.approx(len(GroundTruth(u for u in urls if TRUTH.is_relevant(u)).hosts))


def test_tables_have_a_row_for_each_strategy_and_web(tmp_path: Path) -> None:
    """Means over the topics of the web that have such hosts; on each web the best area first."""
    good, bad = (
        ["http://large.example/1", "http://small.example/"],
        ["http://x.example/", "http://large.example/1"],
    )
    runs = [
        run(*good, web="one", strategy="lpe"),
        run(*bad, web="one", strategy="cbp"),
        run(*bad, web="two", strategy="lpe"),
        run(*good, web="two", strategy="cbp"),
    ]
    small = HostsFound(np.array([1, 1]), np.array([1, NEVER]))
    for strategy in ("lpe", "cbp"):
        case = Case("two", "cars", "a", strategy)
        runs.append(Run(case, np.array([True]), 20, 0.1, "finished", small))
    limits = {one.case.setting: bounds() for one in runs}
    rows = on_webs(RunTable.of(runs, limits))
    assert [(one.strategy, one.web) for one in rows] == [
        ("lpe", "one"), ("cbp", "one"), ("cbp", "two"), ("lpe", "two"),
    ]  # fmt: skip
    assert [*rows[0].hosts.values()] == pytest.approx([2 / 3, 2 / 3, 1.0, 1.0])
    assert [*rows[2].hosts.values()] == pytest.approx([7 / 12, 7 / 12, 1.0, 1.0])
    assert f"| cbp | two | {rows[2].area:.2f} | 0.58 | 0.58 | 1.00 | 1.00 |" in markdown_tables(
        RunTable.of(runs, limits)
    )
    write_tables(tmp_path, runs, limits, dict.fromkeys(limits, "the truth"))
    *_, last = csv.DictReader((tmp_path / "summary.csv").read_text().splitlines())
    columns = ("hosts_1", "hosts_2", "large_hosts_1", "large_hosts_2")
    assert [last[name] for name in columns] == ["0.500000", "0.500000", "", ""]
