from __future__ import annotations

import fcntl
import gc
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from focused_crawler.safety import program
from focused_crawler.safety.process import collect_seldom
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.virtualweb.analysed.web import AnalysedWeb
from focused_crawler.virtualweb.demo import NAME as DEMO_NAME
from focused_crawler.virtualweb.demo import write_demo_web
from focused_crawler.virtualweb.index import VirtualWeb
from tests.databases import KINDS, PostgresqlKind, SqliteKind
from tests.postgresql import Server, server
from tests.project import Scrapy

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Tests start hundreds of interpreters, and each would compile the project anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Whose project is meant is for each command to find in its folder.
os.environ.pop("SCRAPY_SETTINGS_MODULE", None)

# Processes of tests share the cores: threads of theirs that wait for one another take them, and do nothing.
os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

# Hypothesis takes 200 ms of wall time for a failure: a machine with other work stands still for as long.
# Examples are drawn anew wherever somebody can look at what they find; a submission is judged by fixed ones.
# HYPOTHESIS_PROFILE=thorough looks for longer.
settings.register_profile(
    "any machine",
    max_examples=50,
    deadline=None,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.register_profile("thorough", settings.get_profile("any machine"), max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "any machine"))


def pytest_sessionstart() -> None:
    """Look for no garbage while thousands of tests are collected: they live to the end."""
    gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Forget what a test leaves in its process: others expect commands as they are typed in a checkout."""
    program._started.clear()
    os.environ.pop("SCRAPY_SETTINGS_MODULE", None)  # Scrapy writes there which project it found


@pytest.hookimpl(trylast=True)  # when they have been shuffled
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Where several processes share the tests, begin with files of many slow ones: none waits for them."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    items.sort(key=lambda item: -slow[item.path])


def pytest_collection_finish() -> None:
    """Look for garbage again, but never in what was collected, and as seldom as a crawl does."""
    gc.freeze()
    collect_seldom()
    gc.enable()


@pytest.fixture(scope="session")
def scrapy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scrapy]:
    """Runs `scrapy` commands."""
    server = Scrapy(tmp_path_factory.mktemp("scrapy"))
    yield server
    server.close()


@pytest.fixture(scope="session")
def new_demo_web(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Makes a demo web with its index and analysed pages: a copy of one that is made once."""

    def copy() -> Path:
        made = made_once(tmp_path_factory, "demo-web", _make_demo_web)
        return Path(shutil.copytree(made, tmp_path_factory.mktemp("demo") / "web")) / DEMO_NAME

    return copy


@pytest.fixture(scope="session")
def demo_web(new_demo_web: Callable[[], Path]) -> Path:
    """One for each process of tests."""
    return new_demo_web()


def _make_demo_web(folder: Path) -> None:
    path = write_demo_web(folder)
    VirtualWeb(path).close()
    AnalysedWeb(path).close()


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder that the first of several processes of tests makes; nobody is to change it."""
    common = factory.getbasetemp()
    common = common.parent if "PYTEST_XDIST_WORKER" in os.environ else common
    folder = common / name
    with (common / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            unfinished = factory.mktemp(name)
            make(unfinished)
            unfinished.rename(folder)
    return folder


@pytest.fixture(scope="module")
def hives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A web of two topics."""
    from tests.experiment.hives import write_hives  # noqa: PLC0415 - not for all other tests

    return write_hives(tmp_path_factory.mktemp("hives"))


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Server]:
    """A PostgreSQL server: FOCUSED_TEST_POSTGRESQL, or one of our own, started once."""
    with server() as running:
        yield running


@pytest.fixture(params=KINDS)
def crawl_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqliteKind | PostgresqlKind]:
    """The place of a crawl's database, which does not exist yet, on each kind there is."""
    kind = (
        SqliteKind(tmp_path)
        if request.param == "sqlite"
        else PostgresqlKind(request.getfixturevalue("postgresql"))
    )
    yield kind
    kind.remove()


@pytest.fixture
def kind(postgresql: Server) -> Iterator[PostgresqlKind]:
    """A schema that does not exist."""
    kind = PostgresqlKind(postgresql)
    yield kind
    kind.remove()


@pytest.fixture
def database(crawl_database: SqliteKind | PostgresqlKind) -> Iterator[CrawlDatabase]:
    """A crawl's database, open for writing."""
    with crawl_database.open() as database:
        yield database


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real Chromium. Not for a session: while it is there, no test can have an event loop."""
    # Not for all other tests.
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    from focused_crawler.edge.rendering.chromium import find_browser, is_root  # noqa: PLC0415
    from tests.crawls.app import has_browser  # noqa: PLC0415

    if not has_browser():
        pytest.skip("no Chromium here; make setup looks for one")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=find_browser(None), chromium_sandbox=not is_root())
        yield browser
        browser.close()
