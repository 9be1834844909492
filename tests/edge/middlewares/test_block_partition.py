from __future__ import annotations

from pathlib import Path

from scrapy.http import HtmlResponse

from focused_crawler.edge.middlewares.block_partition import BlockPartitionMiddleware
from tests.wired import page_response, wired

HTML = (
    "<body><div><p>Bees keep honey.</p><a href='/hive'>the hive</a></div><div><a href='/car'>a car</a></div>"
)


def test_a_page_gets_its_blocks_and_links(tmp_path: Path) -> None:
    """On its way to the spider, so that callbacks have them, too."""
    with wired(tmp_path) as crawler:
        response = page_response(crawler, HTML)
        assert not response.page.links
        BlockPartitionMiddleware.from_crawler(crawler).process_spider_input(response)
        assert [link.url for link in response.page.links] == [
            "http://bees.example/hive",
            "http://bees.example/car",
        ]
        assert {link.block for link in response.page.links} <= set(range(len(response.page.blocks)))


def test_settings_say_how_it_is_cut(tmp_path: Path) -> None:
    """A page of one block, or of two."""
    with wired(tmp_path, FOCUSED_BLOCK_ALPHA=0.0, FOCUSED_BLOCK_MIN_WORDS=0) as crawler:
        response = page_response(crawler, HTML)
        BlockPartitionMiddleware.from_crawler(crawler).process_spider_input(response)
        assert len({link.block for link in response.page.links}) == 2


def test_other_responses_pass(tmp_path: Path) -> None:
    """Only what the classifier made has a page."""
    with wired(tmp_path) as crawler:
        response = HtmlResponse("http://bees.example/", body=b"<p>")
        middleware = BlockPartitionMiddleware.from_crawler(crawler)
        assert middleware.process_spider_input(response) is None
    assert response.body == b"<p>"
