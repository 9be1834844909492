"""Counts anew all that a frontier in Redis holds: its counters, queues and references say what is so."""

from __future__ import annotations

from collections import Counter

import msgpack

from focused_crawler.frontier.redis.frontier import RedisFrontier
from focused_crawler.frontier.redis.records import priorities
from focused_crawler.frontier.redis.steps import KEYS
from focused_crawler.page.url import host_of

STATES = {b"L": "leased", b"X": "dropped", b"d": "done", b"D": "done", b"f": "failed", b"F": "failed"}
FIELDS = (
    "load",
    "asked_at",
    "ready_at",
    "delay",
    "pages",
    "refusals",
    "out",
    "queued",
    "waits",
    "waiting",
    "alarm",
    "owner",
    "ready",
    "mark",
)
HEAD = 24


def audit(frontier: RedisFrontier) -> None:
    for number in range(len(frontier._keys)):
        audit_partition(frontier, number)


def audit_partition(frontier: RedisFrontier, number: int) -> None:
    client, keys = frontier._client, dict(zip(KEYS, frontier._keys[number], strict=True))
    urls, hosts = client.hgetall(keys["urls"]), hosts_of(client.hgetall(keys["hosts"]))
    closed = {name.decode() for name in client.smembers(keys["closed"])}
    assert closed == {name for name, host in hosts.items() if host["ready_at"] == float("inf")}
    counts, entries, parents = Counter(), Counter(), Counter()
    for id, record in urls.items():
        state = record[:1]
        if len(record) > 1:
            parents[record[14:22]] += 1
        name = host_of(text_of(record).decode()) if len(record) > 1 else ""
        if state == b"P":
            counts["dropped" if name in closed else "pending"] += 1
            entries[name, record[1:10] + id] += 1
        else:
            counts[STATES.get(state, "waiting")] += 1
    del parents[bytes(8)]
    assert queued(client, keys["queue"]) == entries
    assert {
        parent: int.from_bytes(row[:4], "big") for parent, row in client.hgetall(keys["parents"]).items()
    } == parents
    counts["hosts"] = len(hosts)
    counts["unkept"] = client.hlen(keys["ended"])
    counts["waiting_hosts"] = sum(host["waiting"] for host in hosts.values())
    told = {
        name.decode(): int(value)
        for name, value in client.hgetall(keys["counts"]).items()
        if name != b"asked"
    }
    assert Counter(told) == counts, "counters"
    audit_hosts(client, keys, hosts, entries)
    audit_leases(client, keys, urls, hosts)


def audit_hosts(client, keys, hosts, entries) -> None:
    ready = {host["ready"] for host in hosts.values() if host["ready"]}
    assert set(client.zrange(keys["ready"], 0, -1)) == ready
    alarms = {name: host["alarm"] for name, host in hosts.items() if host["alarm"] >= 0}
    assert {name.decode(): at for name, at in client.zrange(keys["alarms"], 0, -1, withscores=True)} == alarms
    waits = Counter(member.partition(b"\0")[0].decode() for member in client.zrange(keys["waits"], 0, -1))
    held = Counter(member.partition(b"\0")[0].decode() for member in client.zrange(keys["held"], 0, -1))
    for name, host in hosts.items():
        assert host["queued"] == sum(count for (of, _), count in entries.items() if of == name)
        assert (host["waits"], host["out"]) == (waits[name], held[name])
        assert bool(host["owner"]) == (host["out"] > 0)


def audit_leases(client, keys, urls, hosts) -> None:
    leases = {id: msgpack.unpackb(packed) for id, packed in client.hgetall(keys["leases"]).items()}
    own = {id for id, lease in leases.items() if lease[2]}
    assert own == {id for id, record in urls.items() if record[:1] == b"L"}
    assert dict(client.zrange(keys["ends"], 0, -1, withscores=True)) == {
        id: lease[1] for id, lease in leases.items()
    }
    owned = {member.partition(b"\0")[2] for member in client.zrange(keys["owned"], 0, -1)}
    kinds = {(b"L" if lease[2] else b"G") + id for id, lease in leases.items()}
    assert owned == kinds | {b"E" + id for id in client.hkeys(keys["ended"])}
    assert len([lease for lease in leases.values() if lease[3]]) == client.zcard(keys["held"])


def hosts_of(packed):
    rows = {name.decode(): msgpack.unpackb(row, raw=True) for name, row in packed.items()}
    return {name: dict(zip(FIELDS, row, strict=True)) for name, row in rows.items()}


def text_of(record: bytes) -> bytes:
    length = int.from_bytes(record[22:24], "big")
    url = record[HEAD + (0 if length == 65535 else length) :]
    return url[:-8] if record[:1] == b"W" else url


def queued(client, key) -> Counter[tuple[str, bytes]]:
    """Return how often each entry stands in the queue of its host; they are in order."""
    found, last = Counter(), {}
    for member in client.zrange(key, 0, -1):
        name, _, entries = member.partition(b"\0")
        for at in range(0, len(entries), 17):
            entry = entries[at : at + 17]
            assert last.get(name, b"") < entry
            found[name.decode(), entry] += 1
            last[name] = entry
        assert len(priorities(entries)) * 17 == len(entries)
    return found
