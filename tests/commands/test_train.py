from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from focused_crawler.browsing.model import HmmModel
from focused_crawler.classify.model import TopicModel
from focused_crawler.topic import load_topic
from tests.project import Done, Job, Scrapy, crawl

TOPIC = """
name = "bees"
keywords = ["bee", "honey", "hive"]
seeds = ["http://bees.example/"]
"""
EXAMPLES = """
[examples]
relevant = ["http://bees.example/1", "http://bees.example/2"]
other = ["http://cars.example/1", "http://cars.example/2"]
"""


def topic(folder: Path, text: str) -> Path:
    (folder / "bees").mkdir()
    (folder / "bees/topic.toml").write_text(text)
    return folder / "bees"


def unreadable_example(folder: Path) -> Path:
    path = topic(folder, TOPIC) / "examples/relevant"
    path.mkdir(parents=True)
    for number in range(3):
        (path / f"{number}.html").write_bytes(b"%PDF-1.7 no HTML")
    return folder / "bees"


def with_sessions(folder: Path, *lines: str) -> Path:
    (folder / "sessions.jsonl").write_text("\n".join(lines))
    return folder


@pytest.fixture(scope="module")
def trained(scrapy: Scrapy, demo_web: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, Path]:
    """Astronomy, trained on the demo web: what the command said, and the model's folder."""
    models = tmp_path_factory.mktemp("models")
    folder = demo_web.parent / "demo.topics/astronomy"
    done = scrapy.run("train", folder, "-s", f"FOCUSED_WEB={demo_web}", "-s", f"FOCUSED_MODELS={models}")
    return done, models / "astronomy"


def test_training_prints_a_table_and_what_to_do_next(trained: tuple[Done, Path]) -> None:
    """A row a fold and one of all, and nothing on stderr."""
    done, model = trained
    assert (done.code, done.err) == (0, "")
    assert re.search(r"precision +┃ +recall +┃ +F1 +┃ +calibration error", done.out)
    assert re.search(r"fold 5 .* 6 \+ 12 ", done.out)
    assert re.search(r"all +│ +30 \+ 60 +│( +[01]\.\d{3} +│){4}", done.out)
    assert done.out.endswith(
        f"Model in {model}\nNext: scrapy crawl topic -a topic={re.search('topic=(.*)', done.out)[1]}\n"
    )


def test_the_model_is_there(trained: tuple[Done, Path]) -> None:
    """It tells what it was made from, and can be read back."""
    model = TopicModel.load(trained[1])
    assert (model.topic, model.trained) == ("astronomy", True)
    assert model.examples == {"relevant": 30, "other": 60}


MISTAKES: dict[str, tuple[Callable[[Path], list[object]], str]] = {
    "no topic": (lambda f: ["train"], "name one topic, as in scrapy train asthma"),
    "unknown topic": (lambda f: ["train", "nope"], "no topic 'nope'"),
    "no examples": (
        lambda f: ["train", topic(f, TOPIC)],
        "bees names 0 relevant examples, too few to train from; add URLs or HTML files under [examples]",
    ),
    "no HTML": (lambda f: ["train", unreadable_example(f)], "examples/relevant/0.html cannot be an example"),
    "number": (
        lambda f: ["train", topic(f, TOPIC + EXAMPLES), "-s", "FOCUSED_MI_TERMS=few"],
        "FOCUSED_MI_TERMS is 'few'; use a whole number",
    ),
    "networks": (
        lambda f: ["train", topic(f, TOPIC + EXAMPLES), "-s", "FOCUSED_ALLOWED_NETWORKS=home"],
        "FOCUSED_ALLOWED_NETWORKS has 'home'; use networks such as",
    ),
    "session": (
        lambda f: ["train", with_sessions(topic(f, TOPIC + EXAMPLES), '{"urls": []}')],
        "bees/sessions.jsonl:1: is no session; write {",
    ),
    "nothing there": (
        lambda f: ["train", topic(f, TOPIC + EXAMPLES), "--sessions-from", "gone"],
        "--sessions-from names gone, where there is nothing; use the folder of a crawl, such as",
    ),
    "no crawl": (
        lambda f: ["train", topic(f, TOPIC + EXAMPLES), "--sessions-from", f],
        "has no run.json; name a crawl of bees, such as crawls/bees/1, or a web",
    ),
    "web": (
        lambda f: ["train", topic(f, TOPIC + EXAMPLES), "-s", "FOCUSED_WEB=gone.warc.gz"],
        "no web at gone.warc.gz",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_end_in_one_line(name: str, tmp_path: Path, scrapy: Scrapy) -> None:
    """It names what is wrong and what would be right; exit code 2."""
    make, message = MISTAKES[name]
    done = scrapy.run(*make(tmp_path))
    assert done.err.startswith("error: ")
    assert message in done.err
    assert (done.err.count("\n"), done.out, done.code) == (1, "", 2)


def test_examples_that_cannot_be_had_are_counted(tmp_path: Path, scrapy: Scrapy, demo_web: Path) -> None:
    """Which reason, how often; and with too few left the command ends."""
    done = scrapy.run("train", topic(tmp_path, TOPIC + EXAMPLES), "-s", f"FOCUSED_WEB={demo_web}")
    assert done.err.startswith("4 of 4 pages could not be had: HTTP 404 4x\nerror: bees: 0 of 2 examples")
    assert done.code == 2


def test_a_model_that_cannot_be_written(
    trained: tuple[Done, Path], tmp_path: Path, scrapy: Scrapy, demo_web: Path
) -> None:
    """One line that names the folder."""
    (tmp_path / "file").touch()
    done = scrapy.run(
        "train",
        demo_web.parent / "demo.topics/astronomy",
        *("-s", f"FOCUSED_WEB={demo_web}", "-s", f"FOCUSED_MODELS={tmp_path / 'file'}"),
    )
    assert done.err.startswith(f"error: cannot write the model to {tmp_path}/file/astronomy: Not a")
    assert done.err.count("\n") == 1
    assert done.code == 2


def learnt(done: Done) -> tuple[int, int]:
    """Return from how many sessions and pages the hmm strategies learnt, by what the command said."""
    assert (done.code, done.err) == (0, "")
    found = re.search(r"The hmm strategies learnt from (\d+) sessions and (\d+) pages\.\nModel in", done.out)
    assert found
    return int(found[1]), int(found[2])


@pytest.mark.slow
def test_hmm_learns_from_a_web_and_from_a_crawl(scrapy: Scrapy, demo_web: Path, tmp_path: Path) -> None:
    """The crawl that the first made possible is what the second learns from, pages fetched once more."""
    folder = demo_web.parent / "demo.topics/astronomy"
    web = f"FOCUSED_WEB={demo_web}"
    train = ["train", folder, "-s", web, "-s", f"FOCUSED_MODELS={tmp_path}"]
    sessions, pages = learnt(scrapy.run(*train, "--sessions-from", demo_web))
    assert sessions > 50
    assert pages > 100
    arguments = crawl(folder, tmp_path, web, f"FOCUSED_MODELS={tmp_path}", strategy="hmm_content", pages=100)
    assert scrapy.run(*arguments).code == 0
    job = Job(tmp_path / "astronomy/1")
    assert job.rows("SELECT count(*) FROM pages WHERE is_relevant") > [(20,)]
    fewer, _ = learnt(scrapy.run(*train, "--sessions-from", job.folder))
    assert 0 < fewer < sessions


def test_hmm_learns_from_the_record_in_the_topics_folder(
    scrapy: Scrapy, demo_web: Path, tmp_path: Path
) -> None:
    """Its pages are fetched like the examples."""
    truth = demo_web.parent / "demo.topics/astronomy"
    copy = tmp_path / "astronomy"
    copy.mkdir()
    (copy / "topic.toml").write_text((truth / "topic.toml").read_text())
    seeds, examples = load_topic(str(copy)).seeds, load_topic(str(copy)).relevant_examples
    lines = [json.dumps({"urls": [seeds[0], example], "relevant": [False, True]}) for example in examples[:5]]
    with_sessions(copy, *lines)
    done = scrapy.run("train", copy, "-s", f"FOCUSED_WEB={demo_web}")
    assert learnt(done)[0] == 5
    assert HmmModel.load(copy / "model").chain.transmat_[1, 0] == pytest.approx(6 / 9)


def test_without_sessions_hmm_says_what_to_type(
    trained: tuple[Done, Path], scrapy: Scrapy, demo_web: Path, tmp_path: Path
) -> None:
    """A crawl ends before it begins, in one line."""
    folder, models = demo_web.parent / "demo.topics/astronomy", trained[1].parent
    done = scrapy.run(*crawl(folder, tmp_path, f"FOCUSED_MODELS={models}", strategy="hmm"))
    assert done.err.startswith("error: astronomy has no HMM")
    assert "scrapy train astronomy --sessions-from crawls/astronomy/1" in done.err
    assert (done.err.count("\n"), done.code) == (1, 2)
