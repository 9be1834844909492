"""Sessions out of the folder of a crawl, and out of a web."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

from focused_crawler.classify.hmm.sessions import Session
from focused_crawler.discovery.sessions import pages_visited, sessions_of_crawl, sessions_of_web
from focused_crawler.safety.errors import CrawlError, TopicError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import RunInfo, write_run
from focused_crawler.store.pages import PageStore
from focused_crawler.topic.topic import Topic, load_topic
from focused_crawler.virtualweb.analysed.web import AnalysedWeb

TOPIC = Topic("bees", Path("bees"), relevant_examples=("http://bees.example/c", "saved.html"))
ROOT, OLD, NEW, END = (f"http://bees.example/{name}" for name in ("a", "old", "b", "c"))


def record(url: str, requested: str | None = None, *, is_relevant: bool = False) -> PageItem:
    return PageItem(url=url, requested_url=requested, fetched_at=0, relevance=0.5, is_relevant=is_relevant)


@pytest.fixture
def crawl(tmp_path):
    """The folder of a crawl that went from a to b, by a redirect, and to c; d was not fetched."""
    write_run(tmp_path, RunInfo("bees", "", "1", "lpe", "", None, trained=True))
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        store = PageStore(database)
        for page in (record(ROOT), record(NEW, OLD, is_relevant=True), record(END)):
            store.record_page(page)
        store.record_links(ROOT, [(OLD, "", 0, 0.5), (f"{ROOT}/d", "", 0, 0.5)])
        store.record_links(NEW, [(END, "", 0, 0.5), (NEW, "", 0, None)])
        store.commit()
    return tmp_path


def test_sessions_of_a_crawl(crawl):
    """Along its links and redirects; pages are what its classifier said, examples are relevant."""
    assert sessions_of_crawl(crawl, TOPIC) == [Session((ROOT, NEW, END), (False, True, True))]


def test_links_are_read_a_few_pages_at_a_time(tmp_path):
    """A large crawl has millions; only how its pages are linked is held."""
    write_run(tmp_path, RunInfo("bees", "", "1", "lpe", "", None, trained=True))
    urls = [f"http://bees.example/{number}" for number in range(1_000)]
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        store = PageStore(database)
        for url in urls:
            store.record_page(record(url))
        for number, url in enumerate(urls):
            store.record_links(url, [(urls[(number + at) % 1_000], "", 0, 0.5) for at in range(1, 101)])
        store.commit()
    tracemalloc.start()
    found = sessions_of_crawl(tmp_path, replace(TOPIC, relevant_examples=(urls[0],)))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert {session.urls[-1] for session in found} == {urls[0]}
    assert most < 8_000_000


def test_of_another_topic_or_none(crawl, tmp_path):
    """One line that says what to name instead."""
    with pytest.raises(
        CrawlError, match=r"is a crawl of bees; name a crawl of wasps, such as crawls/wasps/1"
    ):
        sessions_of_crawl(crawl, replace(TOPIC, name="wasps"))
    (tmp_path / "run.json").unlink()
    with pytest.raises(CrawlError, match=r"has no run.json; name a crawl of bees"):
        sessions_of_crawl(crawl, TOPIC)


def test_that_met_no_example(crawl):
    """There is nowhere for a session to end."""
    lost = replace(TOPIC, relevant_examples=(f"{ROOT}/d",))
    with pytest.raises(TopicError, match="has none of the relevant examples of bees"):
        sessions_of_crawl(crawl, lost)


@pytest.mark.slow
def test_sessions_of_a_web(demo_web):
    """They end in examples, follow links, and are judged by what was given; their pages come along."""
    topic = load_topic(str(demo_web.parent / "demo.topics/astronomy"))
    asked: list[int] = []

    def judge(number: int) -> bool:
        asked.append(number)
        return False

    with AnalysedWeb(demo_web) as web:
        sessions = sessions_of_web(web, topic, judge)
        pages = pages_visited(web, sessions)
        numbers = [web.number(url) for url in topic.relevant_examples]
        examples = {web.urls[number] for number in numbers if number is not None}
        assert {session.urls[-1] for session in sessions} <= examples
        assert pages.keys() == {url for session in sessions for url in session.urls}
        for source, target in (step for session in sessions for step in session.steps):
            assert target in {web.urls[number] for number in web.graph.out(web.number(source)).tolist()}
        with pytest.raises(TopicError, match=r"demo.warc.gz has none of the relevant examples of bees"):
            sessions_of_web(web, TOPIC, judge)
    assert len(asked) == len(pages) - len(examples & pages.keys())
