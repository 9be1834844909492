from __future__ import annotations

import pytest

from focused_crawler.safety import program


@pytest.fixture(autouse=True)
def started_by_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """The API names commands in its own way: other tests of the process go on without."""
    monkeypatch.setattr(program, "_started", [])
