from __future__ import annotations

from functools import partial

import pytest

from tests.laws.backends import (
    BACKENDS,
    LASTING,
    LASTING_OF_ONE_PROCESS,
    OF_ONE_PROCESS,
    InRedis,
    Memory,
    Partitioned,
    Postgresql,
    Sqlite,
    opened,
)


@pytest.fixture
def new_backend(request):
    """A maker of backends by name."""

    def make(name):
        kinds = {
            "memory": Memory,
            "sqlite": Sqlite,
            "postgresql": lambda: Postgresql(request.getfixturevalue("postgresql")),
            "partitioned": lambda: Partitioned(request.getfixturevalue("postgresql")),
            "redis": lambda: InRedis(request.getfixturevalue("redis_server")),
            "redis_partitions": lambda: InRedis(request.getfixturevalue("redis_server"), partitions=3),
            "redis_cluster": lambda: InRedis(request.getfixturevalue("redis_cluster"), partitions=5),
        }
        return kinds[name]()

    return make


@pytest.fixture(params=BACKENDS)
def new_frontier(request, new_backend):
    """A maker of frontiers on one backend, as context managers."""
    return partial(opened, partial(new_backend, request.param))


@pytest.fixture(params=OF_ONE_PROCESS)
def new_own_frontier(request, new_backend):
    """A maker of frontiers on a backend of one process: only there is N-best-first, and strict order."""
    return partial(opened, partial(new_backend, request.param))


@pytest.fixture(params=LASTING)
def lasting(request, new_backend):
    """A backend that outlives its process."""
    backend = new_backend(request.param)
    yield backend
    backend.remove()


@pytest.fixture(params=LASTING_OF_ONE_PROCESS)
def lasting_own(request, new_backend):
    """A backend of one process that outlives it."""
    backend = new_backend(request.param)
    yield backend
    backend.remove()
