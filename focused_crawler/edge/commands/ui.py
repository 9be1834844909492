"""`scrapy ui`: the workbench, in a browser on this machine."""

from __future__ import annotations

import argparse
import os
import sys
import webbrowser
from getpass import getpass
from typing import TYPE_CHECKING

from scrapy.utils.conf import arglist_to_dict

from focused_crawler.edge.command import FocusedCommand, Option
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.printable import say
from focused_crawler.safety.settings import read_one

if TYPE_CHECKING:
    from focused_crawler.workbench.access import Access

# ruff: noqa: PLC0415 - its server and its templates load slowly, and it may not be installed.

PORT = 8765
PASSWORD = "FOCUSED_UI_PASSWORD"  # noqa: S105 - its name in the environment
SHORTEST_PASSWORD = 12


class Command(FocusedCommand):
    """Serves until Ctrl-C; crawls go on without it."""

    usage = "[--host ADDRESS] [--port N] [--origin URL] [--no-browser]"
    options = (
        Option(
            "--host ADDRESS", "who may reach it (default: 127.0.0.1, this machine alone)", default="127.0.0.1"
        ),
        Option("--port N", "0: any that is free", int, PORT, 65535, 0),
        Option("--origin URL", "its address behind a proxy", default=""),
        Option("--no-browser", "print the address, open no browser"),
    )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        if args:
            raise ConfigError(f"scrapy ui takes no arguments; not {' '.join(args)}")
        from focused_crawler.crawl.config import CrawlConfig
        from focused_crawler.workbench.access import Access, is_loopback, outer_origin
        from focused_crawler.workbench.bench import Workbench
        from focused_crawler.workbench.server import listen, serve

        crawls = read_one(CrawlConfig, "crawls", self.settings)
        bench = Workbench(self.settings, crawls, arglist_to_dict(opts.set))
        origin = outer_origin(opts.origin)
        password = "" if is_loopback(opts.host) and not origin else _password()
        listening = listen(opts.host, opts.port)
        access = Access(opts.host, listening.getsockname()[1], password, origin)
        _say(access, opens=not opts.no_browser)
        serve(bench, access, listening)


def _password() -> str:
    """Return the password of a workbench that others can reach; raises ConfigError."""
    password = os.environ.get(PASSWORD, "")
    if not password and sys.stdin.isatty():
        password = getpass("Password for the workbench (others can reach this address): ")
    if len(password) < SHORTEST_PASSWORD:
        raise ConfigError(
            f"others can reach that address; give a password of {SHORTEST_PASSWORD} characters or more in the"
            f" environment ({PASSWORD}), or leave --host and --origin out"
        )
    return password


def _say(access: Access, *, opens: bool) -> None:
    say(f"Workbench: {access.first_url}", "Ctrl-C ends it; crawls go on.")
    if access.has_password:
        encrypted = "encrypted by the proxy" if access.is_encrypted else "not encrypted"
        say(f"Others can reach it, by its password, and what they send and see is {encrypted}.")
    if opens:
        webbrowser.open(access.first_url)
