"""A process that has imported the project once, and runs each `scrapy` command in a fork of itself.

So a command costs its own work only, not the 1.7 s that the imports take. Reads one JSON request a line:
{"args": [...], "out": path, "err": path} starts a command and answers with its process id, after a call of
"before", a function named by its path, in the fork; {"wait": id} answers with its exit code, below 0 for a
signal.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from pathlib import Path

from scrapy.cmdline import execute
from scrapy.utils.misc import load_object


def main() -> None:
    assert "twisted.internet.reactor" not in sys.modules  # each command makes its own
    for line in sys.stdin:
        request = json.loads(line)
        if "wait" in request:
            answer = os.waitstatus_to_exitcode(os.waitpid(request["wait"], 0)[1])
        else:
            answer = _start(request)
        print(answer, flush=True)


def _start(request: dict[str, object]) -> int:
    pid = os.fork()
    if pid == 0:
        for number, name in ((1, "out"), (2, "err")):
            with Path(str(request[name])).open("ab") as file:
                os.dup2(file.fileno(), number)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background is born deaf to it
        if request["before"]:
            load_object(request["before"])()
        os._exit(_command(["scrapy", *request["args"]]))
    return pid


def _command(words: list[str]) -> int:
    code: object = 0
    try:
        sys.argv = list(words)
        execute(words)
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code if isinstance(code, int) else int(code is not None)


if __name__ == "__main__":
    main()
