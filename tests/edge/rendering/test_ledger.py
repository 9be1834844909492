from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.edge.rendering import ledger as module
from focused_crawler.edge.rendering.ledger import FIRST_TRIES, RenderLedger


def told(
    ledger: RenderLedger, *gains: bool, sign: str = "root", host: str = "a", relevant: bool = False
) -> None:
    for gained in gains:
        ledger.record(host, sign, gained=gained, relevant=relevant)


def test_a_host_without_gain_is_left_alone_after_a_few_tries() -> None:
    """Its other signs, and other hosts, are tried for themselves."""
    ledger = RenderLedger()
    for _ in range(FIRST_TRIES):
        assert ledger.is_worth_trying("a", "thin")
        told(ledger, False, sign="thin")
    assert not ledger.is_worth_trying("a", "thin")
    assert ledger.is_worth_trying("a", "root")
    assert ledger.is_worth_trying("b", "thin")


def test_a_host_that_gained_goes_on() -> None:
    """As long as every fifth page gains."""
    ledger = RenderLedger()
    told(ledger, True, False, False, False, False)
    assert ledger.is_worth_trying("a", "root")
    told(ledger, False)
    assert not ledger.is_worth_trying("a", "root")


def test_pages_without_signs_are_tried_where_others_gained() -> None:
    """And nowhere else."""
    ledger = RenderLedger()
    assert not ledger.is_worth_trying("a", "host")
    told(ledger, True)
    assert ledger.is_worth_trying("a", "host")
    told(ledger, *[False] * FIRST_TRIES, sign="host")
    assert not ledger.is_worth_trying("a", "host")
    assert ledger.is_worth_trying("a", "root")


def test_a_host_with_relevant_pages_promises_most() -> None:
    """Then one of which nothing is known, then one that only gains words, then one that never did."""
    ledger = RenderLedger()
    told(ledger, *[True] * 5, host="relevant", relevant=True)
    told(ledger, *[True] * 5, host="words")
    told(ledger, *[False] * 5, host="nothing")
    order = sorted(("words", "nothing", "new", "relevant"), key=lambda host: -ledger.promise(host, "root"))
    assert order == ["relevant", "new", "words", "nothing"]


@given(st.lists(st.tuples(st.booleans(), st.booleans())))
def test_a_promise_is_a_share(outcomes: list[tuple[bool, bool]]) -> None:
    """Above 0, 1 at most, whatever came before."""
    ledger = RenderLedger()
    for gained, relevant in outcomes:
        ledger.record("a", "root", gained=gained, relevant=relevant)
    assert 0 < ledger.promise("a", "root") <= 1


def test_hosts_change() -> None:
    """After many gains, some dozens of pages without one are enough to give up."""
    ledger = RenderLedger()
    told(ledger, *[True] * 1000)
    tries = 0
    while ledger.is_worth_trying("a", "root"):
        told(ledger, False)
        tries += 1
    assert 20 <= tries <= 60


def test_hosts_are_forgotten_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those first that were rendered least recently."""
    monkeypatch.setattr(module, "MOST_HOSTS", 2)
    ledger = RenderLedger()
    for host in ("a", "b", "c"):
        told(ledger, True, host=host)
    assert [ledger.has_gained(host) for host in ("a", "b", "c")] == [False, True, True]
