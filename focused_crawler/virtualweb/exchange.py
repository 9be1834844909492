"""A response and the request that it answers, as the bytes that a WARC file holds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from http.client import responses

from warcio.statusandheaders import StatusAndHeaders

_NO_TEXT = re.compile("[\udc80-\udcff]")
_END = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Exchange:
    """What goes over the wire for one URL."""

    url: str
    head: bytes  # status line and headers, up to the empty line behind them
    body: bytes  # with its content encoding, without its transfer encoding
    request: bytes = b""  # as `head`; empty: it is not known
    truncated: str = ""  # why the body is not whole: length, time, disconnect, unspecified; empty: it is
    address: str = ""  # IP address that answered

    @property
    def payload(self) -> bytes:
        """Return the body as `head` promises it: in one chunk where it was sent in chunks.

        Of a body that is cut off the last chunk is missing, as on the wire.
        """
        if not _is_chunked(self.head):
            return self.body
        chunk = b"%x\r\n%b\r\n" % (len(self.body), self.body) if self.body else b""
        return chunk if self.truncated else chunk + b"0\r\n\r\n"


class RawHead(StatusAndHeaders):  # type: ignore[misc] # warcio has no types
    """A head that is written as it is; warcio parses heads, and writes them anew as ASCII."""

    def __init__(self, head: bytes) -> None:
        super().__init__("", [])
        self.headers_buff = head

    def compute_headers_buffer(self, header_filter: object = None) -> None:
        """Leave it as it is."""

    def __bool__(self) -> bool:
        return bool(self.headers_buff)


def head_of(
    status: int, headers: Iterable[tuple[str | bytes, str | bytes]], protocol: str = "HTTP/1.1"
) -> bytes:
    r"""Return a head for a response whose own is not known; no value can end a line.

    >>> head_of(204, [("X-Odd", "a\nb")])
    b'HTTP/1.1 204 No Content\r\nX-Odd: a b\r\n\r\n'
    """
    lines = [f"{protocol} {status} {responses.get(status, '')}".encode()]
    lines += [_one_line(name) + b": " + _one_line(value) for name, value in headers]
    return b"\r\n".join(lines) + _END


def readable(part: str) -> str:
    r"""Return a part of a head as text, bytes that are no UTF-8 escaped, as Scrapy does in URLs.

    >>> readable(b"/caf\xe9".decode("utf-8", "surrogateescape"))
    '/caf%E9'
    """
    return _NO_TEXT.sub(lambda found: f"%{ord(found[0]) & 0xFF:02X}", part)


def raw(part: str) -> bytes:
    """Return a part of a head that was read, as the bytes it was."""
    try:
        return part.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # it was made, not read
        return part.encode("utf-8", "replace")


def _one_line(part: str | bytes) -> bytes:
    text = raw(part) if isinstance(part, str) else part
    return text.replace(b"\r", b" ").replace(b"\n", b" ")


def _is_chunked(head: bytes) -> bool:
    lines = (line.partition(b":") for line in head.lower().splitlines())
    return any(name.strip() == b"transfer-encoding" and b"chunked" in value for name, _, value in lines)
