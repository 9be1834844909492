"""A second Ctrl-C ends this process, whatever hangs in it."""

from __future__ import annotations

import faulthandler
import os
import signal
from pathlib import Path
from threading import Thread, current_thread, main_thread

from focused_crawler.safety.workers import kill_all

LAST_SECONDS = 5.0
"""So long a process has after the second signal to end by itself."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class _Ear:
    """Hears of signals in a thread of its own: the main thread may be waiting in a database for ever."""

    def __init__(self) -> None:
        self._hearing, self.sending = os.pipe()
        os.set_blocking(self.sending, False)
        self.next = -1  # who heard of signals before
        self._signals = 0
        Thread(target=self._hear, name="signals", daemon=True).start()

    def _hear(self) -> None:
        while heard := os.read(self._hearing, 1):
            self._signals += heard[0] in _SIGNALS
            if self._signals == 2 and heard[0] in _SIGNALS:
                end_soon()
            if self.next != -1:
                os.write(self.next, heard)


_ears: list[_Ear] = []


def end_at_second_signal() -> None:
    """Let the second SIGINT or SIGTERM from now on end this process in `LAST_SECONDS`, its workers at once.

    Handlers of signals stay as they are, and try to end it better. Of a command whose process is its own.
    """
    if not _ears and current_thread() is main_thread():
        _ears.append(_Ear())
        listen_again()


def listen_again() -> None:
    """Go on listening, if the process does, where somebody else (a reactor that starts) may have begun to."""
    if not _ears or current_thread() is not main_thread():
        return
    (ear,) = _ears
    before = signal.set_wakeup_fd(ear.sending, warn_on_full_buffer=False)
    if before != ear.sending:
        ear.next = before


def end_soon() -> None:
    """End the workers of this process now, and the process itself in `LAST_SECONDS`, or before."""
    kill_all()
    silence = Path(os.devnull).open("w")  # noqa: SIM115 - for as long as the process lives
    faulthandler.dump_traceback_later(LAST_SECONDS, exit=True, file=silence)  # needs no Python to go on
