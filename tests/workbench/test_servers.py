"""Crawls that lie on servers, in a real browser: one in PostgreSQL, told of marks as well, and a fleet's."""

from __future__ import annotations

import csv
import io
import os
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from focused_crawler.store.job import read_run
from focused_crawler.store.opening import is_in_use, read_crawl, schema_name, shared_schema_name
from focused_crawler.topic.labels import read_labels
from focused_crawler.topic.topic import load_topic
from tests.postgresql import Server
from tests.project import Scrapy, until
from tests.small_taxonomy import save_small_taxonomy
from tests.workbench.bench import Project, Workbench, running
from tests.workbench.conftest import key_down
from tests.workbench.test_taxonomy import write_examples

pytestmark = pytest.mark.slow

LONG = 90_000  # milliseconds that a fleet may take to begin on a busy machine
SLOW = ("-s", "FOCUSED_WEB_LATENCY=0.2", "-s", "CONCURRENT_REQUESTS=2")
MARKS = '\n[taxonomy]\ngood = ["sky/stars"]\n'
JUDGED = "SELECT position, log_rd FROM pages ORDER BY position LIMIT 10"


def write_topic(project: Project) -> None:
    """Write the topic as it ships, with one good category."""
    shipped = project.web.parent / "demo.topics/astronomy/topic.toml"
    (project.topics / "astronomy/topic.toml").write_text(shipped.read_text() + MARKS)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, new_demo_web: Callable[[], Path]) -> Project:
    """A topic with a good category, a tree, and a model of it."""
    made = Project.make(tmp_path_factory.mktemp("project"), new_demo_web())
    made.add_topic("astronomy")
    write_topic(made)
    write_examples(made.folder / "tree")
    save_small_taxonomy(made.folder / "models")
    return made


@pytest.fixture(scope="module")
def workbench(scrapy: Scrapy, project: Project) -> Iterator[Workbench]:
    with running(scrapy, project, "-s", f"FOCUSED_TAXONOMY={project.folder / 'tree'}") as workbench:
        yield workbench


def rows(folder: Path, sql: str) -> list[tuple]:
    with read_crawl(folder) as database:
        return database.rows(sql)


@pytest.fixture(params=["sqlite", "postgresql"])
def crawl(request: pytest.FixtureRequest, scrapy: Scrapy, project: Project) -> Iterator[Path]:
    """A crawl that a taxonomy orders, and that would go on for minutes."""
    server: Server | None = None
    write_topic(project)
    words = [*SLOW, "-s", f"FOCUSED_TAXONOMY={project.folder / 'tree'}"]
    if request.param == "postgresql":
        server = request.getfixturevalue("postgresql")
        words += ["-s", f"FOCUSED_DATABASE={server.address}"]
    folder = project.crawls / "astronomy" / request.param
    started = project.crawl(scrapy, "astronomy", request.param, *words, pages=2000, strategy="soft_focus")
    until(lambda: read_run(folder) and is_in_use(folder) and len(rows(folder, JUDGED)) == 10)
    yield folder
    if is_in_use(folder):
        started.signal(signal.SIGKILL)
    started.wait()
    if server is not None:
        server.drop(schema_name(folder))


def test_marks_orders_and_labels(page: Page, project: Project, crawl: Path) -> None:
    """A crawl that runs is told of a mark and judges anew; it is labelled, saved, stopped, and goes on."""
    folder = crawl
    place = f"/crawls/astronomy/{folder.name}"
    page.goto(f"/topics/astronomy/taxonomy?at=sky/planets&crawl={folder.name}")
    key_down(page, "g")
    expect(page.get_by_role("status").first).to_have_text("sky/planets is good now.")
    before = rows(folder, JUDGED)
    page.get_by_role("button", name=f"Let crawl {folder.name} go by these marks").press("Enter")
    expect(page.get_by_role("status").first).to_contain_text(re.compile("judged|has the order"))
    until(lambda: rows(folder, "SELECT 1 FROM decisions WHERE decision = 'order' AND rule = 'marks'"))
    assert load_topic(str(project.topics / "astronomy")).good_categories == ("sky/stars", "sky/planets")
    now = rows(folder, JUDGED)
    assert [position for position, _ in now] == [position for position, _ in before]
    assert all(rd >= old for (_, rd), (_, old) in zip(now, before, strict=True))
    assert now != before

    page.goto(f"{place}/label")
    expect(page.get_by_text(re.compile(r"^1 of \d+$"))).to_be_visible()
    url = page.locator("article .url").inner_text()
    key_down(page, "y")
    expect(page.get_by_text(re.compile(r"^2 of \d+$"))).to_be_visible()
    assert read_labels(project.topics / "astronomy").labels[-1].url == url
    page.goto(place)
    expect(page.locator("#chart a").nth(10)).to_be_attached()
    expect(page.locator("#live-frontier table")).to_be_attached()
    expect(page.locator("#live-orders")).to_contain_text("Marks")
    page.get_by_role("textbox", name="Pages").fill("1900")
    page.get_by_role("button", name="Change the budget").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Its budget is 1,900 pages")
    page.get_by_role("button", name="Stop the crawl").press("Enter")
    expect(page.locator("#live-state")).to_contain_text("It was ordered to stop")
    expect(page.get_by_text("Fetch other pages first")).to_be_hidden()
    pages = rows(folder, "SELECT count(*) FROM pages")[0][0]
    page.get_by_role("textbox", name="Pages").fill(str(pages + 5))
    page.get_by_role("button", name="Go on").press("Enter")
    expect(page.get_by_role("status")).to_have_text("The crawl goes on.")
    until(lambda: not is_in_use(folder))
    page.goto(f"{place}/pages")
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    saved = list(csv.DictReader(io.StringIO(download.value.path().read_text("utf-8-sig"))))
    assert len(saved) == pages + 5
    assert {row["url"] for row in saved} == {url for (url,) in rows(folder, "SELECT url FROM pages")}


@pytest.fixture
def fleet(scrapy: Scrapy, project: Project, postgresql: Server) -> Iterator[Path]:
    """Two workers at one crawl."""
    job = f"fleet-{os.getpid()}"
    words = ["-a", "profile=offline", "-a", "pages=2000", "-s", "FOCUSED_WEB_LATENCY=3", *project.settings]
    words += ["-s", f"FOCUSED_DATABASE={postgresql.address}"]
    started = scrapy.start(
        "fleet", project.topics / "astronomy", "--job", job, "--workers", 2, *words, environ=project.environ
    )
    folder = project.crawls / "astronomy" / job
    until(lambda: read_run(folder) and is_in_use(folder) and rows(folder, JUDGED), pause=0.2)
    yield folder
    if is_in_use(folder):
        started.signal(signal.SIGINT)
    started.wait()
    postgresql.drop(shared_schema_name("astronomy", job))


def test_a_fleet_is_watched_labelled_and_stopped(page: Page, project: Project, fleet: Path) -> None:
    """Its workers and its frontier are shown, nothing that workers would not obey; it goes on with one."""
    folder = fleet
    place = f"/crawls/astronomy/{folder.name}"
    page.goto(place)
    workers = page.get_by_role("group", name="Workers").locator("tbody tr")
    expect(workers).to_have_count(2)
    expect(workers.first).to_contain_text("works")
    expect(page.get_by_role("heading", name="Its frontier, by score")).to_be_visible()
    expect(page.get_by_text(re.compile("URLs on [0-9]+ hosts"))).to_be_visible()
    expect(page.locator("#chart a").first).to_be_attached()
    assert not page.get_by_role("button", name="Change the budget").count()
    assert not page.get_by_text("Fetch other pages first").count()
    command = f"scrapy fleet {project.topics / 'astronomy'} --workers 2 --job {folder.name}"  # as it began
    expect(page.get_by_text(command)).to_be_visible()
    page.goto(f"{place}/label")
    url = page.locator("article .url").inner_text()
    key_down(page, "n")
    expect(page.get_by_text(re.compile("^2 of|Done"))).to_be_visible()
    assert read_labels(project.topics / "astronomy").labels[-1].url == url
    page.goto(f"{place}/page?url={url}")
    expect(page.get_by_role("button", name="Not relevant")).to_have_attribute("aria-pressed", "true")
    page.goto(place)
    page.get_by_role("button", name="Stop the crawl").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Its workers stop")
    until(lambda: not is_in_use(folder), pause=0.2)
    expect(page.locator("#live-state")).to_contain_text("ended")
    pages = rows(folder, "SELECT count(*) FROM pages")[0][0]
    page.get_by_role("textbox", name="Workers").fill("1")
    page.get_by_role("textbox", name="Pages").fill(str(pages + 2))
    page.get_by_role("button", name="Go on").press("Enter")
    expect(page.get_by_role("status")).to_have_text("The crawl goes on.", timeout=LONG)
    until(lambda: not is_in_use(folder), pause=0.2)
    assert rows(folder, "SELECT count(*) FROM pages")[0][0] >= pages + 2
