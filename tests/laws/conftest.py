from __future__ import annotations

from functools import partial

import pytest

from tests.laws.backends import (
    BACKENDS,
    LASTING,
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
        }
        return kinds[name]()

    return make


@pytest.fixture(params=BACKENDS)
def new_frontier(request, new_backend):
    """A maker of frontiers on one backend, as context managers."""
    return partial(opened, partial(new_backend, request.param))


@pytest.fixture(params=LASTING)
def lasting(request, new_backend):
    """A backend that outlives its process."""
    backend = new_backend(request.param)
    yield backend
    backend.remove()
