"""What scrapy-redis does of redis_frontier.py, told line by line: [what, [[url, priority], ...]] as JSON.

    python benchmarks/redis_frontier_scrapy.py ADDRESS

Runs in an environment with scrapy-redis. A link is a Request, made before the clock runs, which the
duplicate filter sees before the priority queue gets it, as its scheduler has it. Answers with seconds, and
seconds of CPU.
"""

from __future__ import annotations

import json
import sys
import time

import redis
from scrapy import Request, Spider
from scrapy_redis.dupefilter import RFPDupeFilter
from scrapy_redis.queue import PriorityQueue


def main() -> None:
    server = redis.Redis.from_url(sys.argv[1])
    spider = Spider("benchmark")
    queue = PriorityQueue(server, spider, "%(spider)s:requests")
    known = RFPDupeFilter(server, "benchmark:dupefilter")
    for line in sys.stdin:
        what, links = json.loads(line)
        words = what.split()
        requests = [Request(url, priority=round(1000 * priority)) for url, priority in links]
        began, own = time.perf_counter(), time.process_time()
        if words[0] == "take":
            for _ in range(int(words[2])):
                queue.pop()
        else:
            for request in requests:
                if not known.request_seen(request):
                    queue.push(request)
        print(json.dumps([time.perf_counter() - began, time.process_time() - own]), flush=True)


if __name__ == "__main__":
    main()
