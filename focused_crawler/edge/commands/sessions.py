"""`scrapy sessions record`: a browsing session of a person, which the hmm strategies learn from."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from io import TextIOWrapper

from focused_crawler.crawl.config import RenderSettings
from focused_crawler.discovery.recording import MOST, Recording
from focused_crawler.edge.command import FocusedCommand, Option
from focused_crawler.edge.rendering.chromium import NoBrowser, find_browser, is_root
from focused_crawler.safety.errors import ConfigError, FocusedCrawlerError
from focused_crawler.safety.formats import plural
from focused_crawler.safety.printable import place, printable, say
from focused_crawler.safety.settings import read
from focused_crawler.topic.rules import url_problem

HELP = """\
A browser opens, with a profile of its own that is forgotten. Browse to pages about the topic, and type here:
  y      the last page is about it       y 3    page 3 is       q  ends, as closing the browser does
  n      it is not (nor is any unsaid)   n 3    page 3 is not"""


class Command(FocusedCommand):
    """Opens a browser that the person sees; nothing listens, and nobody else can take part."""

    usage = "record TOPIC [--start URL]"
    options = (Option("--start URL", "the page to begin with"),)

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        self.act(args, opts, {"record": (self._record, 1, 1)})

    def _record(self, args: list[str], opts: argparse.Namespace) -> None:
        topic = self.topic(args[0])
        if opts.start is not None and (problem := url_problem(opts.start)):
            raise ConfigError(f"--start: {problem}")
        recording = Recording(topic)
        executable = find_browser(read(RenderSettings, self.settings).browser)
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(line_buffering=True)  # each page as it is shown, also through a pipe
        say(*HELP.splitlines())
        if is_root():
            say("You are root: the browser runs without its sandbox. Better be another user.")
        try:
            asyncio.run(_Screen(recording).browse(executable, opts.start))
        except NoBrowser as error:
            raise ConfigError(
                f"no browser opens ({error}); use a machine with a screen, or let FOCUSED_BROWSER name one"
            ) from None
        relevant = sum(recording.pages.values())
        sessions = plural(len(recording.sessions), "session")
        pages = f"{plural(len(recording.pages), 'page')}, {relevant} about the topic"
        say(f"{sessions} recorded in {place(recording.path)}: {pages}")
        say(
            f"Next: scrapy train {self.to_type(topic)}"
            if relevant
            else "Training needs a page that is: y marks one."
        )


class _Screen:
    """Shows what is recorded, and takes marks from the terminal."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._ended: asyncio.Event
        self._current = ""
        self._begun = b""  # of a line
        self._error: FocusedCrawlerError | None = None

    async def browse(self, executable: str | None, start: str | None) -> None:
        """Return when the person has had enough; raises NoBrowser, or TopicError for a file that fails."""
        # Playwright loads slowly, and Scrapy loads this module for each of its commands.
        from focused_crawler.edge.rendering.browsing import browse  # noqa: PLC0415

        self._ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self._ended.set)
        loop.add_signal_handler(signal.SIGTERM, self._ended.set)
        with suppress(OSError, ValueError):  # no terminal and no pipe: nobody types
            loop.add_reader(sys.stdin.fileno(), self._typed)
        await browse(executable, start, self._shown, self._ended)
        if self._error is not None:
            raise self._error

    def _shown(self, way: tuple[str, ...]) -> None:
        if way:
            self._current = way[-1]
        if self._recorded(lambda: self._recording.visit(way)):
            say(*(["A session begins."] if len(way) == 1 else []), self._line(self._current))
            if self._recording.is_full:
                say(f"{plural(MOST, 'way')} to pages are recorded; no more is. End, and begin again.")

    def _recorded(self, change: Callable[[], bool]) -> bool:
        """Make a change; one that cannot be written ends the session."""
        try:
            return change()
        except FocusedCrawlerError as error:
            self._error = error
            self._ended.set()
            return False

    def _typed(self) -> None:
        """Take what was typed, and do what its whole lines say."""
        given = os.read(sys.stdin.fileno(), 65_536)
        if not given:
            asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
        *lines, self._begun = (self._begun + given).split(b"\n")
        for line in lines:
            self._said(line.decode("utf-8", "replace").split())

    def _said(self, words: list[str]) -> None:
        """Do what a line says."""
        pages = list(self._recording.pages)
        numbers = {str(number): url for number, url in enumerate(pages, 1)} | {"": self._current}
        match words:
            case ["q"]:
                self._ended.set()
            case ["y" | "n" as answer, *rest] if numbers.get(" ".join(rest)) in self._recording.pages:
                url = numbers[" ".join(rest)]
                if self._recorded(lambda: self._recording.mark(url, relevant=answer == "y")):
                    say(self._line(url))
            case []:
                pass
            case _:
                say("y, n, y 3, n 3 or q, please; 3 being the number of a page that was shown")

    def _line(self, url: str) -> str:
        number = list(self._recording.pages).index(url) + 1
        return f"{number:>3} {'y' if self._recording.pages[url] else ' '} {printable(url)}"
