"""Which pages say what an earlier one says, by sketches in memory and in the database alike."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focused_crawler.crawl.steering.copies import (
    BANDS,
    LEAST_WORDS,
    LIKE,
    MOST_COMPARED,
    MOST_IN_BAND,
    Copies,
    SketchesInMemory,
    SketchTables,
    bands,
    likeness,
    own_words,
    sketch,
)
from focused_crawler.page.parser import parse_page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore

FEW = 30


@pytest.fixture
def database(tmp_path):
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        yield database


@pytest.fixture(params=["memory", "tables"])
def store(request, database):
    return SketchesInMemory() if request.param == "memory" else SketchTables(database)


@pytest.fixture
def copies(store, database):
    pages = PageStore(database)

    class Recorded(Copies):
        def add(self, url, sketch):
            pages.record_page(PageItem(url=url, fetched_at=1.5e9, relevance=0.5, is_relevant=True))
            super().add(url, sketch)

    return Recorded(store)


def text(number, words=300):
    """Return words of a made-up page, other ones for each number."""
    random = Random(number)
    return [f"word{random.randrange(5000)}" for _ in range(words)]


def changed(words, share, seed=0):
    """Return a text with a share of its words replaced, in one place."""
    at, count = Random(seed).randrange(len(words) // 2), int(share * len(words))
    return [*words[:at], *(f"new{number}" for number in range(count)), *words[at + count :]]


def resemblance(one, other):
    """Return the exact one: what sketches estimate."""
    first, second = (set(zip(words, words[1:], words[2:], strict=False)) for words in (one, other))
    return len(first & second) / len(first | second)


def test_other_banner_and_date(copies):
    """A mirror's page with another banner and date is a copy, and it is said of which page and how alike."""
    copies.add("http://a.org/", sketch(text(1)))
    copies.add("http://b.org/", sketch(text(2)))
    found = copies.find(sketch(["mirrored", "monday", *text(2)]))
    assert found.url == "http://b.org/"
    assert LIKE <= found.likeness <= 1.0


def test_verbatim_copy_is_like_one(copies):
    """What has the same words is alike in full."""
    copies.add("http://a.org/", sketch(text(1)))
    assert copies.find(sketch(text(1))) == ("http://a.org/", 1.0)


def test_rewritten_page_is_no_copy(copies):
    """A page of which a quarter was rewritten is another page."""
    copies.add("http://a.org/", sketch(text(1)))
    assert copies.find(sketch(changed(text(1), 0.25))) is None


def test_other_pages_are_no_copies(copies):
    """Of pages with words of their own none is a copy."""
    for number in range(60):
        assert copies.find(sketch(text(number))) is None
        copies.add(f"http://a.org/{number}", sketch(text(number)))


def test_short_pages_are_no_copies(copies):
    """Two pages with hardly a word but the menu are not the same page."""
    assert sketch(text(1, LEAST_WORDS - 1)) == b""
    copies.add("http://a.org/", sketch(text(1, FEW)))
    assert copies.find(sketch(text(1, FEW))) is None
    assert sketch(text(1, LEAST_WORDS)) != b""


def test_most_alike_wins(copies):
    """Among several, the most alike is named."""
    copies.add("http://a.org/near", sketch(changed(text(1), 0.06)))
    copies.add("http://a.org/nearer", sketch(changed(text(1), 0.01)))
    assert copies.find(sketch(text(1))).url == "http://a.org/nearer"


def test_first_of_equals_wins(copies):
    """Among equals the one that came first is named, on whatever URL it lies."""
    copies.add("http://z.org/", sketch(text(1)))
    copies.add("http://a.org/", sketch(text(1)))
    assert copies.find(sketch(text(1))).url == "http://z.org/"


def test_added_twice_is_there_once(copies):
    """A page that is taken in again changes nothing."""
    copies.add("http://a.org/", sketch(text(1)))
    copies.add("http://a.org/", sketch(text(2)))
    assert copies.find(sketch(text(1))).url == "http://a.org/"
    assert copies.find(sketch(text(2))) is None


def test_thousand_pages_of_one_form_stay_cheap(store, copies):
    """However many pages share parts, a part finds so many, and no more are compared."""
    made = [changed(text(1), 0.12, seed) for seed in range(8 * MOST_IN_BAND)]
    for number, words in enumerate(made):
        copies.add(f"http://a.org/{number}", sketch(words))
    alike = store.alike(bands(sketch(text(1))))
    assert len(alike) == MOST_COMPARED
    if isinstance(store, SketchTables):
        most = "SELECT max(pages) FROM (SELECT count(*) AS pages FROM sketch_bands GROUP BY band) AS counted"
        assert store._database.rows(most)[0][0] == MOST_IN_BAND


def test_those_that_share_most_parts_are_compared(store, copies):
    """Of many pages like it, the most alike first, whenever they came."""
    wanted = set(bands(sketch(text(1))))
    made = [sketch(changed(text(1), percent / 100, percent)) for percent in range(15, 0, -1)]
    for number, like in enumerate(made):
        copies.add(f"http://a.org/{number}", like)
    shared = sorted((len(wanted & set(bands(like))) for like in made), reverse=True)
    alike = store.alike(bands(sketch(text(1))))
    assert [len(wanted & set(bands(like))) for _, like in alike] == shared[:MOST_COMPARED]
    assert shared[0] > shared[MOST_COMPARED] > 0


def test_sketches_go_with_the_commit(tmp_path):
    """What was not committed is forgotten with its page; what was is found by the next run."""
    for run, (number, keep) in enumerate([(1, True), (2, False)]):
        with CrawlDatabase(tmp_path / "crawl.db") as database:
            url = f"http://a.org/{run}"
            PageStore(database).record_page(PageItem(url=url, fetched_at=0, relevance=0, is_relevant=False))
            Copies(SketchTables(database)).add(url, sketch(text(number)))
            if keep:
                database.commit()
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        copies = Copies(SketchTables(database))
        assert copies.find(sketch(text(1))).url == "http://a.org/0"
        assert copies.find(sketch(text(2))) is None


def test_memory_and_tables_agree(tmp_path):
    """Both stores name the same copies, whatever comes."""
    random = Random(7)
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        pages, kept = PageStore(database), [Copies(SketchesInMemory()), Copies(SketchTables(database))]
        for number in range(300):
            words = changed(text(random.randrange(40)), random.choice([0, 0.02, 0.05, 0.1, 0.3]), number)
            url, made = f"http://a.org/{number}", sketch(words)
            pages.record_page(PageItem(url=url, fetched_at=0, relevance=0, is_relevant=False))
            found = [copies.find(made) for copies in kept]
            assert found[0] == found[1]
            if found[0] is None:
                for copies in kept:
                    copies.add(url, made)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.01, 0.03, 0.06, 0.1, 0.2, 0.5]))
def test_likeness_is_near_the_resemblance(number, share):
    """Five standard errors hold every estimate; the same words give the same sketch."""
    one, other = text(number), changed(text(number), share, number)
    exact = resemblance(one, other)
    error = (exact * (1 - exact) / 120) ** 0.5
    assert abs(likeness(sketch(one), sketch(other)) - exact) <= 5 * error + 0.02
    assert sketch(one) == sketch(list(one))


@given(st.binary(max_size=300), st.binary(max_size=300))
def test_any_bytes_can_be_compared(one, other):
    """Sketches of another version or size, or none at all, are like nothing; nothing is raised."""
    ours = sketch(text(1))
    for pair in ((one, ours), (ours, other), (b"\x00" + ours[1:], ours)):
        assert likeness(*pair) in (0.0, 1.0) or pair[0][:1] == pair[1][:1]
    assert likeness(b"\x00" + ours[1:], ours) == 0.0


def test_bands_are_of_their_place():
    """The parts of a sketch are numbers that a database can keep; equal parts in other places are others."""
    found = bands(sketch(text(1)))
    assert len(set(found)) == BANDS
    assert all(-(2**63) <= band < 2**63 for band in found)
    assert len(set(bands(bytes(241)))) == BANDS


def test_menus_do_not_count():
    """A page is known by its headlines and running text, not by the words in its links."""
    menu = "".join(f'<a href="/{number}">menu item {number}</a> ' for number in range(50))
    html = "<title>Bees</title><h1>Wild bees</h1>{}<p>They nest in the ground.</p>"
    analyzer = Analyzer("en")
    pages = [parse_page(html.format(part).encode(), "http://a.org/", analyzer) for part in ("", menu)]
    assert own_words(pages[0]) == own_words(pages[1]) != []


def test_broken_text_has_a_sketch():
    """Words out of broken encodings and of other scripts are words too."""
    body = (
        "\ufffd\U0001f600 \u4e2d\u6587\u7f51\u9875 " * 60 + "\x00 " * 5
    ).encode() + b"\xff\xed\xa0\x80 " * 60
    page = parse_page(b"<html><body><p>" + body, "http://a.org/", Analyzer("zh"))
    assert len(sketch(own_words(page))) == 241
