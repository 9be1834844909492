from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from focused_crawler.virtualweb.truth import topics_folder
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
def demo(tmp_path_factory: pytest.TempPathFactory, demo_web: Path) -> Path:
    """The demo web alone, nothing made of it yet."""
    folder = tmp_path_factory.mktemp("demo")
    shutil.copytree(topics_folder(demo_web), folder / topics_folder(demo_web).name)
    return Path(shutil.copy2(demo_web, folder))
