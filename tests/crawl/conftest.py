from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.crawl.site import Site, serving


@pytest.fixture
def site() -> Iterator[Site]:
    """A web on loopback, with no pages yet."""
    with serving() as site:
        yield site
