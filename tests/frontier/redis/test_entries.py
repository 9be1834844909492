"""What anybody may have put into Redis is read as it was meant, or as nothing."""

from __future__ import annotations

import json
import math
from struct import pack

import msgpack
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from focused_crawler.frontier.base import Candidate
from focused_crawler.frontier.redis.entries import (
    ENTRY,
    before,
    read_host,
    read_member,
    read_owner,
    read_parent,
    read_url,
)
from focused_crawler.frontier.redis.records import pack_record, sort_key_of
from focused_crawler.store.schema import State

SOUND = pack_record(Candidate("http://a.org/x", 0.625, 3, path=b"way"), b"parent-8")
HOST = [5, 10.0, 12.5, 2.0, 4, 1, 1, 7, 2, 0, -1, b"w", b"", b""]


def test_a_sound_record() -> None:
    """Is what was packed; a URL that waits has its time behind it."""
    found = read_url(SOUND)
    assert found is not None
    assert found[:7] == (State.PENDING, True, "http://a.org/x", 0, 0.625, 3, b"parent-8")
    waiting = read_url(b"W\2" + SOUND[2:] + pack(">d", 1000.5))
    assert waiting is not None
    assert waiting[2:5] == ("http://a.org/x", 2, 0.625)
    assert (waiting.state, waiting.retry_at) == (State.WAITING, 1000.5)
    bare = read_url(pack_record(Candidate("http://a.org/x", 0.5), None))
    assert bare is not None
    assert (bare.parent, bare.url) == (b"", "http://a.org/x")


@pytest.mark.parametrize(
    ("letter", "state", "is_acknowledged"),
    [(b"L", State.LEASED, True), (b"X", State.DROPPED, True), (b"d", State.DONE, False),
     (b"f", State.FAILED, False), (b"D", State.DONE, True), (b"F", State.FAILED, True)],
)  # fmt: skip
def test_states(letter: bytes, state: State, *, is_acknowledged: bool) -> None:
    """Of what is kept only the state is left."""
    found = read_url(letter if letter in b"DF" else letter + SOUND[1:])
    assert found is not None
    assert (found.state, found.is_acknowledged) == (state, is_acknowledged)


@pytest.mark.parametrize(
    "url",
    ["ht\0tp://a.org/", "http://a.org/\0", "http://a.org", "http://A.org/", "ftp://a.org/",
     "http://a.org/\ud800", "http://a.org/\x1b[2J", "http://a.org/" + "x" * 3000, "a.org/x/y/z"],
)  # fmt: skip
def test_a_url_that_no_worker_wrote(url: str) -> None:
    """Makes no sense, whatever state it is in: what comes out can be looked up in a database."""
    body = SOUND[1 : SOUND.index(b"http")] + url.encode("utf-8", "surrogatepass")
    assert [read_url(letter + body) for letter in (b"P", b"d")] == [None, None]


@given(st.binary(max_size=60) | st.binary(min_size=30, max_size=60).map(lambda rest: b"W" + rest))
@example(b"")
@example(b"P" + b"\xff" * 40)
@example(b"P\0" + b"\0" * 20 + b"\0\0://x" + b"\0" * 9)
@example(b"W\0" + bytes(22) + b"http://a.org/" + pack(">d", math.inf))
@example(b"W\0" + bytes(22) + b"http://a.org/" + pack(">d", math.nan))
def test_no_record_raises(record: bytes) -> None:
    """Whatever it is; what comes of it fits into JSON, and times can be shown."""
    found = read_url(record)
    read_parent(record)
    read_owner(record)
    if found is not None:
        assert 0 <= found.priority <= 1
        assert 0 <= (found.retry_at or 0) < 1e12


def test_a_sound_host() -> None:
    """Closed, as it may be asked at no time."""
    found = read_host(msgpack.packb(HOST))
    assert found is not None
    assert tuple(found) == (5, 10.0, 12.5, 2.0, 4, 1, 1, 7, 2)
    assert not found.is_closed
    closed = read_host(msgpack.packb([*HOST[:2], math.inf, *HOST[3:]]))
    assert closed is not None
    assert closed.is_closed


NUMBERS = st.integers(-(2**63), 2**64 - 1) | st.floats() | st.booleans() | st.none() | st.text(max_size=2)


@given(st.binary(max_size=40) | st.lists(NUMBERS, min_size=9, max_size=14).map(msgpack.packb))
@example(msgpack.packb([math.nan] * 14))
@example(msgpack.packb([-math.inf] * 14))
@example(b"\x91" * 3000)
@example(msgpack.packb({(1, 2): 3}))
@example(msgpack.packb([msgpack.Timestamp(0)] * 14))
def test_no_host_raises(packed: bytes) -> None:
    """Whatever it is; what comes of it can be shown."""
    found = read_host(packed)
    if found is not None:
        json.dumps(found._replace(ready_at=0.0), allow_nan=False)
        assert found.ready_at == math.inf or 0 <= found.ready_at < 1e12
        assert min(found) >= 0


@pytest.mark.parametrize(
    ("host", "entries", "is_sound"),
    [(b"a.org", bytes(ENTRY), True), (b"a.org", bytes(32 * ENTRY), True), (b"x" * 253, bytes(ENTRY), True),
     (b"x" * 253 + b":65535", bytes(32 * ENTRY), True),
     (b"a.org", b"", False), (b"a.org", bytes(ENTRY - 1), False), (b"a.org", bytes(33 * ENTRY), False),
     (b"a.org", bytes(10**6 * ENTRY), False), (b"x" * 10**6, bytes(ENTRY), False)],
    ids=["one", "full", "long name", "longest", "none", "cut", "too many", "huge", "huge name"],
)  # fmt: skip
def test_members(host: bytes, entries: bytes, *, is_sound: bool) -> None:
    """Have a host and up to 32 URLs."""
    assert read_member(host + b"\0" + entries) == ((host, entries) if is_sound else None)


@given(st.binary(max_size=60))
def test_no_member_raises(member: bytes) -> None:
    """Whatever it is."""
    found = read_member(member)
    assert found is None or b"\0".join(found) == member


PLACES = st.tuples(
    st.integers(0, 2), st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.binary(min_size=8, max_size=8)
)


@given(st.lists(PLACES, min_size=1, max_size=8, unique=True), PLACES)
def test_what_comes_before(places: list[tuple[int, float, bytes]], mine: tuple[int, float, bytes]) -> None:
    """Fewest tries first, then the highest priority; equals are told apart by others."""
    packed = sorted(bytes([tries]) + sort_key_of(priority) + tie for tries, priority, tie in places)
    earlier, equals = before(b"".join(packed), bytes([mine[0]]) + sort_key_of(mine[1]))
    assert earlier == sum((tries, -priority) < (mine[0], -mine[1]) for tries, priority, _ in places)
    same = sorted(tie for tries, priority, tie in places if (tries, priority) == mine[:2])
    assert equals == b"".join(same)
