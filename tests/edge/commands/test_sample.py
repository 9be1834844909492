from __future__ import annotations

import argparse
import csv
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from focused_crawler.edge.commands.sample import Command
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import FINISHED, RunInfo, write_run
from focused_crawler.store.pages import PageStore
from focused_crawler.virtualweb.truth import GroundTruth
from tests.discovery.search.services import Reply, as_json, running
from tests.project import crawl as words_of_crawl


def crawl(folder: Path, relevance: list[float]) -> Path:
    """Make the folder of a crawl with pages of such relevance."""
    with CrawlDatabase(folder / "crawl.db") as database:
        store = PageStore(database)
        for number, score in enumerate(relevance):
            page = PageItem(
                url=f"http://a.org/{number}", fetched_at=1.0, relevance=score, is_relevant=score >= 0.5
            )
            store.record_page(page)
        store.commit()
    write_run(folder, RunInfo("asthma", "Asthma", folder.name, "lpe", "", None, trained=True, state=FINISHED))
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return crawl(tmp_path / "1", [0.1] * 20 + [0.6] * 40 + [0.9] * 40)


def sample(*args: object, **options: object) -> int:
    """Run the command in this process; return its exit code."""
    given = {"n": "100", "stratified": None, "seed": "0", "judges": "1", "all": False, "out": None}
    given |= {"provider": None, "searches": "30", "top": "10"}
    command = Command()
    command.run([str(arg) for arg in args], argparse.Namespace(**given | options))
    return command.exitcode


def urls(path: Path) -> list[str]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [row["url"] for row in csv.DictReader(file)]


def test_writes_a_sheet_and_a_page_a_judge(folder, capsys):
    """All of the same sample, and one key; their names are printed."""
    assert sample(folder, n="10", judges="2") == 0
    names = ["key.csv", "judge-1.csv", "judge-1.html", "judge-2.csv", "judge-2.html"]
    paths = [folder / "sample" / name for name in names]
    assert capsys.readouterr().out.splitlines() == [
        *map(str, paths),
        "10 pages drawn from 80 pages",
        f"Next, when they are judged: scrapy precision {folder}/sample/judge-*.csv",
    ]
    assert urls(paths[0]) == urls(paths[1]) == urls(paths[3])
    assert len(urls(paths[0])) == 10
    assert "Is this page about <bdi>Asthma</bdi>?" in paths[2].read_text()


def test_draws_again_what_it_drew(folder, tmp_path):
    """With the same seed; another gives others; --all draws from all."""
    for name, options in {"a": {}, "b": {}, "c": {"seed": "1"}, "d": {"all": True}}.items():
        assert sample(folder, n="30", out=tmp_path / name, **options) == 0
    a, b, c, d = (urls(tmp_path / name / "judge-1.csv") for name in "abcd")
    assert a == b != c
    irrelevant = {f"http://a.org/{number}" for number in range(20)}
    assert not irrelevant & {*a, *c}
    assert irrelevant & {*d}


def test_a_sample_is_not_written_over(folder, capsys):
    """The second call says so, and what to do."""
    assert sample(folder) == 0
    assert sample(folder) == 2
    assert "exists, and may hold judgements; name another folder with --out" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "options", "message"),
    [
        ([], {}, "name one crawl folder"),
        (["1", "2"], {}, "name one crawl folder"),
        (["nowhere"], {}, "nowhere/crawl.db does not exist"),
        (["1"], {"n": "0"}, "--n is 0; give a whole number from 1 to 10000"),
        (["1"], {"n": "many"}, "--n is many"),
        (["1"], {"seed": "-1"}, "--seed is -1"),
        (["1"], {"judges": "99"}, "--judges is 99; give a whole number from 1 to 20"),
        ([], {"stratified": "1"}, "--stratified is 1; say relevance or host, behind what is drawn from"),
        (["1"], {"stratified": "rank"}, "--stratified is rank; say relevance or host"),
        (["1"], {"stratified": "relevance", "provider": "brave"}, "say rank or host"),
        (["1"], {"all": True, "provider": "brave"}, "--all is of a crawl: what a provider answers is"),
    ],
)
def test_mistakes_end_in_one_line(folder, capsys, monkeypatch, args, options, message):
    """The line names what is wrong; the exit code is 2."""
    monkeypatch.chdir(folder.parent)
    assert sample(*args, **options) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("relevance", "options", "message"),
    [
        ([], {"all": True}, "has no pages yet; run its crawl"),
        ([0.1], {}, "has no page that the crawl calls relevant; draw from all of its pages with --all"),
    ],
)
def test_a_crawl_with_nothing_to_draw_says_what_to_do(tmp_path, capsys, relevance, options, message):
    """In one line, with exit code 2."""
    assert sample(crawl(tmp_path / "1", relevance), **options) == 2
    assert message in capsys.readouterr().err


def test_works_beside_a_running_crawl(folder):
    """By what it has committed."""
    with CrawlDatabase(folder / "crawl.db") as running:
        running.execute("DELETE FROM pages")
        assert sample(folder) == 0


def test_from_a_crawl_to_its_precision(scrapy, demo_web, tmp_path):
    """As a user types it: crawl, sample, judge, precision."""
    topic = demo_web.parent / "demo.topics" / "astronomy"
    settings = (f"FOCUSED_WEB={demo_web}", f"FOCUSED_MODELS={tmp_path / 'models'}")
    assert scrapy.run(*words_of_crawl(topic, tmp_path, *settings, job="1", pages=100)).code == 0
    done = scrapy.run("sample", tmp_path / "astronomy/1", "--n", "20", "--stratified", "--judges", "2")
    assert done.code == 0, done.err
    folder = tmp_path / "astronomy/1/sample"
    assert "Stars, planets, galaxies" in (folder / "judge-1.html").read_text()
    for judge in ("1", "2"):
        path = folder / f"judge-{judge}.csv"
        head, *rows = path.read_text("utf-8").splitlines()
        path.write_text("\n".join([head, *(f"{row}y" for row in rows)]), "utf-8")
    done = scrapy.run("precision", folder / "judge-1.csv", folder / "judge-2.csv")
    assert done.code == 0, done.err
    for words in ("20 pages drawn from", "100 % are relevant", "majority", "Cohen's kappa"):
        assert words in done.out


def judged(folder: Path, is_relevant: Callable[[str], bool]) -> Path:
    """Fill in the first judge's sheet."""
    path = folder / "judge-1.csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(row | {"relevant": "ny"[is_relevant(row["url"])]} for row in rows)
    return path


def test_answers_of_a_provider_are_judged_as_a_crawls_pages_are(scrapy, demo_web, tmp_path):
    """The same sheets with the pages' words, by rank; judged by the truth the interval holds the truth."""
    topic, models = demo_web.parent / "demo.topics" / "astronomy", tmp_path / "models"
    words = ["sample", topic, "--provider", "local", "--searches", "12", "--top", "30"]
    words += ["-s", f"FOCUSED_WEB={demo_web}", "-s", f"FOCUSED_MODELS={models}"]
    truth = GroundTruth.beside(demo_web, "astronomy")
    done = scrapy.run(*words, "--n", "5000", "--out", tmp_path / "all")
    assert done.code == 0
    share = [truth.is_relevant(url) for url in urls(tmp_path / "all/judge-1.csv")]
    done = scrapy.run(*words, "--n", "40", "--stratified")
    folder = models / "astronomy/sample-local"
    assert done.out.splitlines()[-2] == f"40 pages drawn from {len(share)} pages"
    lost = re.fullmatch(r"((\d+) of 40 pages could not be fetched: robots \d+x\n)?", done.err)
    assert (folder / "judge-1.html").read_text().count("open the page") == int(lost[2] or 0)
    done = scrapy.run("precision", judged(folder, truth.is_relevant))
    low, high = re.search(r"95 % interval: ([\d.]+) % to ([\d.]+) %", done.out).groups()
    assert float(low) <= 100 * sum(share) / len(share) <= float(high)
    assert [f"rank {n}1 to {n + 1}0" in done.out for n in range(3)] == [False, True, True]
    assert "rank 1 to 10" in done.out
    with (folder / "key.csv").open(encoding="utf-8-sig") as file:
        ranks = {row["meaning"]: round(1 / float(row["relevance"])) for row in csv.DictReader(file)}
    assert 11 <= ranks["rank 11 to 20"] <= 20
    assert "exists, and may hold judgements" in scrapy.run(*words).err


def test_answers_of_a_service_that_cannot_be_had(scrapy, demo_web, tmp_path):
    """Pages that do not come are counted, and left to be opened; a provider that refuses ends in its line."""
    (tmp_path / "bees").mkdir()
    (tmp_path / "bees/topic.toml").write_text('name = "bees"\nkeywords = ["bee", "hive", "honey"]\n')
    words = ["sample", tmp_path / "bees", "--provider", "searxng", "--searches", "1"]
    words += ["-s", f"FOCUSED_WEB={demo_web}"]
    with running(lambda asked: Reply(403)) as service:
        done = scrapy.run(*words, "-s", f"FOCUSED_SEARXNG_URL={service.url}")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "answers 403" in done.err
    rows = [{"url": f"http://bees{n}.invalid/", "title": "Bees"} for n in range(3)]
    with running(lambda asked: as_json({"results": rows})) as service:
        done = scrapy.run(*words, "-s", f"FOCUSED_SEARXNG_URL={service.url}")
    assert done.code == 0
    assert done.err == "3 of 3 pages could not be fetched: 404 Not Found 3x\n"
    sheet = (tmp_path / "bees/sample-searxng/judge-1.html").read_text()
    assert sheet.count("open the page") == 3
