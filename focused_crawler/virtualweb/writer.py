"""Writing a web: one record after the other into a WARC file."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from gzip import GzipFile
from io import BytesIO
from pathlib import Path
from shutil import copyfileobj
from typing import Any

from warcio.warcwriter import WARCWriter

from focused_crawler import __version__
from focused_crawler.safety.closing import Closing
from focused_crawler.safety.errors import WebError
from focused_crawler.virtualweb.exchange import Exchange, RawHead, head_of
from focused_crawler.virtualweb.scan import whole_records
from focused_crawler.virtualweb.warc_file import GZIP, WarcFile

_OF_THE_WIRE = frozenset(("transfer-encoding", "content-length"))
_SOFTWARE = {
    "software": f"focused-crawler/{__version__}",
    "format": "WARC File Format 1.0",
    "conformsTo": "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.0/",
}


class WebWriter(Closing):
    """Appends records to a WARC file, each a gzip member of its own that is flushed at once.

    A crash leaves whole records and perhaps a torn last one; opening the file again cuts that off and goes
    on behind it. WebError if the file cannot be written or is no WARC.
    """

    def __init__(self, path: str | Path, name: str = "") -> None:
        """`name`: what the file will be called, where it is written under another name."""
        self.path = Path(path)
        self._name = name or self.path.name
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a+b")
        except OSError as error:
            raise WebError(
                f"{path} cannot be written ({error.strerror}); give a file in a writable folder"
            ) from error
        try:
            self._file.truncate(self._end())
        except WebError:
            self._file.close()
            raise
        self._file.seek(0, 2)
        self._warc = WARCWriter(self._file, gzip=True)
        self._info = ""  # id of the last warcinfo record

    def write(
        self,
        url: str,
        status: int,
        headers: Iterable[tuple[str, str]],
        body: bytes,
        when: datetime | None = None,
    ) -> None:
        """Append one response. `body` is encoded as the headers' Content-Encoding, and not chunked."""
        stored = [(name, value) for name, value in headers if name.lower() not in _OF_THE_WIRE]
        stored.append(("Content-Length", str(len(body))))
        self.record(Exchange(url, head_of(status, stored), body), when)

    def record(self, exchange: Exchange, when: datetime | None = None) -> None:
        """Append a response as it was received, and its request, if that is known."""
        when = when or datetime.now(UTC)
        about = {"WARC-IP-Address": exchange.address, "WARC-Truncated": exchange.truncated}
        response = self._append("response", exchange.url, (exchange.head, exchange.payload), when, about)
        if exchange.request:
            about = {"WARC-Concurrent-To": response}
            self._append("request", exchange.url, (exchange.request, b""), when, about)

    def describe(self, fields: Mapping[str, str], when: datetime | None = None) -> None:
        """Append a warcinfo record: what the records behind it are, and what wrote them."""
        known = {**_SOFTWARE, **fields}
        lines = [f"{name}: {_one_line(value)}\r\n" for name, value in known.items() if value]
        about = {"WARC-Filename": _one_line(self._name)}
        block = (b"", "".join(lines).encode("utf-8", "replace"))
        self._info = self._append("warcinfo", "", block, when or datetime.now(UTC), about)

    def text(self, url: str, text: str, when: datetime) -> None:
        """Append the text of a page whose response is not at hand: a conversion record."""
        about = {"Content-Type": "text/plain; charset=utf-8"}
        self._append("conversion", url, (b"", text.encode("utf-8", "replace")), when, about)

    def copy(self, record: Any) -> None:
        """Append a record of another WARC as it is, with its own id and date; its block is not parsed."""
        if record.content_type:  # of a record of an ARC it stands in no header
            record.rec_headers.replace_header("Content-Type", record.content_type)
        record.rec_headers.replace_header("Content-Length", str(record.length))
        with GzipFile("", "wb", fileobj=self._file, mtime=0) as member:
            member.write(record.rec_headers.to_bytes(encoding="utf-8"))
            copyfileobj(record.raw_stream, member)
            member.write(b"\r\n\r\n")

    def close(self) -> None:
        self._file.close()

    def _append(
        self, kind: str, url: str, block: tuple[bytes, bytes], when: datetime, about: Mapping[str, str]
    ) -> str:
        """Append a record, its block a head and a body, and return its id."""
        head, body = block
        id = f"<urn:uuid:{_record_id(url, when, self._file.tell())}>"
        fields = {
            "WARC-Date": when.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "WARC-Record-ID": id,
            "WARC-Warcinfo-ID": self._info,
            **about,
        }
        record = self._warc.create_warc_record(
            _one_line(url),
            kind,
            BytesIO(body),
            len(body),
            http_headers=RawHead(head),
            warc_headers_dict={name: value for name, value in fields.items() if value},
        )
        self._warc.write_record(record)
        self._file.flush()
        return id

    def _end(self) -> int:
        """Return where the last whole record ends."""
        end = 0
        if self._file.seek(0, 2):
            for scanned in whole_records(WarcFile(self._file)):
                end = scanned.offset + scanned.length
        self._file.seek(0)
        if end and self._file.read(2) != GZIP:
            raise WebError(f"{self.path} is no gzip WARC, which could be gone on with; give another file")
        return end


def _one_line(value: str) -> str:
    return value.replace("\r", " ").replace("\n", " ")


def _record_id(url: str, when: datetime, offset: int) -> uuid.UUID:
    """Return an id that is the record's own and comes out the same when the same web is written again."""
    return uuid.uuid5(uuid.NAMESPACE_URL, f"{url} {when.isoformat()} {offset}")
