"""Foreign text on one line of a log or a terminal, and in a cell of a spreadsheet; how errors name a file.

And how they ask for the name that was meant; where a command prints, and its last word when it is stopped.
Nothing else prints: a line goes through `say`, what rich draws through `report.terminal.output`.
"""

from __future__ import annotations

import errno
import os
import re
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import SequenceMatcher
from itertools import takewhile
from pathlib import Path
from types import TracebackType
from typing import TextIO

from focused_crawler.safety.program import as_typed

MAX_PRINTED = 500

# C0 and C1 controls, line and paragraph separators, and the marks that turn the direction of text.
UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_UNSAFE_BUT_LAYOUT = re.compile(UNSAFE.pattern.replace("\x00-\x1f", "\x00-\x08\x0b-\x1f"))


def printable(text: str) -> str:
    r"""Return `text` on one line, unsafe characters escaped, cut after 500 characters.

    >>> printable("http://a/\x1b[31m\r\nx")
    'http://a/\\x1b[31m\\r\\nx'
    """
    escaped = one_line(text[: MAX_PRINTED + 1])
    return escaped if len(escaped) <= MAX_PRINTED else escaped[:MAX_PRINTED] + "..."


def one_line(text: str) -> str:
    r"""Return the whole of `text` on one line, unsafe characters escaped.

    >>> one_line("a\tb\n\u202ec")
    'a\\tb\\n\\u202ec'
    """
    return UNSAFE.sub(_escape, text)


def say(*lines: object, to: TextIO | None = None, end: str = "\n") -> None:
    r"""Print lines, on standard output or `to`; each stays one line, and no terminal obeys what it holds.

    What the file's encoding lacks becomes a question mark.

    >>> say("Asthma\x1b[2J\nerror: all is lost", "Next: ...")
    Asthma\x1b[2J\nerror: all is lost
    Next: ...
    """
    file = sys.stdout if to is None else to
    encoding = getattr(file, "encoding", None) or "utf-8"
    for line in lines:
        file.write(one_line(as_typed(str(line))).encode(encoding, "replace").decode(encoding) + end)
    file.flush()


def without_controls(text: str) -> str:
    r"""Return `text` with unsafe characters escaped; tabs and line ends of our own messages stay.

    >>> without_controls("a\tb\n\x1b[2J")
    'a\tb\n\\x1b[2J'
    """
    return _UNSAFE_BUT_LAYOUT.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")


def place(path: Path, line: int | None = None) -> str:
    """Return how errors name a file: as a path from the working folder when it lies below, with the line.

    Control characters are escaped.
    """
    path = path.absolute()
    name = str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
    return f"{printable(name)}:{line}" if line else printable(name)


def did_you_mean(name: str, known: Iterable[str], most: int = 1, sign: str = "") -> str:
    """Return the question after the known names that are nearest to a misspelt one; empty if none is near.

    >>> did_you_mean("strategi", ["strategy", "topic"], sign="=")
    'did you mean strategy=?'
    """
    names = list(known)
    alike = {one: likeness(name, one, len(_shared(names))) for one in names}
    near = sorted(filter(alike.__getitem__, names), key=lambda one: -alike[one])[:most]
    return f"did you mean {' or '.join(one + sign for one in near)}?" if near else ""


LIKELY, ALIKE = 0.6, 0.75
"""Share of letters in common from which a name may be meant: with the same first letter, and without."""


def likeness(typed: str, known: str, skipped: int = 0) -> float:
    """Return how near two names are in [0, 1], 0 where nobody can have meant the other.

    `skipped`: what all known names begin with says nothing. The beginning of a name stands for it.

    >>> likeness("trian", "train"), likeness("version", "sessions"), likeness("exp", "export") > 0.6
    (0.8, 0.0, True)
    """
    if typed[:skipped] == known[:skipped]:
        typed, known = typed[skipped:], known[skipped:]
    if len(typed) > 1 and known.startswith(typed):
        return 0.9 + len(typed) / len(known) / 10
    ratio = SequenceMatcher(None, typed, known).ratio()
    return ratio if ratio >= (LIKELY if typed[:1] == known[:1] else ALIKE) else 0.0


def _shared(names: Sequence[str]) -> str:
    """Return the words that all names begin with: "--" of options, "FOCUSED_" of settings."""
    same = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    letters = "".join(of_all[0] for of_all in same) if len(names) > 1 else ""
    return letters[: max(letters.rfind("-"), letters.rfind("_")) + 1]


FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""What a spreadsheet takes a cell that begins with for: a formula, which may run a program."""


def harmless(cell: str) -> str:
    """Return text with an apostrophe before what a spreadsheet would run.

    One that has apostrophes there already has one more, so that `as_written` is its inverse.

    >>> harmless("=1+1"), harmless("1+1")
    ("'=1+1", '1+1')
    """
    return f"'{cell}" if cell.lstrip("'").startswith(FORMULA) else cell


def as_written(cell: str) -> str:
    """Return the text that `harmless` made safe.

    >>> as_written("'=1+1"), as_written("'t is"), as_written(harmless("'="))
    ('=1+1', "'t is", "'=")
    """
    return cell[1:] if cell[:1] == "'" and cell.lstrip("'").startswith(FORMULA) else cell


INTERRUPTED = 128 + signal.SIGINT
"""The exit code that a shell gives a program which a user stopped."""


_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""A disk, or what its system lets a user or a process have of it."""


def begin_command() -> None:
    """Let the process end without a traceback where a user stops it, or has read enough of what it prints.

    Or where no room is left for that, or its folder is gone. With its output or error closed, what it prints
    goes nowhere. A user that the system does not know has the home that containers give one.
    """
    sys.excepthook = _ended_by
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = "/"
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - for as long as it lives
            setattr(sys, name, nowhere)


def _ended_by(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        say("stopped", to=sys.stderr)
        os._exit(INTERRUPTED)
    if issubclass(kind, BrokenPipeError):
        os._exit(1)
    if isinstance(error, OSError) and error.errno in _FULL:
        say("error: no room is left where it writes or prints; make some, and type it again", to=sys.stderr)
        os._exit(2)
    if issubclass(kind, FileNotFoundError) and not _is_somewhere():
        say("error: the folder that this runs in is not there any more; cd to one that is", to=sys.stderr)
        os._exit(2)
    sys.__excepthook__(kind, error, where)


def _is_somewhere() -> bool:
    try:
        Path.cwd()
    except FileNotFoundError:
        return False
    return True


@contextmanager
def leaving_when_stopped() -> Iterator[None]:
    """End the process with one line where a user stops it."""
    try:
        yield
    except KeyboardInterrupt:
        say("stopped", to=sys.stderr)
        sys.exit(INTERRUPTED)
