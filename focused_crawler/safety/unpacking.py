"""Bodies without their Content-Encoding, never longer than asked for."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator

import brotli  # type: ignore[import-untyped]

from focused_crawler.safety.zstd import zstd

# warcio would do this, but its brotli fails with brotli 1.2, it knows no zstd, and its output has no bound.
# Scrapy would, but it gives up a body that is too long.

GZIP = b"\x1f\x8b"
"""So begins a gzip file."""

_ZSTD = b"\x28\xb5\x2f\xfd"

MOST_PIECES = 4_000
"""Members of gzip, or frames of zstd: a megabyte of empty ones takes more than a second."""

_PART = 16 * 1024

BROKEN = (zlib.error, brotli.error, zstd.ZstdError)
"""What `undone` raises."""


def unpacked(body: bytes, encodings: str, limit: int) -> bytes:
    """Return `body` without the encodings of its Content-Encoding header, at most `limit` bytes.

    Of a torn body comes what can be read. Raises one of `BROKEN` where it is not packed so.

    >>> unpacked(zlib.compress(b"hello"), "deflate", 4)
    b'hell'
    """
    for name in encodings_of(encodings):
        body = undone(body, name, limit)
    return body[:limit]


def encodings_of(header: str) -> list[str]:
    """Return the encodings to undo, the last one first; names that mean nothing to anybody are left out.

    >>> encodings_of("deflate, X-Gzip, identity,")
    ['x-gzip', 'deflate']
    """
    names = (name.strip().lower() for name in reversed(header.split(",")))
    return [name for name in names if name in _UNPACK]


def undone(body: bytes, encoding: str, limit: int) -> bytes:
    """Return `body` without one encoding, at most `limit` bytes of it; raises one of `BROKEN`."""
    return _UNPACK[encoding](body, limit)


def is_in_pieces(body: bytes) -> bool:
    """Tell whether a packed body has more members or frames than anybody needs."""
    return max(body.count(GZIP + b"\x08"), body.count(_ZSTD)) > MOST_PIECES


def gunzipped(body: bytes, limit: int) -> Iterator[bytes]:
    """Yield the text of a gzip file in small parts, at most `limit` bytes; raises zlib.error if it has none.

    That of all members up to an empty one: a megabyte of those would hold whoever reads it. What follows them
    is ignored, and so is a wrong checksum; of a damaged file comes what can be read.
    """
    member, text, at, size, begun, step = zlib.decompressobj(31), b"", 0, 0, 0, _PART
    while size < limit and (at < len(body) or len(text) == _PART):  # that much may be held back
        part, before = body[at : at + step], member.copy()
        try:
            text = member.decompress(part, min(_PART, limit - size))
        except zlib.error:
            if step == 1 and size:
                return
            if step == 1:
                raise
            member, step = before, step // 2  # nearer to the byte that is wrong
            continue
        at += len(part) - len(member.unconsumed_tail or member.unused_data)
        size += len(text)
        if text:
            yield text
        if member.eof:
            if size == begun or not body.startswith(GZIP, at):
                return
            member, begun = zlib.decompressobj(31), size


def _gzip(body: bytes, limit: int) -> bytes:
    return b"".join(gunzipped(body, limit))


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
    """Return the text of all frames up to an empty one, of `MOST_PIECES`; what follows them is ignored."""
    texts: list[bytes] = []
    at = 0
    for _ in range(MOST_PIECES):
        frame, room = zstd.ZstdDecompressor(), limit
        while limit and not frame.eof and (at < len(body) or not frame.needs_input):
            part = body[at : at + _PART] if frame.needs_input else b""
            texts.append(frame.decompress(part, limit))
            at += len(part) - len(frame.unused_data)
            limit -= len(texts[-1])
        if not limit or limit == room or not body.startswith(_ZSTD, at):
            break
    return b"".join(texts)


_UNPACK: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
