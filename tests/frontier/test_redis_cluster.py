"""The frontier on a cluster whose nodes go and come, and whose slots move."""

from __future__ import annotations

import pytest
import redis
from redis.crc import key_slot

from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.redis.client import open_client
from focused_crawler.frontier.redis.frontier import RedisFrontier
from focused_crawler.safety.errors import CrawlError, FrontierUnreachable
from tests.redis_audit import audit
from tests.redis_server import until


@pytest.fixture
def frontier(redis_cluster):
    frontier = RedisFrontier(redis_cluster.address, redis_cluster.new_name(), Rules(), worker="one")
    frontier.add(Candidate(f"http://h{n}.org/{n}", n / 300) for n in range(300))
    yield frontier
    frontier.forget()
    frontier.close()


def answers(frontier, urls):
    """Whether all nodes do; `urls`: what it has out."""
    try:
        return frontier.resync(urls) >= 0
    except FrontierUnreachable:
        return False


def test_partitions_lie_on_all_nodes(redis_cluster, frontier):
    """Some on each, and all of a partition on one."""
    for node in redis_cluster.nodes:
        with redis.Redis.from_url(node.address) as client:
            assert 0 < len({key.split(b":")[3] for key in client.keys(f"{frontier._name}:*")}) < 16
    assert all(len({key_slot(key) for key in keys}) == 1 for keys in frontier._keys)


def test_a_node_that_was_killed_comes_back(redis_cluster, frontier):
    """Until then there is no answer that could be wrong; then all is there."""
    best = [lease.url for lease in frontier.take(20, 0.0)]
    assert best == [f"http://h{n}.org/{n}" for n in range(299, 279, -1)]
    node = redis_cluster.nodes[1]
    node.kill()
    with pytest.raises(FrontierUnreachable):
        frontier.take(1, 0.0)
    node.start()
    until(lambda: answers(frontier, best))
    assert frontier.stats()[:2] == (280, 20)
    assert [lease.url for lease in frontier.take(1, 0.0)] == ["http://h279.org/279"]
    audit(frontier)


def test_a_node_that_was_started_anew_is_told(redis_cluster, frontier):
    """By its run, which is another; those of the others are the same."""
    before = frontier.server_runs()
    assert len(before) == 3
    assert frontier.server_runs() == before
    redis_cluster.nodes[1].restart()
    until(lambda: answers(frontier, []))
    after = frontier.server_runs()
    assert (len(after), len(after & before)) == (3, 2)


def test_a_partition_moves_to_another_node(redis_cluster, frontier):
    """While it moves, steps on it wait; then they find it where it is."""
    slot = key_slot(frontier._keys[0][0])
    clients = [redis.Redis.from_url(node.address) for node in redis_cluster.nodes]
    owner = next(at for at, client in enumerate(clients) if client.cluster("COUNTKEYSINSLOT", slot))
    source, target = clients[owner], clients[(owner + 1) % 3]
    name, there = (client.cluster("MYID") for client in (source, target))
    name, there = (id.decode() if isinstance(id, bytes) else id for id in (name, there))
    target.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", name)
    source.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", there)
    port = redis_cluster.nodes[(owner + 1) % 3].port
    keys = source.execute_command("CLUSTER GETKEYSINSLOT", slot, 1000)
    move(source, port, keys[:2])
    links = [Candidate(f"http://h{n}.org/new", 0.5) for n in range(50)]
    with pytest.raises(FrontierUnreachable):
        frontier.add(links)
    move(source, port, keys[2:])
    for client in clients:
        client.execute_command("CLUSTER SETSLOT", slot, "NODE", there)
    frontier.add(links)
    assert len(frontier) == 350
    assert len(frontier.take(400, 0.0)) == 350
    audit(frontier)
    for client in clients:
        client.close()


def move(client, port, keys):
    client.execute_command("MIGRATE", "127.0.0.1", port, "", 0, 5000, "KEYS", *keys)


def test_a_cluster_has_one_database(redis_cluster):
    """One line says so."""
    with pytest.raises(CrawlError, match="end its address in /0"):
        open_client(redis_cluster.address.replace("/0", "/3"))
