"""Pages to grow a thesaurus from: of a crawl, or found by searches."""

from __future__ import annotations

from contextlib import closing

import pytest

from focused_crawler.discovery import thesaurus_sources as sources
from focused_crawler.discovery.harvest import Harvest, SearchAnswer
from focused_crawler.discovery.search.base import SearchResult
from focused_crawler.discovery.search.local import search_web
from focused_crawler.discovery.thesaurus_sources import (
    best_urls,
    texts_of_crawl,
    texts_of_live_search,
    texts_of_web,
)
from focused_crawler.safety.errors import CrawlError, SearchError, TopicError
from focused_crawler.store.job import RunInfo, write_run
from focused_crawler.topic.thesaurus.document_counts import SourceText
from focused_crawler.topic.thesaurus.grow import candidates
from focused_crawler.topic.thesaurus.model import Entry, Facet, Thesaurus
from focused_crawler.topic.thesaurus.of_topic import first_thesaurus
from focused_crawler.topic.topic import load_topic
from tests.experiment.hives import WORDS
from tests.topic.thesaurus.growing import other_pages, rust_pages, write_crawl

RUST = Thesaurus((Facet("subject", (Entry("rust"),)), Facet("parts", (Entry("hull"), Entry("anode")))))


class Library:
    """A provider that knows two words."""

    name = "library"

    def search(self, query: str, n: int) -> list[SearchResult]:
        if "none" in query:
            raise SearchError("no answer", is_final=True)
        return [
            SearchResult(f"https://{'town' if 'town' in query.lower() else 'rust'}{k}.example/")
            for k in range(n)
        ]

    def close(self) -> None:
        pass


def test_relevant_is_what_the_crawl_called_so(tmp_path):
    """Each text once, whatever the URLs."""
    copies = [SourceText(f"{page.url}?again", page.text) for page in rust_pages()]
    found = texts_of_crawl(write_crawl(tmp_path, [*rust_pages(), *copies], other_pages()), "rust")
    assert sorted(found.relevant) == sorted(rust_pages())
    assert {text.url for text in found.other} == {text.url for text in other_pages()}


def test_a_large_crawl_is_sampled(tmp_path, monkeypatch):
    """At random, the same way each time: not only its beginning."""
    monkeypatch.setattr(sources, "MAX_TEXTS", 10)
    crawl = write_crawl(tmp_path, rust_pages(50), other_pages())
    found = texts_of_crawl(crawl, "rust")
    assert (len(found.relevant), len(found.other)) == (10, 10)
    assert texts_of_crawl(crawl, "rust") == found
    assert max(int(text.url.rpartition("/")[2]) for text in found.relevant) >= 20


def test_both_kinds_are_needed(tmp_path):
    """What tells them apart cannot be found in one."""
    with pytest.raises(CrawlError, match="30 relevant and 0 other pages whose words are stored"):
        texts_of_crawl(write_crawl(tmp_path, rust_pages(), []), "rust")


def test_a_crawl_of_another_topic_is_refused(tmp_path):
    """It calls other pages relevant."""
    crawl = write_crawl(tmp_path, rust_pages(), other_pages())
    write_run(crawl, RunInfo("bees", "Bees", "1", "lpe", "", None, trained=True))
    with pytest.raises(CrawlError, match=r"is a crawl of bees, not of rust; give one of rust$"):
        texts_of_crawl(crawl, "rust")


def test_a_folder_without_a_crawl(tmp_path):
    """One line names it."""
    with pytest.raises(CrawlError):
        texts_of_crawl(tmp_path, "rust")


def test_what_local_search_finds_in_a_recorded_web(hives):
    """Mostly pages about the topic; growing from them finds words of bees that nobody named."""
    thesaurus = first_thesaurus(load_topic(str(hives.parent / "hives.topics/bees")))
    with closing(search_web(hives)) as provider:
        texts = texts_of_web(thesaurus, provider, hives)
    about = [text for text in texts.relevant if "//bees" in text.url]
    assert len(about) >= 0.8 * min(len(texts.relevant), 25)
    assert not {text.url for text in texts.relevant} & {text.url for text in texts.other}
    names = " ".join(one.wording for one in candidates(thesaurus, texts.relevant, texts.other, 20)).split()
    assert set(names) & set(WORDS["bees"].split())
    assert not set(names) & set(WORDS["news"].split())


def test_what_many_searches_find_is_best():
    """Near the top of their answers."""
    answers = [
        SearchAnswer("a", (SearchResult("u"), SearchResult("v"))),
        SearchAnswer("b", (SearchResult("w"), SearchResult("v"))),
    ]
    assert best_urls(Harvest(answers)) == ["v", "u", "w"]
    assert best_urls(Harvest([SearchAnswer("a", (SearchResult("z"), SearchResult("y")))])) == ["z", "y"]


def test_a_live_search_needs_other_topics(hives):
    """What their titles find is not about this one."""
    topic = load_topic(str(hives.parent / "hives.topics/bees"))

    def fetch(urls):
        return [SourceText(url, url) for url in urls]

    texts = texts_of_live_search(RUST, Library(), topic, fetch)
    assert {text.url[:12] for text in texts.relevant} == {"https://rust"}
    with pytest.raises(SearchError, match="no answer"):
        texts_of_live_search(
            Thesaurus((Facet("a", (Entry("none such"), Entry("none"))),)), Library(), topic, fetch
        )
    with pytest.raises(TopicError, match="too few words"):
        texts_of_live_search(Thesaurus(()), Library(), topic, fetch)
