"""Writing a web: one response record after the other into a WARC file."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from http.client import responses
from io import BytesIO
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from focused_crawler.safety.closing import Closing
from focused_crawler.safety.errors import WebError
from focused_crawler.virtualweb.scan import whole_records

_OF_THE_WIRE = frozenset(("transfer-encoding", "content-length"))


class WebWriter(Closing):
    """Appends response records to a WARC file, each a gzip member of its own that is flushed at once.

    A crash leaves whole records and perhaps a torn last one; opening the file again cuts that off and goes
    on behind it. WebError if the file cannot be written or is no WARC.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
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

    def write(
        self,
        url: str,
        status: int,
        headers: Iterable[tuple[str, str]],
        body: bytes,
        when: datetime | None = None,
    ) -> None:
        """Append one response. `body` is encoded as the headers' Content-Encoding, and not chunked."""
        stored = [(name, _one_line(value)) for name, value in headers if name.lower() not in _OF_THE_WIRE]
        stored.append(("Content-Length", str(len(body))))
        http = StatusAndHeaders(f"{status} {responses.get(status, 'Unknown')}", stored, protocol="HTTP/1.1")
        when = when or datetime.now(UTC)
        about = {
            "WARC-Date": when.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "WARC-Record-ID": f"<urn:uuid:{_record_id(url, when, self._file.tell())}>",
        }
        record = self._warc.create_warc_record(
            _one_line(url), "response", BytesIO(body), len(body), http_headers=http, warc_headers_dict=about
        )
        self._warc.write_record(record)
        self._file.flush()

    def close(self) -> None:
        self._file.close()

    def _end(self) -> int:
        """Return where the last whole record ends."""
        end = 0
        if self._file.seek(0, 2):
            for scanned in whole_records(self._file):
                end = scanned.offset + scanned.length
        return end


def _one_line(value: str) -> str:
    return value.replace("\r", " ").replace("\n", " ")


def _record_id(url: str, when: datetime, offset: int) -> uuid.UUID:
    """Return an id that is the record's own and comes out the same when the same web is written again."""
    return uuid.uuid5(uuid.NAMESPACE_URL, f"{url} {when.isoformat()} {offset}")
