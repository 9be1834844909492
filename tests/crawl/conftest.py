from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crawl.bees import Bees
from tests.crawl.site import Site, serving


@pytest.fixture
def site() -> Iterator[Site]:
    """A web on loopback, with no pages yet."""
    with serving() as site:
        yield site


@pytest.fixture
def bees(site: Site, tmp_path: Path) -> Bees:
    return Bees(site, tmp_path)
