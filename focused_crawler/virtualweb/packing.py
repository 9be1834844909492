"""How the records of an archive are packed: gzip members, zstd frames with a dictionary, or not at all."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import partial
from typing import Any, BinaryIO

from warcio.bufferedreaders import DecompressingBufferedReader
from warcio.exceptions import ArchiveLoadFailed

from focused_crawler.safety.zstd import zstd
from focused_crawler.virtualweb.warc_file import DICTIONARY, FRAME, GZIP, PartView, WarcFile

_LARGEST_DICTIONARY = 16 * 1024 * 1024
_MOST = 64 * 1024 * 1024
_WINDOW: dict[int, int] = {zstd.DecompressionParameter.window_log_max: 27}

Unpack = Callable[[], Any]
"""Makes what unpacks one member or frame, as zlib's decompressors do."""


class Unpacking(DecompressingBufferedReader):  # type: ignore[misc] # warcio has no types
    """Reads the records of a view, unpacked; bytes that are not packed as the first are an error."""

    def __init__(self, view: PartView | BinaryIO, unpack: Unpack | None) -> None:
        self._unpack = unpack
        super().__init__(view)

    def _init_decomp(self, decomp_type: str) -> None:
        self.num_block_read, self.decomp_type = 0, decomp_type
        self.decompressor = self._unpack() if self._unpack else None

    def _decompress(self, data: bytes) -> bytes:
        """Unpack a block; warcio takes what it cannot unpack for text."""
        try:
            return self.decompressor.decompress(data) if self.decompressor else data
        except (zlib.error, zstd.ZstdError) as error:
            raise ArchiveLoadFailed(str(error)) from error


class Frame:
    """Unpacks one zstd frame; a block of it cannot fill the memory."""

    def __init__(self, dictionary: zstd.ZstdDict | None) -> None:
        self._reader = zstd.ZstdDecompressor(dictionary, options=_WINDOW)

    @property
    def eof(self) -> bool:
        return self._reader.eof

    @property
    def unused_data(self) -> bytes:
        return self._reader.unused_data

    def decompress(self, data: bytes) -> bytes:
        text = self._reader.decompress(data, _MOST)
        if not self._reader.eof and not self._reader.needs_input:
            raise ArchiveLoadFailed(f"a few bytes of it unpack to more than {_MOST:,}")
        return text

    def flush(self) -> bytes:
        return b""


def packing_at(file: WarcFile, offset: int) -> tuple[Unpack | None, int]:
    """Return what unpacks the records from an offset on, None for plain ones, and where the first begins."""
    file.seek(offset)
    magic = file.read(4)
    if magic.startswith(GZIP):
        return partial(zlib.decompressobj, 31), offset
    if magic not in (FRAME, DICTIONARY):
        return None, offset
    start = next(part.start for part in file.parts if part.start <= offset < part.end)
    if start not in file.dictionaries:
        file.dictionaries[start] = _read_dictionary(file, start)
    dictionary, first = file.dictionaries[start]
    return partial(Frame, dictionary), max(offset, first)


def _read_dictionary(file: WarcFile, start: int) -> tuple[zstd.ZstdDict | None, int]:
    """Return the dictionary that an archive begins with, None if with none, and where its records begin."""
    file.seek(start)
    if file.read(4) != DICTIONARY:
        return None, start
    size = int.from_bytes(file.read(4), "little")
    if size > min(_LARGEST_DICTIONARY, file.size - start):
        raise ArchiveLoadFailed(f"its dictionary is {size:,} bytes long")
    content = file.read(size)
    try:
        if content.startswith(FRAME):
            content = zstd.ZstdDecompressor(options=_WINDOW).decompress(content, _LARGEST_DICTIONARY)
        return zstd.ZstdDict(content), start + 8 + size
    except (zstd.ZstdError, ValueError) as error:
        raise ArchiveLoadFailed(f"its dictionary cannot be read ({error})") from error
