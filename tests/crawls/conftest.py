from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crawls.bees import Bees
from tests.crawls.site import Site, serving
from tests.project import Scrapy


@pytest.fixture
def site() -> Iterator[Site]:
    """A web on loopback, with no pages yet."""
    with serving() as site:
        yield site


@pytest.fixture
def bees(site: Site, tmp_path: Path) -> Bees:
    return Bees(site, tmp_path)


@pytest.fixture(scope="session")
def cook(demo_web: Path, scrapy: Scrapy, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """FOCUSED_MODELS with what `scrapy train` makes of a topic, its paths included."""
    models = tmp_path_factory.mktemp("models")
    settings = {"FOCUSED_MODELS": models, "FOCUSED_WEB": demo_web}
    words = [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]
    topic = demo_web.parent / "demo.topics/cooking"
    trained = scrapy.run("train", str(topic), "--sessions-from", str(demo_web), *words)
    assert trained.code == 0, trained.err
    return models
