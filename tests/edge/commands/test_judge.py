"""`scrapy judge` and comparisons by one judge: real crawls of the demo web, without its ground truth."""

from __future__ import annotations

import html
import json
import re
import shutil
import sqlite3
from pathlib import Path

import pytest
from scrapy.settings import Settings

from focused_crawler.crawl.config import DEFAULTS
from focused_crawler.discovery.label_desk import open_desk
from focused_crawler.report.explain.stored import text_reasons, writing
from focused_crawler.report.labelling import Cards
from focused_crawler.report.read import read_summary
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.opening import read_crawl
from focused_crawler.store.page_texts import PageTexts
from focused_crawler.topic.label import Label
from focused_crawler.topic.labels import append, read_labels
from tests.project import Done, Job, Scrapy, crawl

PAGES = 60
_RELEVANT_BY = """
SELECT judge, sum(is_relevant) FROM pages JOIN runs ON runs.id = run GROUP BY run ORDER BY run
"""


def _judges(done: Done) -> str:
    """Return the line of a comparison that names its judge; below it stands who judged alarms and hubs."""
    return next(line for line in done.out.splitlines() if "judged by" in line)


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory, demo_web: Path, scrapy: Scrapy) -> Path:
    """One crawl from words alone, one by a trained model."""
    root = tmp_path_factory.mktemp("judged")
    topic, web = root / "astronomy", root / "web.warc.gz"
    topic.mkdir()
    shutil.copy(demo_web.parent / "demo.topics/astronomy/topic.toml", topic)
    web.symlink_to(demo_web)  # by another name: no ground truth lies beside it
    settings = (f"FOCUSED_WEB={web}", f"FOCUSED_MODELS={root / 'models'}", "LOG_LEVEL=WARNING")
    for job in ("words", "trained"):
        done = scrapy.run(*crawl(topic, root, *settings, job=job, pages=PAGES, profile="offline"))
        assert done.code == 0, done.err
        if job == "words":
            done = scrapy.run("train", topic, *(word for one in settings for word in ("-s", one)))
            assert done.code == 0, done.err
    return topic


@pytest.fixture
def words(crawls: Path, tmp_path: Path) -> Job:
    """The crawl from words alone, to be changed."""
    return Job(shutil.copytree(crawls / "words", tmp_path / "astronomy/words"))


def test_a_crawl_names_its_judge(crawls: Path) -> None:
    """In run.json and its database: by which words or model, not only that there were some."""
    for name, expected in {"words": "keywords", "trained": "model"}.items():
        job = Job(crawls / name)
        kind, _, digits = job.run["judge"].partition(":")
        assert (kind, len(digits)) == (expected, 8)
        assert job.run["judged_by"] == job.run["judge"]
        assert job.rows("SELECT judge FROM runs") == [(job.run["judge"],)]


def test_pages_of_two_judges_are_said_by_both(crawls: Path, scrapy: Scrapy, tmp_path: Path) -> None:
    """A crawl of a topic that was trained on the way: its totals name both, a page the one that judged it."""
    root = Path(shutil.copytree(crawls.parent, tmp_path / "place", symlinks=True))
    job, topic = Job(root / "astronomy/words"), root / "astronomy"
    run = job.folder / "run.json"
    run.write_text(run.read_text().replace(str(crawls.parent), str(root)))  # it is a crawl of this copy
    settings = ("-s", f"FOCUSED_WEB={root / 'web.warc.gz'}", "-s", f"FOCUSED_MODELS={root / 'models'}")
    words = job.run["judge"]
    done = scrapy.run(*crawl(topic, root, job="words", pages=PAGES + 20, profile="offline"), *settings)
    assert done.code == 0, done.err
    model = Job(root / "astronomy/trained").run["judge"]
    assert (job.run["judge"], job.run["judged_by"]) == (model, f"{words} and {model}")
    each = [f"{found} as recorded by {judge}" for judge, found in job.rows(_RELEVANT_BY)]
    shown = scrapy.run("judge", job.folder, "--show", *settings)
    assert f"{each[0]} and {each[1]}: " in shown.out, shown.err
    feed = [json.loads(line)["judge"] for line in (job.folder / "pages.jsonl").read_text().splitlines()]
    assert feed == [words] * PAGES + [model] * 20
    with sqlite3.connect(job.folder / "crawl.db") as file:
        file.execute("DELETE FROM page_texts")  # of which a card has its reasons
    with read_crawl(job.folder) as database:
        assert CrawlHistory(database).judge() == job.run["judged_by"]
        for run, judge in ((1, words), (2, model)):
            ((url,),) = database.rows("SELECT url FROM pages WHERE run = ? LIMIT 1", (run,))
            assert Cards(database, None, model).card(url).relevance.endswith(f" by {judge}")


def test_compared_by_one_judge(crawls: Path, scrapy: Scrapy) -> None:
    """Crawls of two judges are compared by the newest model; what they recorded stays."""
    before = Job(crawls / "words").rows("SELECT * FROM pages")
    done = scrapy.run("report", crawls / "words", "--compare", crawls / "trained")
    assert done.code == 0, done.err
    line = _judges(done)
    assert line.split()[2:] == [Job(crawls / "trained").run["judge"]] * 2
    assert Job(crawls / "words").rows("SELECT * FROM pages") == before


def test_a_newer_model_judges_what_older_words_did(crawls: Path, scrapy: Scrapy, tmp_path: Path) -> None:
    """Also where all crawls had the same words; the words still do where no text was kept, which is said."""
    twin = Path(shutil.copytree(crawls / "words", tmp_path / "astronomy/twin"))
    model, words = (Job(crawls / job).run["judge"] for job in ("trained", "words"))
    done = scrapy.run("report", crawls / "words", "--compare", twin)
    assert done.code == 0, done.err
    line = _judges(done)
    assert line.split()[2:] == [model] * 2
    with sqlite3.connect(twin / "crawl.db") as database:
        database.execute("DELETE FROM page_texts")
    done = scrapy.run("report", crawls / "words", "--compare", twin)
    assert done.code == 0, done.err
    assert f"by {words} (as not all texts were kept, which {model} would judge):" in done.out


@pytest.mark.parametrize(
    ("job", "basis"),
    [("words", "the topic's words alone"), ("trained", "the examples that the model was trained from")],
)
def test_a_report_says_how_sure_its_figures_are(
    job: str, basis: str, crawls: Path, scrapy: Scrapy, tmp_path: Path
) -> None:
    """In the terminal and in the page: an interval, what it rests on, and what would make it narrower."""
    done = scrapy.run("report", crawls / job, "--out", tmp_path / "report.html")
    assert done.code == 0, done.err
    page = html.unescape((tmp_path / "report.html").read_text())
    for text in (" ".join(done.out.split()), page):
        assert re.search(
            rf"Of these {PAGES} pages about \d+ \(\d+ to \d+\) are relevant, judging by {basis}", text
        )
        assert re.search(r"\d+ labels? of random pages would halve the doubt", text)


def test_a_thesaurus_is_doubted_as_words_are(words: Job, scrapy: Scrapy) -> None:
    """Its figures come with an interval, too; those of a cosine, of which nobody knows anything, do not."""
    for by, is_said in {"thesaurus": True, "vsm": False}.items():
        assert scrapy.run("judge", words.folder, "--by", by).code == 0
        said = " ".join(scrapy.run("report", words.folder).out.split())
        assert (f"Of these {PAGES} pages about" in said) == is_said
        assert ("nobody can say yet; labels of random pages would tell" in said) or is_said


def test_labels_make_it_surer(crawls: Path, tmp_path: Path) -> None:
    """Random pages that people looked at count; where all were, nothing but their errors is left open."""
    topic = shutil.copytree(crawls, tmp_path / "astronomy")
    run = json.loads((topic / "words/run.json").read_text())
    run["settings"]["FOCUSED_TOPIC"] = str(topic)
    (topic / "words/run.json").write_text(json.dumps(run))
    relevances = Job(topic / "words").rows("SELECT url, relevance > .5 FROM pages")
    labels = [
        Label(url=url, label="yes" if yes else "no", by="ann", queue="random", crawl="words")
        for url, yes in relevances
    ]
    widths = []
    for many in (0, 20, PAGES):
        append(topic, labels[len(read_labels(topic).labels) : many])
        found = read_summary(topic / "words").estimate
        assert found is not None
        assert found.labels == many
        widths.append(found.relevant.high - found.relevant.low)
    assert widths[0] > widths[1] > widths[2]


@pytest.mark.parametrize("kind", ["keywords", "thesaurus"])
def test_other_words_are_another_judge(kind: str, crawls: Path, scrapy: Scrapy, tmp_path: Path) -> None:
    """Crawls judged before and after the topic's words were edited are compared by those of today."""
    topic = shutil.copytree(crawls, tmp_path / "astronomy")
    models = f"FOCUSED_MODELS={tmp_path / 'none'}"
    jobs = [topic / "words", Path(shutil.copytree(topic / "words", topic / "edited"))]
    for job in jobs:
        run = Job(job).run
        run["settings"] |= {"FOCUSED_TOPIC": str(topic), "FOCUSED_MODELS": None}
        (job / "run.json").write_text(json.dumps(run))
    assert scrapy.run("judge", jobs[0], "--by", kind).code == 0
    text = (topic / "topic.toml").read_text()
    (topic / "topic.toml").write_text(text.replace('"telescope",', ""))
    assert scrapy.run("judge", jobs[1], "--by", kind).code == 0
    before, after = (Job(job).run["judge"] for job in jobs)
    assert before.startswith(f"{kind}:")
    assert after.startswith(f"{kind}:")
    assert before != after
    done = scrapy.run("report", jobs[0], "--compare", jobs[1], "-s", models)
    assert done.code == 0, done.err
    line = _judges(done)
    assert len({*line.split()[2:]}) == 1
    assert line.split()[2] not in {before, Job(crawls / "words").run["judge"]}


def test_judged_by_words_that_nobody_wrote_down(crawls: Path, scrapy: Scrapy, tmp_path: Path) -> None:
    """Two crawls of an earlier version may have had different ones: they are judged anew to be compared."""
    jobs = [shutil.copytree(crawls / "words", tmp_path / f"astronomy/{number}") for number in (1, 2)]
    for job in map(Job, jobs):
        (job.folder / "run.json").write_text(json.dumps(job.run | {"judge": "words", "judged_by": "words"}))
        with sqlite3.connect(job.folder / "crawl.db") as database:
            database.execute("UPDATE runs SET judge = 'keywords'")
    assert read_summary(jobs[0]).judged_by == "keywords"
    done = scrapy.run("report", jobs[0], "--compare", jobs[1])
    assert done.code == 0, done.err
    line = _judges(done)
    assert line.split()[2:] == [Job(crawls / "trained").run["judge"]] * 2


def test_judged_anew(words: Job, scrapy: Scrapy, crawls: Path) -> None:
    """Pages, counters, feed, run.json and report say what the model says; who said it is written down."""
    model = Job(crawls / "trained").run["judge"]
    done = scrapy.run("judge", words.folder)
    assert done.code == 0, done.err
    ((relevant,),) = words.rows("SELECT sum(is_relevant) FROM pages")
    assert f"{relevant} of {PAGES} pages relevant by {model}" in done.out
    assert words.rows("SELECT value FROM counters WHERE name = 'relevant'") == [(relevant,)]
    feed = [json.loads(line) for line in (words.folder / "pages.jsonl").read_text().splitlines()]
    assert sum(page["is_relevant"] for page in feed) == relevant == words.run["totals"]["relevant"]
    assert {page["judge"] for page in feed} == {model}
    assert (words.run["judge"], words.run["judged_by"]) == (model, model)
    ((rule, detail),) = words.rows("SELECT rule, detail FROM decisions WHERE decision = 'judged'")
    assert rule == model
    assert detail.startswith(f"{PAGES} pages, ")
    summary = read_summary(words.folder)
    assert (summary.relevant, summary.judged_by) == (relevant, model)
    assert f"judged by {model}" in (words.folder / "report.html").read_text()


def test_there_and_back(words: Job, scrapy: Scrapy) -> None:
    """By the keywords again a page has the relevance that it had by them, whatever came between."""
    assert scrapy.run("judge", words.folder, "--by", "keywords").code == 0
    first = words.rows("SELECT position, relevance, is_relevant FROM pages")
    assert scrapy.run("judge", words.folder, "--by", "thesaurus").code == 0
    assert words.rows("SELECT position, relevance, is_relevant FROM pages") != first
    assert scrapy.run("judge", words.folder, "--by", "keywords").code == 0
    assert words.rows("SELECT position, relevance, is_relevant FROM pages") == first


def test_windows_of_links_are_counted_again(crawls: Path, scrapy: Scrapy, tmp_path: Path) -> None:
    """A crawl by the strategy `thesaurus` is judged anew as it was, also at the desk of who labels it.

    What other crawls are compared with it by knows no windows, which only this one noted.
    """
    topic = tmp_path / "astronomy"
    topic.mkdir()
    shutil.copy(crawls / "topic.toml", topic)
    settings = (f"FOCUSED_WEB={crawls.parent / 'web.warc.gz'}", f"FOCUSED_MODELS={tmp_path / 'models'}")
    for strategy in ("thesaurus", "breadth_first"):
        about = {"job": strategy, "strategy": strategy, "pages": PAGES, "profile": "offline"}
        done = scrapy.run(*crawl(topic, tmp_path, *settings, **about))
        assert done.code == 0, done.err
    job = Job(topic / "thesaurus")
    judge = job.run["judge"]
    for by in ((), ("--by", "thesaurus")):
        done = scrapy.run("judge", job.folder, "--show", *by)
        assert f"relevant by {judge}" in done.out, done.err
        assert done.out.rstrip().endswith(f"as recorded by {judge}: 0 more and 0 fewer")
    desk = open_desk(job.folder, Settings({**DEFAULTS, "FOCUSED_MODELS": str(tmp_path / "models")}))
    with read_crawl(job.folder) as database:
        for text in PageTexts(database).texts():
            found = text_reasons(writing(desk.analyst), text).page
            assert found.relevance == pytest.approx(text.relevance, abs=0.01)
            assert found.is_relevant == text.is_relevant
    done = scrapy.run("report", topic / "breadth_first", "--compare", job.folder)
    assert done.code == 0, done.err
    assert judge not in _judges(done)


def test_only_shown(words: Job, scrapy: Scrapy) -> None:
    """--show writes nothing."""
    before = words.rows("SELECT * FROM pages"), words.run
    done = scrapy.run("judge", words.folder, "--show")
    assert (done.code, "relevant by model:" in done.out) == (0, True), done.err
    assert (words.rows("SELECT * FROM pages"), words.run) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--by", "modle"], "no judge is called 'modle'; did you mean model?"),
        (["--by", "labels"], "labels judge only the pages that people looked at; type scrapy report"),
        (
            ["--by", "ground truth"],
            "a ground truth comes with a recorded web, whose reports go by it already",
        ),
    ],
)
def test_no_such_judge(words: Job, scrapy: Scrapy, arguments: list[str], message: str) -> None:
    """One line, exit code 2."""
    done = scrapy.run("judge", words.folder, *arguments)
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert message in done.err


def test_no_crawl(tmp_path: Path, scrapy: Scrapy) -> None:
    """A folder without a crawl is named."""
    done = scrapy.run("judge", tmp_path)
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert "is no crawl's folder" in done.err


def test_without_pages(words: Job, scrapy: Scrapy) -> None:
    """There is nothing to judge yet: one line."""
    with sqlite3.connect(words.folder / "crawl.db") as database:
        database.execute("DELETE FROM pages")
    done = scrapy.run("judge", words.folder)
    assert (done.code, len(done.err.splitlines())) == (2, 1), done.err
    assert "has no pages yet" in done.err


def test_without_texts(words: Job, scrapy: Scrapy, crawls: Path) -> None:
    """A crawl that stored none cannot be judged anew, nor compared by another judge."""
    with sqlite3.connect(words.folder / "crawl.db") as database:
        database.execute("DELETE FROM page_texts")
    for command in (["judge", words.folder], ["report", crawls / "trained", "--compare", words.folder]):
        done = scrapy.run(*command)
        assert (done.code, len(done.err.splitlines())) == (2, 1), done.err
        assert "has no texts of its pages" in done.err


def test_labels_that_are_none_are_told(words: Job, scrapy: Scrapy, crawls: Path) -> None:
    """A report rests on labels: it says so where some, or all of them, cannot be read."""
    file = crawls / "labels.jsonl"
    for spoil, why in ((lambda: file.write_text("yes\n"), "is no label"), (file.mkdir, "cannot be read")):
        spoil()
        done = scrapy.run("report", words.folder)
        assert (done.code, done.err) == (0, "")
        assert "Figures go without some labels, or all: " in done.out
        assert why in done.out
        file.rmdir() if file.is_dir() else file.unlink()


def test_without_some_texts(words: Job, scrapy: Scrapy, crawls: Path) -> None:
    """Nobody says of a page that was not kept that it is not relevant."""
    with sqlite3.connect(words.folder / "crawl.db") as database:
        database.execute("DELETE FROM page_texts WHERE page % 2")
    before = words.rows("SELECT position, is_relevant, relevance FROM pages")
    for command in (["judge", words.folder], ["report", crawls / "trained", "--compare", words.folder]):
        done = scrapy.run(*command)
        assert (done.code, len(done.err.splitlines())) == (2, 1), done.err
        assert "FOCUSED_KEEP_TEXTS was off for" in done.err
    assert words.rows("SELECT position, is_relevant, relevance FROM pages") == before
