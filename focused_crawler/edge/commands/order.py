"""`scrapy order`: what a crawl under way is to do, and what it answers."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from focused_crawler.crawl import ordering
from focused_crawler.edge.command import FocusedCommand, Option
from focused_crawler.safety.printable import place, say


class Command(FocusedCommand):
    """Writes an order into the crawl's database, and waits for its answer."""

    usage = (
        "stop CRAWL | budget CRAWL [--pages N] [--relevant N] [--minutes N] | add CRAWL URL..."
        " | mark CRAWL CATEGORY... [--remove]"
    )
    options = (
        Option("--pages N", "budget: so many pages in all; 0: any number", int, least=0),
        Option("--relevant N", "budget: so many relevant pages in all; 0: any number", int, least=0),
        Option("--minutes N", "budget: so many minutes in all; 0: any number", int, least=0),
        Option("--remove", "mark: the categories are good no longer"),
    )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        most = ordering.MOST_URLS + 1
        self.act(
            args,
            opts,
            {
                "stop": (self._stop, 1, 1),
                "budget": (self._budget, 1, 1),
                "add": (self._add, 2, most),
                "mark": (self._mark, 2, most),
            },
        )

    def _stop(self, args: list[str], opts: argparse.Namespace) -> None:
        self._give(args, ordering.stop)

    def _budget(self, args: list[str], opts: argparse.Namespace) -> None:
        limits = {name: getattr(opts, name) for name in ("pages", "relevant", "minutes")}
        self._give(args, lambda folder: ordering.change_budget(folder, limits))

    def _add(self, args: list[str], opts: argparse.Namespace) -> None:
        self._give(args, lambda folder: ordering.add_pages(folder, args[1:]))

    def _mark(self, args: list[str], opts: argparse.Namespace) -> None:
        paths = [path.strip("/") for path in args[1:]]
        good, not_good = ([], paths) if opts.remove else (paths, [])
        self._give(args, lambda folder: ordering.mark(folder, good, not_good))

    def _give(self, args: list[str], give: Callable[[Path], float]) -> None:
        folder = Path(args[0])
        answer = ordering.wait_for_answer(folder, give(folder))
        say(f"{place(folder)}: {answer or 'no answer yet; its log tells when it has obeyed'}")
