"""Pages of a crawl to grow a thesaurus from."""

from __future__ import annotations

import pytest

from focused_crawler.errors import CrawlError
from focused_crawler.thesaurus import sources
from focused_crawler.thesaurus.document_counts import SourceText
from focused_crawler.thesaurus.sources import texts_of_crawl
from tests.thesaurus.growing import other_pages, rust_pages, write_crawl


def test_relevant_is_what_the_crawl_called_so(tmp_path):
    """Each text once, whatever the URLs."""
    copies = [SourceText(f"{page.url}?again", page.text) for page in rust_pages()]
    found = texts_of_crawl(write_crawl(tmp_path, [*rust_pages(), *copies], other_pages()))
    assert sorted(found.relevant) == sorted(rust_pages())
    assert {text.url for text in found.other} == {text.url for text in other_pages()}


def test_a_large_crawl_is_sampled(tmp_path, monkeypatch):
    """At random, the same way each time: not only its beginning."""
    monkeypatch.setattr(sources, "MAX_TEXTS", 10)
    crawl = write_crawl(tmp_path, rust_pages(50), other_pages())
    found = texts_of_crawl(crawl)
    assert (len(found.relevant), len(found.other)) == (10, 10)
    assert texts_of_crawl(crawl) == found
    assert max(int(text.url.rpartition("/")[2]) for text in found.relevant) >= 20


def test_both_kinds_are_needed(tmp_path):
    """What tells them apart cannot be found in one."""
    with pytest.raises(CrawlError, match="30 relevant and 0 other pages whose words were kept"):
        texts_of_crawl(write_crawl(tmp_path, rust_pages(), []))
