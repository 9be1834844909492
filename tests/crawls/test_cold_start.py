from __future__ import annotations

from pathlib import Path

import pytest

from tests.project import Done, Job, Scrapy, crawl

PAGES = 150


@pytest.fixture(scope="module")
def crawls(scrapy: Scrapy, demo_web: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the four crawls below are."""
    return tmp_path_factory.mktemp("cold")


@pytest.fixture(scope="module")
def said(scrapy: Scrapy, demo_web: Path, crawls: Path) -> dict[str, Done]:
    """One topic of the demo web: breadth-first, from words alone (also by the default), and trained."""
    topic = demo_web.parent / "demo.topics/football"
    settings = (f"FOCUSED_WEB={demo_web}", f"FOCUSED_MODELS={crawls / 'models'}")
    words = {"profile": "offline", "pages": PAGES}
    links = {**words, "strategy": "link_classifier"}
    done = {
        "breadth": scrapy.run(
            *crawl(topic, crawls, *settings, **words, strategy="breadth_first", job="breadth")
        ),
        "default": scrapy.run(*crawl(topic, crawls, *settings, **words, job="default")),
        "cold": scrapy.run(*crawl(topic, crawls, *settings, **links, job="cold")),
    }
    scrapy.run("train", topic, *(word for setting in settings for word in ("-s", setting)))
    return {**done, "trained": scrapy.run(*crawl(topic, crawls, *settings, **links, job="trained"))}


def rate(crawls: Path, job: str) -> float:
    run = Job(crawls / "football" / job).run
    assert run["totals"]["pages"] == PAGES
    return float(run["totals"]["harvest_rate"])


@pytest.mark.slow
def test_words_and_seeds_are_enough(said: dict[str, Done], crawls: Path) -> None:
    """An untrained topic finds more of its pages than breadth-first does, by the ground truth."""
    assert min(rate(crawls, "default"), rate(crawls, "cold")) > rate(crawls, "breadth") + 0.2


@pytest.mark.slow
def test_training_makes_it_better(said: dict[str, Done], crawls: Path) -> None:
    """By far, on a web whose pages are as alike as here."""
    assert rate(crawls, "trained") > rate(crawls, "cold") + 0.1


UNTRAINED = "link_classifier (untrained: best_first_content_anchor)"


@pytest.mark.slow
def test_an_untrained_strategy_is_named_as_what_it_is(
    said: dict[str, Done], scrapy: Scrapy, crawls: Path
) -> None:
    """In the log, run.json, the report and comparisons; it may go on under the name that was asked for."""
    assert f"by {UNTRAINED} starts" in said["cold"].err
    assert "by link_classifier starts" in said["trained"].err
    runs = {job: Job(crawls / "football" / job).run for job in ("cold", "trained")}
    assert [run["strategy"] for run in runs.values()] == ["link_classifier"] * 2
    assert [run["acts_as"] for run in runs.values()] == ["best_first_content_anchor", ""]
    pages = [(crawls / "football" / job / "report.html").read_text() for job in runs]
    assert [f"strategy <b>{UNTRAINED}</b>" in page for page in pages] == [True, False]
    out = crawls / "compared.html"
    folders = [crawls / "football" / job for job in ("trained", "cold")]
    compared = scrapy.run("report", folders[0], "--compare", folders[1], "--out", out)
    assert UNTRAINED in compared.out
    assert UNTRAINED in out.read_text()


@pytest.mark.slow
def test_a_cold_start_says_so(said: dict[str, Done]) -> None:
    """In one line, with the command that mends it; a trained topic says nothing of the kind."""
    for name, lines in {"default": 1, "cold": 1, "breadth": 1, "trained": 0}.items():
        found = [line for line in said[name].err.splitlines() if "No model yet for" in line]
        assert len(found) == lines
        assert all("scrapy train" in line for line in found)
