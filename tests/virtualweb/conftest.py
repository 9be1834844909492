from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from focused_crawler.virtualweb.demo import write_demo_web
from focused_crawler.virtualweb.writer import WebWriter

Answer = tuple[str, int, dict[str, str], bytes]
HTML = {"Content-Type": "text/html"}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test touches the user's own cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def make_web(tmp_path: Path) -> Callable[..., Path]:
    """Write (url, status, headers, body) records into a WARC and give its path."""

    def make(*answers: Answer, name: str = "web.warc.gz") -> Path:
        with WebWriter(tmp_path / name) as writer:
            for url, status, headers, body in answers:
                writer.write(url, status, list(headers.items()), body)
        return tmp_path / name

    return make


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo web, written once."""
    return write_demo_web(tmp_path_factory.mktemp("demo"))
