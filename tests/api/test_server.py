"""Crawls of a program in PostgreSQL."""

from __future__ import annotations

from pathlib import Path

import pytest

import focused_crawler as fc
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store import opening
from tests.postgresql import Server


@pytest.mark.slow
def test_a_password_in_an_address_opens_what_was_crawled(
    demo_web: Path, tmp_path: Path, postgresql: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the program that has begun the crawl, and in another whose user has set the address."""
    topic = demo_web.parent / "demo.topics/astronomy"
    with postgresql.careful_user("secret") as url:
        address = url.set(password="secret").render_as_string(hide_password=False)
        running = fc.crawl(
            topic,
            pages=5,
            web=demo_web,
            profile="offline",
            crawls=tmp_path,
            settings={"FOCUSED_DATABASE": address},
        )
        try:
            assert running.wait().pages().num_rows == 5
            monkeypatch.setattr(opening, "_given", {})  # as another program has none
            with pytest.raises(CrawlError, match="no password supplied"):
                fc.open_crawl(running.folder)
            monkeypatch.setenv("FOCUSED_DATABASE", address)
            monkeypatch.setattr(opening, "_given", {})
            assert fc.open_crawl(running.folder).pages().num_rows == 5
        finally:
            postgresql.drop(running.data.info.schema)
