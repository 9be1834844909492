from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from focused_crawler.classify.model import TopicModel
from tests.project import Done, Scrapy

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
    assert done.err.startswith("4 of 4 examples could not be had: HTTP 404 4x\nerror: bees: 0 of 2 examples")
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
