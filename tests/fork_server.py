"""A process that has imported the project once, and runs each `scrapy` command in a fork of itself.

So a command costs its own work only, not the seconds that imports and tables take which every process makes.
Reads one JSON request a line: {"args": [...], "in": path, "out": path, "err": path} starts a command and
answers with its process id, after a call of "before", a function named by its path, in the fork, where
"environ" is added to the environment; {"wait": id} answers with its exit code, below 0 for a signal.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import signal
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

import scrapy
from scrapy.cmdline import execute
from scrapy.exceptions import ScrapyDeprecationWarning
from scrapy.utils.misc import load_object

import focused_crawler
import settings_profiles
from focused_crawler.crawl.steering.url_kinds import domain_of
from focused_crawler.page.text.idf import TermStatistics
from focused_crawler.report.html import page_template
from focused_crawler.report.page import FILTERS


def main() -> None:
    gc.disable()  # all that is loaded here lives on: looking for garbage in it takes a sixth of the time
    _import_all()
    _warm_up()
    gc.collect()
    gc.freeze()  # a collection in a fork does not copy what all of them share
    gc.enable()
    assert "twisted.internet.reactor" not in sys.modules  # each command makes its own
    for line in sys.stdin:
        request = json.loads(line)
        if "wait" in request:
            answer = os.waitstatus_to_exitcode(os.waitpid(request["wait"], 0)[1])
        else:
            answer = _start(request)
        print(answer, flush=True)


def _import_all() -> None:
    """Import every module of the project and of Scrapy."""
    for package in (focused_crawler, settings_profiles):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    for module in pkgutil.walk_packages(scrapy.__path__, "scrapy."):
        with suppress(ImportError, ScrapyDeprecationWarning):  # without h2; old names
            importlib.import_module(module.name)


def _warm_up() -> None:
    """Make what any process makes once: tables of words and domains, the templates of reports."""
    TermStatistics.for_language("en")
    domain_of("www.example.org")
    for page in (page_template("report/template.html", **FILTERS), page_template("report/training.html")):
        for part in ("base", "legend", "tables"):
            page.environment.get_template(f"report/{part}.html")


def _start(request: dict[str, Any]) -> int:
    pid = os.fork()
    if pid == 0:
        with Path(request["in"]).open("rb") as file:
            os.dup2(file.fileno(), 0)
        sys.stdin = os.fdopen(0)
        for number, name in ((1, "out"), (2, "err")):
            with Path(request[name]).open("ab") as file:
                os.dup2(file.fileno(), number)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background is born deaf to it
        os.environ.update(request["environ"])
        if "PYTHONPATH" in request["environ"]:
            sys.path[:0] = request["environ"]["PYTHONPATH"].split(os.pathsep)
        if request["before"]:
            load_object(request["before"])()
        _hide_main()
        os._exit(_command(["scrapy", *request["args"]]))
    return pid


def _hide_main() -> None:
    """Let processes that a command spawns import what they need, not this file with all that it imports."""
    main = sys.modules["__main__"]
    main.__spec__ = None
    del main.__file__


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
