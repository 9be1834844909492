"""Reads the records of a web in worker processes, in order."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import lru_cache, partial
from multiprocessing import current_process
from pathlib import Path
from typing import NamedTuple

from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import WebError
from focused_crawler.safety.workers import Pool, WorkerDied
from focused_crawler.virtualweb.analysed.record import Lexicon
from focused_crawler.virtualweb.analysed.response import Found, Reading, read_response
from focused_crawler.virtualweb.index import IndexEntry
from focused_crawler.virtualweb.record import read_record
from focused_crawler.virtualweb.scan import open_warc

_CHUNK = 100  # records
_ALONE = 600  # records that are read sooner than a process has started


class ReadChunk(NamedTuple):
    """Some records of a web, and the words that the numbers in their pages mean."""

    words: list[str]
    answers: list[tuple[IndexEntry, str, Found]]  # the URL is the page's: base of its links


class _Reader:
    def __init__(self, warc: Path, reading: Reading) -> None:
        self._file = open_warc(warc)
        self._reading = reading
        self._analyzer = Analyzer(reading.language)

    def read(self, entries: Sequence[IndexEntry]) -> ReadChunk:
        lexicon, answers = Lexicon(), []
        for entry in entries:
            record = read_record(self._file, entry.offset)
            found = read_response(record, self._reading, self._analyzer, lexicon)
            answers.append((entry, record.url, found))
        return ReadChunk(list(lexicon), answers)

    def close(self) -> None:
        self._file.close()


def read_entries(warc: Path, reading: Reading, entries: Sequence[IndexEntry]) -> Iterator[ReadChunk]:
    """Read records on all processors, on this one alone where there are few; raises WebError."""
    chunks = [entries[at : at + _CHUNK] for at in range(0, len(entries), _CHUNK)]
    processes = min(os.cpu_count() or 1, len(entries) // _ALONE)
    if processes <= 1 or current_process().daemon:  # a daemon may have no processes of its own
        with closing(_Reader(warc, reading)) as reader:
            yield from map(reader.read, chunks)
        return
    try:
        with Pool(processes) as pool:
            yield from pool.in_order([partial(_read, warc, reading, chunk) for chunk in chunks])
    except WorkerDied as error:
        raise WebError(f"{warc}: {error}; free some memory and try again") from None


@lru_cache(maxsize=1)
def _reader(warc: Path, reading: Reading) -> _Reader:
    return _Reader(warc, reading)


def _read(warc: Path, reading: Reading, entries: Sequence[IndexEntry]) -> ReadChunk:
    return _reader(warc, reading).read(entries)
