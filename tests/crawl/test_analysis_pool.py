from __future__ import annotations

import asyncio
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from scrapy.settings import Settings

from focused_crawler.crawl.analysis import Analysis, Analyst, Way
from focused_crawler.crawl.analysis_pool import AnalysisPool, Job, _Worker
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.link_scoring.baselines import BreadthFirst
from focused_crawler.link_scoring.content_link_sibling import ContentLinkSibling
from focused_crawler.page.model import Link, Page
from focused_crawler.page.parser import UnparsablePage
from focused_crawler.safety import workers
from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.workers import TaskFailed, WorkerDied
from focused_crawler.topic.topic import load_topic
from focused_crawler.virtualweb.index import VirtualWeb
from tests.project import ROOT, until
from tests.small_taxonomy import save_small_taxonomy

SMALL = Job(b"<p>stars and planets <a href=/1>one</a>", "http://sky.example/", None, Way(0))
ORPHANS = """
import asyncio, sys, time
from tests.crawl.test_analysis_pool import SMALL, judge
from focused_crawler.crawl.analysis_pool import AnalysisPool

async def main():
    pool = AnalysisPool(judge(sys.argv[1]), 2)
    await asyncio.gather(pool.analyse(SMALL), pool.analyse(SMALL))
    print(*(worker.tasks.process.pid for worker in pool._workers), flush=True)
    time.sleep(60)

if __name__ == "__main__":
    asyncio.run(main())
"""


class Broken(BreadthFirst):
    """A strategy with a mistake."""

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        raise LookupError("no such link")


class Deadly(BreadthFirst):
    """A strategy that kills its process over any link."""

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        if links:
            os.kill(os.getpid(), signal.SIGKILL)
        return []


class Backwards(ContentLinkSibling):
    """One of ours, changed: what it would learn and score by features alone is another thing."""

    def score(self, page: Page, links: Sequence[Link]) -> list[float | None]:
        return [None if score is None else 1 - score for score in super().score(page, links)]


def judge(topic: str | Path, strategy: str = "lpe_soft", models: str | Path = "") -> Analyst:
    scorers = {
        "learning": "tests.crawl.test_analysis.Learning",
        "broken": "tests.crawl.test_analysis_pool.Broken",
        "deadly": "tests.crawl.test_analysis_pool.Deadly",
        "backwards": "tests.crawl.test_analysis_pool.Backwards",
        "trail": "tests.crawls.strategies.Trail",
        "talkative": "tests.crawls.strategies.Talkative",
    }
    settings = {
        "FOCUSED_TOPIC": str(topic),
        "FOCUSED_STRATEGY": strategy,
        "FOCUSED_LINK_SCORERS": scorers,
        "FOCUSED_MODELS": str(models),
    }
    return Analyst.make(CrawlConfig.from_settings(Settings(settings)), load_topic(str(topic)))


@pytest.fixture(autouse=True)
def forked_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork workers of a process that has imported what they need: a crawl's each take 2 s of CPU for that."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["pytest", __name__])
    monkeypatch.setattr(workers, "get_context", lambda _: context)


@pytest.fixture
def topic(demo_web: Path) -> Path:
    return demo_web.parent / "demo.topics/astronomy"


@pytest.fixture
def jobs(demo_web: Path) -> Iterator[list[Job]]:
    with VirtualWeb(demo_web) as web:
        records = [web.read(entry) for entry in web.entries() if entry.status == 200][:40]
        yield [Job(record.body, record.url, "utf-8", Way(depth)) for depth, record in enumerate(records)]


def by_itself(analyst: Analyst, job: Job) -> Analysis | str:
    try:
        analysis = analyst.classify(*job)
    except UnparsablePage as error:
        return type(error).__name__
    analyst.partition(analysis)
    analyst.score(analysis)
    return analysis


async def by_pool(pool: AnalysisPool, job: Job, ended: list[str]) -> Analysis | str:
    try:
        return await pool.analyse(job)
    except UnparsablePage as error:
        return type(error).__name__
    finally:
        ended.append(job.url)


STRATEGIES = {"lpe_soft": False, "content_link_sibling": False, "learning": True, "backwards": True}
"""Name, and whether pages are sent along."""


@pytest.mark.asyncio
@pytest.mark.parametrize("strategy", STRATEGIES)
async def test_same_results_in_order(strategy: str, topic: Path, jobs: list[Job]) -> None:
    """To the last bit, and in the order of asking, a page that is none among them."""
    jobs.insert(7, Job(b"%PDF-1.7", "http://sky.example/pdf", None, Way(0)))
    long = Job(b"<p>long " * 100_000, "http://sky.example/long", None, Way(0))
    jobs.insert(8, long)  # its answer comes late
    analyst, other = judge(topic, strategy), judge(topic, strategy)
    pool, ended = AnalysisPool(other, 2), []
    found = await asyncio.gather(*(by_pool(pool, job, ended) for job in jobs))
    await pool.close()
    assert ended == [job.url for job in jobs]
    for mine, its in zip((by_itself(analyst, job) for job in jobs), found, strict=True):
        if isinstance(its, Analysis):
            assert isinstance(its.source, Page) is STRATEGIES[strategy]
            other.score(its)
            assert its.page  # so that both are compared as pages
        assert its == mine
    assert found.count("UnparsablePage") == 1


@pytest.mark.asyncio
async def test_learning_is_left_to_the_crawl(topic: Path) -> None:
    """One process has to see all pages."""
    pool = AnalysisPool(judge(topic, "learning"), 1)
    analysis = await pool.analyse(SMALL)
    await pool.close()
    assert analysis.links == 1
    assert analysis.scored is None


@pytest.mark.asyncio
async def test_a_category_comes_along(topic: Path, tmp_path: Path) -> None:
    """What a taxonomy says is said in the worker; the page stays there."""
    analyst = judge(topic, "soft_focus", save_small_taxonomy(tmp_path, "astronomy"))
    pool = AnalysisPool(analyst, 1)
    analysis = await pool.analyse(SMALL)
    await pool.close()
    assert analysis.focus == by_itself(analyst, SMALL).focus
    assert analysis.focus is not None
    assert analysis.focus.category == "sky/planets"
    assert analysis.scored == by_itself(analyst, SMALL).scored


@pytest.mark.asyncio
async def test_a_path_travels(topic: Path) -> None:
    """To the page, and from it to its links; also to a page that is read once more."""
    pool = AnalysisPool(judge(topic, "trail"), 1)
    analysis = await pool.analyse(SMALL._replace(way=Way(0, b"\xff")))
    await pool.close()
    assert [(link.score, link.path) for link in analysis.scored or ()] == [(0.001, b"\xff\0")]
    assert analysis.page.path == b"\xff"


@pytest.mark.asyncio
async def test_a_path_that_is_too_long(topic: Path) -> None:
    """Ends the crawl as it does without workers."""
    pool = AnalysisPool(judge(topic, "talkative"), 1)
    with pytest.raises(CrawlError, match="strategy talkative notes 1,025 bytes"):
        await pool.analyse(SMALL)
    await pool.close()


@pytest.mark.asyncio
async def test_a_strategy_with_a_mistake(topic: Path) -> None:
    """Costs its page, and says where it broke; the worker goes on."""
    pool = AnalysisPool(judge(topic, "broken"), 1)
    worker = pool._workers[0]
    for _ in range(2):
        with pytest.raises(TaskFailed, match="no such link"):
            await pool.analyse(SMALL)
    assert pool._workers == [worker]
    await pool.close()


@pytest.mark.asyncio
async def test_a_worker_that_dies(topic: Path) -> None:
    """Costs no page: what it had is asked of another one."""
    pool = AnalysisPool(judge(topic), 1)
    await pool.analyse(SMALL)
    asked = [asyncio.ensure_future(pool.analyse(SMALL)) for _ in range(3)]
    await asyncio.sleep(0)
    os.kill(pool._workers[0].tasks.process.pid, signal.SIGKILL)
    assert [analysis.links for analysis in await asyncio.gather(*asked)] == [1, 1, 1]
    await pool.close()


@pytest.mark.asyncio
async def test_a_page_that_kills(topic: Path) -> None:
    """One worker after the other: it is given up, and the next page has a new one."""
    pool = AnalysisPool(judge(topic, "deadly"), 1)
    with pytest.raises(WorkerDied):
        await pool.analyse(SMALL)
    assert (await pool.analyse(SMALL._replace(body=b"<p>no links"))).links == 0
    await pool.close()


@pytest.mark.asyncio
async def test_workers_that_do_not_start(topic: Path, tmp_path: Path) -> None:
    """End the crawl with the reason, and not page after page."""
    folder = shutil.copytree(topic, tmp_path / topic.name)
    knows_topic = judge(folder)
    shutil.rmtree(folder)
    pool = AnalysisPool(knows_topic, 1)
    with pytest.raises(CrawlError, match=r"FOCUSED_ANALYSIS_PROCESSES do not start: .*topic.toml: not found"):
        await pool.analyse(SMALL)
    await pool.close()


@pytest.mark.asyncio
async def test_a_worker_that_cannot_be_replaced(topic: Path, tmp_path: Path) -> None:
    """Is given up at once where the reason is known; the crawl ends with the last one."""
    folder = shutil.copytree(topic, tmp_path / topic.name)
    left: list[int] = []
    pool = AnalysisPool(judge(folder), 2, given_up=left.append)
    await asyncio.gather(*(pool.analyse(SMALL) for _ in range(2)))
    shutil.rmtree(folder)
    os.kill(pool._workers[0].tasks.process.pid, signal.SIGKILL)
    pages = await asyncio.gather(*(pool.analyse(SMALL) for _ in range(4)))
    assert ([analysis.links for analysis in pages], left) == ([1, 1, 1, 1], [1])
    os.kill(pool._workers[0].tasks.process.pid, signal.SIGKILL)
    with pytest.raises(CrawlError, match=r"topic.toml: not found"):
        await pool.analyse(SMALL)
    await pool.close()


@pytest.mark.asyncio
async def test_starts_that_fail_now_and_then(topic: Path) -> None:
    """They end no crawl in which workers start: only those in a row count."""
    pool = AnalysisPool(judge(topic), 1)
    for _ in range(3):
        os.kill(pool._workers[0].tasks.process.pid, signal.SIGKILL)
        assert [(await pool.analyse(SMALL)).links for _ in range(2)] == [1, 1]
        await pool.close()
        pool._workers = [_Worker(pool._config)]
    await pool.close()


@pytest.mark.asyncio
async def test_another_model(topic: Path, jobs: list[Job], tmp_path: Path) -> None:
    """What is asked from then on is judged by it; what was asked before is judged by the old one."""
    folder = shutil.copytree(topic, tmp_path / topic.name)
    old, here = judge(folder), judge(folder)
    pool = AnalysisPool(here, 2)
    first = [await by_pool(pool, job, []) for job in jobs[:2]]  # the workers have read the old one
    before = [asyncio.ensure_future(by_pool(pool, job, [])) for job in jobs[2:8]]
    await asyncio.sleep(0)  # they are sent
    other = (topic.parent / "gardening/topic.toml").read_text()
    (folder / "topic.toml").write_text(other.replace('"gardening"', f'"{topic.name}"', 1))
    new = judge(folder)
    here.take_over(judge(folder))
    after = [asyncio.ensure_future(by_pool(pool, job, [])) for job in jobs[:8]]
    found = [[*first, *await asyncio.gather(*before)], await asyncio.gather(*after)]
    await pool.close()
    expected = [[by_itself(one, job) for job in jobs[:8]] for one in (old, new)]

    def relevances(analyses: list[Analysis | str]) -> list[float | None]:
        return [getattr(analysis, "relevance", None) for analysis in analyses]

    assert list(map(relevances, found)) == list(map(relevances, expected))
    assert relevances(found[0]) != relevances(found[1])
    assert not any(worker.is_alive for worker in pool._retired)


@pytest.mark.asyncio
async def test_closing(topic: Path) -> None:
    """Nothing is left behind, whether or not a page was ever asked for."""
    for wanted in (0, 1):
        pool = AnalysisPool(judge(topic), 1)
        for _ in range(wanted):
            await pool.analyse(SMALL)
        await pool.close()
        assert not pool._workers[0].tasks.process.is_alive()


def test_no_orphans(topic: Path, tmp_path: Path) -> None:
    """The workers of a crawl that was killed end by themselves."""
    script = tmp_path / "crawl.py"
    script.write_text(ORPHANS)
    with subprocess.Popen(
        [sys.executable, str(script), str(topic)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as crawl:
        assert crawl.stdout is not None
        started = [int(pid) for pid in crawl.stdout.readline().split()]
        assert len(started) == 2
        crawl.kill()
    for pid in started:
        until(lambda pid=pid: not is_running(pid))


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
