"""`scrapy fleet`: many workers on one crawl: started and supervised here, shown anywhere, forgotten."""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from focused_crawler.addon import FocusedCrawlerAddon
from focused_crawler.crawl.command import ADDRESS
from focused_crawler.crawl.config import ComponentSettings, CrawlConfig
from focused_crawler.crawl.description import describe
from focused_crawler.crawl.endings import code_of, without_page
from focused_crawler.crawl.lists.use import count_ended
from focused_crawler.crawl.plan import CrawlPlan
from focused_crawler.edge.arguments import (
    TOPIC_SPIDER,
    apply_arguments,
    spider_arguments,
    worker_command,
    worker_environment,
)
from focused_crawler.edge.command import Action, FocusedCommand, Option
from focused_crawler.edge.entry import report_error
from focused_crawler.fleet.status import save_status
from focused_crawler.fleet.supervisor import free_logs
from focused_crawler.report.terminal.output import Terminal
from focused_crawler.safety.errors import ConfigError, CrawlError, TopicError
from focused_crawler.safety.formats import plural
from focused_crawler.safety.printable import printable, say
from focused_crawler.safety.settings import read_one
from focused_crawler.store.address import parsed, shown
from focused_crawler.store.job import SHARED, run_of
from focused_crawler.store.opening import remember_address
from focused_crawler.topic.rules import name_problem
from focused_crawler.topic.topic import load_topic

if TYPE_CHECKING:
    from focused_crawler.fleet.crawls import FleetCrawl
    from focused_crawler.fleet.reader import FleetReader

# ruff: noqa: PLC0415 - PostgreSQL's client is for those that speak to it.

MOST_WORKERS = 1000
LOOK_SECONDS = 1.0


class Command(FocusedCommand):
    """Supervisor, status and end of a fleet; each worker is a `scrapy crawl` of its own."""

    usage = (
        "TOPIC --workers N [--job NAME] [-a NAME=VALUE]..."
        " | status [TOPIC] [--job NAME] [--watch] [--json FILE] | forget TOPIC --job NAME [--yes]"
    )
    options = (
        Option("--workers N", "processes on this machine", int, 1, MOST_WORKERS),
        Option("--job NAME", "name of the crawl: the same on all its machines"),
        Option("--json FILE", "status: write it there, too"),
        Option(
            "-a NAME=VALUE",
            "argument of the crawl, as of scrapy crawl (may be repeated)",
            is_repeated=True,
            more={"dest": "spargs"},
        ),
        Option("--watch", "status: refresh each second, to Ctrl-C"),
        Option("--yes", "forget: do not ask"),
    )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        actions: dict[str, Action] = {"status": self._status, "forget": self._forget}
        if not args:
            raise ConfigError(f"use one of: scrapy fleet {self.usage}; not nothing")
        if args[0] in actions:
            self._check_settings()
            actions[args[0]](args[1:], opts)
        else:
            self._run(args, opts)

    def _run(self, args: list[str], opts: argparse.Namespace) -> None:
        from focused_crawler.edge.beginning import learnt_anew
        from focused_crawler.fleet import crawls
        from focused_crawler.fleet.beginning import learn_anew

        _refuse_options(opts)
        plan = self._plan(args, opts)
        _check_ports(plan.config.metrics_ports, opts.workers)
        wanted = describe(plan)
        crawls.check_database(self.text(ADDRESS), wanted.topic, wanted.job)
        folder = crawls.choose_shared_folder(plan.config.crawls, wanted, plan.config.database)
        crawl = self._crawl_of(wanted.topic, wanted.job)
        with suppress(CrawlError):  # it has not begun, or goes on with what was learnt
            if learn_anew(crawl, plan):
                say(learnt_anew(wanted.strategy))
        command = worker_command(str(plan.topic.folder), wanted.job, opts, SHARED)
        count = partial(count_ended, plan.topic, plan.config, folder)
        del plan  # a model takes memory, and the supervisor has no need of it
        if self._supervise(crawl, folder, command, opts.workers):
            try:
                count(run_of(folder))  # the last worker may have been killed before it did
            except (TopicError, CrawlError) as error:
                say(f"Not counted: {error}", to=sys.stderr)

    def _supervise(self, crawl: FleetCrawl, folder: Path, command: list[str], workers: int) -> bool:
        """Run workers to their ends, and write up what came of it; return whether nothing broke."""
        from focused_crawler.fleet import run, terminal
        from focused_crawler.fleet.screen import Screen

        console = Terminal(stderr=True)
        logs = free_logs(folder, workers)
        with Screen(console, self._interval()) as screen:
            last = f" to {logs[-1].name}" if workers > 1 else ""
            many = plural(workers, "worker")
            screen.say(f"Job {crawl.job} of {crawl.topic}, {many}; logs: {logs[0]}{last}")
            fleet = run.LocalFleet(crawl, folder.parent.parent, screen)
            supervisor = fleet.run(command, worker_environment(self.text), logs)
        status = fleet.read(supervisor.ended)
        if supervisor.failure is not None:
            with suppress(CrawlError):
                run.write_outputs(folder, status, fleet.began)
            report_error(supervisor.failure)
            self.exitcode = 1
            return False
        report, reason = run.write_outputs(folder, status, fleet.began)
        console.print(terminal.closing_view(status, reason, report))
        if status.living:
            console.print(f"Workers elsewhere go on: {status.living}. The report is how far they have come.")
        has_pages = status.totals is not None and status.totals.pages > 0
        if not has_pages:
            console.print(f"Not one page was fetched; {logs[0]} says why.", soft_wrap=True)
        say(report)
        if not has_pages:
            reason = without_page(status.totals.errors if status.totals else ())
        self.exitcode = code_of("shutdown" if supervisor.was_killed else reason)
        return True

    def _status(self, args: list[str], opts: argparse.Namespace) -> None:
        from focused_crawler.fleet import crawls, terminal
        from focused_crawler.fleet.reader import FleetReader

        if len(args) > 1:
            raise ConfigError(f"name one topic, as in: scrapy fleet status asthma; not {' '.join(args)}")
        name, job = _topic_name(args[0]) if args else None, opts.job
        if name is None or job is None:
            known = crawls.known_crawls(self.text(ADDRESS))
            if not known:
                where = shown(self.text(ADDRESS))
                raise CrawlError(
                    f"{where} has no crawl of a fleet; scrapy fleet TOPIC --workers 2 begins one"
                )
            found = [one for one in known if name in {None, one.topic} and job in {None, one.job}]
            if not found:
                raise self._unknown()
            if name is None and len(found) > 1:
                _refuse_for_many(opts)
                Terminal().print(terminal.table_of(found))
                return
            name, job = found[0].topic, found[0].job
        folder = read_one(CrawlConfig, "crawls", self.settings)
        with FleetReader(self._crawl_of(name, job), folder) as reader:
            self._show(reader, opts)

    def _show(self, reader: FleetReader, opts: argparse.Namespace) -> None:
        from focused_crawler.fleet.screen import Screen
        from focused_crawler.fleet.terminal import view

        if not opts.watch:
            status = reader.read()
            if not status.is_begun and not status.remarks:
                raise self._unknown()
            save_status(status, opts.json)
            Terminal().print(view(status))
            self.exitcode = int(not status.is_whole)
            return
        with Screen(Terminal(), self._interval()) as screen, suppress(KeyboardInterrupt):
            while True:
                status = reader.read()
                save_status(status, opts.json)
                screen.show(status)
                time.sleep(LOOK_SECONDS)

    def _unknown(self) -> CrawlError:
        return CrawlError(
            f"{shown(self.text(ADDRESS))} knows no such fleet crawl; scrapy fleet status shows all"
        )

    def _forget(self, args: list[str], opts: argparse.Namespace) -> None:
        from focused_crawler.fleet.owners import forget

        if len(args) != 1 or not opts.job:
            raise ConfigError("name a topic and its job, as in: scrapy fleet forget asthma --job 1")
        crawl = self._crawl_of(_topic_name(args[0]), opts.job)
        if not opts.yes and not sure_to_forget(crawl):
            raise ConfigError(
                f"nothing was deleted: that is not the job's name, which is {printable(opts.job)}"
            )
        if not forget(crawl):
            raise CrawlError(
                f"{shown(crawl.database)} has no job {crawl.job} of {crawl.topic}: nothing to delete"
            )
        say(f"Deleted: frontier and crawl database of job {crawl.job} of {crawl.topic}")

    def _plan(self, args: list[str], opts: argparse.Namespace) -> CrawlPlan:
        """Read all that a worker would need, and write nothing; raises FocusedCrawlerError."""
        topic = self.only(args, "topic", f"asthma --workers 4; not {' '.join(args)}")
        arguments = {**spider_arguments(opts), "topic": topic} | ({"job": opts.job} if opts.job else {})
        apply_arguments(self.settings, TOPIC_SPIDER, arguments)
        self._check_settings()
        self.settings.set("FOCUSED_FRONTIER", SHARED, priority="cmdline")
        remember_address(self.text(ADDRESS))  # a profile may have brought it
        FocusedCrawlerAddon().update_settings(self.settings)
        return CrawlPlan.make(CrawlConfig.from_settings(self.settings))

    def _check_settings(self) -> None:
        """Raise ConfigError where the database is missing, or the frontier is to be elsewhere."""
        if read_one(CrawlConfig, "frontier", self.settings) == "memory":
            raise ConfigError("FOCUSED_FRONTIER is memory, but a fleet's is in its database; leave it out")
        address = self.text(ADDRESS)
        if not address:
            raise ConfigError(
                f"a fleet needs a database on a server; add -s {ADDRESS}=postgresql://USER@localhost/DATABASE,"
                " or set it in the environment"
            )
        parsed(address)

    def _crawl_of(self, topic: str, job: str) -> FleetCrawl:
        from focused_crawler.fleet.crawls import FleetCrawl

        return FleetCrawl(topic, job, self.text(ADDRESS))

    def _interval(self) -> float:
        return float(read_one(ComponentSettings, "progress_interval", self.settings))


def _refuse_options(opts: argparse.Namespace) -> None:
    """Raise ConfigError for an option that a fleet which is started does nothing with."""
    for option, is_given, action in (
        ("--json", opts.json is not None, "status"),
        ("--watch", opts.watch, "status"),
        ("--yes", opts.yes, "forget"),
    ):
        if is_given:
            raise ConfigError(f"{option} is for scrapy fleet {action}; leave it out")


def _refuse_for_many(opts: argparse.Namespace) -> None:
    """Raise ConfigError for an option that shows one crawl, where there are several."""
    if opts.watch or opts.json is not None:
        raise ConfigError(
            "name a topic for --watch and --json, as in: scrapy fleet status asthma --watch;"
            " scrapy fleet status shows all there are"
        )


def _check_ports(ports: range, workers: int) -> None:
    if len(ports) == 1 and workers > 1:
        raise ConfigError(
            f"FOCUSED_METRICS_PORT is {ports[0]}, a port for one of {workers} workers; give a range, as in"
            " 9410-9429"
        )


def _topic_name(text: str) -> str:
    """Return the name of a topic that need not be on this machine, given by name or folder."""
    return text if name_problem(text) is None else load_topic(text).name


def sure_to_forget(crawl: FleetCrawl) -> bool:
    """Ask whether all of a crawl is to be deleted."""
    say(f"This deletes the frontier of job {crawl.job} of {crawl.topic}, and all its pages in")
    say(f"{shown(crawl.database)}.")
    say("Type the job's name to go on: ", end="")
    return sys.stdin.readline().strip() == crawl.job
