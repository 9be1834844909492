"""Label, in a real browser: what keys say is in the topic's file, once, whatever else happens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from focused_crawler.discovery.label_queues import CRAWLED_QUEUES
from focused_crawler.topic.label import SAMPLED, Label, random_order
from focused_crawler.topic.labels import FILE, append, read_labels
from focused_crawler.workbench.label import QUEUES
from tests.project import Job
from tests.workbench.bench import Project, Workbench
from tests.workbench.conftest import NARROW, WIDE, key_down

PAGES = 60
PATH = "/crawls/astronomy/1/label"
SHIFTS = """() => new Promise(done => {
    let sum = 0;
    const watch = list => list.getEntries().forEach(one => { sum += one.value; });
    new PerformanceObserver(watch).observe({type: "layout-shift", buffered: true});
    setTimeout(() => done(sum), 300);
})"""
WORDS = {"y": "yes", "n": "no", "u": "unsure", "s": "skip"}


@pytest.fixture
def topic(project: Project, job: Job, page: Page) -> Iterator[Path]:
    """The topic's folder, without labels; each test labels as somebody else, so that its sittings are new."""
    folder = project.topics / "astronomy"
    yield folder
    (folder / FILE).unlink(missing_ok=True)


def as_person(page: Page, name: str, queue: str = "uncertain") -> None:
    """Label as somebody whose sitting is new."""
    page.goto(f"{PATH}?queue={queue}")
    expect(page.get_by_text("The pages are being chosen")).to_have_count(0)  # else it loads itself anew
    page.get_by_text("Labels are").click()
    page.get_by_label("Who labels").fill(name)
    page.get_by_role("button", name="Change").click()
    expect(page.get_by_text("1 of 20")).to_be_visible()  # until then its pages may be being chosen
    expect(page.get_by_role("status").first).to_have_text(f"Labels are {name}'s from now on.")


def url_of(page: Page) -> str:
    """Return the page that is shown."""
    return page.locator("article .url").inner_text()


def press(page: Page, key: str, then: str) -> str:
    """Say something of a page by a key, and wait for what comes then; return the URL of the page."""
    url = url_of(page)
    key_down(page, key)
    expect(page.get_by_text(then, exact=True)).to_be_visible()
    return url


def said(folder: Path, by: str) -> list[tuple[str, str]]:
    return [(one.url, one.label) for one in read_labels(folder).labels if one.by == by]


def test_fifteen_by_keyboard(page: Page, topic: Path, job: Job) -> None:
    """Each is stored before the next page is shown, with all that is known of it; one is taken back."""
    as_person(page, "Ana")
    given = []
    for number, key in enumerate("ynuyynsnynuyynn", start=1):
        given.append((press(page, key, f"{number + 1} of 20"), WORDS[key]))
        assert said(topic, "Ana") == [(url, word) for url, word in given if word != "skip"]
    key_down(page, "z")
    expect(page.get_by_text("15 of 20", exact=True)).to_be_visible()
    expect(page.get_by_role("status").first).to_have_text("Taken back: no.")
    assert url_of(page) == given[-1][0]
    assert said(topic, "Ana") == [(url, word) for url, word in given[:-1] if word != "skip"]
    press(page, "y", "16 of 20")
    assert said(topic, "Ana")[-1] == (given[-1][0], "yes")
    checksums = dict(job.rows("SELECT url, checksum FROM pages"))
    for label in read_labels(topic).labels:
        assert (label.queue, label.crawl, label.text) == ("uncertain", "1", checksums[label.url])
    assert len({url for url, _ in given}) == 15


def test_a_key_that_is_held_down_counts_once(page: Page, topic: Path) -> None:
    """The next page is another question: what it is, nobody has seen yet."""
    as_person(page, "Gil")
    first = press(page, "n", "2 of 20")
    page.keyboard.down("y")
    expect(page.get_by_text("3 of 20", exact=True)).to_be_visible()
    third = url_of(page)
    for _ in range(3):
        page.keyboard.down("y")  # as a keyboard repeats it
    page.keyboard.up("y")
    press(page, "u", "4 of 20")
    given = said(topic, "Gil")
    assert given[0] == (first, "no")
    assert given[2:] == [(third, "unsure")]


def test_the_end_of_a_sitting(page: Page, topic: Path) -> None:
    """It says what was done, what comes next, and goes on with other pages."""
    as_person(page, "Bo")
    first = [press(page, "y", f"{number} of 20") for number in range(2, 21)]
    key_down(page, "n")
    expect(page.get_by_role("heading", name="Done")).to_be_visible()
    expect(page.get_by_text("20 labels by Bo in")).to_contain_text("19 yes, 1 no.")
    expect(page.get_by_role("link", name="train", exact=True)).to_be_visible()
    key_down(page, "m")
    expect(page.get_by_text("1 of 20", exact=True)).to_be_visible()
    assert url_of(page) not in first
    assert len(said(topic, "Bo")) == 20


def test_two_tabs_never_have_the_same_page(page: Page, topic: Path) -> None:
    """Each has its own; what one has answered, the other cannot answer again."""
    as_person(page, "Cy")
    other = page.context.new_page()
    other.goto(PATH)
    expect(other.get_by_text("1 of 20")).to_be_visible()
    pages = [page, other]
    given = []
    for number in range(2, 8):
        tab = pages[number % 2]
        assert url_of(page) != url_of(other)
        given.append(press(tab, "y", f"{number} of 20"))
    assert len(set(given)) == 6
    late = page.context.new_page()
    late.goto(page.url)  # the same page in two tabs, by its address
    assert url_of(late) == url_of(page)
    answered = press(page, "y", "8 of 20")
    key_down(late, "n")
    expect(late.get_by_role("status").first).to_contain_text("You have labelled that page elsewhere by now")
    assert dict(said(topic, "Cy")).get(answered) == "yes"
    assert len(said(topic, "Cy")) == 7


def test_each_queue_of_the_command_has_its_place() -> None:
    """In the same order."""
    assert tuple(QUEUES) == CRAWLED_QUEUES


@pytest.mark.parametrize("queue", SAMPLED)
def test_why_a_page_is_in_the_queue(page: Page, topic: Path, queue: str) -> None:
    """A sample is judged without what the crawl thinks, unless it is asked for."""
    as_person(page, f"Di {queue}", queue)
    page_of_sample = page.get_by_text("by keywords:").first
    expect(page_of_sample).to_be_hidden()
    key_down(page, "w")
    expect(page_of_sample).to_be_visible()
    page.goto(f"{PATH}?queue=disagree")
    expect(page.get_by_text("by keywords:").first).to_be_visible()


def test_the_bar_narrows(page: Page, topic: Path, job: Job) -> None:
    """As labels of random pages come, by the number of labels that it named."""
    as_person(page, "Eve", "random")
    bar = page.get_by_role("img", name=re.compile("Share of relevant pages"))
    before = [float(part) for part in re.findall(r"[\d.]+(?=\s%)", bar.get_attribute("aria-label") or "")]
    expect(page.get_by_text("would halve the doubt")).to_be_visible()
    truth = dict(job.rows("SELECT url, is_relevant FROM pages"))
    for number in range(2, 21):
        press(page, "y" if truth[url_of(page)] else "n", f"{number} of 20")
    expect(page.get_by_text("judging by 19 pages that people looked at")).to_be_visible()
    after = [float(part) for part in re.findall(r"[\d.]+(?=\s%)", bar.get_attribute("aria-label") or "")]
    assert after[2] - after[1] < 0.7 * (before[2] - before[1])


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_nothing_moves_as_parts_arrive(page: Page, topic: Path, size: ViewportSize) -> None:
    """The bar has its room before it is there."""
    as_person(page, f"Hal {size['width']}")
    page.set_viewport_size(size)
    page.goto(page.url)
    expect(page.get_by_role("img", name=re.compile("Share of relevant pages"))).to_be_attached()
    assert page.evaluate(SHIFTS) < 0.01


def test_a_queue_that_is_empty_says_what_to_do(page: Page, topic: Path, job: Job) -> None:
    """As when a person has labelled all pages; another may be chosen, and it may be looked again."""
    append(topic, [Label(url=url, label="no", by="Fay", queue="page") for url in job.pages])
    page.goto(PATH)
    page.get_by_text("Labels are").click()
    page.get_by_label("Who labels").fill("Fay")
    page.get_by_role("button", name="Change").click()
    expect(page.get_by_role("alert")).to_contain_text("no page left for Fay in the queue uncertain; choose")
    expect(page.get_by_role("alert")).not_to_contain_text("--")  # options, which a browser has not
    (topic / FILE).unlink()
    key_down(page, "m")
    expect(page.get_by_text("1 of 20")).to_be_visible()


@pytest.mark.parametrize(
    ("path", "fields", "cure"),
    [
        ("say", {"queue": "all", "by": "Ana"}, "use one of uncertain, disagree"),
        ("say", {"queue": "random", "by": "A\u202eB"}, "By is no name of 1 to 100 characters"),
        ("say", {"queue": "random", "by": "Ana", "answer": "perhaps"}, "use one of yes, no, unsure, skip"),
        (
            "say",
            {"queue": "near", "by": "Gus", "answer": "yes", "url": "javascript:alert(1)"},
            "url is no http or https URL",
        ),
        (
            "say",
            {"queue": "near", "by": "Gus", "answer": "yes", "url": "http://a.example/", "text": "x"},
            "text is no",
        ),
        ("person", {"by": ""}, "By is no name"),
    ],
)
def test_what_no_form_of_ours_sends(
    workbench: Workbench, topic: Path, path: str, fields: dict[str, str], cure: str
) -> None:
    """It ends in a line, and nothing is written."""
    answer = workbench.form(f"{PATH}/{path}", workbench.cookie(), **fields)
    assert answer.status == 400
    assert cure in answer.text
    assert read_labels(topic).labels == ()


def test_a_sample_takes_over_what_was_said_elsewhere(page: Page, topic: Path, job: Job) -> None:
    """As it ends, by the form that ends it; to look at it writes nothing."""
    order = sorted(job.pages, key=lambda url: random_order(url, "astronomy"))
    said = [Label(url=url, label="no", by="Ida", queue="page") for url in order[1:] if url != order[-1]]
    append(topic, said)
    page.goto(f"{PATH}?queue=random")
    page.get_by_text("Labels are").click()
    page.get_by_label("Who labels").fill("Ida")
    page.get_by_role("button", name="Change").click()
    expect(page.get_by_text("1 of 2", exact=True)).to_be_visible()
    first = urlencode({"queue": "random", "page": order[0]})
    page.goto(f"{PATH}?{first}")  # while pages are chosen it loads itself anew, and may show the other
    assert press(page, "y", "2 of 2") == order[0]
    assert sum(one.queue == "random" for one in read_labels(topic).labels) == 1
    key_down(page, "y")
    expect(page.get_by_text("2 labels by Ida in")).to_contain_text(f"{PAGES - 2} of before taken over")
    assert sum(one.queue == "random" for one in read_labels(topic).labels) == PAGES
