"""Train, to its end: labels, the old and the new judge on the same pages, a running crawl that goes by it."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
import tomlkit
from playwright.sync_api import Dialog, Page, expect

from focused_crawler.topic.label import Label
from focused_crawler.topic.labels import append
from focused_crawler.topic.topic import load_topic
from tests.project import Scrapy, until
from tests.workbench.bench import Project, running, started
from tests.workbench.conftest import NARROW

WAITING = "SELECT url, priority FROM urls WHERE state = 1"
FEW, LABELLED = 4, 15
SLOW = ("-s", "DOWNLOAD_DELAY=0.5")  # else it is through with the web before a training ends
LONG = 90_000  # milliseconds that a training may take on a busy machine


@pytest.fixture(scope="module")
def project(
    scrapy: Scrapy, tmp_path_factory: pytest.TempPathFactory, new_demo_web: Callable[[], Path]
) -> Project:
    """A topic with a model of a few examples, and labels that came since."""
    made = Project.make(tmp_path_factory.mktemp("project"), new_demo_web())
    topic = load_topic(str(made.add_topic("astronomy")))
    file = topic.folder / "topic.toml"
    text = tomlkit.parse(file.read_text())
    for kind in ("relevant", "other"):
        text["examples"][kind] = text["examples"][kind][:FEW]
    file.write_text(tomlkit.dumps(text))
    done = scrapy.run("train", topic.folder, *made.settings, environ=made.environ)
    assert done.code == 0, done.err
    urls = topic.relevant_examples[FEW:][:8], topic.other_examples[FEW:][:7]
    said = [(url, answer) for urls, answer in zip(urls, ("yes", "no"), strict=True) for url in urls]
    append(topic.folder, [Label(url=url, label=answer, by="ann", queue="random") for url, answer in said])
    return made


def test_from_labels_to_a_crawl_that_goes_by_them(page: Page, scrapy: Scrapy, project: Project) -> None:
    """Train, look, accept while a crawl runs, and take it back; each step by its key."""
    page.goto("/topics/astronomy/train")
    expect(page.get_by_text(f"{LABELLED} labels, {LABELLED} of pages that the model has not")).to_be_visible()
    expect(page.get_by_text(f"The same {2 * FEW} examples")).to_be_visible()
    expect(page.get_by_text("new to the old model")).to_have_count(0)  # there was none
    running = project.crawl(scrapy, "astronomy", "1", *SLOW, pages=5000, profile="offline")
    until(lambda: (project.crawls / "astronomy/1/run.json").exists())
    job = project.job("astronomy", "1")
    page.keyboard.press("t")
    expect(page.get_by_role("heading", name="Training", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name="The new model waits")).to_be_visible(timeout=LONG)
    row = page.get_by_role("row", name="F1")
    expect(row).to_contain_text("to")
    expect(page.get_by_role("img", name="F1: old model")).to_be_visible()
    examples = 2 * FEW + LABELLED
    expect(page.get_by_text(f"The same {examples} examples, {FEW + 8} of them relevant")).to_be_visible()
    expect(page.get_by_role("heading", name="Now relevant")).to_be_visible()
    expect(page.get_by_role("heading", name="URLs that would come next")).to_be_visible()
    expect(page.get_by_role("heading", name="Speak for the topic now")).to_be_visible()
    models = project.folder / "models/astronomy/model.json"
    old, waiting = models.read_text(), dict(job.rows(WAITING))
    page.keyboard.press("a")
    expect(page.get_by_role("heading", name="Accepting the new model")).to_be_visible()
    expect(page.get_by_role("heading", name="What the last training was worth")).to_be_visible(timeout=LONG)
    assert models.read_text() != old
    until(lambda: job.rows("SELECT count(*) FROM orders WHERE done_at IS NOT NULL") == [(1,)])
    now = dict(job.rows(WAITING))
    assert sum(now[url] != waiting[url] for url in now.keys() & waiting.keys()) > 10
    running.signal(signal.SIGINT)
    assert running.wait().code == 130
    page.keyboard.press("b")
    expect(page.get_by_role("heading", name="Taking the model back")).to_be_visible()
    expect(page.get_by_role("heading", name="The new model waits")).to_be_visible(timeout=LONG)
    assert models.read_text() == old
    said = page.locator("details.job")
    said.locator("summary").click()
    expect(said).to_contain_text("URLs in the frontier")


def trainings(project: Project) -> list[psutil.Process]:
    """Return the processes of trainings that the workbench of a project has started."""
    words = str((project.folder / "models/astronomy/.job/progress.json").absolute())
    return [one for one in psutil.process_iter(["cmdline"]) if words in (one.info["cmdline"] or ())]


def models_of(project: Project) -> dict[str, bytes]:
    """Return the files of the model, and of the one that waits."""
    files = (project.folder / "models/astronomy").rglob("*")
    return {str(file): file.read_bytes() for file in files if file.suffix in {".json", ".npz", ".html"}
            and ".job" not in file.parts}  # fmt: skip


@pytest.mark.slow
def test_no_kill_breaks_a_model(scrapy: Scrapy, project: Project) -> None:
    """A killed training leaves all as it was; that of a killed workbench goes on, and the next shows it."""
    before, path = models_of(project), "/topics/astronomy/train"
    models = project.folder / "models/astronomy"
    kept = shutil.copytree(models, project.folder / "kept")
    first = started(scrapy, project)
    cookie = first.cookie()
    assert first.form(path, cookie).status == 303
    until(lambda: trainings(project))
    for one in trainings(project):
        one.kill()
    until(lambda: not trainings(project))
    assert models_of(project) == before
    assert first.form(path, cookie).status == 303
    until(lambda: trainings(project))
    assert first.form(path, cookie).status == 400  # one at a time
    first.process.signal(signal.SIGKILL)
    first.process.wait()
    until(lambda: not trainings(project), patience=LONG / 1000)
    after = models_of(project)
    own = {name for name in before if "candidate" not in name}
    assert {name: after[name] for name in own} == {name: before[name] for name in own}
    with running(scrapy, project) as second:
        shown = second.ask(path, headers={"Cookie": second.cookie()}).text
    assert "The new model waits" in shown
    shutil.rmtree(models)
    shutil.move(kept, models)  # other tests come to what was there


def test_the_place_fits_a_phone_and_says_what_to_do(page: Page, project: Project) -> None:
    """Nothing is wider than the screen; a topic without anything says where to begin."""
    page.set_viewport_size(NARROW)
    page.goto("/topics/astronomy/train")
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
    project.add_topic("gardening")
    page.goto("/topics/gardening/train")
    expect(page.get_by_text("There are no labels yet")).to_be_visible()
    expect(page.get_by_text("Nothing was trained here yet.")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]


def test_a_model_that_is_worse_than_words_asks_once_more(
    page: Page, scrapy: Scrapy, project: Project
) -> None:
    """In plain words, in the page and in the command; nobody who says no has it."""
    topic = load_topic(str(project.add_topic("cooking")))
    file = topic.folder / "topic.toml"
    objection = f"the topic's words alone judge these {2 * FEW - 2} examples better: F1 "
    alone = (*project.settings, "-s", "FOCUSED_BACKGROUND=0")  # with one it is no worse
    for few in (FEW, FEW - 1):  # the first is taken at once: it judges as words do
        text = tomlkit.parse(file.read_text())
        for kind in ("relevant", "other"):
            text["examples"][kind] = text["examples"][kind][:few]
        file.write_text(tomlkit.dumps(text))
        done = scrapy.run("train", topic.folder, *alone, environ=project.environ)
        assert done.code == 0, done.err
    assert objection in done.out
    page.goto("/topics/cooking/train")
    expect(page.get_by_role("alert")).to_contain_text(objection.capitalize().replace("f1", "F1"))
    asked: list[str] = []

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.message)
        (dialog.accept if len(asked) > 1 else dialog.dismiss)()

    page.on("dialog", answer)
    page.keyboard.press("a")
    expect(page.get_by_role("heading", name="The new model waits")).to_be_visible()
    assert asked[0].endswith("Take it all the same?")
    page.keyboard.press("a")
    expect(page.get_by_text("Accepting the new model").first).to_be_visible()
    expect(page.get_by_role("heading", name="What the last training was worth")).to_be_visible(timeout=LONG)
    assert len(asked) == 2
    done = scrapy.run("train", topic.folder, "--show", *project.settings, environ=project.environ)
    assert objection in done.out
