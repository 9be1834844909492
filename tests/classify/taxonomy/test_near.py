"""What is near a category, and what focus would follow: by a small model, in a crawl of a few pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from focused_crawler.classify.taxonomy.kinship import alike, linked, neighbours
from focused_crawler.classify.taxonomy.preview import FocusSample, Preview, changed
from focused_crawler.classify.taxonomy.training import train_taxonomy
from focused_crawler.classify.taxonomy.tree import Category, Tree
from focused_crawler.page.stored_text import stored_text
from focused_crawler.safety.errors import CrawlError, TopicError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore
from tests.small_taxonomy import WORDS, small_page, small_taxonomy

PAGES = {
    "stars": ("telescope star galaxy", "sky/stars", ["planets", "goals"]),
    "planets": ("planet moon", "sky/planets", ["stars"]),
    "rings": ("ring orbit planet", "sky/planets", ["stars", "stars"]),
    "goals": ("goal match cup", "sports/football", []),
    "far": ("league", "sports/football", []),
}


def url_of(name: str) -> str:
    return f"http://{name}.example/"


@pytest.fixture
def crawl(tmp_path: Path) -> Iterator[CrawlDatabase]:
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        store = PageStore(database)
        for name, (text, category, links) in PAGES.items():
            item = PageItem(
                url=url_of(name), fetched_at=1.0, title=name, relevance=0.5, is_relevant=True,
                category=category, links=len(links), text=stored_text(small_page(text, url_of(name))),
            )  # fmt: skip
            store.record_page(item)
            store.record_links(url_of(name), [(url_of(link), "", 0, 0.5) for link in links])
        store.commit()
        yield database


def test_categories_alike_share_their_words() -> None:
    """Those of most first, with the words; none above, below or without any in common."""
    words = {**WORDS, "cosmos": ("star galaxy goal", "nebula star planet"), "food": ("bread", "egg")}
    pages = {
        path: [small_page(text, f"http://{path}/{number}") for number, text in enumerate(texts)]
        for path, texts in words.items()
    }
    model, _ = train_taxonomy(Tree.of(map(Category, words)), pages)
    found = alike(model, "sky/stars")
    assert [one.path for one in found] == ["cosmos"]
    assert found[0].terms == ("star", "galaxi", "nebula")
    assert 0.5 < found[0].likeness < 1
    assert [one.path for one in alike(model, "cosmos")] == ["sky/stars", "sports/football", "sky/planets"]
    assert alike(model, "") == alike(model, "gone") == alike(model, "food") == []


def test_linked_categories_are_those_that_pages_lead_to_and_come_from(crawl: CrawlDatabase) -> None:
    """In both directions, each page once."""
    tree = small_taxonomy().tree
    assert [tuple(one) for one in linked(crawl, tree, "sky/stars")] == [
        ("sky/planets", 2, 1), ("sports/football", 1, 1),
    ]  # fmt: skip
    assert [one.path for one in linked(crawl, tree, "sky")] == ["sports/football"]
    assert linked(crawl, tree, "sports")[0].path == "sky/stars"


def test_neighbours_of_examples_are_offered(crawl: CrawlDatabase) -> None:
    """Those that link to most of them first; no example among them."""
    found = neighbours(crawl, [url_of("stars"), url_of("goals"), "/saved.html"])
    assert [(page.title, page.linked_from, page.links_to) for page in found] == [
        ("planets", 1, 1), ("rings", 0, 1),
    ]  # fmt: skip
    assert found[0].category == "sky/planets"
    assert neighbours(crawl, []) == neighbours(crawl, [url_of("far")]) == []


def followed(preview: Preview) -> list[str]:
    return [page.title for page in preview.pages if page.is_good]


def test_the_preview_is_what_focus_does(crawl: CrawlDatabase) -> None:
    """Hard focus follows the pages whose best leaf is good, soft focus orders by R(d)."""
    model = small_taxonomy()
    sample = FocusSample.read(crawl, model)
    now, then = sample.by(["sky/stars"]), sample.by(["sky"])
    assert (followed(now), followed(then)) == (["stars"], ["stars", "planets", "rings"])
    assert (now.followed, now.links, then.links) == (1, 2, 5)
    assert [tuple(leaf) for leaf in then.leaves] == [
        ("sky/planets", 2, 3, True), ("sports/football", 2, 0, False), ("sky/stars", 1, 2, True),
    ]  # fmt: skip
    assert sum(links for _, links in then.bands) == 5
    for preview, good in ((now, {"sky/stars"}), (then, {"sky"})):
        for page in preview.pages:
            focus = model.judge(small_page(f"{page.title} {PAGES[page.title][0]}"), good)
            assert page.category == focus.category
            assert page.relevance == pytest.approx(focus.relevance, abs=1e-9)
    gained, lost = changed(now, then)
    assert ([page.title for page in gained], lost) == (["planets", "rings"], [])
    assert [page.title for page in changed(then, now)[1]] == ["planets", "rings"]


def test_a_sample_is_spread_over_the_crawl(crawl: CrawlDatabase) -> None:
    """And says of how many pages it is."""
    sample = FocusSample.read(crawl, small_taxonomy(), most=3)
    preview = sample.by([])
    assert ([page.title for page in preview.pages], preview.of) == (["stars", "rings", "far"], 5)
    assert (preview.followed, preview.bands[-1]) == (0, (0.0, 4))
    with pytest.raises(TopicError, match="has no category 'skies'"):
        sample.by(["skies"])


def test_a_crawl_without_texts_cannot_be_previewed(tmp_path: Path) -> None:
    """With the setting that keeps them."""
    with (
        CrawlDatabase(tmp_path / "crawl.db") as database,
        pytest.raises(
            CrawlError, match="has no texts of pages to judge; crawl more, with FOCUSED_KEEP_TEXTS"
        ),
    ):
        FocusSample.read(database, small_taxonomy())
