"""The edits of `scrapy taxonomy`, as they are typed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from focused_crawler.page.stored_text import stored_text
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import RunInfo, write_run
from focused_crawler.store.pages import PageStore
from tests.classify.taxonomy.editable import files_of, marks_of, tree_of, write_tree
from tests.project import Done, Scrapy
from tests.small_taxonomy import small_page, small_taxonomy


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_tree(tmp_path)
    named = tmp_path / "tree/life/film/category.toml"  # a topic that the project lacks
    named.write_text(named.read_text().replace('topics = ["tea"]\n', ""))
    return tmp_path


def test_what_takes_an_edit_back_names_the_tree_of_the_setting(scrapy: Scrapy, folder: Path) -> None:
    """As it does that of --taxonomy: without, it would take back what was done in another tree."""
    tree = folder / "tree"
    done = scrapy.run("taxonomy", "create", "moss", "-s", f"FOCUSED_TAXONOMY={tree}")
    back, train = (f"scrapy taxonomy {action} --taxonomy {tree}" for action in ("undo", "train"))
    assert done.out == f"Made moss.\nTo take that back: {back}\nNext: {train}\n"


def test_edits_say_what_was_done_and_how_to_go_on(scrapy: Scrapy, folder: Path) -> None:
    """One after the other; then all of them are taken back."""

    def run(*words: object) -> Done:
        return scrapy.run("taxonomy", *words, "--taxonomy", folder / "tree")

    before = files_of(folder)
    done = run("create", "/life/plants/", "--title", "All plants")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        f"Made life/plants.\nTo take that back: scrapy taxonomy undo --taxonomy {folder / 'tree'}\n"
        f"Next: scrapy taxonomy train --taxonomy {folder / 'tree'}\n"
    )
    (folder / "mine.html").write_text("<p>moss")
    assert run("add", "life/plants", "http://moss.example/", folder / "mine.html").out.startswith(
        "Gave life/plants 2 examples.\n"
    )
    assert run("show", "life/plants").out == (
        f"http://moss.example/\n{folder.resolve()}/tree/life/plants/examples/mine.html\n"
    )
    run("add", "/arts", "http://moss.example/", "--from", "life/plants")
    run("rename", "life/plants", "green", "--title", "Green")
    run("move", "life/green", "arts")
    run("take", "arts/green", "examples/mine.html")
    run("merge", "arts/green", "arts")
    run("move", "arts/music", "/")
    assert run("delete", "life").out.startswith("Deleted life.\n")
    assert tree_of(folder).paths == ("", "arts", "music", "arts/film")
    assert tree_of(folder)["arts"].examples == ("http://moss.example/",)
    for _ in range(9):
        done = run("undo")
    assert done.out.startswith("Took back: made life/plants.\nNext: scrapy taxonomy train ")
    (folder / "mine.html").unlink()
    assert files_of(folder) == before
    (folder / "none").mkdir()
    done = scrapy.run("taxonomy", "create", "life", "--taxonomy", folder / "none")
    assert "none/category.toml: not found; give the folder of a taxonomy, or make one with" in done.err
    done = run("move", "arts")
    assert (done.code, done.err) == (
        2, "error: use one of: scrapy taxonomy move CATEGORY PARENT; not move arts\n",
    )  # fmt: skip


@pytest.fixture
def crawl(folder: Path) -> Path:
    """A crawl of a topic that marks sky/stars, and the taxonomy's model."""
    small_taxonomy().save(folder / "models/taxonomy")
    for path in ("sky/stars", "sky/planets", "sports/football"):
        (folder / "tree" / path).mkdir(parents=True)
        for part in (path, path.partition("/")[0]):
            (folder / "tree" / part / "category.toml").touch()
    topic = folder / "topics/tea/topic.toml"
    topic.write_text(topic.read_text().replace('["life/film/short", "arts"]', '["sky/stars"]'))
    (folder / "tree/sky/stars/category.toml").write_text('examples = ["http://0.example/"]\n')
    texts = {"star galaxy": "sky/stars", "planet moon": "sky/planets", "goal cup": "sports/football"}
    with CrawlDatabase(folder / "crawl.db") as database:
        store = PageStore(database)
        for number, (text, category) in enumerate(texts.items()):
            url = f"http://{number}.example/"
            store.record_page(
                PageItem(
                    url=url,
                    fetched_at=1.0,
                    title=text,
                    relevance=0.5,
                    is_relevant=True,
                    links=2,
                    category=category,
                    text=stored_text(small_page(text, url)),
                )
            )
            store.record_links(url, [(f"http://{(number + 1) % 3}.example/", "", 0, 0.5)] * 2)
        store.commit()
    run = RunInfo("tea", "Tea", "1", "soft_focus", "", None, trained=True)
    run.settings = {"FOCUSED_TOPIC": str(folder / "topics/tea")}
    write_run(folder, run)
    return folder


def test_what_focus_would_follow_is_shown(scrapy: Scrapy, crawl: Path) -> None:
    """By the marks that there are, and by others, which are not written."""
    words = ("taxonomy", "preview", crawl, "--taxonomy", crawl / "tree")
    models = ("-s", f"FOCUSED_MODELS={crawl / 'models'}")
    before = marks_of(crawl)
    done = scrapy.run(*words, *models)
    assert (done.code, done.err) == (0, "")
    assert re.search(r"sky/stars +1 +2 +followed", done.out)
    assert "Hard focus follows 1 of 3 pages (33%): 2 of 6 links." in done.out
    assert "changes sides" not in done.out
    done = scrapy.run(*words, *models, "--good", "sky")
    assert "Hard focus follows 2 of 3 pages (67%): 4 of 6 links." in done.out
    assert "Followed now: 1 page, as the marks are different.\n  http://1.example/ (sky/planets)" in done.out
    done = scrapy.run(*words, *models, "--good", "sports", "--not-good", "sky/stars")
    assert "No longer followed: 1 page, as the marks are different.\n  http://0.example/" in done.out
    assert marks_of(crawl) == before


def test_what_is_near_a_category_is_shown(scrapy: Scrapy, crawl: Path) -> None:
    """By links and by pages around its examples, where a crawl is named; and what to type."""
    words = ("taxonomy", "near", "sky/stars", "--taxonomy", crawl / "tree")
    done = scrapy.run(*words, "--crawl", crawl)
    assert (done.code, done.err) == (0, "")
    assert re.search(r"sky/planets +links +1 page, of 1 here", done.out)
    assert re.search(r"0\.50 +1 +0 +sky/planets +planet moon", done.out)
    assert done.out.endswith(f"scrapy taxonomy add sky/stars URL --taxonomy {crawl / 'tree'}\n")
    done = scrapy.run(*words)
    assert done.code == 2
    assert done.err.startswith("error: nothing is known to be near sky/stars; scrapy taxonomy train compares")
