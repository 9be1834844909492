from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.frontier.base import Candidate
from focused_crawler.frontier.prefetch.calls import Call, gathered, next_batch


def add(*names):
    return Call("add", ([Candidate(f"http://{name}/", 0.5) for name in names],))


def call(what, *args):
    return Call(what, args)


def shown(calls):
    return [
        "+" + "".join(link.url[7] for link in each.args[0])
        if each.what == "add"
        else " ".join([each.what, *map(str, each.args[:1])])
        for each in calls
    ]


def test_links_of_several_pages_are_queued_at_once():
    """None later than it was said, and before all that is said of the pages."""
    said = [add("a"), call("done", "x"), call("ack"), add("b", "c"), call("done", "y"), call("ack")]
    assert shown(gathered(said)) == ["+abc", "done x", "done y", "ack"]


def test_links_do_not_pass_what_changes_the_order():
    """What is said of URLs that may be among the links comes in its turn."""
    said = [add("a"), call("release", "b"), add("b"), call("reprioritise", {"b": 0.1}), add("c")]
    assert shown(gathered(said)) == ["+a", "release b", "+b", "reprioritise {'b': 0.1}", "+c"]


def test_very_many_links_are_cut_into_parts():
    """A call that takes long would keep the worker from saying that it lives."""
    parts = gathered([add(*map(str, range(1200)))])
    assert [len(part.args[0]) for part in parts] == [500, 500, 200]


@given(st.lists(st.sampled_from(["add", "done", "ack", "failed", "release", "asked"]), max_size=30))
def test_nothing_is_lost_nor_kept_early(names):
    """All is said but what a later `ack` says as well; no end comes before an `ack` that it followed."""
    said = [
        add("a") if what == "add" else call(what, n) if what != "ack" else call(what)
        for n, what in enumerate(names)
    ]
    sent = gathered(said)
    without = [each for each in sent if each.what not in ("add", "ack")]
    assert without == [each for each in said if each.what not in ("add", "ack")]
    assert sum(len(each.args[0]) for each in sent if each.what == "add") == names.count("add")
    if "ack" in names:
        last = max(n for n, each in enumerate(said) if each.what == "ack")
        at = next(n for n, each in enumerate(sent) if each.what == "ack")
        ends = {each.args[0] for each in said[:last] if each.ended}
        assert {each.args[0] for each in sent[:at] if each.ended} == ends


def test_a_batch_is_cut_where_it_would_take_long():
    """But it always has one call."""
    calls = [add(*map(str, range(400))), call("done", "x"), add(*map(str, range(400))), call("done", "y")]
    assert next_batch(calls) == calls[:2]
    assert next_batch([add(*map(str, range(600))), call("ack"), add("a")])[1:] == []


def test_a_batch_ends_with_the_last_ack():
    """What ended after it waits for the next batch; what ended before it may as well be said at once."""
    calls = [call("done", "x"), call("ack"), call("done", "y"), call("ack"), call("done", "z")]
    assert shown(gathered(next_batch(calls))) == ["done x", "done y", "ack"]
    assert next_batch(calls[4:]) == calls[4:]


@given(st.lists(st.sampled_from(["add", "done", "failed", "ack", "asked"]), max_size=30))
def test_a_batch_that_is_said_twice_keeps_nothing_early(names):
    """Whenever an answer is lost, only what ended before an `ack` is ever acknowledged."""
    left = [add("a") if what == "add" else call(what, n) for n, what in enumerate(names)]
    recorded, ended, kept = set(), set(), set()
    while left:
        batch = next_batch(left)
        said, left = left[: len(batch)], left[len(batch) :]
        last = max((n for n, each in enumerate(said) if each.what == "ack"), default=0)
        recorded |= ended if last else set()
        recorded |= {each.args[0] for each in said[:last] if each.ended}
        for each in 2 * gathered(batch):
            ended |= {each.args[0]} if each.ended else set()
            kept |= ended if each.what == "ack" else set()
        assert kept <= recorded


def test_which_calls_end_a_lease_and_which_need_an_ack():
    """A URL that failed for a while is not over."""
    ends = [
        call("done", "x", None),
        call("failed", "x", None),
        call("failed", "x", 5.0),
        call("release", "x"),
    ]
    assert [each.ended for each in ends] == ["x"] * 4
    assert [each.needs_ack for each in ends] == [True, True, False, False]
    assert call("asked", "x", 0.0).ended is None
