"""The topics that come with the project: the papers' own, each complete enough to crawl and to train."""

from __future__ import annotations

import re
from itertools import combinations
from urllib.parse import urlsplit

import pytest

from focused_crawler.page.url import normalise, url_key
from focused_crawler.topic.folders import topics_folder
from focused_crawler.topic.rules import PAGE_SUFFIXES
from focused_crawler.topic.topic import load_topic, topic_names

PAPERS = {
    "Batsakis": {
        "linux", "asthma", "robotics", "optic-nerve", "java-programming", "first-aid", "dengue-fever",
        "graph-algorithms", "champions-league", "olympic-games",
    },
    "Lu": {
        "basketball", "military", "football", "big-data", "glasses", "web-games", "cloud-computing",
        "digital-camera", "mobile-phone", "robot",
    },
    "Chakrabarti": {"cycling", "gardening", "hiv-aids", "mutual-funds"},
    "Subatra Devi": {"java-beans", "j2ee", "javascript", "java-awt", "java-swing"},
    "Badia": {"corrosion"},
}  # fmt: skip
NAMES = sorted(set().union(*PAPERS.values()))
# Directories that the papers started from, or that have closed since.
DEAD_HOSTS = {
    "dmoz.org", "directory.mozilla.org", "dir.yahoo.com", "directory.google.com", "yahoo.com",
    "dmoztools.net", "miningco.com", "looksmart.com", "zeal.com", "vlib.org", "java.sun.com",
    "about.com", "altavista.com",
}  # fmt: skip


@pytest.fixture(params=NAMES)
def topic(request):
    return load_topic(request.param)


def hosts(urls):
    return {urlsplit(url).hostname.removeprefix("www.") for url in urls}


def keys(urls):
    return [url_key(normalise(url)) for url in urls]


def test_the_papers_topics_are_all_there():
    """Thirty topics, no more and no fewer."""
    assert topic_names() == NAMES
    assert len(NAMES) == 30


@pytest.mark.parametrize("paper", PAPERS)
def test_the_first_line_says_which_paper_it_is_from(paper):
    """And the comment goes on with the paper's own name for it."""
    for name in PAPERS[paper]:
        text = (topics_folder() / name / "topic.toml").read_text(encoding="utf-8")
        assert text.startswith(f"# From {paper}")
        assert "called" in text.partition("\nname =")[0]


def test_there_is_enough_of_everything(topic):
    """Words for a cold start, start pages on several hosts, examples for training."""
    assert topic.title
    assert topic.language == "en"
    assert len(re.findall(r"[.;:](?:\s|$)", topic.description)) >= 2, "two or three sentences"
    assert 150 <= len(topic.description) <= 400
    assert 8 <= len(topic.keywords) <= 20
    assert 5 <= len(topic.seeds) <= 10
    assert 12 <= len(topic.relevant_examples) <= 20
    assert 12 <= len(topic.other_examples) <= 20
    assert len(hosts(topic.seeds)) >= 5
    assert len(hosts(topic.relevant_examples)) >= 3
    assert len(hosts(topic.other_examples)) >= 3


def test_no_page_is_named_twice(topic):
    """Start pages and examples of both kinds are all different pages, however they are spelled."""
    urls = [*topic.seeds, *topic.relevant_examples, *topic.other_examples]
    assert len(set(keys(urls))) == len(urls)


def test_no_start_page_or_example_lies_in_a_dead_directory(topic):
    """What the papers started from is gone."""
    urls = [*topic.seeds, *topic.relevant_examples, *topic.other_examples]
    assert not hosts(urls) & DEAD_HOSTS


def test_urls_are_written_as_they_are_fetched(topic):
    """No fragment, session id or unescaped character needs mending first."""
    for url in [*topic.seeds, *topic.relevant_examples, *topic.other_examples]:
        assert normalise(url) == url
        assert urlsplit(url).scheme == "https"


def test_examples_are_pages_and_not_downloads(topic):
    """Training reads HTML."""
    for url in [*topic.relevant_examples, *topic.other_examples]:
        suffix = re.search(r"\.(pdf|zip|jpe?g|png|mp4|xml|json)$", urlsplit(url).path.lower())
        assert suffix is None or suffix[0] in PAGE_SUFFIXES


def test_no_topic_is_another_with_a_word_changed():
    """Even near topics (robot, robotics; the five of Java) share little of what they name."""
    topics = [load_topic(name) for name in NAMES]
    for one, two in combinations(topics, 2):
        names = f"{one.name} and {two.name}"
        assert one.description != two.description, names
        assert len({*one.keywords} & {*two.keywords}) <= 4, names
        assert len({*keys(one.relevant_examples)} & {*keys(two.relevant_examples)}) <= 2, names
        assert len({*keys(one.other_examples)} & {*keys(two.other_examples)}) <= 6, names
        assert len({*keys(one.seeds)} & {*keys(two.seeds)}) <= 3, names
