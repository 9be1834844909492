from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crawls.bees import Bees
from tests.crawls.site import Site, serving


@pytest.fixture
def site() -> Iterator[Site]:
    """A web on loopback, with no pages yet."""
    with serving() as site:
        yield site


@pytest.fixture
def bees(site: Site, tmp_path: Path) -> Bees:
    return Bees(site, tmp_path)
