"""Runs a scrapyd for tests, and ends it with all its jobs when they have ended: also when they were killed.

python tests/edge/deploy/scrapyd_guard.py PYTHON FOLDER      ends when its standard input does
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path


def main() -> None:
    python, folder = sys.argv[1], Path(sys.argv[2])
    with (folder / "scrapyd.log").open("w") as log:
        scrapyd = subprocess.Popen(
            [python, "-m", "scrapyd", "--pidfile="],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # a group of its own, which its jobs belong to as well
        )
    sys.stdin.read()
    os.killpg(scrapyd.pid, signal.SIGKILL)
    scrapyd.wait()


if __name__ == "__main__":
    main()
