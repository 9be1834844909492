from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest
import redis

from focused_crawler.fleet.servers import RedisState
from focused_crawler.fleet.status import frontier_name
from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.redis.frontier import RedisFrontier
from tests.redis_server import RedisCluster, redis_cluster, redis_server


@pytest.fixture
def cluster_of_one() -> Iterator[RedisCluster]:
    """A cluster whose only node has all slots."""
    with redis_cluster(1) as cluster:
        yield cluster


@pytest.mark.parametrize(("servers", "count"), [("cluster_of_one", 1), ("redis_cluster", 3)])
def test_what_a_cluster_says(servers: str, count: int, request: pytest.FixtureRequest) -> None:
    """However many nodes it has: who works on it, what it holds, that nothing is wrong with it."""
    address, name = request.getfixturevalue(servers).address, frontier_name("asthma", "one")
    with (
        closing(RedisFrontier(address, name, Rules(), worker="w1")) as frontier,
        closing(RedisState(address, "asthma", "one")) as state,
    ):
        frontier.heartbeat({"machine": "node"})
        frontier.add(Candidate(f"http://h{n}.example/", 0.5) for n in range(5))
        assert [worker.machine for worker in state.workers()] == ["node"]
        view = state.frontier()
        assert view is not None
        assert view.pending == 5
        assert view.redis_bytes > count * 500_000
        assert state.remarks() == []
        assert len(frontier.server_runs()) == count
        assert state.forget()


def test_a_server_that_loses_the_frontier_is_told() -> None:
    """In a line that says what to set."""
    with redis_server() as server, closing(RedisState(server.address, "asthma", "one")) as state:
        assert state.remarks() == [f"{server.address} loses the frontier when it dies; set appendonly yes"]


def test_who_looks_writes_nothing() -> None:
    """Not where nobody lives, nor when the frontier is forgotten in the middle of it."""
    with redis_server() as server, closing(RedisState(server.address, "asthma", "one")) as state:
        name = frontier_name("asthma", "one")
        with closing(RedisFrontier(server.address, name, Rules(), worker="w1")) as frontier:
            frontier.add(Candidate(f"http://h{n}.example/", 0.5) for n in range(5))
        with redis.Redis.from_url(server.address) as client:
            before = {key: client.dump(key) for key in client.scan_iter()}
            assert before
            for _ in range(2):
                assert state.workers() == ()
                assert state.frontier() is not None
            assert {key: client.dump(key) for key in client.scan_iter()} == before
            with closing(RedisState(server.address, "asthma", "one")) as other:
                assert other.forget()
            assert (state.workers(), state.frontier()) == ((), None)
            assert client.keys() == []


def test_another_crawl_is_not_forgotten() -> None:
    """Nor one whose job begins like this one's, nor one that this one's name is a pattern of."""
    jobs = ("one*", "one1", "one*:1")
    with redis_server() as server, ExitStack() as stack:
        names = [frontier_name("asthma", job) for job in jobs]
        made = [RedisFrontier(server.address, name, Rules(), worker="w1") for name in names]
        for frontier in made:
            stack.enter_context(closing(frontier))
            frontier.add([Candidate("http://h.example/", 0.5)])
        state = stack.enter_context(closing(RedisState(server.address, "asthma", jobs[0])))
        assert state.forget()
        assert not state.forget()
        assert [len(frontier) for frontier in made[1:]] == [1, 1]
