from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from lxml import html

from focused_crawler.report.sampling.html import LONGEST_EXTRACT, extracts, sheet_html
from focused_crawler.report.sampling.sample import draw, read_population
from focused_crawler.report.sampling.sheet import read_judged
from focused_crawler.store.page_texts import PageTexts
from tests.project import until

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PATIENCE = 180_000.0  # milliseconds
EVIL = "<img src=x onerror=alert(1)>\u202e </script><script>alert(2)</script>"


@pytest.fixture
def text(sample) -> str:
    return sheet_html(sample, {11: EVIL, 5: "x" * 10_000}, "1", f"Corrosion {EVIL}", EVIL)


def test_nothing_of_a_page_becomes_a_tag(text):
    """Title, address, words, title of the topic: all are text, and the one script is ours."""
    page = html.document_fromstring(text)
    assert {element.tag for element in page.iter("img", "iframe", "form", "object", "base")} == set()
    (script,) = page.iter("script")
    assert "alert" not in script.text
    assert "\u202e" not in text
    titles = [heading.text_content() for heading in page.iter("h2")]
    assert titles[1] == '"></h2><script>alert(1)</script>{{ 7 * 7 }}'
    assert titles[3] == "Without a title"


def test_only_addresses_of_the_web_are_links(text):
    """And they tell the page nothing of where its reader comes from."""
    links = html.document_fromstring(text).findall(".//a")
    assert [link.get("href") for link in links] == ["http://a.org/1", "http://a.org/2", "http://a.org/4"]
    assert {link.get("rel") for link in links} == {"noreferrer noopener nofollow"}


def test_nothing_is_loaded_and_no_other_script_would_run(text):
    """By the page's own policy."""
    (policy,) = html.document_fromstring(text).xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-")
    assert html.document_fromstring(text).xpath("//@src | //link") == []


def test_a_judge_sees_no_score_and_no_stratum(text):
    """What the row says of the stratum is a number given by chance."""
    for told in ("0.61", "0.81", "0.92", "relevance 0."):
        assert told not in text


def test_extracts_are_cut(text):
    """A page may be as long as it likes; without words the judge is told to open it."""
    first, second, third, _ = html.document_fromstring(text).find_class("extract")
    assert first.text_content().startswith("<img src=x")
    assert len(second.text_content()) == LONGEST_EXTRACT
    assert "open the page" in third.text_content()


def test_words_come_from_the_crawl(crawl):
    """From either kind of database."""
    sample = draw(crawl, read_population(crawl), 10)
    texts = PageTexts(crawl).of([page.position for page in sample.pages])
    assert extracts(sample, {page.url: page.text for page in texts}) == {
        page.position: f"words of {page.position - 1}" for page in sample.pages
    }


@pytest.fixture
def browser():
    """Chromium, driven as by hand."""
    sync_api = pytest.importorskip("playwright.sync_api")
    if not CHROMIUM:
        pytest.skip("no chromium here")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"], timeout=PATIENCE
        )
        context = browser.new_context()
        context.set_default_timeout(PATIENCE)
        yield context
        browser.close()


def test_answers_are_noted_kept_and_handed_in(browser, text, tmp_path: Path):
    """By keys and by buttons; a page opened again goes on; the download is a sheet that can be read."""
    path, said = tmp_path / "judge-1.html", []
    path.write_text(text, "utf-8")
    tab = browser.new_page()
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("console", lambda message: said.append(message.text))
    tab.on("dialog", lambda dialog: said.append(dialog.message))
    tab.goto(path.as_uri())
    shown = tab.locator("article.current").get_attribute
    assert shown("data-number") == "1"
    tab.keyboard.press("y")
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("Control+y")
    tab.click("[data-answer=n]")
    assert (shown("data-number"), tab.inner_text("#status")) == ("4", "2 of 4 answered")

    def opened_again() -> tuple[str | None, str]:
        tab.reload()
        return shown("data-number"), tab.inner_text("#status")

    until(lambda: opened_again() == ("2", "2 of 4 answered"))  # the browser's storage hears of them later
    tab.keyboard.press("u")
    with tab.expect_download() as download:
        tab.click("#download")
    download.value.save_as(tmp_path / "answers.csv")
    assert download.value.suggested_filename == "judge-1.csv"
    judged = read_judged([tmp_path / "answers.csv"])
    assert judged.judges == {"1": {1: True, 2: None, 3: False}}
    assert judged.pages[3] == ("javascript:alert(1)", "2")
    assert said == []
