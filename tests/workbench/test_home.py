"""Home, in a real browser: from words to a crawl that runs."""

from __future__ import annotations

import shutil
import tomllib

import pytest
from playwright.sync_api import Page, expect

from focused_crawler.store.opening import is_in_use
from tests.project import Scrapy, until
from tests.workbench.bench import Workbench
from tests.workbench.conftest import PATIENCE


def test_from_words_to_a_crawl(page: Page, workbench: Workbench) -> None:
    """A topic is made, a search proposes start pages, those that are left become its, a crawl runs."""
    expect(page).to_have_title("Topics and crawls · Workbench")
    expect(page.get_by_text("There is no crawl yet")).to_be_visible()
    page.get_by_label("Title").fill("Night sky")
    page.get_by_label("Words and phrases").fill("telescope\ngalaxy, comet\nplanet")
    page.get_by_role("button", name="Make the topic").press("Enter")
    expect(page.get_by_role("status")).to_have_text("Made the topic Night sky.")
    assert page.url == f"{workbench.origin}/topics/night-sky"
    file = workbench.project.topics / "night-sky/topic.toml"
    assert tomllib.loads(file.read_text())["keywords"] == ["telescope", "galaxy", "comet", "planet"]

    page.get_by_role("button", name="Search for start pages").press("Enter")
    boxes = page.get_by_role("checkbox")
    expect(boxes.first).to_be_checked()
    found = boxes.count()
    boxes.first.uncheck()
    page.get_by_role("button", name="Take the checked ones").press("Enter")
    expect(page.get_by_role("status")).to_contain_text(f"has {found - 1} start pages now")
    assert len(tomllib.loads(file.read_text())["seeds"]) == found - 1

    page.get_by_label("Pages at most", exact=True).fill("30")
    page.get_by_label("Name").fill("first")
    page.get_by_role("button", name="Start the crawl").press("Enter")
    expect(page.get_by_role("status")).to_have_text("The crawl has begun.")
    assert page.url == f"{workbench.origin}/crawls/night-sky/first"
    job = workbench.project.job("night-sky", "first")
    until(lambda: not is_in_use(job.folder))
    assert job.run["totals"]["pages"] == 30
    page.goto("/")
    link = page.get_by_role("link", name="night-sky / first")
    link.focus()
    link.element_handle().wait_for_element_state("hidden", timeout=PATIENCE)  # the table is read anew
    expect(link).to_be_focused()
    row = page.get_by_role("row", name="night-sky / first")
    expect(row).to_contain_text("It reached its budget of pages.")
    expect(row.get_by_role("cell").nth(1)).to_have_text("30")


def test_what_was_done_is_said_where_it_was_done(workbench: Workbench) -> None:
    """Not in the page of another topic, which somebody has opened before the answer came; and once."""
    cookie = workbench.cookie()
    for title in ("Left", "Right"):
        workbench.form("/topics", cookie, title=title, keywords="hand")
    for place, said in (
        ("astronomy", ""),
        ("left", "Made the topic Left."),
        ("left", ""),
        ("right", "Right."),
    ):
        page = workbench.ask(f"/topics/{place}", headers={"Cookie": cookie}).text
        assert said in page
        assert ("Made the topic" in page) == bool(said)


def test_what_is_wrong_is_said_in_a_line(page: Page, workbench: Workbench) -> None:
    """And nothing is made."""
    page.goto("/topics/astronomy")
    page.get_by_label("Pages at most", exact=True).fill("10")
    page.get_by_label("Name").fill("../up")
    page.get_by_role("button", name="Start the crawl").click()
    expect(page.get_by_role("alert")).to_contain_text("use letters, digits")
    page.get_by_role("link", name="Back, to change it").press("Enter")
    expect(page.get_by_label("Name")).to_have_value("../up")  # as it was filled in
    assert page.url == f"{workbench.origin}/topics/astronomy"
    page.goto("/topics/nothing")
    expect(page.get_by_role("alert")).to_contain_text("There is no topic nothing")
    assert not (workbench.project.crawls / "up").exists()


def test_a_name_that_is_taken_starts_nothing(workbench: Workbench, scrapy: Scrapy) -> None:
    """The crawl of that name stays as it is: who asks for a new one shall not get its pages mixed in."""
    workbench.project.crawl(scrapy, "astronomy", "taken", pages=3, profile="offline").wait()
    fields = {"job": "taken", "pages": "9", "profile": "offline"}
    answer = workbench.form("/topics/astronomy/crawls", workbench.cookie(), **fields)
    assert answer.status == 400
    assert "has a crawl taken; give another name, or open that one and let it go on" in answer.text
    assert workbench.project.job("astronomy", "taken").run["totals"]["pages"] == 3
    shutil.rmtree(workbench.project.crawls / "astronomy")  # a test wants a home without crawls


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Ökologie", "okologie"),
        ("Άσθμα", "topic-44a85ba3"),
        ("哮喘", "topic-cc089d67"),
        ("Asthma 哮喘", "asthma-eb1a49e5"),
    ],
)
def test_a_title_may_be_in_any_script(workbench: Workbench, title: str, name: str) -> None:
    """It gives a name that no other title gives; words may be parted as they are in its language."""
    made = workbench.form("/topics", workbench.cookie(), title=title, keywords="哮喘，支气管、肺\nربو، رئة")
    assert (made.status, made.headers["Location"]) == (303, f"/topics/{name}")
    topic = tomllib.loads((workbench.project.topics / name / "topic.toml").read_text())
    assert (topic["name"], topic["title"]) == (name, title)
    assert topic["keywords"] == ["哮喘", "支气管", "肺", "ربو", "رئة"]


def test_no_title_makes_no_topic(workbench: Workbench) -> None:
    """Nor does one of spaces, which a browser lets through."""
    refused = workbench.form("/topics", workbench.cookie(), title="  ", keywords="bee")
    assert refused.status == 400
    assert "is not made of a-z, 0-9 and -" in refused.text


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("seeds", "example", "Start pages: &#39;example&#39; is no http or https URL"),
        ("language", "English", "Language: language &#39;English&#39; is no ISO 639 code"),
        ("keywords", " , ", "Words and phrases: nothing says what the topic is about; give some words"),
        ("title", "topic", "Title: name &#39;topic&#39; is the spider of all topics"),
    ],
)
def test_what_is_refused_is_named_as_the_form_has_it(
    workbench: Workbench, field: str, value: str, said: str
) -> None:
    """And not as the command's options are called."""
    given = {"title": "Bees", "keywords": "bee", "language": "en", field: value}
    refused = workbench.form("/topics", workbench.cookie(), **given)
    assert refused.status == 400
    assert said in refused.text


def test_what_is_not_there_yet_is_begun_where_it_says(workbench: Workbench) -> None:
    """A crawl is started on the page of its topic, which has no topics below."""
    cookie = workbench.cookie()
    workbench.form("/topics", cookie, title="Empty", keywords="hand")
    shown = workbench.ask("/topics/empty", headers={"Cookie": cookie}).text
    assert "There is no crawl yet. Start the first one below." in shown
    for place in ("train", "taxonomy", "compare"):
        shown = workbench.ask(f"/topics/empty/{place}", headers={"Cookie": cookie}).text
        assert '<a href="/topics/empty">page of the topic</a>' in shown, place
