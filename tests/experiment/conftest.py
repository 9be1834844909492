from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from scrapy.settings import Settings

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.topic.topic import load_topic
from focused_crawler.virtualweb.analysed.web import AnalysedWeb
from focused_crawler.virtualweb.writer import WebWriter

Answer = tuple[str, int, dict[str, str], bytes]
BEES = """
name = "bees"
keywords = ["bee", "honey", "hive"]
seeds = ["http://a.example/"]
"""


@pytest.fixture
def make_analyst(tmp_path: Path) -> Callable[..., Analyst]:
    """Make a new analyst for a topic about bees, with the settings given."""
    folder = tmp_path / "bees"
    folder.mkdir()
    (folder / "topic.toml").write_text(BEES)

    def make(strategy: str = "breadth_first", **settings: object) -> Analyst:
        values = {"FOCUSED_TOPIC": str(folder), "FOCUSED_STRATEGY": strategy, **settings}
        config = CrawlConfig.from_settings(Settings(values))
        return Analyst.make(config, load_topic(config.topic))

    return make


@pytest.fixture
def make_web(tmp_path: Path) -> Iterator[Callable[..., AnalysedWeb]]:
    """Write (url, status, headers, body) answers into a WARC and analyse it."""
    webs: list[AnalysedWeb] = []

    def make(*answers: Answer) -> AnalysedWeb:
        path = tmp_path / f"web{len(webs)}.warc.gz"
        with WebWriter(path) as writer:
            for url, status, headers, body in answers:
                writer.write(url, status, list(headers.items()), body)
        webs.append(AnalysedWeb(path))
        return webs[-1]

    yield make
    for web in webs:
        web.close()
