"""A thesaurus that grows by what its own words find."""

from __future__ import annotations

from contextlib import closing

import pytest

from focused_crawler.errors import CrawlError, SearchError, TopicError
from focused_crawler.search.base import SearchResult
from focused_crawler.search.web import search_web
from focused_crawler.seeding.harvest import Answer, Harvest
from focused_crawler.thesaurus.document_counts import SourceText
from focused_crawler.thesaurus.from_search import grown_from_search, thesaurus_from_web
from focused_crawler.thesaurus.sources import best_urls, texts_of_crawl, texts_of_live_search, texts_of_web
from focused_crawler.thesaurus.tree import Entry, Facet, Thesaurus
from focused_crawler.topic import load_topic
from tests.experiment.hives import WORDS, write_hives
from tests.thesaurus.growing import other_pages, rust_pages

RUST = Thesaurus((Facet("subject", (Entry("rust"),)), Facet("parts", (Entry("hull"), Entry("anode")))))


@pytest.fixture(scope="module")
def hives(tmp_path_factory):
    return write_hives(tmp_path_factory.mktemp("hives"))


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


def test_new_entries_stand_at_the_top():
    """What was there keeps its place and its weight."""
    grown = grown_from_search(RUST, rust_pages(), other_pages())
    assert [facet.depth for facet in grown.facets] == [1, 1]
    for before, after in zip(RUST.facets, grown.facets, strict=True):
        assert after.entries[: len(before.entries)] == before.entries
    assert "epoxy primer" in [entry.name for facet in grown.facets for entry in facet.entries]


def test_without_pages_nothing_changes():
    """There is nothing to learn."""
    assert grown_from_search(RUST, [], []) == RUST


def test_a_thesaurus_from_keywords_and_a_recorded_web(hives):
    """Words of bees that nobody named are found, by local search alone."""
    topic = load_topic(str(hives.parent / "hives.topics/bees"))
    with closing(search_web(hives)) as provider:
        texts = texts_of_web(Thesaurus((Facet("a", tuple(map(Entry, topic.keywords))),)), provider, hives)
        thesaurus = thesaurus_from_web(topic, provider, hives)
    about = [text for text in texts.relevant if "//bees" in text.url]
    assert len(about) >= 0.8 * min(len(texts.relevant), 25)
    assert not {text.url for text in texts.relevant} & {text.url for text in texts.other}
    names = {word for facet in thesaurus.facets for entry in facet.entries for word in entry.name.split()}
    assert len(names & set(WORDS["bees"].split())) >= 7
    assert not names & set(WORDS["news"].split())


def test_what_many_searches_find_is_best():
    """Near the top of their answers."""
    answers = [
        Answer("a", (SearchResult("u"), SearchResult("v"))),
        Answer("b", (SearchResult("w"), SearchResult("v"))),
    ]
    assert best_urls(Harvest(answers)) == ["v", "u", "w"]


def test_a_live_search_needs_other_topics(hives, tmp_path):
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


def test_a_folder_without_a_crawl(tmp_path):
    """One line names it."""
    with pytest.raises(CrawlError):
        texts_of_crawl(tmp_path)
