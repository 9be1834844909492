"""Single keys of a terminal; elsewhere, letters that stand on a line each."""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
import tty

END = ""
"""No key will come any more."""

_CTRL_D = "\x04"


def read_key() -> str:
    """Return the next key, or the next line of an input that is no terminal; `END` after the last one.

    Between keys the terminal is as it was. A key that sends several characters, as arrows do, is one.
    What was typed before is forgotten: a key held down does not answer questions that nobody has seen.
    """
    if not sys.stdin.isatty():
        line = sys.stdin.readline()
        return line.strip() or "an empty line" if line else END
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)

    def begin(*_: object) -> None:
        tty.setcbreak(terminal, termios.TCSAFLUSH)

    continued = signal.signal(signal.SIGCONT, begin)  # after Ctrl-Z a shell has set it for its own lines
    begin()
    try:
        key = os.read(terminal, 1)
        while key[:1] == b"\x1b" and select.select([terminal], [], [], 0.02)[0]:
            key += os.read(terminal, 1)
    finally:
        signal.signal(signal.SIGCONT, continued)
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
    text = key.decode("utf-8", "replace")
    return END if text == _CTRL_D else text
