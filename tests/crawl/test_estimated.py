"""How many pages of a recorded crawl are relevant, by what people say of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from focused_crawler.classify.model import TopicModel
from focused_crawler.crawl.estimated import estimate_now, estimate_of
from focused_crawler.crawl.labelled import labelled_sample, labels_in
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import RunInfo
from focused_crawler.store.pages import PageStore
from focused_crawler.topic.label import RANDOM, Label
from focused_crawler.topic.labels import append, read_labels
from focused_crawler.topic.topic import load_topic
from tests.crawls.site import write_topic

PAGES, RELEVANT, COPIES = 120, 40, 30


def info(topic: Path) -> RunInfo:
    settings = {"FOCUSED_TOPIC": str(topic)}
    return RunInfo("bees", "", "1", "lpe", "", None, trained=False, settings=settings)


@pytest.fixture
def topic(tmp_path: Path) -> Path:
    return write_topic(tmp_path, "bees", "http://a.example/")


def test_a_copy_is_no_further_relevant_page(topic: Path, tmp_path: Path) -> None:
    """Whatever people say of it: so it is in each other figure."""
    database = CrawlDatabase(tmp_path / "crawl.db")
    store = PageStore(database)
    run = store.begin_run({}, {}, judge="keywords:1")
    labels = []
    for number in range(PAGES):
        url, is_copy = f"http://a.example/{number}", 0 < number <= COPIES
        store.record_page(
            PageItem(
                url=url,
                fetched_at=1.0 + number,
                relevance=0.9 if number < RELEVANT else 0.1,
                is_relevant=number < RELEVANT and not is_copy,
                duplicate_of="http://a.example/0" if is_copy else None,
                run=run,
            )
        )
        said = "yes" if number < RELEVANT else "no"
        labels.append(Label(url=url, label=said, by="Ana", queue=RANDOM, crawl="1"))
    append(topic, labels)
    found = estimate_now(info(topic), database)
    database.close()
    assert found is not None
    assert found.labels == PAGES
    assert found.relevant.low <= RELEVANT - COPIES <= found.relevant.high < RELEVANT
    assert found.recall.low > 0.5


def test_words_that_go_by_meaning_say_more_before_a_label(topic: Path, tmp_path: Path) -> None:
    """The judge's name tells what to expect: an earlier version's words, and a thesaurus, err more."""
    now = TopicModel.cold(load_topic(str(topic)), Analyzer("en")).judge_name
    relevances = [0.9 if number < RELEVANT else 0.1 for number in range(PAGES)]
    widths = {}
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        store = PageStore(database)
        run = store.begin_run({}, {}, judge=now)
        for number, relevance in enumerate(relevances):
            store.record_page(
                PageItem(
                    url=f"http://a.example/{number}",
                    fetched_at=1.0 + number,
                    relevance=relevance,
                    is_relevant=relevance > 0.5,
                    run=run,
                )
            )
        for judge in (now, "keywords:00000000", "thesaurus:1"):
            found = estimate_of(info(topic), database, judge, relevances, [one > 0.5 for one in relevances])
            assert found is not None
            widths[judge] = found.harvest_rate.high - found.harvest_rate.low
    assert widths[now] < widths["keywords:00000000"] == widths["thesaurus:1"]


@pytest.mark.parametrize("judge", ["model:00000000", "keywords:1 and model:2"])
def test_nothing_is_known_of_a_judge_that_learnt_nobody_knows_what(
    topic: Path, tmp_path: Path, judge: str
) -> None:
    """A model that is gone may have learnt from each label: only random ones say something."""
    relevant = [number < RELEVANT for number in range(PAGES)]
    given = [float(one) for one in relevant]
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        store = PageStore(database)
        run = store.begin_run({}, {}, judge=judge)
        for number, is_good in enumerate(relevant):
            url = f"http://a.example/{number}"
            store.record_page(PageItem(url=url, fetched_at=1.0, relevance=0.5, is_relevant=is_good, run=run))
        for queue, known in (("near", None), (RANDOM, 30)):
            made = [
                Label(url=f"http://a.example/{number}", label="yes", by="Ana", queue=queue, crawl="1")
                for number in range(30)
            ]
            append(topic, made)
            found = estimate_of(info(topic), database, judge, given, relevant)
            assert (found and found.labels) == known


def test_a_label_of_a_url_counts_for_the_page_that_it_led_to(topic: Path, tmp_path: Path) -> None:
    """Unless that URL has a page of its own; a newer label of the page itself wins."""
    database = CrawlDatabase(tmp_path / "crawl.db")
    store = PageStore(database)
    judged = {"relevance": 0.5, "is_relevant": True, "run": store.begin_run({}, {}, judge="keywords:1")}
    for number in range(PAGES):
        url, asked = f"http://a.example/{number}", f"http://old.example/{number}"
        store.record_page(PageItem(url=url, requested_url=asked, fetched_at=1.0 + number, **judged))
    store.record_page(PageItem(url="http://old.example/0", fetched_at=999.0, **judged))
    labels = [
        Label(url=f"http://old.example/{number}", label="yes", by="Ana", queue=RANDOM, crawl="1")
        for number in range(PAGES)
    ]
    append(topic, labels)
    newer = Label(
        url="http://a.example/1", label="no", by="Ana", queue="sheet", at="2999-01-01T00:00:00.000Z"
    )
    append(topic, [newer])
    found, known = estimate_now(info(topic), database), labels_in(database, read_labels(topic))
    assert found is not None
    assert found.labels == PAGES
    said = {verdict.url: verdict.answer for verdict in known.by_key.values()}
    assert said == {f"http://a.example/{number}": number != 1 for number in range(1, PAGES)} | {
        "http://old.example/0": True
    }
    sample = labelled_sample(info(topic), database, PAGES + 1)
    database.close()
    assert sample is not None
    assert sample.relevant.sum() == len(sample.positions) - 1
