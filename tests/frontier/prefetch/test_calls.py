from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.frontier.base import Candidate
from focused_crawler.frontier.memory.frontier import MemoryFrontier
from focused_crawler.frontier.prefetch import calls as prefetch_memory
from focused_crawler.frontier.prefetch.calls import REPEATED_SECONDS, Call, RecentCalls, SentLinks
from focused_crawler.frontier.prefetch.state import PAGES_A_SLOT, SECONDS_A_SLOT, SlowStart

LINKS = st.builds(
    Candidate,
    st.integers(0, 9).map("http://h/{}".format),
    st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    st.integers(0, 3),
    st.just("http://page/"),
    st.none(),
)


@given(st.lists(st.lists(LINKS, max_size=8), max_size=8))
def test_what_is_left_out_makes_no_difference(pages):
    """A frontier that is offered the fresh links only is the same as one that is offered all."""
    offered, all_of_them, fresh = SentLinks(), MemoryFrontier(), MemoryFrontier()
    for links in pages:
        all_of_them.add(links)
        fresh.add(offered.fresh(links))
    assert fresh.take(99, 0.0) == all_of_them.take(99, 0.0)


def test_a_link_that_was_offered_is_not_offered_again():
    """Unless it has become better, or nearer, or all is forgotten."""
    offered, link = SentLinks(), Candidate("http://a/", 0.5, 3)
    better, nearer = link._replace(priority=0.6), link._replace(depth=2)
    assert offered.fresh([link, link, better, link, nearer, better]) == [link, better, nearer]
    offered.forget()
    assert offered.fresh([link]) == [link]


def test_it_remembers_only_so_many(monkeypatch):
    """The oldest are forgotten: they may be offered once more, which changes nothing."""
    monkeypatch.setattr(prefetch_memory, "_MOST_LINKS", 2)
    offered = SentLinks()
    links = [Candidate(f"http://{name}/", 0.5) for name in "abc"]
    offered.fresh(links)
    assert offered.fresh(links) == links[:1]


def test_only_what_was_said_lately_and_may_be_said_twice_is_repeated():
    """`ack` would be about what ended since, too; what is to be tried again would count twice."""
    recent = RecentCalls()
    old, done, failed = Call("done", ("a", None)), Call("done", ("b", None)), Call("failed", ("c", None))
    again = Call("again", ([Candidate("b", 0.5)],))  # without it what was done and is to come back would not
    recent.add(old, 0.0)
    for call in (done, Call("ack", ()), Call("failed", ("d", 5.0)), Call("release", ("e",)), again, failed):
        recent.add(call, REPEATED_SECONDS + 1)
    assert recent.since(0.0) == [done, again, failed]
    assert recent.since(REPEATED_SECONDS + 2) == []


def test_a_worker_has_more_out_the_more_has_ended():
    """Or the longer it waits for its first pages."""
    start = SlowStart()
    assert start.most_out(100.0) == 1
    for _ in range(2 * PAGES_A_SLOT):
        start.ended()
    assert start.most_out(100.0) == 3
    assert start.most_out(100.0 + 4 * SECONDS_A_SLOT) == 7


@given(st.integers(1, 20), st.integers(0, 500), st.floats(0.0, 100.0))
def test_workers_begin_together_as_one_does(workers, ended, seconds):
    """All have out what one would have, up to a part of a slot of each."""
    starts = [SlowStart() for _ in range(workers + 1)]
    alone, *together = starts
    for start in starts:
        start.most_out(100.0)
    for start in together:
        start.workers = workers
    for n in range(ended):
        alone.ended()
        together[n % workers].ended()
    most = sum(start.most_out(100.0 + seconds) for start in together)
    assert max(workers, alone.most_out(100.0 + seconds) - workers) <= most
    assert most <= max(workers, alone.most_out(100.0 + seconds) + workers)
