from __future__ import annotations

import importlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

from focused_crawler.classify.model_file import write_model
from focused_crawler.crawl.lists.file import ListFile
from focused_crawler.safety.errors import TopicError
from focused_crawler.safety.package_folder import (
    PREFIX,
    UNUSED_SECONDS,
    check_lasts,
    is_unpacked,
    package_folder,
)
from focused_crawler.topic.topic import Topic
from focused_crawler.topic.writer import write_topic

NAME = "things_of_an_egg"


@pytest.fixture
def unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Returns the folder of a package that holds a text, and lies in an egg that was just deployed."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def deploy(text: str) -> Path:
        egg = tmp_path / f"{len(list(tmp_path.glob('*.egg')))}.egg"
        write_egg(egg, text)
        monkeypatch.syspath_prepend(str(egg))
        importlib.invalidate_caches()
        package_folder.cache_clear()
        return package_folder("things", NAME)

    return deploy


def eggs(folder: Path) -> Path:
    """Return what was made of the egg that a folder came in."""
    return next(parent for parent in folder.parents if parent.name.startswith(PREFIX))


def write_egg(path: Path, text: str) -> None:
    with ZipFile(path, "w") as egg:
        egg.writestr(f"{NAME}/__init__.py", "")
        egg.writestr(f"{NAME}/shipped/things/inner/thing.txt", text)
        egg.writestr("others/thing.txt", "of no interest")


def test_a_folder_on_the_disk_is_taken_as_it_is() -> None:
    """Inside the package, or beside it in a checkout: nothing is unpacked where nothing is packed."""
    assert package_folder("topics") == Path("topics").resolve()
    assert package_folder("taxonomy") == Path("focused_crawler/shipped/taxonomy").resolve()
    assert not is_unpacked(package_folder("topics"))
    check_lasts(package_folder("taxonomy") / "model")


def test_a_package_is_unpacked_alone(unpacked: Callable[[str], Path]) -> None:
    """Out of all that an egg holds."""
    folder = unpacked("one")
    assert (folder / "inner" / "thing.txt").read_text() == "one"
    assert is_unpacked(folder)
    assert [path.name for path in folder.parent.iterdir()] == ["things"]


def test_the_same_files_are_unpacked_once(unpacked: Callable[[str], Path]) -> None:
    """However often a project is deployed; what has changed gets a folder of its own."""
    first, again, other = unpacked("one"), unpacked("one"), unpacked("two")
    assert first == again != other
    assert (first / "inner" / "thing.txt").read_text() == "one"
    assert (other / "inner" / "thing.txt").read_text() == "two"
    assert len(list(eggs(first).parent.iterdir())) == 2


def test_what_nobody_used_for_long_is_forgotten(unpacked: Callable[[str], Path]) -> None:
    """When something new is unpacked."""
    first, second = unpacked("one"), unpacked("two")
    long_ago = time.time() - UNUSED_SECONDS - 1
    os.utime(eggs(first), (long_ago, long_ago))
    third = unpacked("three")
    assert [folder.exists() for folder in (first, second, third)] == [False, True, True]


def test_use_keeps_a_folder(unpacked: Callable[[str], Path]) -> None:
    """However old it is."""
    first = unpacked("one")
    long_ago = time.time() - UNUSED_SECONDS - 1
    os.utime(eggs(first), (long_ago, long_ago))
    unpacked("one")
    unpacked("two")
    assert first.exists()


def test_without_a_home_a_folder_lives_as_long_as_its_process(tmp_path: Path) -> None:
    """A user of a service may have none."""
    write_egg(tmp_path / "one.egg", "one")
    code = (
        "import focused_crawler.safety.package_folder as p;"
        f" print(f := p.package_folder('things', '{NAME}'), f.exists())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={
            **os.environ,
            "XDG_CACHE_HOME": os.devnull,
            "PYTHONPATH": f"{tmp_path / 'one.egg'}:{Path.cwd()}",
        },
        capture_output=True,
        text=True,
    )
    folder, was_there = done.stdout.split()
    assert was_there == "True", done.stderr
    assert is_unpacked(Path(folder))
    assert not Path(folder).exists()


def test_what_must_last_is_not_written_there(unpacked: Callable[[str], Path]) -> None:
    """No model, no lists and no topic, which the next deployment would put out of sight."""
    topic = unpacked("one") / "inner"
    for write in (
        lambda: check_lasts(topic / "model"),
        lambda: write_model(topic / "model", {}, {"rows": np.zeros(1)}),
        lambda: ListFile(topic / "lists.db"),
        lambda: write_topic(Topic("bees", topic, "Bees", keywords=("bee",))),
    ):
        with pytest.raises(TopicError, match="was deployed in an egg, where nothing can be kept"):
            write()
    assert [path.name for path in topic.iterdir()] == ["thing.txt"]
