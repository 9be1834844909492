"""Messages to and from a worker process, on an event loop that never waits for them."""

from __future__ import annotations

import asyncio
import os
import pickle
from collections.abc import Callable
from multiprocessing.connection import Connection
from struct import Struct
from typing import Any

_LENGTH = Struct("!i")
"""Before each message, as `Connection` writes and reads them at the other end."""

_AT_A_TIME = 64 * 1024


class Messages:
    """One end of a pipe: sends without waiting, and calls back with what comes.

    No thread: where one waits for the interpreter, each step in C that lets go of it, as lxml's do, is a
    hand-off. What comes is unpickled: the other end is a process of ours.
    """

    def __init__(
        self, pipe: Connection[Any, Any], received: Callable[[Any], object], ended: Callable[[], object]
    ) -> None:
        """`ended` is called once, if the other end is closed; all within the running loop."""
        self._loop, self._file = asyncio.get_running_loop(), pipe.fileno()
        self._received, self._ended = received, ended
        self._come, self._unsent = bytearray(), bytearray()
        os.set_blocking(self._file, False)
        self._loop.add_reader(self._file, self._read)

    def send(self, message: object) -> None:
        """Send a message; whether it arrives shows by its answer, or by the end."""
        content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        is_waiting = bool(self._unsent)
        self._unsent += _LENGTH.pack(len(content))
        self._unsent += content
        if not is_waiting and not self._write():
            self._loop.add_writer(self._file, self._write_on)

    def close(self) -> None:
        """Call back no more; the pipe stays open."""
        self._loop.remove_reader(self._file)
        self._loop.remove_writer(self._file)

    def _write(self) -> bool:
        """Write what the pipe takes; return whether that is all."""
        try:
            del self._unsent[: os.write(self._file, self._unsent)]
        except BlockingIOError:
            pass
        except OSError:  # the other end is closed, which reading will show
            self._unsent.clear()
        return not self._unsent

    def _write_on(self) -> None:
        if self._write():
            self._loop.remove_writer(self._file)

    def _read(self) -> None:
        try:
            content = os.read(self._file, _AT_A_TIME)
        except BlockingIOError:
            return
        except OSError:
            content = b""
        if not content:
            self.close()
            self._ended()
            return
        self._come += content
        while len(self._come) >= _LENGTH.size:
            end = _LENGTH.size + _LENGTH.unpack_from(self._come)[0]
            if len(self._come) < end:
                break
            message = pickle.loads(self._come[_LENGTH.size : end])  # noqa: S301
            del self._come[:end]
            self._received(message)
