"""Ends a server of the tests, and removes its folder, when they have ended: also when they were killed.

python tests/postgresql_guard.py FOLDER      ends when its standard input does
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

PATIENCE = 10  # seconds


def main() -> None:
    folder = Path(sys.argv[1])
    sys.stdin.read()
    running = folder / "data" / "postmaster.pid"
    if running.exists():
        with suppress(ProcessLookupError):
            os.kill(int(running.read_text().split()[0]), signal.SIGINT)
    end = time.monotonic() + PATIENCE
    while running.exists() and time.monotonic() < end:
        time.sleep(0.02)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
