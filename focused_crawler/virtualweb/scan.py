"""The records of a WARC file in file order, and where the last whole one ends."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

from focused_crawler.safety.errors import WebError

_GZIP = b"\x1f\x8b"
_WARC = b"WARC/"
_BLOCK = 65536


class Scanned(NamedTuple):
    """A whole record: its headers can be read, its content is spent."""

    offset: int
    length: int  # as stored, compressed
    record: Any


def open_warc(path: Path) -> BinaryIO:
    """Open a WARC for reading; WebError if there is none."""
    try:
        return path.open("rb")
    except IsADirectoryError:
        raise WebError(f"{path} is a folder; give the .warc.gz file in it") from None
    except OSError as error:
        raise WebError(f"no web at {path} ({error.strerror}); give the path of a .warc or .warc.gz") from None


def whole_records(file: BinaryIO) -> Iterator[Scanned]:
    """Yield every whole record, from the start.

    A record cut off at the end of the file (the writer was killed) ends the walk. Any other damage is a
    WebError: the records behind it would be lost without a word.
    """
    file.seek(0)
    records = ArchiveIterator(file)
    while True:
        start = records.offset
        try:
            record = next(records, None)
            if record is None:
                return
            scanned = Scanned(records.get_record_offset(), records.get_record_length(), record)
            whole = _is_whole(records, record)
        except (ArchiveLoadFailed, EOFError, ValueError, UnicodeError, AttributeError) as error:
            # AttributeError: warcio's, of headers that are cut off before the record's URL
            _fail_unless_torn(file, start, str(error))
            return
        if not whole:
            _fail_unless_torn(file, start, "its content is damaged")
            return
        yield scanned


def _is_whole(records: ArchiveIterator, record: Any) -> bool:
    """Whether the content was all there, and the gzip member's check sum with it."""
    packed = records.reader.decompressor if records.reader else None
    if record.format != "warc":
        raise ArchiveLoadFailed("it is not in WARC format")
    return getattr(record.raw_stream, "limit", 0) == 0 and (packed is None or packed.eof)


def _fail_unless_torn(file: BinaryIO, start: int, why: str) -> None:
    """Raise, unless what could not be read is a WARC record that the file ends within."""
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
