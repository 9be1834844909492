"""What people say of pages: a topic's `labels.jsonl`, a JSON object a line, only ever added to.

Copies that several people added to are merged line by line (git: merge=union): the order of lines does not
matter, nor does a line that is there twice. A line that is no label is left out and reported.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from focused_crawler.safety.errors import TopicError
from focused_crawler.safety.plain_file import open_plain
from focused_crawler.safety.printable import place
from focused_crawler.topic.agreement import PairAgreement, agree, vote
from focused_crawler.topic.label import LONGEST_LINE, Label, Undo, is_half, line_of, read_record

FILE = "labels.jsonl"
MOST_BYTES = 100_000_000
MOST_PEOPLE = 20
"""So many are compared with each other: those who labelled most."""

_PATIENCE = 10.0  # seconds to wait for another one who appends


class Verdict(NamedTuple):
    """What people say of a page: each one's newest label."""

    url: str  # as the newest label spells it
    answer: bool | None  # of most who decided; None: unsure, or as many say yes as no
    yes: int
    no: int
    unsure: int

    @property
    def is_disputed(self) -> bool:
        """Tell whether people contradict each other."""
        return self.yes > 0 < self.no


class Disagreements(NamedTuple):
    """Where people contradict each other, and how far they agree."""

    pages: tuple[Verdict, ...]
    pairs: tuple[PairAgreement, ...]  # of people who both decided a page


@dataclass(frozen=True)
class Labels:
    """The labels of a topic that count: those that were not undone, oldest first."""

    labels: tuple[Label, ...] = ()
    faults: tuple[str, ...] = ()  # FILE:LINE and what is wrong, of lines that are no labels

    @cached_property
    def newest(self) -> dict[int, dict[str, Label]]:
        """Identity of a page -> person -> that person's newest label of it."""
        found: dict[int, dict[str, Label]] = {}
        for label in self.labels:
            found.setdefault(label.key, {})[label.by] = label
        return found

    @cached_property
    def by_key(self) -> dict[int, Verdict]:
        """Identity of a page, as `key_of` has it -> what people say of it."""
        return {key: _verdict(list(people.values())) for key, people in self.newest.items()}

    def by_url(self) -> dict[str, Verdict]:
        """Return URL -> what people say of the page, each page once."""
        return {verdict.url: verdict for verdict in self.by_key.values()}

    def moved(self, urls: Mapping[int, str]) -> Labels:
        """Return the labels, those of some pages (by identity) as of the URLs that these redirect to."""
        if not urls:
            return self
        return replace(
            self, labels=tuple(replace(one, url=urls.get(one.key, one.url)) for one in self.labels)
        )

    @cached_property
    def people(self) -> Counter[str]:
        """Person -> pages labelled, those who labelled most first."""
        counts = Counter(by for people in self.newest.values() for by in people)
        return Counter(dict(sorted(counts.items(), key=lambda one: (-one[1], one[0]))))

    @property
    def disagreements(self) -> Disagreements:
        """Return which pages people contradict each other on, and Cohen's kappa of each two of them."""
        disputed = tuple(verdict for verdict in self.by_key.values() if verdict.is_disputed)
        names = list(self.people)[:MOST_PEOPLE]
        judges = {
            name: {key: known[name].answer for key, known in self.newest.items() if name in known}
            for name in names
        }
        pairs = (agree(first, second, judges) for first, second in combinations(names, 2))
        return Disagreements(disputed, tuple(pair for pair in pairs if pair.pages))

    @property
    def fault(self) -> str:
        """Return what to say of lines that are no labels: one line, empty where all are."""
        if not self.faults:
            return ""
        more = f" (and {len(self.faults) - 1:,} more such lines)" if len(self.faults) > 1 else ""
        return f"{self.faults[0]}{more}: left out; fix or delete it"


def _verdict(labels: list[Label]) -> Verdict:
    answers = [label.answer for label in labels]
    newest = max(labels, key=_age)
    counts = (answers.count(answer) for answer in (True, False, None))
    return Verdict(newest.url, vote(answers), *counts)


_age = attrgetter("at", "id", "url", "label", "by", "queue", "crawl", "text")
"""What labels are ordered by: the time, and all else where two have the same."""


def read_labels(folder: Path) -> Labels:
    """Read the labels in a topic's folder; none where there is no file. Raises TopicError."""
    path = folder / FILE
    try:
        with open_plain(path) as file:
            content = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return Labels()
    except OSError as error:
        raise TopicError(f"{place(path)} cannot be read ({error.strerror}); fix or remove it") from None
    if len(content) > MOST_BYTES:
        raise _too_large(path)
    return labels_of(content, path)


def labels_of(content: bytes, path: Path = Path(FILE)) -> Labels:
    """Return what the lines of a file say; `path` is how faults name it."""
    labels: set[Label] = set()
    undone: set[str] = set()
    faults = []
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            records = _records(line)
        except ValueError as error:
            faults.append(f"{place(path, number)} is no label ({error})")
            continue
        undone |= {record.undoes for record in records if isinstance(record, Undo)}
        labels |= {record for record in records if isinstance(record, Label)}
    counting = (label for label in labels if label.id not in undone)
    return Labels(tuple(sorted(counting, key=_age)), tuple(faults))


def _records(line: bytes) -> list[Label | Undo]:
    """Return what a line says: two things where files were joined that lack a last line break; ValueError."""
    try:
        return [read_record(line)]
    except ValueError:
        with suppress(ValueError):
            return [read_record(part) for part in line.replace(b"}{", b"}\n{").split(b"\n")]
        raise


def append(folder: Path, records: Iterable[Label | Undo]) -> None:
    """Add labels to the file in a topic's folder, all of them or none, beside others who do; TopicError.

    They survive a power cut. Half a line that a killed writer left goes first.
    """
    if content := b"".join(map(line_of, records)):
        _append(folder, lambda _file: content)


def add_made(folder: Path, made: Callable[[Labels], Iterable[Label]]) -> bool:
    """Add what `made` makes of the labels that are there, with nobody between; tell whether that is any.

    Raises TopicError.
    """
    return _append(
        folder,
        lambda file: b"".join(map(line_of, made(labels_of(os.pread(file, MOST_BYTES, 0), folder / FILE)))),
    )


def add_answer(
    folder: Path, label: Label, before: str, along: Callable[[Labels], Iterable[Label]] = lambda _: ()
) -> bool:
    """Add a label, with others `along`, unless its person has labelled the page since; tell whether it was.

    `before`: the id of what they had said of the page when it was shown to them; empty: nothing. Raises
    TopicError.
    """

    def made(labels: Labels) -> list[Label]:
        newest = labels.newest.get(label.key, {}).get(label.by)
        return [*along(labels), label] if (newest.id if newest else "") == before else []

    return add_made(folder, made)


def _append(folder: Path, made: Callable[[int], bytes]) -> bool:
    """Add lines, made of what the open file holds; False: they are none."""
    path = folder / FILE
    try:
        file = _locked(path)
        try:
            content = made(file)
            if content:
                _write(file, content, path)
        finally:
            os.close(file)
        time.sleep(0.001)  # labels have milliseconds: what comes next is newer
        return bool(content)
    except OSError as error:
        raise TopicError(
            f"{place(path)} cannot be written ({error.strerror}); free its folder or disk, and try again"
        ) from None


def undo(folder: Path, by: str) -> Label | None:
    """Take back the newest label of a person and return it; None if there is none left. Raises TopicError."""
    own = [label for label in read_labels(folder).labels if label.by == by]
    if not own:
        return None
    append(folder, [Undo(undoes=own[-1].id, by=by)])
    return own[-1]


def _locked(path: Path) -> int:
    """Open a file for appending, for one process at a time; raises OSError, TopicError."""
    end = time.monotonic() + _PATIENCE
    while True:
        file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK, 0o666)
        try:
            opened = os.fstat(file)
            if not stat.S_ISREG(opened.st_mode):
                raise TopicError(f"{place(path)} is no plain file; remove it")
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(opened, path.stat()):  # or git put another in its place
                return file
        except (BlockingIOError, FileNotFoundError):
            if time.monotonic() > end:
                os.close(file)
                raise TopicError(f"{place(path)} is in use; end who holds it, and try again") from None
            time.sleep(0.01)
        except BaseException:
            os.close(file)
            raise
        os.close(file)


def _write(file: int, content: bytes, path: Path) -> None:
    """Add lines whole or not at all; half a line of a killed writer is cut off first."""
    size = os.fstat(file).st_size
    tail = os.pread(file, LONGEST_LINE, max(0, size - LONGEST_LINE))
    last = tail[tail.rfind(b"\n") + 1 :]
    if is_half(last):
        size -= len(last)
        os.ftruncate(file, size)
    elif last:
        content = b"\n" + content
    if size + len(content) > MOST_BYTES:
        raise _too_large(path)
    if os.write(file, content) < len(content):
        os.ftruncate(file, size)
        raise TopicError(f"{place(path)} cannot be written (no room is left); make some, and try again")
    os.fsync(file)


def _too_large(path: Path) -> TopicError:
    return TopicError(f"{place(path)} is larger than {MOST_BYTES:,} bytes; move it away to begin another")
