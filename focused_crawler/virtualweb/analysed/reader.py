"""Reads the records of a web in worker processes, in order."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import current_process, get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import NamedTuple

from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import WebError
from focused_crawler.virtualweb.analysed.record import Lexicon, Packed, pack
from focused_crawler.virtualweb.analysed.response import Reading, read_response
from focused_crawler.virtualweb.index import Entry
from focused_crawler.virtualweb.record import read_record
from focused_crawler.virtualweb.scan import open_warc

_CHUNK = 100  # records
_ALONE = 600  # records that are read sooner than a process has started


class ReadAnswer(NamedTuple):
    """What became of one record."""

    url: str  # of the page, what its links are relative to
    packed: Packed | None  # None: it is no page
    location: str | None
    status: int
    reason: str


class ReadChunk(NamedTuple):
    """Some records of a web, and the words that the numbers in their pages stand for."""

    words: list[str]
    answers: list[tuple[Entry, ReadAnswer]]


class _Reader:
    def __init__(self, warc: Path, reading: Reading) -> None:
        self._file = open_warc(warc)
        self._reading = reading
        self._analyzer = Analyzer(reading.language)

    def read(self, entries: Sequence[Entry]) -> ReadChunk:
        lexicon = Lexicon()
        answers = [(entry, self._answer(entry, lexicon)) for entry in entries]
        return ReadChunk(list(lexicon), answers)

    def _answer(self, entry: Entry, lexicon: Lexicon) -> ReadAnswer:
        record = read_record(self._file, entry.offset)
        status, page, location, reason = read_response(record, self._reading, self._analyzer)
        packed = None if page is None else pack(page, lexicon, self._reading.context_words)
        return ReadAnswer(record.url, packed, location, status, reason)

    def close(self) -> None:
        self._file.close()


def read_entries(warc: Path, reading: Reading, entries: Sequence[Entry]) -> Iterator[ReadChunk]:
    """Read records on all processors, on this one alone where there are few; raises WebError."""
    chunks = [entries[at : at + _CHUNK] for at in range(0, len(entries), _CHUNK)]
    processes = min(os.cpu_count() or 1, len(entries) // _ALONE)
    if processes > 1 and not current_process().daemon:  # a daemon may have no processes of its own
        yield from _read_in_processes(warc, reading, chunks, processes)
        return
    reader = _Reader(warc, reading)
    try:
        yield from map(reader.read, chunks)
    finally:
        reader.close()


def _read_in_processes(
    warc: Path, reading: Reading, chunks: Sequence[Sequence[Entry]], processes: int
) -> Iterator[ReadChunk]:
    context = get_context("spawn")  # a fork would share the files and threads of this process
    with ProcessPoolExecutor(processes, context, _begin, (warc, reading)) as pool:
        waiting: deque[Future[ReadChunk]] = deque()
        try:
            for chunk in chunks:
                waiting.append(pool.submit(_read, chunk))
                if len(waiting) > 4 * processes:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool:
            raise WebError(f"a process that read {warc} was ended; is there enough memory?") from None
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


_readers: list[_Reader] = []  # of a worker process: its one


def _begin(warc: Path, reading: Reading) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who asked for the pages ends the process
    Thread(target=_end_with_parent, daemon=True).start()
    _readers.append(_Reader(warc, reading))


def _end_with_parent() -> None:
    """Leave no process behind when the one that asked is killed."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _read(entries: Sequence[Entry]) -> ReadChunk:
    return _readers[0].read(entries)
