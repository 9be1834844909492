"""The rows of URLs that the SQL frontier holds in memory."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.sql import frontier as sql_module
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.page.url import host_of
from focused_crawler.store.database import CrawlDatabase

_ROWS = "SELECT key, host, state, tries, priority, tie, depth FROM urls"
_TEXTS = """
SELECT u.key, u.url, u.depth, p.url, u.path FROM urls AS u
LEFT JOIN urls AS p ON p.id = u.parent WHERE u.state < 3
"""

_ORIGINS = [(None, None), ("http://hub.org/1", b"way"), ("http://hub.org/2", None)]


@pytest.mark.parametrize("most", [5, 10_000])
@pytest.mark.parametrize("rules", [Rules(), Rules(max_pending=20), Rules(host_pages=3)], ids=repr)
def test_they_are_those_of_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rules: Rules, most: int
) -> None:
    """Whatever happens to a URL; and they are not too many."""
    monkeypatch.setattr(sql_module, "_CACHED_URLS", most)
    chance, now = random.Random(f"{rules} {most}"), 1e9
    urls = [f"http://{host}.org/{page}" for host in range(6) for page in range(30)]
    held = 0
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        frontier = SqlFrontier(database, rules)
        for _ in range(300):
            now += chance.random()
            links = [
                Candidate(url, chance.random(), chance.randrange(9), *chance.choice(_ORIGINS))
                for url in chance.choices(urls, k=12)
            ]
            frontier.add(links)
            for lease in frontier.take(2, now):
                match chance.randrange(6):
                    case 0:
                        frontier.done(lease.url, chance.choice(urls))
                    case 1:
                        frontier.failed(lease.url, chance.choice([None, now + 2]))
                    case 2:
                        frontier.refused(lease.url, host_of(lease.url), now, 1.0)
                    case 3:
                        frontier.release(lease.url)
                    case _:
                        frontier.done(lease.url)
            frontier.again(links[:1])
            frontier.reprioritise({link.url: chance.random() for link in links[:2]})
            rows = {key: tuple(row) for key, *row in database.rows(_ROWS)}
            known = {key: tuple(row) for key, row in frontier._urls._known.items()}  # type: ignore[attr-defined]
            assert known == {key: rows.get(key) for key in known}
            texts = {key: tuple(text) for key, *text in database.rows(_TEXTS)}
            kept = frontier._urls._texts  # type: ignore[attr-defined]
            assert texts.items() >= {key: text for key, text in kept.items() if key in texts}.items()
            assert len(kept) < 2 * most + 20
            held = max(held, len(known))
    assert min(most, 20) < held < 2 * most + 20
