"""An archive opened for reading: a WARC or ARC file, or the ones in a WACZ, read where they lie."""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, NamedTuple

from focused_crawler.safety.closing import Closing
from focused_crawler.safety.errors import WebError
from focused_crawler.safety.plain_file import open_plain
from focused_crawler.safety.zstd import zstd

GZIP = b"\x1f\x8b"
FRAME = b"\x28\xb5\x2f\xfd"
DICTIONARY = b"\x5d\x2a\x4d\x18"  # a zstd frame that decompressors skip
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # with entries, and without
_ARCHIVES = (".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz")
_END_OF_ZIP, _END_OF_ZIP64 = b"PK\x05\x06", b"PK\x06\x06"
_TAIL = 65536 + 22 + 20 + 56
_LONGEST_DIRECTORY = 16 * 1024 * 1024


class ArchivePart(NamedTuple):
    """An archive within the file: all of it, or one that a WACZ holds."""

    start: int
    end: int


class WarcFile(Closing):
    """Bytes of an archive; offsets are those of the file. Nothing is unpacked, and names are no paths.

    WebError for a WACZ without WARCs that can be read in place.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.name = str(file.name)
        self.size = os.fstat(file.fileno()).st_size
        file.seek(0)
        is_zip = file.read(4) in _ZIP
        self.parts = _members(file, self.name, self.size) if is_zip else [ArchivePart(0, self.size)]
        self.seek, self.read, self.tell = file.seek, file.read, file.tell
        self.has_frames = any(self._begins(part).startswith((FRAME, DICTIONARY)) for part in self.parts)
        self.dictionaries: dict[int, tuple[zstd.ZstdDict | None, int]] = {}
        """Of zstd frames, by the start of their part; and where the first record begins."""

    def close(self) -> None:
        self.file.close()

    def _begins(self, part: ArchivePart) -> bytes:
        self.file.seek(part.start)
        return self.file.read(4)


class PartView:
    """One part, as a file: it ends where the part does."""

    def __init__(self, file: WarcFile, end: int) -> None:
        self._file, self._end = file, end

    def tell(self) -> int:
        """Return the offset in the whole file."""
        return self._file.tell()

    def read(self, size: int) -> bytes:
        return self._file.read(max(0, min(size, self._end - self._file.tell())))


def view_of(file: WarcFile, part: ArchivePart) -> PartView | BinaryIO:
    """Return a part as a file, at its start."""
    file.seek(part.start)
    return file.file if part.end == file.size else PartView(file, part.end)


def open_warc(path: Path) -> WarcFile:
    """Open an archive for reading; WebError if there is none."""
    try:
        file = open_plain(path)
    except IsADirectoryError:
        raise WebError(f"{path} is a folder; give the .warc.gz file in it") from None
    except OSError as error:
        raise WebError(f"no web at {path} ({error.strerror}); give the path of a .warc or .warc.gz") from None
    try:
        return WarcFile(file)
    except BaseException:
        file.close()
        raise


def _members(file: BinaryIO, name: str, size: int) -> list[ArchivePart]:
    """Return where the archives of a WACZ lie, in the order of the zip file."""
    _check_directory(file, name)
    try:
        with zipfile.ZipFile(file) as zipped:
            found = [one for one in zipped.infolist() if one.filename.lower().endswith(_ARCHIVES)]
    except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error, zlib.error, OSError) as error:
        raise WebError(f"{name} is a zip file that cannot be read ({error}); is it whole?") from None
    if not found:
        raise WebError(f"{name} is a zip file without a WARC in it; a WACZ has them in its archive folder")
    if any(one.compress_type != zipfile.ZIP_STORED or one.flag_bits & 1 for one in found):
        raise WebError(f"{name} packs its WARCs once more, which no WACZ may; unzip it and give a WARC of it")
    parts = sorted(_part(file, name, one) for one in found)
    if any(left.end > right.start for left, right in pairwise(parts)):
        raise WebError(f"{name} is no sound WACZ: its files lie over each other")
    if parts[-1].end > size:
        raise WebError(f"{name} is no sound WACZ: it ends within one of its WARCs")
    return parts


def _check_directory(file: BinaryIO, name: str) -> None:
    """Refuse a zip file whose list of entries would fill the memory."""
    tail_start = max(0, os.fstat(file.fileno()).st_size - _TAIL)
    file.seek(tail_start)
    tail = file.read()
    end, end64 = tail.rfind(_END_OF_ZIP), tail.rfind(_END_OF_ZIP64)
    length = int.from_bytes(tail[end + 12 : end + 16], "little") if end >= 0 else 0
    if length == 0xFFFFFFFF and end64 >= 0:
        length = int.from_bytes(tail[end64 + 40 : end64 + 48], "little")
    if length > _LONGEST_DIRECTORY:
        raise WebError(f"{name} is no sound WACZ: the list of its files is {length:,} bytes long")


def _part(file: BinaryIO, name: str, entry: zipfile.ZipInfo) -> ArchivePart:
    """Return where an entry's bytes lie: behind its own header, which may be longer than the list says."""
    file.seek(max(0, entry.header_offset))
    header = file.read(30)
    if entry.header_offset < 0 or len(header) < 30 or not header.startswith(_ZIP[0]):
        raise WebError(f"{name} is no sound WACZ: a file of it is not where its list says")
    lengths = struct.unpack("<HH", header[26:30])
    start = entry.header_offset + 30 + sum(lengths)
    return ArchivePart(start, start + entry.file_size)
