"""One recorded answer of a web, read out of a WARC file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, BinaryIO

from warcio.archiveiterator import ArchiveIterator
from warcio.bufferedreaders import ChunkedDataReader
from warcio.exceptions import ArchiveLoadFailed

from focused_crawler.errors import WebError
from focused_crawler.virtualweb.encoding import unpacked

MAX_BODY_BYTES = 64 * 1024 * 1024
"""A longer body is cut here, after decompression: no record can fill the memory."""

SLOW_HEADER = "X-Demo-Latency"
"""Seconds that a record wants to be late by: how the demo web marks slow pages."""

_OF_THE_WIRE = frozenset(("content-encoding", "transfer-encoding", "content-length"))


@dataclass(frozen=True, slots=True)
class Record:
    """A response: the body is plain (no transfer or content encoding), and the headers say so."""

    url: str  # as recorded
    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str:
        """Return the first header of that name, whatever its case; an empty text if there is none."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")

    @property
    def slowness(self) -> float:
        """Seconds that `SLOW_HEADER` asks for, from 0 to 60."""
        try:
            return min(max(float(self.header(SLOW_HEADER) or 0), 0.0), 60.0)
        except ValueError:
            return 0.0


def read_record(file: BinaryIO, offset: int) -> Record:
    """Read the response record that starts at `offset`; WebError when there is none."""
    file.seek(offset)
    try:
        record = next(ArchiveIterator(file))
        body = _body(record)
        status = status_of(record)
    except (StopIteration, ArchiveLoadFailed, OSError, ValueError, AttributeError) as error:
        name = getattr(file, "name", "the web")
        raise WebError(f"{name} has no record at byte {offset}; was it changed? ({error})") from error
    headers = [(k, v) for k, v in record.http_headers.headers if k.lower() not in _OF_THE_WIRE]
    headers.append(("Content-Length", str(len(body))))
    return Record(record.rec_headers.get_header("WARC-Target-URI"), status, headers, body)


def status_of(record: Any) -> int:
    """Return the HTTP status of a warcio record, 0 if it has none."""
    code = record.http_headers.get_statuscode() if record.http_headers else ""
    return int(code) if code.isascii() and code.isdigit() else 0


def _body(record: Any) -> bytes:
    headers = record.http_headers
    stream = record.raw_stream
    if (headers.get_header("Transfer-Encoding") or "").lower() == "chunked":
        stream = ChunkedDataReader(stream)
    return unpacked(stream.read(MAX_BODY_BYTES), headers.get_header("Content-Encoding") or "", MAX_BODY_BYTES)
