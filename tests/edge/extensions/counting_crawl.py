"""A crawl that fetches nothing and counts pages, with the progress display on: run by test_progress.py.

Its first argument is a log file (empty: none). Prints the state of logging after the crawl.
"""

from __future__ import annotations

import asyncio
import logging
import sys

import scrapy
from scrapy.crawler import AsyncCrawlerProcess

from focused_crawler.edge.extensions.progress import Progress

SETTINGS = {
    "EXTENSIONS": {Progress: 0, "scrapy.extensions.logstats.LogStats": None},
    "FOCUSED_TOPIC": "asthma",
    "FOCUSED_STRATEGY": "lpe",
    "FOCUSED_PAGES": 12,
    "FOCUSED_PROGRESS_INTERVAL": 0.3,
    "LOG_LEVEL": "INFO",
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "TWISTED_REACTOR_ENABLED": False,
}


class Counting(scrapy.Spider):
    name = "counting"

    async def start(self):
        for number in range(1, 13):
            self.count(number)
            if number == 6:
                self.make_noise()
            await asyncio.sleep(0.1)
        self.crawler.stats.set_value("focused/report_path", "crawls/asthma/1/report.html")
        for nothing in ():
            yield nothing

    def count(self, number: int) -> None:
        figures = {
            "pages": number,
            "relevant": number // 2,
            "harvest_rate": (number // 2) / number,
            "frontier/pending": 100 + number,
            "last_relevant_title": "Inhalers [red]\x1b[31mx",
        }
        for name, value in figures.items():
            self.crawler.stats.set_value(f"focused/{name}", value)

    def make_noise(self) -> None:
        logging.getLogger("site").warning("robots.txt is odd %s", "\u2603")
        logging.getLogger("site").info("of no interest")
        print("a stray line", file=sys.stderr)


def main(log_file: str) -> None:
    process = AsyncCrawlerProcess(SETTINGS | ({"LOG_FILE": log_file} if log_file else {}))
    process.crawl(Counting)
    process.start()
    for handler in logging.getLogger().handlers:
        if type(handler) is logging.StreamHandler:
            print("HANDLER", handler.level, handler.stream is sys.__stderr__, sys.stderr is sys.__stderr__)


if __name__ == "__main__":
    main(sys.argv[1])
