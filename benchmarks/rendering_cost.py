"""What a command costs with all the processes that it starts.

`python benchmarks/rendering_cost.py WORD...` runs a command, waits for all that came of it, browsers and what
they leave behind included, and prints {"code": exit code, "cpu": seconds}.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import subprocess
import sys
from collections.abc import Sequence

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER: what a descendant leaves behind comes to us


def cost(words: Sequence[object], **environment: str) -> float:
    """Return the CPU seconds of a command that has to succeed."""
    command = [sys.executable, __file__, *map(str, words)]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env={**os.environ, **environment}
    )
    answer = json.loads(done.stdout)
    if answer["code"]:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr[-2000:]}")
    return float(answer["cpu"])


def main(words: Sequence[str]) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0)
    code = subprocess.run(words, check=False, stdout=subprocess.DEVNULL).returncode
    while True:
        try:
            os.wait()
        except ChildProcessError:
            break
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(json.dumps({"code": code, "cpu": used.ru_utime + used.ru_stime}))


if __name__ == "__main__":
    main(sys.argv[1:])
