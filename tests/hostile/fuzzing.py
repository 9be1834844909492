"""What a fuzzer needs of each target, and what of an input is a find."""

from __future__ import annotations

import atexit
import gc
import hashlib
import resource
import shutil
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import NamedTuple

LONGEST = 2.0
"""Seconds of CPU that an input may take."""
LARGEST = 1 << 30
"""Bytes of memory by which it may make the process grow."""
MOST_BYTES = 64 * 1024
"""Of an input that is made up; a seed may have more."""
ROOT = Path(__file__).parents[2]


def scratch() -> Path:
    """Return a new folder in memory, if the machine has one, which is removed at the end."""
    shared = Path("/dev/shm")
    folder = Path(mkdtemp(prefix="fuzz-", dir=shared if shared.is_dir() else None))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@dataclass(frozen=True)
class Target:
    """Something that reads foreign bytes."""

    name: str
    read: Callable[[bytes], object]
    seeds: Sequence[bytes] | Callable[[], Sequence[bytes]]
    allowed: tuple[type[Exception], ...]  # errors that the docs name for it
    words: Sequence[bytes] = ()  # that inputs are made of
    is_slow: bool = False

    def examples(self) -> Sequence[bytes]:
        return self.seeds() if callable(self.seeds) else self.seeds


class Find(NamedTuple):
    """What an input has brought to light; finds of one name are one."""

    name: str
    story: str


def attempt(target: Target, data: bytes) -> Find | None:
    """Let a target read an input; None if nothing came of it but what the docs name."""
    began, most = time.thread_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        target.read(data)
    except target.allowed:
        pass  # commands put it on one line
    except (Exception, RecursionError, MemoryError) as error:
        return _find(error)
    seconds = time.thread_time() - began
    if seconds > LONGEST:
        return Find(f"slow-{hashlib.sha256(data).hexdigest()[:8]}", f"{seconds:.1f} s for {len(data)} bytes")
    grown = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - most)
    if grown > LARGEST:
        return Find(f"large-{hashlib.sha256(data).hexdigest()[:8]}", f"{grown} bytes for {len(data)} bytes")
    return None


def _find(error: BaseException) -> Find:
    """Return the find of an error, named by its kind and by the last line of ours that it came through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "focused_crawler" in frame.filename] or frames
    last = f"{Path(ours[-1].filename).stem}-{ours[-1].name}"
    name = f"{type(error).__name__}-{last.strip('<>')}"
    return Find(name, "".join(traceback.format_exception(error)))


def mutated(data: bytes, words: Sequence[bytes], others: Sequence[bytes], random: Random) -> bytes:
    """Return an input with a few changes: bytes, pieces moved, doubled or lost, words, parts of others."""
    for _ in range(1 << random.randrange(5)):
        start = random.randrange(len(data) + 1)
        end = min(len(data), start + (1 << random.randrange(8)))
        piece, other = data[start:end], random.choice(others)
        at = random.randrange(len(other) + 1)
        new = random.choice((
            b"",
            piece * random.choice((2, 2, 3, 50)),
            random.choice(words) if words else b"",
            random.randbytes(random.choice((1, 1, 2, 8))),
            bytes(byte ^ (1 << random.randrange(8)) for byte in piece[:1]) + piece[1:],
            random.choice((b"0", b"-1", b"9" * 20, b"1e999", b"nan", b"\0", b"\xff\xff\xff\xff")),
            other[at : at + (1 << random.randrange(8))],
        ))  # fmt: skip
        data = data[:start] + new + data[random.choice((start, end)) :]
    return data[: max(MOST_BYTES, *map(len, others))]


def collect() -> None:
    """Let go of what the last input left behind, so that the next is not charged for it."""
    gc.collect()
