from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from benchmarks.rendering_web import write_mixed_web
from focused_crawler.edge.rendering.needs import read_signs, why_needed
from focused_crawler.page.parser import parse_page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.virtualweb.index import VirtualWeb


@pytest.fixture(scope="module")
def webs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The demo web, and the mixed one made of it."""
    return write_mixed_web(tmp_path_factory.mktemp("mixed"))


def test_three_hosts_of_ten_need_a_browser(webs: tuple[Path, Path]) -> None:
    """Their pages show a sign, each; no other page of the web loses any text."""
    hosts, apps = set[str](), set[str]()
    analyzer = Analyzer("en")
    with VirtualWeb(webs[0]) as plain, VirtualWeb(webs[1]) as mixed:
        data = {entry.url for entry in mixed.entries() if "/api/page.json" in entry.url}
        for entry in plain.entries():
            if entry.status != 200:
                continue
            host = urlsplit(entry.url).hostname or ""
            hosts.add(host)
            before, after = plain.get(entry.url), mixed.get(entry.url)
            assert before is not None
            assert after is not None
            if before.body == after.body or b"/idle.js" in after.body:
                continue
            apps.add(host)
            words = parse_page(after.body, entry.url, analyzer).sections.words
            assert why_needed(read_signs(after.body), words, 1) is not None
    assert len(apps) / len(hosts) == pytest.approx(0.3, abs=0.03)
    assert len(data) > 500


def test_an_app_has_its_text_as_data(webs: tuple[Path, Path]) -> None:
    """All words of the page that it was made of."""
    with VirtualWeb(webs[0]) as plain, VirtualWeb(webs[1]) as mixed:
        url = next(entry.url for entry in mixed.entries() if "/api/page.json" in entry.url)
        answer = mixed.get(url)
        assert answer is not None
        words = " ".join(texts(json.loads(answer.body)["parts"])).split()
        pages = [plain.get(e.url) for e in plain.entries() if urlsplit(e.url).netloc == urlsplit(url).netloc]
        assert any(
            all(word.encode() in page.body for word in words[:50]) for page in pages if page is not None
        )


def texts(parts: list[object]) -> list[str]:
    """Return the texts of elements, in reading order."""
    found: list[str] = []
    for part in parts:
        found += [part] if isinstance(part, str) else texts(part[2])  # type: ignore[index]
    return found
