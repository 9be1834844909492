"""Kill crawls with SIGKILL at random moments, resume them, and count what was lost or done twice.

    .venv/bin/python benchmarks/crash.py [--rounds 10] [--kills 10] [--pages 1500] [--json FILE]

Ours, and a plain Scrapy spider with a JOBDIR (benchmarks/jobdir_spider.py), on the same web on loopback
(tests/crawls/loopback.py) and the same schedule. A round is one crawl: killed `--kills` times, each time
resumed by the same command, then run to its end; round 0 has no kill. Moments are random, and so that the
rare ones are met, too, they fall

    start  (1 of 5)   up to 2 s after the command: imports, opening, restoring, the first requests
    middle (3 of 5)   after a random share of the pages left, and up to 20 ms: that is some pages' time, so
                      before and after links, pages and commits
    stop   (1 of 10)  in a shut-down: up to 0.3 s after a SIGTERM in the middle
    end    (1 of 10)  up to 0.5 s after the last page was asked for: last commits, report, run.json

Lost: reachable pages that are not in the results (ours: in the database and in the feed; Scrapy's: in the
feed). Double: pages in them twice, or counted twice. Refetched: requests for pages that were asked for
before. A kill counts if there was a process to kill: Scrapy's ends by itself once its queue is lost. Stuck:
last runs that came to no end in 45 s, many times what they need; they are ended.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from rich.progress import track

from benchmarks.harness import ROOT, STDERR, Report, main, words_of
from benchmarks.tables import Rows
from focused_crawler.crawl.journal import COMMIT_PAGES
from tests.crawls.kills import COMMON, CONCURRENCY, Contender, Kill, Ours, Outcome, run_round
from tests.crawls.processes import SCRAPY, fed_urls

MOMENTS = ("start",) * 2 + ("middle",) * 6 + ("stop", "end")


def schedule(kills: int, chance: random.Random) -> list[Kill]:
    """Return so many kills, those at the end of a crawl last."""
    moments = sorted(chance.choices(MOMENTS, k=kills), key=lambda moment: moment == "end")
    return [_kill(moment, chance) for moment in moments]


def _kill(moment: str, chance: random.Random) -> Kill:
    share = {"start": 0.0, "end": 1.0}.get(moment, chance.uniform(0.0, 0.3))
    longest = {"start": 2.0, "middle": 0.02, "stop": 0.3, "end": 0.5}[moment]
    return Kill(moment, share, chance.uniform(0.0, longest))


class Jobdir(Contender):
    """Scrapy by itself, which must not find the project; it keeps no count over several runs."""

    name = "JOBDIR"

    def command(self) -> list[str]:
        words = ["runspider", str(ROOT / "benchmarks/jobdir_spider.py")]
        settings = {"JOBDIR": self.folder / "job", "DOWNLOAD_TIMEOUT": 30, "TELNETCONSOLE_ENABLED": False}
        feed, seed = f"{self.folder / 'pages.jsonl'}:jsonlines", {"seed": self.web.seed}
        return [*SCRAPY, *words, "-o", feed, *words_of(seed, {**settings, **COMMON, "LOG_LEVEL": "WARNING"})]

    def results(self) -> tuple[int, int, int]:
        fed = fed_urls(self.folder / "pages.jsonl")
        return len(set(fed)), len(self.web.reachable() - set(fed)), len(fed) - len(set(fed))


def measure(*, rounds: int = 10, kills: int = 10, pages: int = 1500, seed: int = 0) -> Report:
    """Crawl in rounds with both crawlers, side by side."""
    chance = random.Random(seed)
    schedules = [[], *(schedule(kills, chance) for _ in range(rounds))]
    rows = Rows()
    for kind in (Ours, Jobdir):
        for number, planned in enumerate(track(schedules, kind.name, console=STDERR)):
            rows.append({"crawler": kind.name, "round": number, **run_round(kind, pages, planned)._asdict()})
    figures = {}
    for prefix, crawler in (("", "ours"), ("jobdir_", "JOBDIR")):
        mine = rows.where(crawler=crawler)
        figures |= {
            f"{prefix}{name}": mine.measure(name).sum for name in Outcome._fields if name != "recorded"
        }
    most = figures["kills"] * (CONCURRENCY + COMMIT_PAGES)  # in flight, or not committed yet
    return Report({"rounds": rows}, figures | {"most_refetched": most})


if __name__ == "__main__":
    main(measure, __doc__)
