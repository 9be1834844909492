"""The records of an archive in file order, and where the last whole one ends."""

from __future__ import annotations

import logging
import re
import zlib
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Any, BinaryIO, NamedTuple

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.recordloader import ArcWarcRecordLoader

from focused_crawler.safety.errors import WebError
from focused_crawler.safety.printable import printable
from focused_crawler.safety.zstd import zstd
from focused_crawler.virtualweb.packing import Frame, Unpack, Unpacking, packing_at
from focused_crawler.virtualweb.warc_file import GZIP, ArchivePart, PartView, WarcFile, view_of

logger = logging.getLogger(__name__)

MAX_HEAD_BYTES = 1024 * 1024
"""Headers of a record, its own and those of its response together."""

_WARC, _ARC = b"WARC/", b"filedesc:"
_BLOCK, _FIRST = 65536, 4096
_LENGTH = re.compile(rb"\ncontent-length:[ \t]*([0-9]{1,18})", re.IGNORECASE)
_INTERIM = ("100", "102", "103")
"""Statuses of heads that come before an answer: Continue, Processing, Early Hints."""

_decoded = partial(str, encoding="utf-8", errors="surrogateescape")
"""Gives a line of a head as text from which its bytes can be had again."""

DAMAGE = (ArchiveLoadFailed, EOFError, ValueError, UnicodeError, AttributeError)
"""AttributeError: warcio's, of headers that are cut off before the record's URL."""

_NOT_APART = "has records that are not packed one by one; none can be read without all before it"
_REPACK = "give each its own gzip member: warcio recompress OLD.warc.gz NEW.warc.gz"


class Scanned(NamedTuple):
    """A whole record: its headers can be read, its content is spent."""

    offset: int
    length: int  # as stored, compressed
    record: Any


class _Loader(ArcWarcRecordLoader):  # type: ignore[misc] # warcio has no types
    """Reads the head of each response; warcio knows http as a scheme in small letters only."""

    def load_http_headers(self, rec_type: str, uri: str | None, stream: Any, length: int | None) -> Any:
        return super().load_http_headers(rec_type, uri and uri.lower(), stream, length)


class Records(ArchiveIterator):  # type: ignore[misc] # warcio has no types
    """Records of an archive, each with the head of its final answer."""

    INC_RECORD = ""  # what warcio prints of a damaged record; ours is an error

    def __init__(
        self,
        view: PartView | BinaryIO,
        reader: Unpacking | None = None,
        *,
        may_be_arc: bool = True,
        with_heads: bool = True,
    ) -> None:
        super().__init__(view, arc2warc=may_be_arc, no_record_parse=not with_heads)
        self.loader = _Loader(verify_http=False, arc2warc=may_be_arc)
        self.loader.http_parser.decode_header = _decoded
        if reader is not None:  # else warcio sees by itself whether they are gzip members
            self.reader = reader

    def __next__(self) -> Any:
        record = super().__next__()
        while record.http_headers and record.http_headers.get_statuscode() in _INTERIM:
            try:
                record.http_headers = self.loader.http_parser.parse(record.raw_stream)
            except EOFError:
                break
        return record


def records_at(file: WarcFile, offset: int, *, with_heads: bool = True) -> Records:
    """Return the records from the one at an offset on, one that `whole_records` has found.

    Without heads their contents are read as they are: responses are not parsed.
    """
    reader = None
    if file.has_frames:
        unpack, offset = packing_at(file, offset)
        reader = Unpacking(file.file, unpack)
    file.seek(offset)
    return Records(file.file, reader, with_heads=with_heads)


class _BoundedRecords(Records):
    """Records of which the headers are read within bounds."""

    def __init__(self, view: PartView | BinaryIO, reader: _BoundedReader, *, may_be_arc: bool) -> None:
        super().__init__(view, reader, may_be_arc=may_be_arc)
        self._bounded = reader

    def __next__(self) -> Any:
        self._bounded.left, self._bounded.is_cut = MAX_HEAD_BYTES, False
        record = super().__next__()
        self._bounded.left = MAX_HEAD_BYTES  # of the empty lines behind it
        return record

    @property
    def is_cut(self) -> bool:
        """Tell whether the last response had more headers than were read."""
        return self._bounded.is_cut


class _BoundedReader(Unpacking):
    """Reads lines up to a number of bytes in all: warcio takes time that grows with a line's square."""

    left = MAX_HEAD_BYTES
    is_cut = False

    def readline(self, length: int | None = None) -> bytes:
        """Return a line, nothing at the bound: the rest of a response's headers is left out."""
        most = self.left if length is None else min(length, self.left)
        line = bytes(super().readline(most)) if most else b""
        self.left -= len(line)
        if self.left > 0:
            return line
        if length is None:  # only a record's own headers, and what is between records, are read so
            raise ArchiveLoadFailed(f"its headers are longer than {MAX_HEAD_BYTES:,} bytes")
        self.is_cut = True
        return line


def whole_records(file: WarcFile) -> Iterator[Scanned]:
    """Return every whole record, from the start, but those with more headers than `MAX_HEAD_BYTES`.

    A record cut off at the end of its archive (the writer was killed) ends that. Any other damage is a
    WebError: the records behind it would be lost without a word.
    """
    return chain.from_iterable(_whole(file, part) for part in file.parts if part.end > part.start)


def _whole(file: WarcFile, part: ArchivePart) -> Iterator[Scanned]:
    """Yield the whole records of one archive."""
    records, unpack = _open(file, part)
    passed_over = 0
    while True:
        start = records.offset
        try:
            record = next(records, None)
            if record is None:
                break
            scanned = Scanned(records.get_record_offset(), records.get_record_length(), record)
            _check_whole(file, records, start)
        except DAMAGE as error:
            at_end, rest = file.tell() >= part.end, ArchivePart(start, part.end)
            if at_end and _is_torn(file, rest, unpack):
                break
            if _runs_on(file, start, unpack):
                raise WebError(f"{file.name} {_NOT_APART}; {_REPACK}") from None
            has_url = not isinstance(error, AttributeError)
            raise _unsound(file, start, str(error) if has_url else "it has no WARC-Target-URI") from None
        if records.is_cut:
            passed_over += 1
        else:
            yield scanned
    if passed_over:
        logger.warning(
            "%s: passed over %d of its records, with headers of more than %d bytes",
            printable(file.name),
            passed_over,
            MAX_HEAD_BYTES,
        )


def _open(file: WarcFile, part: ArchivePart) -> tuple[_BoundedRecords, Unpack | None]:
    """Return the records of a WARC or an ARC; a text may look like an ARC, but does not begin like one."""
    start = part.start
    try:
        unpack, start = packing_at(file, start)
        file.seek(start)
        packed = file.read(max(0, min(_FIRST, part.end - start)))
        text = unpack().decompress(packed) if unpack else packed
    except (ArchiveLoadFailed, zlib.error, zstd.ZstdError) as error:
        raise _unsound(file, start, str(error)) from None
    is_arc = text.startswith(_ARC)
    if not is_arc and not _may_begin(text):
        begins = text[:30].decode("latin-1")
        raise WebError(f"{file.name} is no sound WARC: it begins with {begins!r} and not with WARC/")
    view = view_of(file, ArchivePart(start, part.end))
    return _BoundedRecords(view, _BoundedReader(view, unpack), may_be_arc=is_arc), unpack


def _may_begin(text: bytes) -> bool:
    """Tell whether a text is the beginning of a WARC, or would be if it went on."""
    return _WARC.startswith(text[: len(_WARC)])


def _check_whole(file: WarcFile, records: _BoundedRecords, start: int) -> None:
    """Raise unless the content was all there, no more and no less, and the member's check sum with it."""
    record, packed = records.record, records.reader.decompressor if records.reader else None
    is_short = getattr(record.raw_stream, "limit", 0) != 0
    if records.err_count:
        raise _unsound(file, start, "its Content-Length is wrong")
    if packed is not None and (records.next_line or (is_short and _goes_on(packed))):
        cure = f"unpack it: zstd -d {file.name}" if isinstance(packed, Frame) else _REPACK
        raise WebError(f"{file.name} {_NOT_APART}; {cure}")
    if record.length is None:
        raise ArchiveLoadFailed("it has no Content-Length")
    if is_short:
        raise ArchiveLoadFailed("its Content-Length is wrong")
    if packed is not None and not packed.eof:
        raise ArchiveLoadFailed("its content is damaged")


def _goes_on(packed: Any) -> bool:
    """Tell whether the next gzip member is no record of its own."""
    if isinstance(packed, Frame) or not packed.unused_data.startswith(GZIP):
        return False
    try:
        text = zlib.decompressobj(31).decompress(packed.unused_data, len(_WARC))
    except zlib.error:
        return False
    return not _may_begin(text)


def _runs_on(file: WarcFile, start: int, unpack: Unpack | None) -> bool:
    """Tell whether the gzip member at an offset ends within a record."""
    if unpack is None:
        return False
    file.seek(start)
    member = unpack()
    try:
        member.decompress(file.read(_BLOCK))
    except (zlib.error, zstd.ZstdError, ArchiveLoadFailed):
        return False
    return _goes_on(member)


def _unsound(file: WarcFile, start: int, why: str) -> WebError:
    reason = " ".join(why.split())[:120]
    return WebError(f"{file.name} is no sound WARC: record at byte {start} cannot be read ({reason})")


def _is_torn(file: WarcFile, part: ArchivePart, unpack: Unpack | None) -> bool:
    """Tell whether what could not be read is a WARC record that the file ends within."""
    view = view_of(file, part)
    head = view.read(_BLOCK)
    if unpack is None:
        names, end, _ = head.partition(b"\r\n\r\n")
        length = _LENGTH.search(names)
        size = len(names) + len(end) + int(length[1]) if length else 0
        return _may_begin(head) and (not end or size > part.end - part.start)
    member = unpack()
    try:
        text = member.decompress(head)
        is_warc = _may_begin(text)
        while is_warc and not member.eof and (block := view.read(_BLOCK)):
            member.decompress(block)
    except (zlib.error, zstd.ZstdError, ArchiveLoadFailed):
        return False
    return is_warc and not member.eof
