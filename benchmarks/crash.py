"""Hit crawls at random moments, go on with them, and count what was lost or done twice.

    .venv/bin/python benchmarks/crash.py --kills 1000 --json FILE     # some hours; the same command goes on
    .venv/bin/python benchmarks/crash.py --kinds crawl,jobdir --kills 200 --round-kills 10 --pages 1500

A round is one crawl of a small web on loopback (tests/crawls/loopback.py): hit some times at random moments,
gone on with by the same command, then run to its end. Rounds take turns among the kinds:

    crawl    SIGKILL, SIGTERM, or SIGKILL up to 0.3 s after a SIGTERM. One of five falls up to 2 s after the
             command, one of ten up to 0.5 s after the last page was asked for: last commits, report, run.json
    learns   the same of a crawl by the default strategy, with two analysis processes
    workers  SIGKILL of one of two analysis processes
    pauses   SIGSTOP for longer than a lease, SIGCONT
    clock    the clock jumps an hour or a day, ahead or back
    disk     the disk is full: the crawl ends in one line; there is room again, and it goes on
    fleet    three workers under `scrapy fleet`: SIGKILL of a worker, of the supervisor, of all of them, of
             PostgreSQL (started again on its files), SIGSTOP of a worker until others take it for
             dead. Four of ten fall within a second after the one before, so that two are down together.
             Each 37th page is refused once, by a 429 with a Retry-After of eight seconds
    jobdir   only where named: Scrapy with a JOBDIR (benchmarks/jobdir_spider.py), hit like `crawl`. It keeps
             no counts, and ends by itself once its queue is lost

Lost: reachable pages that are not in the database, or not in the feed. Double: pages there twice.
Disagreements: pages by which database, its counter, feed and run.json differ. Refetched: requests for pages
asked for before. Hasty: requests too early for their host, where hosts ask for a delay (fleet). Forgotten: of
these not counted, as the host's 429 fell within a second of a kill and may have died with who got it.
Failed: runs that ended as they should not. Stuck: runs that came to no end. A kill counts if there was
something to kill.

FILE keeps each round. Round n of a seed has the same schedule again; `--keep FOLDER` keeps what a bad one
left.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from json import loads
from pathlib import Path
from typing import Annotated, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from benchmarks.harness import ROOT, STDERR, Report, main, words_of, write_json
from benchmarks.tables import Rows
from tests.crawls.killed_crawl import Clock, Disk, Learns, Ours, Pauses, Workers
from tests.crawls.killed_fleet import Fleet
from tests.crawls.kills import COMMON, Contender, Found, Kill, Means, run_round
from tests.crawls.processes import SCRAPY, begin, fed_urls
from tests.postgresql import restartable_server
from tests.project import Scrapy

MOMENTS = ("start",) * 2 + ("middle",) * 7 + ("end",)
MOST_SECONDS = {"start": 2.0, "middle": 0.02, "end": 0.5}  # after the share of pages that a moment has


class Jobdir(Contender):
    """Scrapy by itself, which must not find the project; it keeps no count over several runs."""

    name = "jobdir"
    PATIENCE = 45.0  # many times what it needs

    def start(self) -> subprocess.Popen[bytes]:
        words = ["runspider", str(ROOT / "benchmarks/jobdir_spider.py")]
        settings = {"JOBDIR": self.folder / "job", "DOWNLOAD_TIMEOUT": 30, "TELNETCONSOLE_ENABLED": False}
        feed, seed = f"{self.folder / 'pages.jsonl'}:jsonlines", {"seed": self.web.seed}
        options = words_of(seed, {**settings, **COMMON, "LOG_LEVEL": "WARNING"})
        return begin([*SCRAPY, *words, "-o", feed, *options], self.folder / "log.txt", self.folder)

    def results(self) -> Found:
        fed = fed_urls(self.folder / "pages.jsonl")
        return Found(len(set(fed)), len(self.web.reachable() - set(fed)), len(fed) - len(set(fed)), 0)


KINDS = {kind.name: kind for kind in (Ours, Learns, Workers, Pauses, Clock, Disk, Fleet, Jobdir)}


def schedule(kind: type[Contender], kills: int, chance: random.Random) -> list[Kill]:
    """Return so many kills, those at the end of a crawl last; a fleet's first when pages were fetched."""
    if kind is Fleet:
        return [_of_fleet(chance, at_once=number > 0 and chance.random() < 0.4) for number in range(kills)]
    moments = sorted(chance.choices(MOMENTS, k=kills), key=lambda moment: moment == "end")
    return [_kill(kind, moment, chance) for moment in moments]


def _kill(kind: type[Contender], moment: str, chance: random.Random) -> Kill:
    share = {"start": 0.0, "end": 1.0}.get(moment, chance.uniform(0.0, 0.3))
    delay = chance.uniform(0.0, MOST_SECONDS[moment])
    return Kill(chance.choice(kind.WHATS), share, delay, chance.uniform(0.0, 0.3))


def _of_fleet(chance: random.Random, *, at_once: bool) -> Kill:
    share = 0.0 if at_once else chance.uniform(0.02, 0.2)
    return Kill(chance.choice(Fleet.WHATS), share, chance.uniform(0.0, 1.0), chance.uniform(0.0, 2.0))


def rounds(
    kinds: Sequence[str],
    kills: int,
    most: int,
    folder: Path,
    means: Means,
    *,
    seed: int = 0,
    pages: int = 300,
    earlier: Sequence[dict[str, Any]] = (),
) -> Iterator[dict[str, Any]]:
    """Yield rounds, after those of before, until enough kills have landed; at most `most` a round."""
    number, landed = len(earlier), sum(row["kills"] for row in earlier)
    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=STDERR) as progress:
        task = progress.add_task("", total=kills, completed=landed)
        while landed < kills:
            turn, place = divmod(number, len(kinds))
            kind, number = KINDS[kinds[place]], number + 1
            progress.update(task, description=f"round {number}, {kind.name}: kills")
            planned = schedule(kind, min(most, kills - landed), random.Random(f"{seed} {turn}"))
            plan = replace(kind.PLAN, pages=pages)
            began = time.monotonic()
            outcome = run_round(kind, plan, planned, folder / f"round-{number}", means)
            landed += outcome.kills.total()
            progress.update(task, completed=landed)
            if not outcome.is_good:
                progress.console.print(f"round {number}, {kind.name}: {outcome}")
            seconds = round(time.monotonic() - began, 1)
            yield {"kind": kind.name, "round": number, "seconds": seconds, **outcome.row()}


def measure(
    *,
    kills: Annotated[int, "in all"] = 1000,
    kinds: Annotated[str, "with commas between"] = "crawl,workers,pauses,clock,disk,fleet",
    round_kills: Annotated[int, "of a crawl, at most"] = 8,
    pages: Annotated[int, "of each web"] = 300,
    seed: Annotated[int, "of the kills"] = 0,
    keep: Annotated[Path | None, "a folder for what bad rounds left (default: it is not kept)"] = None,
    json: Annotated[Path | None, "keep each round in this file, and go on after those it has"] = None,
) -> Report:
    """Hit crawls in rounds until enough kills have landed."""
    names = kinds.split(",")
    if unknown := set(names) - set(KINDS):
        raise SystemExit(f"no such kind: {', '.join(unknown)}; use {', '.join(KINDS)}")
    done = Rows(loads(json.read_text("utf-8")).get("rounds", ()) if json and json.exists() else ())
    with ExitStack() as stack:
        temporary = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder = (keep or temporary).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        scrapy = stack.enter_context(closing(Scrapy(temporary)))
        server = stack.enter_context(restartable_server(on_disk=True)) if "fleet" in names else None
        means = Means(scrapy, server, keep is not None)
        for row in rounds(names, kills, round_kills, folder, means, seed=seed, pages=pages, earlier=done):
            done.append(row)
            if json:
                write_json(json, {}, {"rounds": done})
    hits = [(row["kind"], what, number) for row in done for what, number in row["what"].items()]
    what = Rows(dict(zip(("kind", "what", "kills"), hit, strict=True)) for hit in hits)
    ours = Rows(row for row in done if row["kind"] != Jobdir.name)
    bad = [str(row["round"]) for row in ours if not row["is_good"]]
    complaint = f"not as it should be: round {', '.join(bad)}" if bad else ""
    return Report({"rounds": done, "ours": ours, "what": what}, complaint=complaint, kept={"rounds": done})


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended; the same command goes on"))
    main(measure, __doc__)
