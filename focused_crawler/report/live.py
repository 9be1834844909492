"""The one live display: drawn over itself on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import atexit
import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Generic, TextIO, TypeGuard, TypeVar, cast

from rich.console import Console, RenderableType
from rich.file_proxy import FileProxy
from rich.live import Live
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn

from focused_crawler.report.terminal.output import Terminal, sentence
from focused_crawler.safety.closing import Closing
from focused_crawler.safety.printable import printable

_AFTER = 1.0  # seconds: work that is done before needs no bar
_EVERY = 0.1

_T = TypeVar("_T")


class LiveDisplay(Closing, Generic[_T]):
    """Shows the state of long work, from the first `show` to the end; the terminal is always given back."""

    def __init__(
        self,
        console: Console,
        view: Callable[[_T], RenderableType],
        line: Callable[[_T], str],
        interval: float,
        write: Callable[[str], None] | None = None,
    ) -> None:
        """Interval: seconds between two lines where there is no terminal; 0: none.

        `write`: where lines go; None: to the console.
        """
        self._console, self._view, self._line = console, view, line
        self._interval, self._write = interval, write or self.say
        self._due = time.monotonic() + interval
        self._live: Live | None = None
        self._stack = ExitStack()

    @property
    def is_live(self) -> bool:
        """Tell whether there is a terminal to draw on."""
        return self._console.is_terminal and not self._console.is_dumb_terminal

    def close(self) -> None:
        """Take the view off the terminal; once is enough."""
        self._stack.close()

    def show(self, state: _T) -> None:
        """Draw the state; without a terminal write its line, if one is due."""
        if self.is_live:
            live = self._live or self._open()
            live.update(self._view(state), refresh=True)
        elif self._interval and time.monotonic() >= self._due:
            self._due = time.monotonic() + self._interval
            self._write(self._line(state))

    def say(self, text: str) -> None:
        """Print a line that stays, above the view; foreign text is made printable."""
        self._console.print(sentence(text), soft_wrap=True)

    def _open(self) -> Live:
        # A feed may be written to stdout.
        live = Live(console=self._console, auto_refresh=False, transient=True, redirect_stdout=False)
        self._live = self._stack.enter_context(live)
        for handler in logging.getLogger().handlers:
            if _writes_to_terminal(handler):
                self._stack.enter_context(_diverted(handler, self._console))
        atexit.register(self.close)
        self._stack.callback(atexit.unregister, self.close)
        return live


def _writes_to_terminal(handler: logging.Handler) -> TypeGuard[logging.StreamHandler[TextIO]]:
    return type(handler) is logging.StreamHandler and handler.stream.isatty()


@contextmanager
def _diverted(handler: logging.StreamHandler[TextIO], console: Console) -> Iterator[None]:
    """Let a log handler write above the live display, and only what matters there: warnings and worse."""
    stream, level = handler.stream, handler.level
    handler.setStream(cast("TextIO", FileProxy(console, stream)))
    handler.setLevel(max(level, logging.WARNING))
    try:
        yield
    finally:
        handler.setStream(stream)
        handler.setLevel(level)


class Bars(LiveDisplay[Progress]):
    """A bar for each part of some work, with the time left; without a terminal nothing is shown."""

    def __init__(self, after: float = 0.0) -> None:
        """`after`: seconds before the first bar is drawn."""
        super().__init__(Terminal(stderr=True), Progress.get_renderable, lambda _: "", interval=0.0)
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}", markup=False),
        )
        self._bars = Progress(*columns, console=self._console, auto_refresh=False)
        self._next = time.monotonic() + after

    def add(self, title: str, total: int) -> TaskID:
        """Add a bar; return its number."""
        return self._bars.add_task(printable(title), total=total, note="")

    def advance(self, bar: TaskID, steps: int = 1, note: str = "") -> None:
        """Move a bar on by some steps, and set the note beside it."""
        self._bars.update(bar, advance=steps, note=printable(note))
        if (now := time.monotonic()) >= self._next:
            self._next = now + _EVERY
            self.show(self._bars)


def with_bar(items: Iterable[_T], title: str, total: int, done: Callable[[_T], int]) -> Iterator[_T]:
    """Pass items on, with a bar on a terminal once it has taken a second; `done`: position of an item."""
    with Bars(after=_AFTER) as bars:
        bar, before = bars.add(title, total), 0
        for item in items:
            bars.advance(bar, (now := done(item)) - before)
            before = now
            yield item


class Speed:
    """Pages a second over the last `window` seconds, from what was recorded."""

    def __init__(self, window: float = 60.0) -> None:
        self._window = window
        self._samples: deque[tuple[float, int]] = deque()

    def record(self, now: float, pages: int) -> None:
        """Note the time (seconds) and the number of pages so far."""
        self._samples.append((now, pages))
        while len(self._samples) > 2 and self._samples[1][0] < now - self._window:
            self._samples.popleft()

    @property
    def value(self) -> float:
        """Pages a second; 0 before the second record."""
        if len(self._samples) < 2:
            return 0.0
        (first, before), (last, pages) = self._samples[0], self._samples[-1]
        return (pages - before) / (last - first) if last > first else 0.0
