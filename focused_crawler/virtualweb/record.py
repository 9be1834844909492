"""One recorded answer of a web, read out of a WARC file, and as an answer to a conditional request."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

from warcio.exceptions import ArchiveLoadFailed

from focused_crawler.safety.content import NOT_MODIFIED, PAGE_STATUSES
from focused_crawler.safety.errors import WebError
from focused_crawler.safety.unpacking import BROKEN, encodings_of, unpacked
from focused_crawler.virtualweb.exchange import readable
from focused_crawler.virtualweb.scan import records_at
from focused_crawler.virtualweb.warc_file import WarcFile

MAX_BODY_BYTES = 64 * 1024 * 1024
"""A longer body is cut here, after decompression: no record can fill the memory."""

SLOW_HEADER = "X-Demo-Latency"
"""Seconds that a record wants to be late by: how the demo web marks slow pages."""

RESOURCE = "resource"
"""Type of a record that holds a file without the response that brought it."""

_OF_THE_WIRE = frozenset(("content-encoding", "transfer-encoding", "content-length"))


@dataclass(frozen=True, slots=True)
class WebRecord:
    """A response: the body is plain (no transfer or content encoding), as in its headers.

    One that is not packed as its header declares has that header still, and fails as it did when recorded.
    """

    url: str  # as recorded
    status: int
    headers: list[tuple[str, str]]  # decoded so that `exchange.raw` gives their bytes
    body: bytes

    def header(self, name: str) -> str:
        """Return the last header of that name, which a crawl goes by; an empty text if there is none."""
        return last_of(self.headers, name)

    @property
    def slowness(self) -> float:
        """Seconds that `SLOW_HEADER` asks for, from 0 to 60."""
        try:
            return min(max(0.0, float(self.header(SLOW_HEADER) or 0)), 60.0)  # of nan 0
        except ValueError:
            return 0.0


def last_of(headers: Iterable[tuple[str, str]], name: str) -> str:
    """Return the last header of a name, which a crawl goes by; an empty text if there is none."""
    value = next(reversed(all_of(headers, name)), "")
    return value if value.isascii() else readable(value)


def all_of(headers: Iterable[tuple[str, str]], name: str) -> list[str]:
    """Return the values of all headers of a name, whatever its case."""
    return [value for key, value in headers if key.lower() == name.lower()]


def read_record(file: WarcFile, offset: int, payload: int | None = None) -> WebRecord:
    """Read the record that starts at `offset`, a page that was found unchanged with the body of `payload`.

    WebError when there is none.
    """
    if payload is not None and payload != offset:
        return _unchanged(read_record(file, payload), read_record(file, offset))
    try:
        record = next(records_at(file, offset))  # the index holds none with endless headers
        body, encodings = _body(record)
        status = status_of(record)
    except (StopIteration, ArchiveLoadFailed, OSError, ValueError, AttributeError) as error:
        raise WebError(f"{file.name} has no record at byte {offset}; was it changed? ({error})") from error
    if record.http_headers:
        headers = record.http_headers.headers
    else:
        headers = [("Content-Type", record.content_type)] if record.content_type else []
    url = record.rec_headers.get_header("WARC-Target-URI")
    return WebRecord(url, status, _with_body(headers, body, encodings), body)


def _unchanged(first: WebRecord, again: WebRecord) -> WebRecord:
    """Return the answer of a revisit record, with the body of the one it refers to."""
    is_bare = again.status in (0, NOT_MODIFIED)  # it has no head of its own, or only that of a 304
    status, headers = (first.status, first.headers) if is_bare else (again.status, again.headers)
    headers = _with_body(headers, first.body, first.header("Content-Encoding"))
    return WebRecord(again.url, status, headers, first.body)


def _with_body(headers: list[tuple[str, str]], body: bytes, encodings: str) -> list[tuple[str, str]]:
    kept = [(name, value) for name, value in headers if name.lower() not in _OF_THE_WIRE]
    packed = [("Content-Encoding", encodings)] if encodings else []
    return [*kept, *packed, ("Content-Length", str(len(body)))]


def status_of(record: Any) -> int:
    """Return the HTTP status of a warcio record, 0 if it has none."""
    if record.rec_type == RESOURCE:
        return 200
    code = record.http_headers.get_statuscode() if record.http_headers else ""
    return int(code) if code.isascii() and code.isdigit() and len(code) == 3 else 0


def _body(record: Any) -> tuple[bytes, str]:
    """Return a body, and its encodings if they cannot be undone.

    A text counts as undone: some who record store it so, under the headers that it was packed for. Not where
    its length or its chunks are those of the wire: there it was sent so, and no browser shows it.
    """
    headers, stream = record.http_headers, record.raw_stream
    if not headers:
        return bytes(stream.read(MAX_BODY_BYTES)), ""
    body = stored = stream.read(MAX_BODY_BYTES)
    transfer = ",".join(all_of(headers.headers, "Transfer-Encoding"))
    if "chunked" in transfer.lower():
        body = _unchunked(body)
    encodings = ",".join([*all_of(headers.headers, "Content-Encoding"), transfer])
    try:
        return unpacked(body, encodings, MAX_BODY_BYTES), ""
    except BROKEN:
        is_as_sent = body is not stored or last_of(headers.headers, "Content-Length") == str(len(body))
        is_undone = _OF_NO_TEXT.isdisjoint(body[:_HEAD]) and not is_as_sent
        return body, "" if is_undone else ",".join(encodings_of(encodings)[::-1])


_HEAD = 512
_OF_NO_TEXT = frozenset(range(32)) - frozenset(b"\0\t\n\f\r\x1b")
"""Bytes; what is packed has one early."""

_CHUNK = re.compile(rb"(?:\r\n)?([0-9a-fA-F]{1,8})[ \t]*(?:;[^\n]*)?\r\n")
_TORN = b"\r\n0123456789abcdefABCDEF"


def _unchunked(body: bytes) -> bytes:
    r"""Return the content of chunks, without trailers; a body that is in none stays as it is.

    Of a torn one comes what is there.

    >>> _unchunked(b"3;x=1\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n"), _unchunked(b"<p>abc")
    (b'abc', b'<p>abc')
    """
    parts, at = [], 0
    while chunk := _CHUNK.match(body, at):
        start, at = chunk.end(), chunk.end() + int(chunk[1], 16)
        parts.append(body[start:at])
        if at == start:
            return b"".join(parts)
    return b"".join(parts) if parts and not body[at:].strip(_TORN) else body


_OF_304 = frozenset(("cache-control", "content-location", "date", "etag", "expires", "last-modified", "vary"))
_ETAG = re.compile(r'(?:W/)?("[^"]*")')


def answer(record: WebRecord, if_none_match: str, if_modified_since: str) -> WebRecord:
    """Return a record as it is, or, if the client has it by its conditions, the 304 instead.

    The conditions are header values, empty where there is none; the first makes the second void. Only a page
    is spared: an error or a redirect is sent in any case.
    """
    if record.status not in PAGE_STATUSES or not _is_known(record, if_none_match, if_modified_since):
        return record
    headers = [(name, value) for name, value in record.headers if name.lower() in _OF_304]
    return WebRecord(record.url, NOT_MODIFIED, headers, b"")


def _is_known(record: WebRecord, if_none_match: str, if_modified_since: str) -> bool:
    if if_none_match:
        own = _ETAG.fullmatch(record.header("ETag").strip())
        return if_none_match.strip() == "*" or (own is not None and own[1] in _ETAG.findall(if_none_match))
    modified, since = _date(record.header("Last-Modified")), _date(if_modified_since)
    return modified is not None and since is not None and modified <= since


def _date(header: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(header)
    except (ValueError, TypeError, OverflowError):
        return None
    return date if date.tzinfo is not None else None
