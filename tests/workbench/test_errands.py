"""Errands are done beside the server, one after the other, whatever becomes of one of them."""

from __future__ import annotations

import os
import signal
from collections.abc import Hashable
from functools import partial

import pytest

from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.address import shown
from focused_crawler.store.job import run_of
from focused_crawler.store.opening import full_address
from focused_crawler.workbench.errands import ErrandOutcome, Errands
from tests.project import until


def outcome(errands: Errands, key: Hashable, task: object) -> ErrandOutcome:
    """Ask until there is an outcome."""
    found: list[ErrandOutcome] = []
    until(lambda: found.extend(filter(None, [errands.outcome(key, task)])) or found)
    return found[0]


@pytest.fixture(scope="module")
def errands() -> Errands:
    return Errands("postgresql://ana:secret@localhost/crawls")


def test_an_outcome_is_given_once(errands: Errands) -> None:
    """Then the errand begins anew; others have other keys."""
    assert outcome(errands, "sum", partial(sum, [1, 2])) == (3, None)
    assert errands.outcome("sum", partial(sum, [2, 2])) is None
    assert outcome(errands, "length", partial(len, "abc")) == (3, None)
    assert outcome(errands, "sum", partial(sum, [9])) == (4, None)


def test_what_nobody_fetched_is_done_anew(errands: Errands, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who comes hours later wants what is so then."""
    assert errands.wait_for("late", partial(sum, [1, 2]), 0.0) is None
    until(lambda: "late" in errands._ended)
    monkeypatch.setattr("focused_crawler.workbench.errands.FRESH_SECONDS", 0.0)
    assert errands.outcome("late", partial(sum, [9])) is None
    monkeypatch.undo()
    assert outcome(errands, "late", partial(sum, [9])) == (9, None)


def test_what_is_wrong_is_said(errands: Errands, tmp_path) -> None:
    """An error of ours as it is; any other in a line."""
    error = outcome(errands, "none", partial(run_of, tmp_path)).error
    assert isinstance(error, CrawlError)
    assert "is no crawl's folder" in str(error)
    other = outcome(errands, "fault", partial(int, "x")).error
    assert "that could not be done (ValueError: invalid literal for int() with base 10: 'x')" in str(other)


def test_what_cannot_be_begun_is_said_as_well(errands: Errands) -> None:
    """A task that no other process can be sent: nobody waits for it for ever, and the next one is done."""
    error = outcome(errands, "unsent", lambda: 1).error
    assert "that could not be done" in str(error)
    assert outcome(errands, "sum", partial(sum, [1, 2])) == (3, None)


def test_a_process_that_was_killed_is_replaced(errands: Errands) -> None:
    """By another that knows the database's password as well."""
    first = outcome(errands, "id", os.getpid).value
    assert first != os.getpid()
    assert "was killed by SIGKILL" in str(
        outcome(errands, "kill", partial(os.kill, first, signal.SIGKILL)).error
    )
    assert outcome(errands, "id", os.getpid).value not in {first, os.getpid()}
    assert errands._worker is not None
    errands._worker.kill()  # while nobody asks for anything
    idle = outcome(errands, "idle", os.getpid).error
    assert "was killed by SIGKILL" in str(idle)
    address = partial(full_address, shown("postgresql://ana:secret@localhost/crawls"))
    assert outcome(errands, "address", address).value == "postgresql://ana:secret@localhost/crawls"
