"""`scrapy judge`, `label`, estimates and comparisons: a crawl in PostgreSQL is as the same one in a file."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from focused_crawler.report.read import read_summary
from focused_crawler.store.opening import read_crawl
from focused_crawler.topic.labels import FILE, read_labels
from tests.postgresql import Server
from tests.project import Job, Scrapy, crawl, until

PAGES, MORE = 60, 1500
JUDGED = "SELECT position, relevance, is_relevant, by_content FROM pages ORDER BY position"
WAITING = "SELECT url, priority FROM urls WHERE state IN (1, 2) ORDER BY url"
DECIDED = "SELECT rule, detail FROM decisions WHERE decision = 'judged' ORDER BY id"
Twins = tuple[Path, Path]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, demo_web: Path, scrapy: Scrapy) -> Path:
    """A topic, with a model elsewhere, and its web, beside which lies no ground truth."""
    root = tmp_path_factory.mktemp("twins")
    topic = root / "topics/astronomy"
    topic.mkdir(parents=True)
    shutil.copy(demo_web.parent / "demo.topics/astronomy/topic.toml", topic)
    (root / "web.warc.gz").symlink_to(demo_web)
    done = scrapy.run("train", topic, *_settings(root, "models"))
    assert done.code == 0, done.err
    return topic


def _settings(root: Path, models: str, *more: str) -> list[str]:
    named = [f"FOCUSED_WEB={root / 'web.warc.gz'}", f"FOCUSED_MODELS={root / models}", *more]
    return [word for one in named for word in ("-s", one)]


@pytest.fixture(scope="module")
def twins(trained: Path, scrapy: Scrapy, postgresql: Server) -> Twins:
    """The folders of one crawl from words alone, made twice: in a file, and in PostgreSQL."""
    root, folders = trained.parent.parent, []
    for job, address in (("file", ""), ("server", postgresql.address)):
        words = crawl(trained, root, job=job, pages=PAGES, profile="offline")
        one_order = (f"FOCUSED_DATABASE={address}", "CONCURRENT_REQUESTS=1")
        done = scrapy.run(*words, *_settings(root, "none", *one_order))
        assert done.code == 0, done.err
        folders.append(root / "astronomy" / job)
    return folders[0], folders[1]


def both(scrapy: Scrapy, twins: Twins, *words: object, models: str = "models", typed: str = "") -> list[str]:
    """Run a command on each crawl; return what it says, without the crawl's name."""
    said = []
    for folder in twins:
        settings = _settings(folder.parent.parent, models)
        named = [folder if word == "CRAWL" else word for word in words]
        done = scrapy.run(*named, *settings, typed=typed)
        assert done.code == 0, done.err
        said.append(done.out.replace(str(folder), "CRAWL"))
    return said


def rows(folder: Path, query: str) -> list[tuple[object, ...]]:
    with read_crawl(folder) as database:
        return database.rows(query)


def test_judged_anew(twins: Twins, scrapy: Scrapy) -> None:
    """Each judge says the same of the same pages, and all that says so follows: counters, feed, run.json."""
    file, server = twins
    for by in ("thesaurus", "model", "vsm", "keywords"):
        before = rows(server, JUDGED)
        one, other = both(scrapy, twins, "judge", "CRAWL", "--by", by, "--show")
        assert one == other
        assert rows(server, JUDGED) == before
        one, other = both(scrapy, twins, "judge", "CRAWL", "--by", by)
        assert one == other
        assert rows(server, JUDGED) == rows(file, JUDGED)
        relevant = sum(bool(row[2]) for row in rows(server, JUDGED))
        assert rows(server, "SELECT value FROM counters WHERE name = 'relevant'") == [(relevant,)]
        feed = [json.loads(line) for line in (server / "pages.jsonl").read_text().splitlines()]
        run = Job(server).run
        assert sum(page["is_relevant"] for page in feed) == relevant == run["totals"]["relevant"]
        assert run["judge"] == Job(file).run["judge"]
        assert rows(server, "SELECT DISTINCT judge FROM runs") == [(run["judge"],)]
        assert rows(server, DECIDED) == rows(file, DECIDED)
        assert rows(server, DECIDED)[-1][0] == run["judge"]


@pytest.mark.parametrize("queue", ["uncertain", "disagree", "random", "spread", "near", "hubs"])
def test_labelled(queue: str, twins: Twins, trained: Path, scrapy: Scrapy) -> None:
    """The same pages are asked for, with the same words, and the answers have the same checksums."""
    found = []
    for by, folder in zip(("Ana", "Bo"), twins, strict=True):
        words = ("label", trained, "--crawl", folder, "--queue", queue, "--by", by, "--number", 4)
        done = scrapy.run(*words, *_settings(folder.parent.parent, "models"), typed="y\nn\nu\ns\n")
        assert done.code == 0, done.err
        made = [one for one in read_labels(trained).labels if one.by == by]
        found.append(
            (re.sub(r"\b(Ana|Bo)\b", "", done.out), [(one.url, one.label, one.text) for one in made])
        )
        (trained / FILE).unlink(missing_ok=True)
    assert found[0][1] == found[1][1]
    assert found[0][0].splitlines()[:-3] == found[1][0].splitlines()[:-3]
    assert found[0][1] or queue == "hubs"


def test_estimated(twins: Twins, trained: Path, scrapy: Scrapy) -> None:
    """How many pages are relevant indeed: the same, from words alone and from labels of random pages."""
    both(scrapy, twins, "judge", "CRAWL", "--by", "keywords")  # whatever other tests did to them
    for labels in (0, 12):
        for by, folder in zip(("Ana", "Bo"), twins, strict=True) if labels else ():
            words = ("label", trained, "--crawl", folder, "--queue", "random", "--by", by)
            settings = _settings(folder.parent.parent, "models")
            assert scrapy.run(*words, "--number", labels, *settings, typed="y\n" * labels).code == 0
        one, other = (read_summary(folder) for folder in twins)
        assert one.estimate is not None
        assert one.estimate == other.estimate
        assert one.estimate.labels == labels
        assert one.findings.estimate == pytest.approx(other.findings.estimate)
        assert one.harvest_curve == other.harvest_curve
    (trained / FILE).unlink()


def test_compared_by_another_judge(twins: Twins, scrapy: Scrapy, tmp_path: Path) -> None:
    """A crawl in a file and one in PostgreSQL: by the newest model, which judged neither."""
    server, root = twins[1], twins[1].parent.parent
    file, settings = Path(shutil.copytree(twins[0], tmp_path / "file")), _settings(root, "models")
    assert scrapy.run("judge", file, "--by", "thesaurus", *settings).code == 0
    before = rows(server, JUDGED)
    for first, second in ((file, server), (server, file)):
        done = scrapy.run("report", first, "--compare", second, *settings)
        assert done.code == 0, done.err
        columns = {line.split()[0]: line.split()[1:] for line in done.out.splitlines() if line.strip()}
        judged = next(line.split()[2:] for line in done.out.splitlines() if "judged by" in line)
        assert judged == judged[:1] * 2
        assert judged[0].startswith("model:")
        assert columns["relevant"][0] == columns["relevant"][1]
    assert rows(server, JUDGED) == before


def test_handed_over(twins: Twins, trained: Path, scrapy: Scrapy) -> None:
    """`train --accept`: the same of the same pages, and of the URLs that wait."""
    file, server = twins
    assert both(scrapy, twins, "judge", "CRAWL", "--by", "keywords")
    before = rows(server, JUDGED), rows(server, WAITING)
    one, other = both(scrapy, twins, "train", trained, "--accept", "--crawl", "CRAWL")
    assert one == other
    judge = Job(server).run["judge"]
    assert judge.startswith("model:")
    assert f"CRAWL: {PAGES} pages judged by {judge}" in other
    for query in (JUDGED, WAITING, DECIDED, "SELECT DISTINCT judge FROM runs"):
        assert rows(server, query) == rows(file, query)
    assert rows(server, "SELECT DISTINCT judge FROM runs") == [(judge,)]
    assert rows(server, JUDGED) != before[0]
    assert rows(server, WAITING) != before[1]
    assert (server / "pages.jsonl").read_text().count('"is_relevant": true') == Job(server).run["totals"][
        "relevant"
    ]


def test_handed_over_under_way(trained: Path, scrapy: Scrapy, postgresql: Server) -> None:
    """A crawl in PostgreSQL obeys, and goes on by the model that came meanwhile."""
    root, job = trained.parent.parent, Job(trained.parent.parent / "astronomy/under_way")
    given = _settings(root, "late", f"FOCUSED_DATABASE={postgresql.address}")
    running = scrapy.start(*crawl(trained, root, job="under_way", pages=MORE, profile="offline"), *given)
    until(lambda: (job.folder / "pages.jsonl").is_file() and (job.folder / "pages.jsonl").stat().st_size > 0)
    shutil.copytree(root / "models", root / "late")
    done = scrapy.run("train", trained, "--accept", "--crawl", job.folder, *_settings(root, "late"))
    assert done.code == 0, done.err
    assert "is under way" in done.out
    ended = running.wait()
    assert ended.code == 0, ended.err
    judge = job.run["judge"]
    assert judge.startswith("model:")
    assert rows(job.folder, "SELECT DISTINCT judge FROM runs") == [(judge,)]
    assert [rule for rule, _ in rows(job.folder, DECIDED)] == [judge]
    ((relevant,),) = rows(job.folder, "SELECT sum(is_relevant) FROM pages")
    assert (job.run["totals"]["pages"], job.run["totals"]["relevant"]) == (MORE, relevant)
