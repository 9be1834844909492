"""Compare, in a real browser: with breadth-first, and an experiment."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, expect

from focused_crawler.store.job import run_of, write_run
from tests.experiment.test_outcome import made as write_experiment
from tests.report.test_compared import write_crawl
from tests.workbench.bench import Project, Workbench
from tests.workbench.conftest import NARROW


def test_a_topic_without_crawls_says_what_to_do(page: Page, project: Project) -> None:
    """Where to start some."""
    project.add_topic("gardening")
    page.goto("/topics/gardening/compare")
    expect(page.get_by_text("There is no crawl of gardening yet")).to_be_visible()


def test_a_crawl_is_compared_with_breadth_first(page: Page, project: Project) -> None:
    """Curves, rates and the difference with its interval, by one judge that is named."""
    numbers = np.random.default_rng(1)
    for job, strategy, share in (("1", "breadth_first", 0.3), ("2", "adaptive", 0.7), ("3", "lpe", 0.7)):
        hits = (numbers.random(300) < share).tolist()
        write_crawl(project.crawls / "astronomy" / job, strategy, hits)
    page.goto("/topics/astronomy/compare")  # whose totals nobody has written down, as of killed ones
    expect(page.get_by_text("lpe, 300 pages")).to_be_visible()
    expect(page.get_by_role("heading", name="Harvest rates")).to_be_visible()
    for strategy in ("breadth_first", "lpe"):
        page.get_by_role("checkbox", name=f"{strategy}, ").uncheck()
    page.get_by_role("checkbox", name="2 adaptive").check()
    page.get_by_role("checkbox", name="1 breadth_first").check()
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_text("keywords:0badcafe")).to_be_visible()
    expect(page.get_by_role("img", name="Harvest rate: ")).to_be_visible()
    expect(page.get_by_role("row", name="2 adaptive")).to_contain_text("300")
    expect(page.get_by_text("adaptive less breadth_first")).to_be_visible()
    expect(page.get_by_role("listitem").filter(has_text="adaptive less breadth_first")).to_contain_text(
        "more"
    )
    page.set_viewport_size(NARROW)
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
    chart = page.get_by_role("img", name="Harvest rate: ")  # without names, and the room of names
    whole, across = chart.bounding_box(), chart.locator("line").first.bounding_box()
    assert across["x"] + across["width"] > whole["x"] + 0.97 * whole["width"]
    page.goto("/topics/astronomy/compare?crawl=2&crawl=3")
    expect(page.get_by_text("may be chance")).to_be_visible()


def test_what_cannot_be_compared_can_be_chosen_anew(page: Page, project: Project) -> None:
    """A crawl without pages, and one about another topic, each with the reason; one alone is shown."""
    project.add_topic("cooking")
    crawls = project.crawls / "cooking"
    for job, pages, topic in (("begun", 0, "tea"), ("others", 9, "soup"), ("alone", 9, "tea")):
        write_crawl(crawls / job, "lpe", [True] * pages)
        write_run(crawls / job, replace(run_of(crawls / job), topic=topic))
    for other, reason in (("begun", "has no page yet"), ("others", "these crawls are about soup and tea")):
        page.goto(f"/topics/cooking/compare?crawl=alone&crawl={other}")
        expect(page.get_by_role("alert")).to_contain_text(reason, ignore_case=True)
        page.get_by_role("checkbox", name=f"{other} lpe, ").uncheck()
        page.get_by_role("button", name="Compare").click()
        expect(page.get_by_text("Choose another crawl to see the difference")).to_be_visible()
        expect(page.get_by_role("row", name="alone lpe")).to_contain_text("100 %")


def test_more_than_can_be_shown_are_not_left_out(workbench: Workbench) -> None:
    """Nobody is to think that the best of seven is the best of all that were chosen."""
    workbench.project.add_topic("finance")
    for job in range(7):
        write_crawl(workbench.project.crawls / "finance" / f"many-{job}", "lpe", [True] * 20)
    chosen = "&".join(f"crawl=many-{job}" for job in range(7))
    cookie = {"Cookie": workbench.cookie()}
    answer = workbench.ask(f"/topics/finance/compare?{chosen}", headers=cookie)
    assert (answer.status, answer.text.count(" checked>")) == (400, 7)
    assert "7 crawls are chosen; choose 6 at most." in answer.text
    assert workbench.ask(f"/topics/finance/compare?{chosen[:-13]}", headers=cookie).status == 200


def test_strategies_of_an_experiment(page: Page, project: Project) -> None:
    """Ranked, with curves and paired differences; one that is not there is not looked for elsewhere."""
    folder = project.folder / "experiments/try"
    folder.mkdir(parents=True)
    write_experiment(folder)
    page.goto("/topics/astronomy/compare")
    page.locator('select[name="experiment"]').select_option("try")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("img", name="Target recall: ")).to_be_visible()
    expect(page.get_by_role("row", name="lpe breadth_first +")).to_be_visible()
    expect(page.get_by_text("3 topics, 6 settings. Judge: the web's ground truth.")).to_be_visible()
    page.goto(f"/topics/astronomy/compare?experiment={Path('/etc')}")
    expect(page.get_by_text("there is no experiment /etc that has ended")).to_be_visible()
