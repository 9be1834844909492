"""Bodies without their Content-Encoding, never longer than asked for.

warcio would do this, but its brotli fails with brotli 1.2, it knows no zstd, and its output has no bound.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable

import brotli  # type: ignore[import-untyped]

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_GZIP = b"\x1f\x8b"


def unpacked(body: bytes, encodings: str, limit: int) -> bytes:
    """Return `body` without the encodings of its Content-Encoding header, at most `limit` bytes.

    A body that is not packed as the header says stays as it is; of a torn one comes what can be read.

    >>> unpacked(zlib.compress(b"hello"), "deflate", 4)
    b'hell'
    >>> unpacked(b"hello", "gzip", 99)
    b'hello'
    """
    for name in reversed(encodings.lower().split(",")):
        unpack = _UNPACK.get(name.strip())
        try:
            body = unpack(body, limit) if unpack else body
        except (zlib.error, brotli.error, zstd.ZstdError):
            continue
    return body[:limit]


def _gzip(body: bytes, limit: int) -> bytes:
    """Return the text of all members of a gzip file; what follows them is ignored."""
    member = zlib.decompressobj(31)
    text = member.decompress(body, limit)
    while member.eof and member.unused_data.startswith(_GZIP) and len(text) < limit:
        rest, member = member.unused_data, zlib.decompressobj(31)
        text += member.decompress(rest, limit - len(text))
    return text


def _deflate(body: bytes, limit: int) -> bytes:
    """Return the text of a zlib stream, or of a bare deflate stream as some servers send it."""
    try:
        return zlib.decompressobj().decompress(body, limit)
    except zlib.error:
        return zlib.decompressobj(-15).decompress(body, limit)


def _brotli(body: bytes, limit: int) -> bytes:
    decompressor = brotli.Decompressor()
    text = decompressor.process(body, output_buffer_limit=limit)
    while len(text) < limit and not decompressor.is_finished():
        more = decompressor.process(b"", output_buffer_limit=limit - len(text))
        if not more:
            break
        text += more
    return bytes(text)


def _zstd(body: bytes, limit: int) -> bytes:
    return bytes(zstd.ZstdDecompressor().decompress(body, limit))


_UNPACK: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
