"""What a person's browser shows is told, also where a tab does not answer at first."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext, CDPSession, Error, Page

from focused_crawler.edge.rendering import browsing
from focused_crawler.edge.rendering.chromium import find_browser
from tests.crawls.site import page, serving

WAIT = 60


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A browser without a screen."""
    browser = find_browser(None)
    if browser is None:
        pytest.skip("no chromium here")
    path = tmp_path / "browser"
    path.write_text(f'#!/bin/sh\nexec {browser} --headless=new "$@"\n')
    path.chmod(0o755)
    return path


def test_a_tab_that_does_not_answer_is_asked_again(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It fails at first, then never answers, as one that changes its process; then it tells its page."""
    session_of, asked = BrowserContext.new_cdp_session, 0

    async def moody(context: BrowserContext, tab: Page) -> CDPSession:
        nonlocal asked
        asked += 1
        if asked == 1:
            raise Error("Target closed")
        if asked == 2:
            await asyncio.Event().wait()
        return await session_of(context, tab)

    monkeypatch.setattr(BrowserContext, "new_cdp_session", moody)
    monkeypatch.setattr(browsing, "PATIENCE", 0.5)
    shown: list[tuple[str, ...]] = []

    async def browse(url: str) -> None:
        ended = asyncio.Event()

        def tell(way: tuple[str, ...]) -> None:
            shown.append(way)
            if way and way[-1] == url:
                ended.set()

        async with asyncio.timeout(WAIT):
            await browsing.browse(str(program), url, tell, ended)

    with serving() as site:
        site.answers["/"] = [page("Bees")]
        asyncio.run(browse(site.url("/")))
    assert shown[-1] == (site.url("/"),)
    assert asked > 2
