"""Children that append labels until they are killed: python -m tests.topic.appending FOLDER ROUNDS.

Prints the ids of all labels whose `append` has returned before its process was killed.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from itertools import count
from pathlib import Path

from focused_crawler.topic.label import Label
from focused_crawler.topic.labels import append

MOST_AT_ONCE = 60


def main(folder: Path, rounds: int) -> None:
    chance = random.Random(rounds)
    for number in range(rounds):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            _append_for_ever(folder, number, writing)
        os.close(writing)
        acknowledged = os.read(reading, 1 << 16)
        time.sleep(chance.random() / 100)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        while more := os.read(reading, 1 << 16):
            acknowledged += more
        os.close(reading)
        sys.stdout.write(acknowledged.decode())


def _append_for_ever(folder: Path, number: int, out: int) -> None:
    chance = random.Random(number)
    for page in count():
        labels = [
            Label(url=f"http://a.org/{number}/{page}/{part}", label="yes", by="Zoë", queue="page")
            for part in range(chance.choice((1, 1, MOST_AT_ONCE)))
        ]
        append(folder, labels)
        os.write(out, "".join(f"{label.id}\n" for label in labels).encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
