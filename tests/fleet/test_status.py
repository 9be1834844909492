from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.fleet.status import (
    FleetStatus,
    FleetTotals,
    WorkerReport,
    WorkerRow,
    save_status,
    worker_name,
)
from focused_crawler.safety.errors import ConfigError

ANY_VALUE = st.one_of(
    st.none(), st.text(), st.integers(), st.floats(), st.lists(st.integers()), st.booleans()
)


def row(info: dict[str, Any], *, beat: float = 1.0, now: float = 1000.0) -> WorkerRow:
    return WorkerRow.read("w", beat, info, now=now, dead_after=6.0)


def test_what_a_worker_tells_is_what_is_shown() -> None:
    """Its report, as they are sent."""
    report = WorkerReport()
    report.pages, report.in_flight, report.failures = 50, 4, 2
    told = report.values()
    read = row(told, now=float(told["started"]) + 100)
    assert (read.pages, read.in_flight, read.failures, read.pid) == (50, 4, 2, told["pid"])
    assert read.age == pytest.approx(100)
    assert read.speed == pytest.approx(0.5)


def test_who_has_not_beaten_for_long_is_dead() -> None:
    """From the moment on when others get its URLs."""
    assert [row({}, beat=seconds).is_dead for seconds in (0.0, 6.0, 6.1)] == [False, False, True]


@given(st.dictionaries(st.sampled_from(["machine", "pid", "started", "pages", "in_flight", "x"]), ANY_VALUE))
def test_nothing_that_is_told_can_break_the_status(info: dict[str, Any]) -> None:
    """Whoever may write to the server may write nonsense: it is 0, and fits into JSON."""
    read = row(info)
    assert json.loads(json.dumps(asdict(read), allow_nan=False))["name"] == "w"
    assert math.isfinite(read.speed)
    assert read.age >= 0


def test_saved_as_json(tmp_path: Path) -> None:
    """Or one line says why not."""
    status = FleetStatus(1.0, "asthma", "1", "lpe", "postgresql://db", workers=(row({}),))
    save_status(status, str(tmp_path / "status.json"))
    assert json.loads((tmp_path / "status.json").read_text())["workers"][0]["name"] == "w"
    assert [path.name for path in tmp_path.iterdir()] == ["status.json"]
    for name in ("gone/status.json", "a\0b", ""):
        with pytest.raises(ConfigError, match="cannot be written"):
            save_status(status, f"{tmp_path}/{name}" if name else "")


def test_names_of_workers() -> None:
    """Two of one process differ as well."""
    names = {worker_name() for _ in range(20)}
    assert len(names) == 20
    assert all(len(name) < 100 and name.isascii() for name in names)


@pytest.mark.parametrize(
    ("totals", "reason"),
    [
        (FleetTotals(pages=10, fetches=10, page_budget=10), "pages_budget"),
        (FleetTotals(pages=8, revisits=1, fetches=10, page_budget=10), "pages_budget"),
        (FleetTotals(pages=9, fetches=9, page_budget=10), None),
        (FleetTotals(pages=8, relevant=3, relevant_budget=3), "relevant_budget"),
        (FleetTotals(pages=8, relevant=3, page_budget=10, relevant_budget=4), None),
        (FleetTotals(pages=8), None),
    ],
)
def test_spent(totals: FleetTotals, reason: str | None) -> None:
    """A budget of 0 is none."""
    assert totals.spent() == reason
