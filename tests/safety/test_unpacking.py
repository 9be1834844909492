from __future__ import annotations

import gzip
import random
import time
import zlib
from collections.abc import Callable
from contextlib import suppress

import brotli
import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.safety.unpacking import BROKEN, MOST_PIECES, gunzipped, unpacked


def bare_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


PACKERS: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("gzip", gzip.compress),
    ("X-GZIP", gzip.compress),
    ("deflate", zlib.compress),
    ("deflate", bare_deflate),
    ("br", brotli.compress),
    ("zstd", zstd.compress),
    ("identity", bytes),
    ("", bytes),
]


@pytest.mark.parametrize(("name", "pack"), PACKERS)
@given(body=st.binary(max_size=500), limit=st.integers(1, 600))
def test_what_was_packed_comes_out(
    name: str, pack: Callable[[bytes], bytes], body: bytes, limit: int
) -> None:
    """Each encoding is undone, up to the limit."""
    assert unpacked(pack(body), name, limit) == body[:limit]


@pytest.mark.parametrize("name", [name for name, _ in PACKERS] + ["gzip, br", ",,", "unheard-of"])
@given(body=st.binary(max_size=200))
def test_no_header_can_break_a_body(name: str, body: bytes) -> None:
    """Whatever a server says about its bytes, there is an answer within the limit, or one kind of error."""
    with suppress(*BROKEN):
        assert len(unpacked(body, name, 100)) <= 100


@pytest.mark.parametrize(("name", "pack"), PACKERS[:6])
def test_a_bomb_is_cut(name: str, pack: Callable[[bytes], bytes]) -> None:
    """5 MB of zeros stay a kilobyte."""
    assert unpacked(pack(bytes(5_000_000)), name, 1000) == bytes(1000)


@pytest.mark.parametrize(("name", "pack"), PACKERS[:6])
def test_of_a_torn_body_comes_what_can_be_read(name: str, pack: Callable[[bytes], bytes]) -> None:
    """A cut connection does not cost the whole page."""
    body = bytes(range(256)) * 2000
    packed = pack(body)
    assert body.startswith(unpacked(packed[: len(packed) // 2], name, 10**6))


def test_of_a_torn_gzip_file_nothing_stays_behind() -> None:
    """A part of it can make more text than comes out at a time."""
    packed = gzip.compress(bytes(3_000_000))
    for end in range(2_000, 2_020):
        whole = zlib.decompressobj(31).decompress(packed[:end])
        assert unpacked(packed[:end], "gzip", 10**7) == whole


def test_of_a_damaged_gzip_file_comes_what_can_be_read() -> None:
    """Up to the damage; a wrong checksum damages nothing, as browsers have it."""
    body = bytes(range(256)) * 2000
    packed = gzip.compress(body)
    assert unpacked(packed[:-8] + bytes(8), "gzip", 10**6) == body
    text = unpacked(packed[:2000] + b"\xff" * 50 + packed[2050:], "gzip", 10**6)
    assert text[:1000] == body[:1000]


def test_where_a_gzip_file_is_damaged_is_found_soon() -> None:
    """Not byte by byte: that held the crawl for a tenth of a second."""
    packed = gzip.compress(random.Random(1).randbytes(300_000))
    parts = list(gunzipped(packed[:-8] + bytes(8), 10**6))
    assert sum(map(len, parts)) == 300_000
    assert len(parts) < 50


def test_layers_and_members_are_all_undone() -> None:
    """Double encodings, and files of several members or frames with a tail of something else."""
    assert unpacked(brotli.compress(gzip.compress(b"x")), "gzip, br", 9) == b"x"
    assert unpacked(gzip.compress(b"a") + gzip.compress(b"b") + b"tail", "gzip", 9) == b"ab"
    assert unpacked(zstd.compress(b"a") + zstd.compress(b"b") + b"tail", "zstd", 9) == b"ab"


def test_members_cost_no_more_the_more_there_are() -> None:
    """Each was cut off a copy of all behind it: a robots.txt of empty ones held a crawl for half a second."""
    began = time.process_time()
    assert unpacked(gzip.compress(b"a") * 200_000, "gzip", 10**6) == b"a" * 200_000
    assert unpacked(gzip.compress(b"") * 200_000, "gzip", 10**6) == b""
    assert unpacked(zstd.compress(b"a") * 200_000, "zstd", 10**6) == b"a" * MOST_PIECES
    assert unpacked(zstd.compress(b"") * 200_000, "zstd", 10**6) == b""
    assert time.process_time() - began < 8
