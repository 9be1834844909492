"""`scrapy crawl` as Scrapy has it, but what a user typed wrong ends in one line and exit code 2."""

from __future__ import annotations

import argparse
import logging
import sys
from contextlib import suppress

from scrapy.commands.crawl import Command as ScrapyCrawlCommand
from scrapy.settings import BaseSettings
from scrapy.spiderloader import get_spider_loader

from focused_crawler.edge.arguments import ARGUMENT_HELP, SETTING_OF_ARGUMENT, TOPIC_SPIDER, apply_arguments
from focused_crawler.edge.entry import NamesProgram, check_options, report_error
from focused_crawler.edge.scrapy_settings import check_log, check_spiders
from focused_crawler.safety.errors import ConfigError, FocusedCrawlerError
from focused_crawler.safety.extras import explaining_extras
from focused_crawler.safety.printable import say
from focused_crawler.topic.topic import load_topic, topic_names

logger = logging.getLogger(__name__)

# ruff: noqa: PLC0415 - Scrapy loads this file at every start; what a crawl needs takes a second to load.


FEED_HELP = {
    "output": "append pages to FILE, or FILE:FORMAT; - is standard output",
    "overwrite_output": "the same, but overwrite FILE",
}


class Command(NamesProgram, ScrapyCrawlCommand):
    """Checks topic, arguments, model and virtual web before Scrapy starts; catches what shows only later."""

    def syntax(self) -> str:
        return "[options] TOPIC"

    def short_desc(self) -> str:
        return "Crawl a topic, or run another spider, by name"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        from focused_crawler.crawl.endings import in_table

        super().add_options(parser)
        self._parser = parser
        helps = {"spargs": f"{ARGUMENT_HELP} (may be repeated)", **FEED_HELP}
        for action in parser._actions:
            action.help = helps.get(action.dest, action.help)
        codes = "; ".join(f"{code}: {meaning}" for code, meaning in in_table())
        parser.epilog = f"Exit codes. {codes}."

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        assert self.settings is not None
        try:
            check_log(self.settings)
            check_spiders(self.settings)
            for argument in args:
                name, _, value = argument.removeprefix("--").partition("=")
                if argument.startswith("--") and name in SETTING_OF_ARGUMENT:
                    raise ConfigError(f"{argument} is no option; type -a {name}={value or 'VALUE'}")
            check_options(args, self._parser._option_string_actions)
            if len(args) != 1:
                raise ConfigError("name one topic, as in: scrapy crawl asthma (scrapy list shows the names)")
            with explaining_extras():
                check(args[0], opts.spargs, self.settings)
        except FocusedCrawlerError as error:
            sys.exit(report_error(error, self.settings.get("LOG_FILE")))

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        assert self.crawler_process is not None
        assert self.settings is not None
        from focused_crawler.crawl.endings import FAILED, code_of
        from focused_crawler.edge.command import crawl_to_end
        from focused_crawler.edge.extensions.session import CrawlSession
        from focused_crawler.safety.interrupts import end_at_second_signal
        from focused_crawler.safety.workers import kill_all
        from focused_crawler.store.foreign import explaining

        end_at_second_signal()
        try:
            crawler = self._create_crawler(args[0])
            with explaining(), explaining_extras():
                crawl_to_end(self.crawler_process, crawler, **opts.spargs)
            session = crawler.get_extension(CrawlSession)
            if session is not None:  # a second signal ends the loop before the spider is closed
                kill_all()
                session.crawl.end("shutdown", is_cut_off=True)
                if session.failure is not None:
                    report_error(session.failure)  # the log has it
                self.exitcode = code_of(session.ending)
            elif self.crawler_process.bootstrap_failed:
                self.exitcode = FAILED
        except FocusedCrawlerError as error:
            self.exitcode = report_error(error, self.settings.get("LOG_FILE"))
        except Exception:
            if self.settings.get("LOG_FILE"):
                logger.exception("The crawl could not begin")  # scrapyd shows nothing else
            raise


def check(name: str, arguments: dict[str, str], settings: BaseSettings) -> None:
    """Read all that the crawl would need, and write nothing; raises FocusedCrawlerError.

    On a terminal it says what is going on before that takes long: elsewhere an error is all that is written.
    """
    if name not in get_spider_loader(settings).list():
        load_topic(name)  # its error lists the names
        raise ConfigError(f"{name} is a topic's folder; type scrapy crawl topic -a topic={name}")
    if name in {TOPIC_SPIDER, *topic_names()}:
        tried = settings.copy()
        topic = apply_arguments(tried, name, arguments)
        if sys.stderr.isatty():
            say(f"Topic {topic.name}: reading settings, model and start pages ...", to=sys.stderr)
        from focused_crawler.safety.process import collect_seldom

        collect_seldom()
        from focused_crawler.addon import FocusedCrawlerAddon
        from focused_crawler.crawl.config import CrawlConfig
        from focused_crawler.crawl.plan import CrawlPlan

        _install_reactor(settings)
        FocusedCrawlerAddon().update_settings(tried)
        CrawlPlan.make(CrawlConfig.from_settings(tried))


def _install_reactor(settings: BaseSettings) -> None:
    """Install the reactor, as Scrapy does next: a user's module that imports it would install another."""
    from scrapy.utils.reactor import install_reactor

    if settings.getbool("TWISTED_REACTOR_ENABLED"):
        with suppress(ImportError, NameError, ValueError):  # the add-on says what cannot be imported
            install_reactor(settings["TWISTED_REACTOR"], settings["ASYNCIO_EVENT_LOOP"])
