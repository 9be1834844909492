from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from scrapy.settings import Settings

from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.plan import CrawlPlan
from focused_crawler.virtualweb.index import VirtualWeb
from tests.crawls.reference import Reference
from tests.project import Job, Scrapy, crawl

PAGES = 150


@pytest.fixture(scope="module")
def topic(demo_web: Path) -> Path:
    return demo_web.parent / "demo.topics/astronomy"


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["breadth_first", "best_first_content_anchor", "lpe"])
def test_the_best_page_is_always_next(
    strategy: str, topic: Path, demo_web: Path, scrapy: Scrapy, tmp_path: Path
) -> None:
    """At concurrency 1 a crawl visits exactly what a list sorted before every page would give."""
    plan = CrawlPlan.make(
        CrawlConfig.from_settings(Settings({"FOCUSED_TOPIC": topic, "FOCUSED_STRATEGY": strategy}))
    )
    with VirtualWeb(demo_web) as web:
        expected = Reference(plan, web).visits(PAGES)
    arguments = {"strategy": strategy, "pages": PAGES, "profile": "offline"}
    done = scrapy.run(*crawl(topic, tmp_path, f"FOCUSED_WEB={demo_web}", **arguments))
    assert done.code == 0, done.err
    assert Job(tmp_path / "astronomy/1").visits == expected
    assert len(expected) > PAGES / 2


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["adaptive", "link_classifier"])
def test_two_crawls_visit_the_same_pages(
    strategy: str, topic: Path, demo_web: Path, scrapy: Scrapy, tmp_path: Path
) -> None:
    """Bit for bit, whichever backend the frontier has, and whoever analyses the pages."""
    runs = {
        "sqlite": (),
        "memory": ("FOCUSED_FRONTIER=memory",),
        "workers": ("FOCUSED_ANALYSIS_PROCESSES=2",),
    }
    for name, settings in runs.items():
        words = crawl(
            topic, tmp_path, f"FOCUSED_WEB={demo_web}", *settings,
            profile="offline", strategy=strategy, pages=60, job=name,
        )  # fmt: skip
        done = scrapy.run(*words)
        assert done.code == 0, done.err
    first, *others = (Job(tmp_path / "astronomy" / name).pages for name in runs)
    assert all(pages == first for pages in others)
    assert len(first) == 60


@pytest.mark.slow
@pytest.mark.parametrize(
    ("strategy", "seed_set"),
    [
        ("adaptive", "c"),
        ("link_classifier", "c"),
        ("hmm", "c"),
        ("content_link_sibling", "a"),
        ("shuffled:lpe", "c"),
        ("shark_search", "c"),
    ],
)
def test_workers_change_no_row(
    strategy: str, seed_set: str, cook: Path, demo_web: Path, scrapy: Scrapy, tmp_path: Path
) -> None:
    """All tables are the same whoever analyses the pages, also what a strategy learnt; but for times."""
    found = []
    for processes in (0, 2):
        settings = {
            "FOCUSED_WEB": demo_web,
            "FOCUSED_MODELS": shutil.copytree(cook, tmp_path / f"models{processes}"),
            "FOCUSED_SEED_SET": seed_set,
            "FOCUSED_LISTS": "off",
            "FOCUSED_ANALYSIS_PROCESSES": processes,
        }
        words = [f"{name}={value}" for name, value in settings.items()]
        topic = demo_web.parent / "demo.topics/cooking"
        arguments = {"strategy": strategy, "pages": 80, "profile": "offline", "job": str(processes)}
        done = scrapy.run(*crawl(topic, tmp_path, *words, **arguments))
        assert done.code == 0, done.err
        found.append(tables(Job(tmp_path / "cooking" / str(processes))))
    for name, rows in found[0].items():
        assert found[1][name] == rows, name
    learns_pages, has_memory = strategy == "adaptive", strategy not in ("adaptive", "shark_search")
    counts = [len(found[0][name]) for name in ("pages", "learnt", "memory")]
    assert counts == [80, 80 * learns_pages, has_memory]


NUMBERED = {
    ("urls", "host"): "hosts",
    ("urls", "parent"): "urls",
    ("links", "source"): "urls",
    ("links", "target"): "urls",
    ("decisions", "url"): "urls",
}
"""Columns with numbers of rows of other tables, which are by chance: which rules of robots.txt come first."""


def tables(job: Job) -> dict[str, list[tuple[object, ...]]]:
    """Return the rows of all tables, without times and with names for numbers of rows; not those of runs,
    which say with which settings.
    """
    kept = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    names = {
        "urls": dict(job.rows("SELECT id, url FROM urls")),
        "hosts": dict(job.rows("SELECT id, name FROM hosts")),
    }
    found = {}
    for table in {name for (name,) in job.rows(kept)} - {"runs"}:
        columns = [row[1] for row in job.rows(f"PRAGMA table_info({table})")]
        known = [names.get(NUMBERED.get((table, column), ""), {}) for column in columns]
        timeless = [
            place
            for place, column in enumerate(columns)
            if not column.endswith(("_at", "seconds"))
            and not (column == "id" and table in ("urls", "hosts", "decisions"))
        ]
        rows = job.rows(f"SELECT * FROM {table}")
        found[table] = sorted(
            (tuple(known[place].get(row[place], row[place]) for place in timeless) for row in rows), key=repr
        )
    return found
