from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.page_classifiers import TrainedClassifier
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.discovery.label_queues import LabelQueues, judge_of_crawl, second_judge
from focused_crawler.page.stored_text import KeptWords, page_of_text, stored_text
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.report.labelling import Cards
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.item import PageItem
from focused_crawler.store.judges import kind_of
from focused_crawler.store.pages import PageStore
from focused_crawler.topic.label import Label, line_of, random_order
from focused_crawler.topic.labels import labels_of
from focused_crawler.topic.topic import Topic

ANALYZER = Analyzer("en")


def url(number):
    return f"http://h{number % 7}.example/{number}"


@pytest.fixture
def topic(tmp_path):
    return Topic("bees", tmp_path, title="Bees", keywords=("bee", "honey", "hive"))


@pytest.fixture
def database(crawl_database):
    with crawl_database.open() as found:
        yield found


def record(database, numbers, relevance=lambda _: 0.5, words="bees make honey in a hive"):
    """Record pages of such relevance with such words, each with a title like no other."""
    store = PageStore(database)
    for number in numbers:
        page = page_of_text(url(number), f"Title {number} of {number * 7}", KeptWords(words), ANALYZER)
        store.record_page(
            PageItem(
                url=page.url,
                title=page.title,
                fetched_at=1.0,
                relevance=relevance(number),
                is_relevant=True,
                checksum=f"{number:032x}",
                text=stored_text(page),
            )
        )
    store.commit()


def queues(database, topic, labels=(), by="Ana", *, again=False):
    words = TopicModel.cold(topic, ANALYZER)
    return LabelQueues(
        folder=topic.folder,
        crawl="1",
        database=database,
        topic=topic,
        judge_name="keywords",
        judge=words,
        second=words.by_thesaurus(ANALYZER),
        analyzer=ANALYZER,
        labels=labels_of(b"".join(map(line_of, labels))),
        by=by,
        again=again,
    )


def label(number, answer="yes", by="Ana", queue="random", crawl="1"):
    return Label(url=url(number), label=answer, by=by, queue=queue, crawl=crawl)


def test_random_pages_are_the_first_that_are_not_drawn_yet(database, topic):
    """However the crawl grows between sittings, and whatever was labelled elsewhere: none is passed over."""
    chance = random.Random(0)
    recorded, labels = [], []
    for new in (25, 3, 0, 40, 17):
        numbers = range(len(recorded), len(recorded) + new)
        record(database, numbers)
        recorded += map(url, numbers)
        labels.append(label(chance.randrange(len(recorded)), "no", queue="near"))
        drawn = {one.url for one in labels if one.queue == "random"}
        elsewhere = {one.url for one in labels if one.queue == "near"}
        order = sorted(recorded, key=lambda name: random_order(name, "bees"))
        rest = [name for name in order if name not in drawn]
        found = queues(database, topic, labels).pages("random", 8)
        assert [page.url for page in found] == rest[: len(found)]
        assert [bool(page.known) for page in found] == [page.url in elsewhere for page in found]
        assert [page.known for page in found].count(None) == 8 or len(found) == len(rest)
        labels += [Label(url=page.url, label="no", by="Ana", queue="random", crawl="1") for page in found]


def test_each_person_and_each_crawl_has_its_own_sample(database, topic):
    """What others drew is no part of it; what the same person said in another crawl is taken over."""
    record(database, range(5))
    order = [page.url for page in queues(database, topic).pages("random", 5)]
    numbers = [int(name.rpartition("/")[2]) for name in order]
    labels = [label(numbers[0], crawl="2"), label(numbers[1], by="Bo"), label(numbers[2])]
    found = queues(database, topic, labels).pages("random", 5)
    assert [(page.url, bool(page.known)) for page in found] == [
        (order[0], True),
        (order[1], False),
        (order[3], False),
        (order[4], False),
    ]


def test_spread_pages_come_from_where_the_crawl_has_many_and_knows_little(database, topic):
    """By chance within a host and a band of relevance; what either sample has does not come again."""
    record(database, range(70), lambda number: 0.5 if number % 7 == 0 else 0.001)  # host h0 is uncertain
    found = [page.url for page in queues(database, topic).pages("spread", 21)]
    of_host = Counter(name.split("/")[2] for name in found)
    assert of_host["h0.example"] >= 2 * max(count for host, count in of_host.items() if host != "h0.example")
    by_chance = [page.url for page in queues(database, topic).pages("random", 70)]
    own = [name for name in by_chance if "//h0." in name]
    assert [name for name in found if "//h0." in name] == own[: of_host["h0.example"]]
    labels = [Label(url=name, label="no", by="Ana", queue="spread", crawl="1") for name in found]
    again = queues(database, topic, [*labels, label(3, queue="near")])
    for queue in ("spread", "random"):
        rest = again.pages(queue, 70)
        assert sorted([*(page.url for page in rest), *found]) == sorted(by_chance)
        assert [page.url for page in rest if page.known] == ([] if url(3) in found else [url(3)])
    assert queues(database, topic, labels, by="Bo").pages("spread", 21) == queues(database, topic).pages(
        "spread", 21
    )


def test_uncertain_pages_come_first_from_hosts_without_labels_or_examples(database, topic):
    """Whoever labelled, whatever the answer was, and whichever list of topic.toml an example is in."""
    record(database, range(70))
    own = replace(topic, relevant_examples=(url(0), "saved.html"), other_examples=(url(1),))
    labels = [label(2, "no", "Ana"), label(3, "unsure", "Bo")]
    found = queues(database, own, labels).pages("uncertain", 3)
    assert {page.url.split("/")[2] for page in found} == {"h4.example", "h5.example", "h6.example"}


def test_a_hub_that_was_labelled_by_a_url_that_leads_to_it_is_left_out(database, topic):
    """As the same person has said what it is."""
    store = PageStore(database)
    for number in range(4):
        about = {"relevance": 1.0, "is_relevant": True, "fetched_at": 1.0}
        store.record_page(PageItem(url=url(number), requested_url=url(number + 70), **about))
    for number in range(2):
        store.record_links(url(number), [(url(other), "", 0, 0.5) for other in (2, 3)])
    store.commit()
    found = queues(database, topic, [label(70)]).pages("hubs", 5)
    assert [page.url for page in found] == [url(1)]


@pytest.mark.parametrize("queue", ["uncertain", "disagree"])
def test_what_a_person_labelled_is_left_out(database, topic, queue):
    """Of this person only, and not where it is asked for; then nothing is left, which is said."""
    record(database, range(6), lambda number: number / 10, "bees")
    labels = [label(number) for number in range(4)]
    everything = {*map(url, range(6))}
    for by, expected in {"Ana": {url(4), url(5)}, "Bo": everything}.items():
        assert {page.url for page in queues(database, topic, labels, by).pages(queue, 9)} == expected
    again = queues(database, topic, labels, again=True).pages(queue, 9)
    assert {page.url for page in again} == everything
    with pytest.raises(CrawlError, match=f"no page left for Ana in the queue {queue}; choose another"):
        queues(database, topic, [label(number) for number in range(6)]).pages(queue, 9)


def test_judges_that_differ_most_come_first(database, topic):
    """By what the crawl recorded and what the second judge makes of the words; people before both."""
    record(database, [0, 1, 2], lambda number: 0.9 - 0.3 * number, "stars and galaxies")
    labels = [label(1, "yes", "Bo"), label(1, "no", "Cy")]
    of_crawl = queues(database, topic, labels)
    found = of_crawl.pages("disagree", 2)
    assert [(page.url, page.why) for page in found] == [
        (url(1), "Bo: yes; Cy: no"),
        (url(0), f"keywords: 0.90; {of_crawl.second.judge_name}: 0.00"),
    ]


def test_the_second_judge_is_another_one(topic):
    """A newer one, the thesaurus or the words; the crawl's is the one that its run names."""
    words = TopicModel.cold(topic, ANALYZER)
    thesaurus = words.by_thesaurus(ANALYZER)
    names = {"keywords": "thesaurus", "words": "thesaurus", "thesaurus": "keywords"}
    names |= {
        words.judge_name: "thesaurus",
        "keywords:00000000": "thesaurus",
        thesaurus.judge_name: "keywords",
    }
    for current in (words, thesaurus, thesaurus.reading_windows()):
        for name, other in names.items():
            first = judge_of_crawl(name, current, topic, ANALYZER)
            assert first.judge == kind_of(name)
            assert second_judge(name, current, topic, ANALYZER).judge == other
    trained = replace(
        words, classifier=TrainedClassifier(None, None), settings=ClassifierSettings(), content=b"2"
    )
    older = "model:3fa9c2d1"
    assert judge_of_crawl(older, trained, topic, ANALYZER) is trained
    assert second_judge(older, trained, topic, ANALYZER) is trained  # the one that was trained since
    assert second_judge(trained.judge_name, trained, topic, ANALYZER).judge == "keywords"
    assert judge_of_crawl("model:3fa9c2d1", words, topic, ANALYZER) is words  # its model is gone


def test_a_card_of_a_page_that_the_crawl_does_not_have(database):
    """People contradict each other on it, elsewhere: it has its URL, and nothing else is known."""
    card = Cards(database, None, "keywords").card("http://gone.example/")
    assert (card.url, card.relevance, card.reasons) == ("http://gone.example/", "", None)
