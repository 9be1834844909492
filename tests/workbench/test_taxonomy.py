"""Taxonomy, in a real browser: what is dragged, and what forms do; each to its end in the files."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from focused_crawler.classify.taxonomy.folder import load_tree
from focused_crawler.classify.taxonomy.tree import Tree
from focused_crawler.page.parser import parse_page
from focused_crawler.page.stored_text import stored_text
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import RunInfo, write_run
from focused_crawler.store.pages import PageStore
from focused_crawler.topic.topic import load_topic
from tests.project import Scrapy
from tests.small_taxonomy import small_taxonomy
from tests.workbench.bench import Project, Workbench, running
from tests.workbench.conftest import NARROW

TOPIC = 'name = "stars"\nkeywords = ["star"]\n\n[taxonomy]\ngood = ["sky/stars"]\n'
EXAMPLES = {
    "sky/stars": ["http://star.example/", "http://galaxy.example/"],
    "sky/planets": ["http://planet.example/"],
    "sports/football": ["http://goal.example/"],
}
HOSTILE = "\u202e<img src=x onerror=alert(1)>"
PAGES = {
    "http://one.example/": ("star galaxy telescope", HOSTILE, "sky/stars"),
    "http://two.example/": ("planet moon orbit", "Two planets", "sky/planets"),
    "http://three.example/": ("goal match cup", "Three goals", "sports/football"),
}


def write_examples(folder: Path) -> None:
    for path in ("", "sky", "sports", *EXAMPLES):
        (folder / path).mkdir(parents=True, exist_ok=True)
        lines = "".join(f'    "{url}",\n' for url in EXAMPLES.get(path, ()))
        (folder / path / "category.toml").write_text(f"examples = [\n{lines}]\n" if lines else "")


def write_crawl(folder: Path, topic: Path) -> None:
    """Three pages that a taxonomy judged, each with a link to the next and to an example."""
    folder.mkdir(parents=True)
    analyzer = Analyzer("en")
    with CrawlDatabase(folder / "crawl.db") as database:
        store = PageStore(database)
        for url, (text, title, category) in PAGES.items():
            page = parse_page(f"<p>{text}".encode(), url, analyzer, "utf-8")
            item = PageItem(
                url=url, fetched_at=1.0, title=title, relevance=0.5, is_relevant=True, links=2,
                category=category, text=stored_text(page),
            )  # fmt: skip
            store.record_page(item)
            store.record_links(
                url, [("http://star.example/", "", 0, 0.5), ("http://two.example/", "", 0, 0.5)]
            )
        store.commit()
    run = RunInfo("stars", "Stars", "1", "soft_focus", "", None, trained=True)
    run.settings = {"FOCUSED_TOPIC": str(topic)}
    write_run(folder, run)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, new_demo_web: Callable[[], Path]) -> Project:
    """A topic, a tree with its model, and a crawl."""
    made = Project.make(tmp_path_factory.mktemp("project"), new_demo_web())
    (made.topics / "stars").mkdir()
    small_taxonomy().save(made.folder / "models/taxonomy")
    write_crawl(made.crawls / "stars/1", made.topics / "stars")
    return made


@pytest.fixture(scope="module")
def workbench(scrapy: Scrapy, project: Project) -> Iterator[Workbench]:
    write_examples(project.folder / "tree")
    (project.topics / "stars/topic.toml").write_text(TOPIC)
    with running(scrapy, project, "-s", f"FOCUSED_TAXONOMY={project.folder / 'tree'}") as workbench:
        yield workbench


@pytest.fixture(autouse=True)
def as_it_was(project: Project) -> None:
    """Tree and marks, before each test."""
    shutil.rmtree(project.folder / "tree", ignore_errors=True)
    write_examples(project.folder / "tree")
    (project.topics / "stars/topic.toml").write_text(TOPIC)


def tree_of(project: Project) -> Tree:
    return load_tree(project.folder / "tree", project.topics)


def marks_of(project: Project) -> tuple[str, ...]:
    return load_topic(str(project.topics / "stars")).good_categories


def go(page: Page, at: str) -> None:
    page.goto(f"/topics/stars/taxonomy?{urlencode({'at': at})}")


def node(page: Page, path: str):
    return page.locator(f'[data-drop="{path}"]')


def expect_said(page: Page, text: str) -> None:
    """The next page says it, and has its keys."""
    expect(page.locator("#message")).to_have_text(text)
    page.wait_for_load_state()


def test_an_example_and_a_page_are_dragged_onto_another_category(page: Page, project: Project) -> None:
    """The example moves; the page becomes one; both are taken back by a key."""
    go(page, "sky/stars")
    page.locator('[data-example="http://galaxy.example/"]').drag_to(node(page, "sky/planets"))
    expect_said(page, "Moved http://galaxy.example/ from sky/stars to sky/planets.")
    expect(page.get_by_role("heading", name="sky/planets", exact=True)).to_be_visible()
    page.locator('[data-example="http://two.example/"]').first.drag_to(node(page, "sports/football"))
    expect_said(page, "Gave sports/football http://two.example/.")
    tree = tree_of(project)
    assert tree["sky/planets"].examples == ("http://planet.example/", "http://galaxy.example/")
    assert tree["sports/football"].examples[-1] == "http://two.example/"
    page.keyboard.press("u")
    expect_said(page, "Took back: gave sports/football http://two.example/.")
    page.keyboard.press("u")
    expect_said(page, "Took back: moved http://galaxy.example/ from sky/stars to sky/planets.")
    assert tree_of(project)["sky/stars"].examples == tuple(EXAMPLES["sky/stars"])


def test_the_tree_shows_without_the_server_of_a_crawl(page: Page, project: Project) -> None:
    """What could not be read is said; an edit goes on to the same page."""
    run = RunInfo("stars", "Stars", "2", "soft_focus", "", None, trained=True, started=2.0)
    run.database, run.schema = "postgresql://ann@localhost:1/crawls", "crawl_stars_2"
    folder = project.crawls / "stars/2"
    folder.mkdir()
    write_run(folder, run)
    try:
        go(page, "sky/stars")
        expect(page.get_by_role("alert")).to_contain_text("ann@localhost:1/crawls")
        page.locator('[data-example="http://galaxy.example/"]').drag_to(node(page, "sky/planets"))
        expect_said(page, "Moved http://galaxy.example/ from sky/stars to sky/planets.")
        expect(page.get_by_role("alert")).to_contain_text("ann@localhost:1/crawls")
    finally:
        shutil.rmtree(folder)


def test_the_same_by_keyboard(page: Page, project: Project) -> None:
    """Chosen examples, several at a time, go where a list says."""
    go(page, "sky/stars")
    for url in EXAMPLES["sky/stars"]:
        page.get_by_role("checkbox", name=url).focus()
        page.keyboard.press("Space")
    page.get_by_label("Chosen ones to").select_option("sports")
    page.get_by_label("Chosen ones to").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect_said(page, "Moved 2 examples from sky/stars to sports.")
    assert tree_of(project)["sports"].examples == tuple(EXAMPLES["sky/stars"])
    page.get_by_role("checkbox", name="http://star.example/").check()
    page.get_by_role("button", name="Take away").click()
    expect_said(page, "Took http://star.example/ from sports.")
    page.get_by_label("Another example").fill("http://new.example/")
    page.keyboard.press("Enter")
    expect_said(page, "Gave sports http://new.example/.")


def test_categories_are_made_renamed_moved_merged_and_deleted(page: Page, project: Project) -> None:
    """Marks follow; a category is moved by dragging it, too."""
    page.on("dialog", lambda dialog: dialog.accept())
    go(page, "sky")
    page.get_by_label("New category below sky").fill("comets")
    page.get_by_label("Title").first.fill("Comets & meteors")
    page.get_by_role("button", name="Make").click()
    expect_said(page, "Made sky/comets.")
    expect(page.get_by_text("Comets & meteors")).to_be_visible()
    page.get_by_label("Merge into").select_option("sky/planets")
    page.get_by_role("button", name="Merge").click()
    expect_said(page, "Merged sky/comets into sky/planets.")
    go(page, "sky/stars")
    page.get_by_label("Name", exact=True).fill("suns")
    page.get_by_role("button", name="Rename").click()
    expect_said(page, "Renamed sky/stars to suns.")
    assert marks_of(project) == ("sky/suns",)
    node(page, "sports/football").drag_to(node(page, "sky"), source_position={"x": 200, "y": 12})
    expect_said(page, "Moved sports/football to sky.")
    go(page, "sports")
    page.get_by_role("button", name="Delete").click()
    expect_said(page, "Deleted sports.")
    assert tree_of(project).paths == ("", "sky", "sky/football", "sky/planets", "sky/suns")


def test_what_focus_would_follow_before_a_mark_is_made(page: Page, project: Project) -> None:
    """As if it was good; then it is, by a key, and what it covers is no mark any more."""
    go(page, "sky")
    page.get_by_role("button", name="By the marks that there are").click()
    expect(page.get_by_text("1 of 3 pages (33.3 %) and 2 of their 6 links.")).to_be_visible()
    page.get_by_role("button", name="As if sky was good").click()
    expect(page.get_by_text("2 of 3 pages (66.7 %) and 4 of their 6 links")).to_be_visible()
    expect(page.get_by_role("heading", name="Followed then, and not now: 1 page")).to_be_visible()
    expect(page.get_by_role("link", name="Two planets")).to_be_visible()
    assert marks_of(project) == ("sky/stars",)
    page.keyboard.press("g")
    expect_said(page, "sky is good now.")
    assert marks_of(project) == ("sky",)
    expect(node(page, "sky/planets")).to_contain_text("good with it")
    go(page, "sky/stars")
    page.keyboard.press("g")
    expect_said(page, "sky/stars is not good any more.")
    assert marks_of(project) == ("sky/planets",)


def test_mistakes_are_said_and_hostile_titles_are_text(page: Page, project: Project) -> None:
    """In the page's own words; nothing that a page is called is obeyed."""
    go(page, "sky/stars")
    expect(page.get_by_text("\\u202e<img src=x onerror=alert(1)>").first).to_be_visible()
    page.get_by_label("Another example").fill("http://planet.example/")
    page.keyboard.press("Enter")
    expect(page.get_by_text("is an example of sky/planets; to move it:")).to_be_visible()
    assert tree_of(project)["sky/stars"].examples == tuple(EXAMPLES["sky/stars"])


def test_a_link_to_what_is_gone_leads_to_what_is_above(page: Page) -> None:
    """Categories are renamed, and links are kept."""
    go(page, "sky/gone/since")
    expect(page.get_by_role("heading", name="sky", exact=True)).to_be_visible()


def test_the_place_fits_a_phone(page: Page) -> None:
    """Nothing is wider than the screen."""
    page.set_viewport_size(NARROW)
    for at in ("", "sky/stars"):
        go(page, at)
        assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
