"""The link classifier: evidence of page, anchor, URL and words, and tunnels through directories."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

from focused_crawler.classify.link_model import LinkModel
from focused_crawler.classify.midpoints import Midpoints
from focused_crawler.link_scoring.directory import FIRST_LINKS, MAX_SITES
from focused_crawler.link_scoring.link_classifier import DIRECTORY
from focused_crawler.link_scoring.registry import create
from focused_crawler.page.model import Link, Outline, Page, Sections
from focused_crawler.page.text.similarity import TopicVector

GOOD = "https://good.example/robots/arms.html"
MODEL = LinkModel.fit(
    ["https://good.example/robots/", "https://www.good.example/robots/a.html", "https://bad.example/cakes/"],
    [["robot", "arm"], ["robot"], ["cake"]],
    [True, True, False],
)
TOPIC = SimpleNamespace(
    vector=TopicVector({"robot": 1.0}, {}, 1.0), midpoints=Midpoints(*[0.25] * 3), links=MODEL
)


@pytest.fixture
def scorer():
    return create("link_classifier", TOPIC)


def link(url, words=()):
    return Link(url, " ".join(words), list(words), [], 0)


def page(url, links, relevance=0.0, depth=1, path=None):
    outline = Outline(is_heading=False)
    made = Page(url, "", "", Sections(), outline, links=links, relevance=relevance, depth=depth, path=path)
    made.is_relevant = relevance >= 0.5
    return made


def visit(scorer, made):
    """Return what a crawl does with a page: its links' priorities by URL, and the path they carry."""
    scorer.learn(made)
    priorities = scorer.score(made, made.links)
    return dict(zip((one.url for one in made.links), priorities, strict=True)), scorer.path(made)


def directory(name, sites, own):
    return page(
        name, [link(f"http://site{number}.example/") for number in sites] + [link(url) for url in own]
    )


def test_url_and_words_of_a_link_count():
    """A URL on a good host, in a good folder, says more than one of an unknown host; a known word helps."""
    new, bad = "https://new.example/", "https://bad.example/cakes/x.html"
    assert MODEL.of_url(GOOD) > MODEL.of_url(new) > MODEL.of_url(bad)
    assert MODEL.of_words(["robot"]) > MODEL.of_words(["cake"])


def test_www_makes_no_other_host():
    """Hosts are told apart without www."""
    assert MODEL.of_url("http://www.bad.example/x") == MODEL.of_url("https://bad.example/x")


def test_words_of_a_url_are_read_without_their_escapes():
    """Most letters of the world are escaped in URLs."""
    model = LinkModel.fit(
        ["http://a.example/%D1%80%D0%BE%D0%B1%D0%BE%D1%82", "http://a.example/soft%20cake"],
        [[], []],
        [True, False],
    )
    assert {"in url робот", "in url soft", "in url cake"} < set(model.weights)


def test_examples_kept_as_files_have_no_url():
    """Of a saved page only the title counts."""
    model = LinkModel.fit(
        ["file:///a/robot.html", "file:///a/cake.html"], [["robot"], ["cake"]], [True, False]
    )
    assert set(model.weights) == {"in link robot", "in link cake"}


def test_without_examples_nothing_is_said():
    """The empty model has no opinion."""
    assert LinkModel().of_url(GOOD) == LinkModel().of_words(["robot"]) == 0.0
    assert LinkModel.fit(["file:///a", "file:///b"], [[], []], [True, False]) == LinkModel()


def test_priority_by_hand(scorer):
    """-1.5 + .6 log odds of the page + 3 similarity of the anchor + the link model, as a probability."""
    made = page("http://x.example/", [link(GOOD, ["robot"])], relevance=0.8)
    similarity = 1.0 / (1.0 + 0.25)
    of_link = MODEL.of_url(GOOD) + MODEL.of_words(["robot"])
    odds = -1.5 + 0.6 * math.log(0.8 / 0.2) + 3 * similarity + of_link
    assert scorer.score(made, made.links) == pytest.approx([1 / (1 + math.exp(-odds))])


@pytest.mark.parametrize("relevance", [0.0, 1.0])
def test_certain_pages_stay_finite(scorer, relevance):
    """A relevance of 0 or 1 is certain, but not infinitely."""
    made = page("http://x.example/", [link("http://x.example/a")], relevance=relevance)
    assert 0.0 < scorer.score(made, made.links)[0] < 1.0


def test_without_examples_page_and_anchor_decide():
    """An untrained topic is crawled as by best_first_content_anchor, and no seed is taken for a directory."""
    cold = SimpleNamespace(vector=TOPIC.vector, midpoints=TOPIC.midpoints, links=LinkModel())
    names = ("link_classifier", "best_first_content_anchor")
    both = [create(name, cold) for name in names]
    seed = page("http://x.example/", [link(GOOD, ["robot"]), link("http://x.example/a")], 0.2, depth=0)
    assert visit(both[0], seed) == visit(both[1], seed)


def test_a_directory_is_read_on(scorer):
    """An off-topic seed is followed by its first links; a page behind it by as many as it shows new sites."""
    own = [f"http://dir.example/{number}" for number in range(30)]
    seed = directory("http://dir.example/", [], own)
    seed.depth = 0
    found, path = visit(scorer, seed)
    assert [url for url in own if found[url] >= DIRECTORY] == own[:FIRST_LINKS]
    behind = directory("http://dir.example/0", [1, 2, 3], own[10:])
    behind.path = path
    found, path = visit(scorer, behind)
    assert [url for url in own[10:] if found[url] >= DIRECTORY] == own[10:13]
    again = directory("http://dir.example/1", [1, 2, 3], own[13:])
    again.path = path
    found, _ = visit(scorer, again)
    assert max(found.values()) < DIRECTORY


def test_a_directory_is_read_best_first(scorer):
    """Of more links than it may follow, those that speak of the topic."""
    own = [f"http://dir.example/{number}" for number in range(30)]
    seed = directory("http://dir.example/", [], own)
    seed.depth = 0
    seed.links[-1].anchor = ["robot"]
    found, _ = visit(scorer, seed)
    assert max(found, key=found.__getitem__) == own[-1]


def test_a_directory_ends_at_its_site(scorer):
    """An irrelevant page of another site is no directory, whoever linked it."""
    other = directory("http://site1.example/", [7, 8, 9], ["http://site1.example/a"])
    other.path = b"dir.example"
    found, path = visit(scorer, other)
    assert max(found.values()) < DIRECTORY
    assert path is None


def test_a_relevant_seed_is_no_directory(scorer):
    """Its links are judged like those of any page."""
    seed = page("http://x.example/", [link("http://x.example/a")], relevance=0.9, depth=0)
    found, path = visit(scorer, seed)
    assert max(found.values()) < DIRECTORY
    assert path is None


def test_listed_sites_do_not_suffer_from_the_directory(scorer):
    """A link to another site weighs the same from a directory, however irrelevant that is."""
    listed = page("http://dir.example/", [link(GOOD)], relevance=0.0, depth=0)
    elsewhere = page("http://x.example/", [link(GOOD)], relevance=0.0)
    assert visit(scorer, listed)[0][GOOD] > visit(scorer, elsewhere)[0][GOOD]


def test_known_sites_outlive_the_run(scorer):
    """A resumed crawl does not take sites for new that a directory has shown before."""
    first = directory("http://dir.example/", [1, 2], ["http://dir.example/a"])
    first.depth = 0
    visit(scorer, first)
    resumed = create("link_classifier", TOPIC)
    resumed.remember(scorer.memory())
    again = directory("http://dir.example/b", [1, 2], ["http://dir.example/c"])
    again.path = b"dir.example"
    assert max(visit(resumed, again)[0].values()) < DIRECTORY
    with pytest.raises(ValueError, match="utf-8"):
        resumed.remember(b"\xff")


def test_an_endless_directory_ends(scorer):
    """A site that invents new sites on every page is given up after so many."""
    sites = directory("http://dir.example/", range(MAX_SITES), ["http://dir.example/a"])
    sites.depth = 0
    visit(scorer, sites)
    more = directory("http://dir.example/a", range(MAX_SITES, MAX_SITES + 5), ["http://dir.example/b"])
    more.path = b"dir.example"
    assert max(visit(scorer, more)[0].values()) < DIRECTORY
