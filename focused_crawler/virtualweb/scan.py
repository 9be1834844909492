"""The records of a WARC file in file order, and where the last whole one ends."""

from __future__ import annotations

import logging
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from warcio.archiveiterator import ArchiveIterator
from warcio.bufferedreaders import DecompressingBufferedReader
from warcio.exceptions import ArchiveLoadFailed

from focused_crawler.safety.errors import WebError
from focused_crawler.safety.plain_file import open_plain

logger = logging.getLogger(__name__)

MAX_HEAD_BYTES = 1024 * 1024
"""Headers of a record, its own and those of its response together."""

_GZIP = b"\x1f\x8b"
_WARC = b"WARC/"
_BLOCK = 65536
_IN_ONE_MEMBER = "ERROR: non-chunked gzip"  # in warcio's words


class Scanned(NamedTuple):
    """A whole record: its headers can be read, its content is spent."""

    offset: int
    length: int  # as stored, compressed
    record: Any


def open_warc(path: Path) -> BinaryIO:
    """Open a WARC for reading; WebError if there is none."""
    try:
        return open_plain(path)
    except IsADirectoryError:
        raise WebError(f"{path} is a folder; give the .warc.gz file in it") from None
    except OSError as error:
        raise WebError(f"no web at {path} ({error.strerror}); give the path of a .warc or .warc.gz") from None


class Records(ArchiveIterator):  # type: ignore[misc] # warcio has no types
    """Records of a WARC; the headers of each are read within bounds."""

    INC_RECORD = ""  # what warcio prints of a damaged record; ours is an error

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file)
        self.reader = self._bounded = _BoundedReader(file)

    def __next__(self) -> Any:
        self._bounded.left, self._bounded.is_cut = MAX_HEAD_BYTES, False
        record = super().__next__()
        self._bounded.left = MAX_HEAD_BYTES  # of the empty lines behind it
        return record

    @property
    def is_cut(self) -> bool:
        """Tell whether the last response had more headers than were read."""
        return self._bounded.is_cut


class _BoundedReader(DecompressingBufferedReader):  # type: ignore[misc]
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


def whole_records(file: BinaryIO) -> Iterator[Scanned]:
    """Yield every whole record, from the start, but those with more headers than `MAX_HEAD_BYTES`.

    A record cut off at the end of the file (the writer was killed) ends the walk. Any other damage is a
    WebError: the records behind it would be lost without a word.
    """
    file.seek(0)
    records = Records(file)
    passed_over = 0
    while True:
        start = records.offset
        try:
            record = next(records, None)
            if record is None:
                break
            scanned = Scanned(records.get_record_offset(), records.get_record_length(), record)
            whole = _is_whole(records, record)
        except (ArchiveLoadFailed, EOFError, ValueError, UnicodeError, AttributeError) as error:
            # AttributeError: warcio's, of headers that are cut off before the record's URL
            _fail_unless_torn(file, start, str(error))
            break
        if not whole:
            _fail_unless_torn(file, start, "its content is damaged")
            break
        if records.is_cut:
            passed_over += 1
        else:
            yield scanned
    if passed_over:
        logger.warning(
            "%s: passed over %d of its records, with headers of more than %d bytes",
            file.name,
            passed_over,
            MAX_HEAD_BYTES,
        )


def _is_whole(records: ArchiveIterator, record: Any) -> bool:
    """Whether the content was all there, and the gzip member's check sum with it."""
    packed = records.reader.decompressor if records.reader else None
    if record.format != "warc":
        raise ArchiveLoadFailed("it is not in WARC format")
    return getattr(record.raw_stream, "limit", 0) == 0 and (packed is None or packed.eof)


def _fail_unless_torn(file: BinaryIO, start: int, why: str) -> None:
    """Raise, unless what could not be read is a WARC record that the file ends within."""
    if why.lstrip().startswith(_IN_ONE_MEMBER):
        raise WebError(
            f"{file.name} has several records in one gzip member; give each its own, as in: "
            "warcio recompress OLD.warc.gz NEW.warc.gz"
        )
    file.seek(start)
    if not _is_torn(file):
        reason = " ".join(why.split())[:120]
        raise WebError(f"{file.name} is no sound WARC: record at byte {start} cannot be read ({reason})")


def _is_torn(file: BinaryIO) -> bool:
    head = file.read(_BLOCK)
    if not head.startswith(_GZIP):
        return _WARC.startswith(head[: len(_WARC)])
    member = zlib.decompressobj(31)
    try:
        text = member.decompress(head)
        is_warc = _WARC.startswith(text[: len(_WARC)])
        while is_warc and not member.eof and (block := file.read(_BLOCK)):
            member.decompress(block)
    except zlib.error:
        return False
    return is_warc and not member.eof
