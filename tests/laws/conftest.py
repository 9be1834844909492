from __future__ import annotations

from functools import partial

import pytest

from tests.laws.backends import BACKENDS, opened


@pytest.fixture(params=BACKENDS)
def new_frontier(request):
    """A maker of frontiers on one backend, as context managers."""
    return partial(opened, request.param)


@pytest.fixture(params=[name for name, kind in BACKENDS.items() if kind.survives])
def lasting(request):
    """A backend that outlives its process."""
    backend = BACKENDS[request.param]()
    yield backend
    backend.remove()
