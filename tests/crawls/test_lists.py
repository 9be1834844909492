"""Lists of sites and hubs that outlive a crawl: the next one starts from them."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from focused_crawler.crawl.lists.counts import count_crawl
from focused_crawler.crawl.lists.lists import Lists
from tests.crawls.site import Answer, Site, page, write_topic
from tests.project import Done, Job, Scrapy, crawl, until

SETTINGS = ("FOCUSED_ALLOWED_NETWORKS=127.0.0.0/8", "DOWNLOAD_DELAY=0", "CONCURRENT_REQUESTS=1")
SHOP, BEES = "127.0.0.2", "127.0.0.3"


class Web:
    """A shop, from which a long way leads to a site about bees."""

    def __init__(self, site: Site, folder: Path) -> None:
        self.site, self.folder = site, folder
        for step in range(6):
            target = f"/way-{step + 1}" if step < 5 else site.url("/start", BEES)
            site.answers[f"{SHOP}/way-{step}"] = [
                Answer(f'<p>Cars, road {step} <a href="{target}">on</a>'.encode())
            ]
        site.answers[f"{BEES}/start"] = [page("Bees", [f"/{n}" for n in range(8)])]
        for n in range(8):
            site.answers[f"{BEES}/{n}"] = [page(f"Bee {n}")]
        self.topic = write_topic(folder, "bees", site.url("/way-0", SHOP))

    def crawl(self, scrapy: Scrapy, *settings: str, before: str = "", **arguments: object) -> Done:
        words = crawl(self.topic, self.folder / "crawls", *SETTINGS, *settings, **arguments)
        return scrapy.run(*words, before=before)

    def job(self, name: str) -> Job:
        return Job(self.folder / "crawls" / "bees" / name)


@pytest.fixture
def web(site: Site, tmp_path: Path) -> Web:
    return Web(site, tmp_path)


def test_the_second_crawl_starts_where_the_first_arrived(web: Web, scrapy: Scrapy) -> None:
    """After its own start page, and before anything else; its run.json says so."""
    first, second = (web.crawl(scrapy, job=job) for job in ("first", "second"))
    assert (first.code, second.code) == (0, 0), second.err
    assert web.job("first").run["listed_seeds"] == 0
    assert web.job("second").run["listed_seeds"] == 1
    assert "Start pages from the lists of bees: 1" in second.err
    assert web.job("second").pages[:2] == [web.site.url("/way-0", SHOP), web.site.url("/start", BEES)]
    relevant = "SELECT sum(is_relevant) FROM pages WHERE position <= 10"
    (before,), (after,) = (web.job(job).rows(relevant)[0] for job in ("first", "second"))
    assert before < 5 < after == 9


def test_a_crawl_that_goes_on_is_counted_once(web: Web, scrapy: Scrapy) -> None:
    """Its numbers are those of its last run."""
    for pages in (9, 12):
        web.crawl(scrapy, job="one", pages=pages)
        with Lists(web.topic / "lists.db", read_only=True) as lists:
            assert [counted.pages for counted in lists.crawls()] == [pages]
    assert sorted(path.name for path in web.topic.iterdir()) == ["lists.db", "topic.toml"]


@pytest.mark.parametrize("processes", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_a_crawl_that_goes_on_is_the_same_crawl(
    processes: int, demo_web: Path, scrapy: Scrapy, tmp_path: Path
) -> None:
    """Whatever it found before it stopped, and was counted: only the crawls before it lead it."""
    settings = (
        f"FOCUSED_WEB={demo_web}", "FOCUSED_LISTS=on", "CONCURRENT_REQUESTS=1", "ROBOTSTXT_OBEY=False",
        f"FOCUSED_ANALYSIS_PROCESSES={processes}",
    )  # fmt: skip
    topic = demo_web.parent / "demo.topics/astronomy"
    told = {"job": "one", "strategy": "best_first_content_anchor", "profile": "offline"}
    visits = []
    for way, stops in (("at-once", (200,)), ("in-parts", (100, 200))):
        folder = tmp_path / way
        for pages in stops:
            words = crawl(topic, folder, *settings, f"FOCUSED_MODELS={folder}/models", pages=pages, **told)
            done = scrapy.run(*words)
            assert done.code == 0, done.err
        visits.append(Job(folder / "astronomy/one").pages)
    assert visits[0] == visits[1]
    assert len(visits[0]) == 200


def test_a_crawl_that_was_stopped_is_not_counted(web: Web, scrapy: Scrapy) -> None:
    """A command counts it by hand, the crawl itself when it is over."""
    quick = dict(web.site.answers)
    for path, delay in (("/way-2", 0.3), ("/way-3", 10.0)):  # so it cannot end before the signal comes
        web.site.answers[SHOP + path] = [answer._replace(delay=delay) for answer in quick[SHOP + path]]
    running = scrapy.start(*crawl(web.topic, web.folder / "crawls", *SETTINGS, job="one"))
    until(lambda: web.site.times("/way-2"))
    running.signal(signal.SIGINT)
    running.wait()
    web.site.answers.update(quick)
    assert web.job("one").run["state"] == "stopped"
    assert [path.name for path in web.topic.iterdir()] == ["topic.toml"]
    assert scrapy.run("lists", web.topic, "--update", web.folder / "crawls/bees/one").code == 0
    assert web.crawl(scrapy, job="one").code == 0
    with Lists(web.topic / "lists.db", read_only=True) as lists:
        assert [counted.pages for counted in lists.crawls()] == [15]


def test_a_topic_without_start_pages_starts_from_its_lists(web: Web, scrapy: Scrapy) -> None:
    """Without any, one line says what finds some."""
    path = web.topic / "topic.toml"
    path.write_text(path.read_text().partition("seeds")[0])
    done = web.crawl(scrapy, job="none")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "scrapy seeds" in done.err
    host = web.site.url("/start", BEES)
    assert scrapy.run("lists", web.topic, "--keep", host).code == 0
    assert web.crawl(scrapy, job="some").code == 0
    assert web.job("some").pages[0] == host


@pytest.mark.parametrize("settings", [("FOCUSED_LISTS=off",), ("FOCUSED_LISTS=auto", "FOCUSED_WEB={web}")])
def test_lists_that_are_off_leave_no_trace(
    settings: tuple[str, ...], web: Web, scrapy: Scrapy, demo_web: Path
) -> None:
    """Nor does a crawl of a recorded web, which would otherwise depend on those before."""
    web.crawl(scrapy, *(setting.format(web=demo_web) for setting in settings), pages=20, job="1")
    assert [path.name for path in web.topic.iterdir()] == ["topic.toml"]


def test_a_folder_that_cannot_be_written_costs_a_line(web: Web, scrapy: Scrapy) -> None:
    """The crawl is none the worse for it."""
    web.topic.chmod(0o555)
    try:
        done = web.crawl(scrapy, job="1", before="tests.crawls.faults.without_privileges")
    finally:
        web.topic.chmod(0o755)
    assert done.code == 0
    assert web.job("1").run["state"] == "finished"
    (line,) = [line for line in done.err.splitlines() if "WARNING: Not counted" in line]
    assert "let -s FOCUSED_MODELS=FOLDER name a folder that can be" in line
    assert "Traceback" not in done.err


def test_a_crawl_can_be_counted_where_it_is(web: Web, scrapy: Scrapy) -> None:
    """The same numbers come out of its folder."""
    web.crawl(scrapy, job="1")
    found = count_crawl(web.folder / "crawls/bees/1", "bees")
    assert (found.pages, found.relevant) == (15, 9)
    # one page says nothing of the topic but in its links
    sites = {f"{SHOP}:{web.site.port}": (6, 0), f"{BEES}:{web.site.port}": (9, 8)}
    assert {one.site: (one.pages, one.relevant) for one in found.sites} == sites
