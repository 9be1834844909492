"""Scrapy's own priority queue over one of its queues, at a number of priorities; prints a line of JSON.

    python benchmarks/scrapy_queue.py CLASS LEVELS REQUESTS FOLDER      CLASS: of scrapy.squeues

The limit of open files is set to 1,024, the usual one. Requests are made beforehand: only push and pop count.
"""

from __future__ import annotations

import json
import random
import resource
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scrapy import Request, Spider, squeues
from scrapy.pqueues import ScrapyPriorityQueue
from scrapy.utils.test import get_crawler

from benchmarks.generated_links import url_of

OPEN_FILES = 1024
POPS = 2000


def open_queue(name: str, folder: str) -> ScrapyPriorityQueue:
    crawler = get_crawler(Spider)
    crawler.spider = Spider.from_crawler(crawler, "benchmark")
    return ScrapyPriorityQueue.from_crawler(crawler, getattr(squeues, name), folder)


def measure(queue: ScrapyPriorityQueue, levels: int, requests: int) -> dict[str, Any]:
    """Push all, pop some; where it breaks, say after how many and with what."""
    chance = random.Random(0)
    made = [Request(url_of(n, n % 1000), priority=n % levels) for n in range(requests)]
    chance.shuffle(made)
    began = time.process_time()
    for number, request in enumerate(made):
        try:
            queue.push(request)
        except Exception as error:  # whatever it is: that is what is shown
            return {"broken": f"{type(error).__name__} after {number:,} pushes"}
    pushed = time.process_time()
    for _ in range(min(POPS, requests)):
        queue.pop()
    popped = time.process_time()
    return {"push": (pushed - began) / requests, "pop": (popped - pushed) / min(POPS, requests)}


def main() -> None:
    name, levels, requests, folder = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(OPEN_FILES, hard), hard))
    print(json.dumps(measure(open_queue(name, folder), levels, requests)))


if __name__ == "__main__":
    main()
