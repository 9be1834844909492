"""Ends the Redis servers of the tests, and removes their folder, when they end: also when they are killed.

python tests/redis_guard.py FOLDER      ends when its standard input does; FOLDER/*.pid name the servers
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from contextlib import suppress
from pathlib import Path


def main() -> None:
    folder = Path(sys.argv[1])
    sys.stdin.read()
    for running in folder.glob("*.pid"):
        with suppress(ValueError, ProcessLookupError):
            os.kill(int(running.read_text()), signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
