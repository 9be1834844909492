"""A draft of a crawl's database: what is done with it is done with nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.draft import draft_of


def test_a_crawl_under_way_knows_nothing_of_its_draft(tmp_path: Path) -> None:
    """It has what was committed, and may be changed while the crawl writes on; in the end it is gone."""
    with CrawlDatabase(tmp_path / "crawl.db") as crawl:
        crawl.execute("INSERT INTO counters (name, value) VALUES ('pages', 7)")
        crawl.commit()
        crawl.execute("UPDATE counters SET value = 8")
        with draft_of(tmp_path) as draft:
            copy = Path(str(draft.location))
            assert draft.rows("SELECT value FROM counters") == [(7,)]
            draft.execute("UPDATE counters SET value = 1")
            draft.commit()
            crawl.commit()
        assert crawl.rows("SELECT value FROM counters") == [(8,)]
    assert copy != tmp_path / "crawl.db"
    assert not copy.exists()


def test_there_is_no_draft_of_nothing(tmp_path: Path) -> None:
    """As there is no crawl."""
    with pytest.raises(CrawlError), draft_of(tmp_path):
        pass
    assert not list(tmp_path.iterdir())
