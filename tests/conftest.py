from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from focused_crawler.virtualweb.demo import write_demo_web
from tests.project import Scrapy


@pytest.fixture(scope="session")
def scrapy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scrapy]:
    """Runs `scrapy` commands."""
    server = Scrapy(tmp_path_factory.mktemp("scrapy"))
    yield server
    server.close()


@pytest.fixture(scope="session")
def demo_web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo web, written once."""
    return write_demo_web(tmp_path_factory.mktemp("demo-web"))
