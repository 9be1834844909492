"""The census of a crawl, and what it says of the categories around a topic."""

from __future__ import annotations

import sqlite3

import pytest

from focused_crawler.classify.taxonomy.related import census, related
from focused_crawler.classify.taxonomy.tree import Category, Tree
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore

# The paper's case: who looks for mutual funds alone misses what leads to them.
TREE = Tree.of(
    map(
        Category,
        (
            "business/investing/mutual-funds", "business/investing/stocks", "business/investing/pensions",
            "business/retail", "news/finance", "news/weather",
        ),
    )
)  # fmt: skip
GOOD = frozenset({"business/investing/mutual-funds"})


def suggested(counted, good=GOOD):
    """Return the suggested classes and marks of a census: category -> pages, relevant, leading."""
    found = related(TREE, good, [(path, *numbers) for path, numbers in counted.items()])
    return [row.path for row in found.rows if row.is_suggested], found.marks


FUNDS = {"business/investing/mutual-funds": (40, 40, 20)}


def test_siblings_that_are_frequent_are_suggested_and_joined():
    """Stocks and pensions beside mutual funds: mark investing."""
    counted = {**FUNDS, "business/investing/stocks": (30, 2, 3), "business/investing/pensions": (5, 0, 1)}
    assert suggested(counted) == (
        ["business/investing/stocks", "business/investing/pensions"],
        ("business/investing",),
    )


def test_what_is_marked_already_stays_among_the_marks():
    """So that the line can be typed as it is."""
    counted = {**FUNDS, "business/investing/stocks": (30, 2, 3)}
    assert suggested(counted)[1] == ("business/investing/mutual-funds", "business/investing/stocks")


def test_a_distant_class_is_suggested_if_it_leads_to_relevant_pages():
    """A third of its pages do; another as frequent is not."""
    counted = {
        **FUNDS,
        "news/finance": (20, 0, 12),
        "news/weather": (20, 0, 1),
        "business/retail": (50, 0, 0),
    }
    assert suggested(counted)[0] == ["news/finance"]


@pytest.mark.parametrize(
    ("finance", "weather", "wanted"),
    [
        ((20, 0, 7), (20, 0, 1), True),
        ((20, 0, 6), (20, 0, 1), False),
        ((20, 0, 18), (80, 0, 45), True),
        ((20, 0, 18), (80, 0, 50), False),
        ((4, 0, 2), (20, 0, 1), False),
    ],
)
def test_a_distant_class_needs_evidence(finance, weather, wanted):
    """Three of its pages lead to relevant ones, a third of them, and half as often again as the others do."""
    found = suggested({**FUNDS, "news/finance": finance, "news/weather": weather})[0]
    assert found == (["news/finance"] if wanted else [])


def test_a_sibling_that_has_nothing_to_do_with_the_topic_is_not_suggested():
    """None of its pages is relevant or leads to one. After hard focus, which knows no such links, it is."""
    counted = {**FUNDS, "business/investing/stocks": (30, 0, 0), "business/retail": (9, 0, 1)}
    assert suggested(counted) == ([], ())
    counted["business/retail"] = (9, 0, 0)
    assert suggested(counted)[0] == ["business/investing/stocks"]


@pytest.mark.parametrize("name", ["other", "others"])
def test_a_leaf_of_all_others_is_never_suggested(name):
    """Neither from afar nor beside what is good."""
    tree = Tree.of(map(Category, ("a/b", f"a/{name}", f"c/{name}", "c/d")))
    counted = [("a/b", 40, 40, 20), (f"a/{name}", 30, 3, 29), (f"c/{name}", 30, 0, 29)]
    assert related(tree, frozenset({"a/b"}), counted).marks == ()


def test_chance_is_no_reason():
    """Two pages, or less than a hundredth of those that are not good."""
    assert suggested({**FUNDS, "business/investing/stocks": (2, 0, 2)}) == ([], ())
    counted = {**FUNDS, "business/investing/stocks": (9, 0, 0), "business/retail": (1000, 0, 0)}
    assert suggested(counted) == ([], ())


def test_what_is_good_is_never_suggested():
    """Nor what a taxonomy no longer has."""
    counted = {**FUNDS, "business/investing/stocks": (30, 2, 30), "gone/since": (50, 50, 50)}
    assert suggested(counted, frozenset({"business/investing"})) == ([], ())


@pytest.fixture
def crawl(tmp_path):
    """Pages 0 to 3 of two categories and one of none; 1 and 2 link to the relevant 0, 0 to itself."""
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        store = PageStore(database)
        categories = ["news/finance", "news/finance", "news/weather", "news/weather", None]
        for number, category in enumerate(categories):
            record = PageItem(
                url=f"http://n.example/{number}",
                fetched_at=1.0,
                relevance=1.0,
                is_relevant=number in (0, 4),
                category=category,
            )
            store.record_page(record)
            targets = {0: [0], 1: [0, 4], 2: [0, 3], 3: [4]}.get(number, [])
            store.record_links(
                f"http://n.example/{number}", [(f"http://n.example/{to}", "", 0, None) for to in targets]
            )
        store.commit()
    return tmp_path


def test_a_crawl_is_counted_by_category(crawl):
    """Pages, relevant ones, and those that link to another page that is relevant and judged."""
    assert sorted(census(crawl)) == [("news/finance", 2, 1, 1), ("news/weather", 2, 0, 1)]


def test_crawls_without_categories(crawl, tmp_path_factory):
    """No crawl, and one that no taxonomy judged."""
    empty = tmp_path_factory.mktemp("empty")
    with pytest.raises(CrawlError, match="holds no crawl; name its folder"):
        census(empty)
    database = sqlite3.connect(crawl / "crawl.db")
    database.execute("UPDATE pages SET category = NULL")
    database.commit()
    database.close()
    with pytest.raises(CrawlError, match="have no category; crawl with -a strategy=soft_focus"):
        census(crawl)
