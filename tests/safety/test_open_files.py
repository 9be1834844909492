from __future__ import annotations

import resource
from collections.abc import Iterator

import pytest

from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.process import IDLE, idle_connections, make_room


def limit() -> int:
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


@pytest.fixture(autouse=True)
def few() -> Iterator[None]:
    """A limit of 256, which may be raised."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.parametrize(("requests", "idle"), [(16, 124), (60, 36), (78, 0), (500, 0)])
def test_what_requests_may_need_is_not_kept_idle(requests: int, idle: int) -> None:
    """Two files a request, and a hundred for all else."""
    assert idle_connections(requests) == idle


def test_room_is_made() -> None:
    """Enough for all requests and for idle connections; a limit that is high enough stays."""
    make_room(16)
    raised = limit()
    assert raised > 256
    assert idle_connections(16) == min(IDLE, raised - 132)
    make_room(1)
    assert limit() == raised


def test_what_the_system_forbids() -> None:
    """Is said with the largest number that would do, and nothing is changed."""
    highest = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if highest == resource.RLIM_INFINITY:
        pytest.skip("this system allows any number")
    with pytest.raises(ConfigError, match=f"{highest} are allowed; use {(highest - 100) // 2}, or"):
        make_room(highest)
    assert limit() == 256
