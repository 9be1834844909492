"""A model, the one that waits beside it and the one before."""

import multiprocessing
import os
import random
import shutil
import signal
import sys
import time
from itertools import count
from pathlib import Path

import pytest

from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.model_file import read_files, write_files
from focused_crawler.classify.model_versions import (
    CANDIDATE,
    PREVIOUS,
    accept,
    before_replacing,
    can_roll_back,
    forget_candidate,
    forget_previous,
    has,
    is_model,
    loses_candidate,
    roll_back,
)
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.training import train
from focused_crawler.safety.errors import ModelError
from focused_crawler.safety.whole_file import UNFINISHED


@pytest.fixture
def folder(topic, relevant, other, analyzer, tmp_path):
    """A model, and a candidate of fewer examples."""
    train(topic, relevant, other, ClassifierSettings(), analyzer)[0].save(tmp_path)
    (tmp_path / "training.html").write_text("old")
    train(topic, relevant[:15], other, ClassifierSettings(), analyzer)[0].save(tmp_path / CANDIDATE)
    (tmp_path / CANDIDATE / "training.html").write_text("new")
    return tmp_path


def test_there_and_back(folder):
    """Each with its report; none is lost, and what was taken back can be taken again."""
    old, new = read_files(folder), read_files(folder / CANDIDATE)
    assert accept(folder)
    assert (read_files(folder), read_files(folder / PREVIOUS)) == (new, old)
    assert (folder / "training.html").read_text() == "new"
    assert not is_model(folder / CANDIDATE)
    assert not loses_candidate(folder)
    for _ in range(2):  # as after a kill before a crawl has it
        assert can_roll_back(folder)
        assert roll_back(folder)
        assert (read_files(folder), read_files(folder / CANDIDATE)) == (old, new)
        assert (folder / "training.html").read_text() == "old"
        assert not loses_candidate(folder)
    forget_previous(folder)
    assert can_roll_back(folder)  # to what judged before the first model
    assert accept(folder)
    assert read_files(folder) == new


def test_nothing_to_take(folder):
    """No candidate, no model before, a damaged one."""
    (folder / CANDIDATE / "weights.npz").write_bytes(b"damaged")
    old = read_files(folder)
    with pytest.raises(ModelError, match="make it again with: scrapy train"):
        accept(folder)
    assert read_files(folder) == old
    (folder / CANDIDATE / "model.json").unlink()
    assert not accept(folder)
    assert not roll_back(folder)  # it was the first
    assert not roll_back(folder)  # as after a kill before a crawl knows
    (folder / CANDIDATE / "model.json").unlink()
    with pytest.raises(ModelError, match="no earlier model, nor one to take away"):
        roll_back(folder)


def test_back_from_the_first_model(folder):
    """Its place is empty then, and it can be taken again; it overwrites another that waits."""
    first = read_files(folder)
    (folder / CANDIDATE / "weights.npz").write_bytes(b"damaged")
    assert loses_candidate(folder)
    shutil.copytree(folder, killed := folder / "killed")
    write_files(killed / CANDIDATE, *first)  # as a command leaves it that was killed half-way
    assert not loses_candidate(killed)
    for place in (killed, folder):
        assert can_roll_back(place)
        assert not roll_back(place)
        assert not is_model(place)
        assert read_files(place / CANDIDATE) == first
        assert not can_roll_back(place)
        assert not loses_candidate(place)
    assert not (folder / "training.html").exists()
    assert accept(folder)
    assert read_files(folder) == first
    assert not is_model(folder / CANDIDATE)
    assert not roll_back(folder)


def _there_and_back(folder):
    while True:
        accept(folder)
        roll_back(folder)
        forget_previous(folder)


@pytest.mark.slow
def test_kill_9_loses_none(folder):
    """Whenever it falls: the model can be read, and of both each is in one of the three places."""
    both = {read_files(folder), read_files(folder / CANDIDATE)}
    numbers = random.Random(4)
    for _ in range(40):
        process = multiprocessing.get_context("fork").Process(target=_there_and_back, args=(folder,))
        process.start()
        time.sleep(numbers.uniform(0.02, 0.2))
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        places = [place for place in (folder, folder / CANDIDATE, folder / PREVIOUS) if is_model(place)]
        assert {read_files(place) for place in places} == both
        TopicModel.load(folder)


def _back(folder):
    roll_back(folder)
    forget_previous(folder)


def _files(folder):
    """Return all files with what is in them, but for those whose writer was killed."""
    found = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not UNFINISHED.fullmatch(path.name)}


def _killed_at(step, work, folder):
    """Do it in a process that is killed at a line of those who write files; tell whether it came to that."""
    lines = count(1)

    def trace(frame, event, _):
        if Path(frame.f_code.co_filename).name not in {"model_versions.py", "model_file.py", "shutil.py"}:
            return None
        if event == "line" and next(lines) == step:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace

    def do():
        sys.settrace(trace)
        work(folder)

    process = multiprocessing.get_context("fork").Process(target=do)
    process.start()
    process.join()
    return process.exitcode == -signal.SIGKILL


@pytest.mark.slow
@pytest.mark.parametrize("work", [accept, _back])
def test_after_kill_9_the_same_command_again_ends_as_one_that_was_not_killed(folder, tmp_path_factory, work):
    """At whatever line: each model with its report, and no part of one is taken for a model."""
    if work is _back:
        accept(folder)
    shutil.copytree(folder, whole := tmp_path_factory.mktemp("whole") / "model")
    work(whole)
    for step in count(1, 3):
        shutil.copytree(folder, again := tmp_path_factory.mktemp("again") / "model")
        was_killed = _killed_at(step, work, again)
        if not is_model(again / CANDIDATE if work is accept else again / PREVIOUS):
            assert TopicModel.load(again)
            forget_candidate(again) if work is accept else forget_previous(again)
        else:
            work(again)
        assert _files(again) == _files(whole), step
        if not was_killed:
            assert step > 20
            return


def test_the_same_model_again(folder, topic, relevant, other, analyzer):
    """A folder knows its own model, as long as it can be read."""
    again, fewer = (
        train(topic, pages, other, ClassifierSettings(), analyzer)[0] for pages in (relevant, relevant[:15])
    )
    assert has(folder, again.packed)
    assert not has(folder, fewer.packed)
    assert has(folder / CANDIDATE, fewer.packed)
    forget_candidate(folder)
    assert not has(folder / CANDIDATE, fewer.packed)
    (folder / "weights.npz").write_bytes(b"damaged")
    assert not has(folder, again.packed)


def test_replaced_unseen(folder):
    """The model before can be had back; an outdated candidate is gone; a broken model is no loss."""
    old = read_files(folder)
    before_replacing(folder)
    assert read_files(folder / PREVIOUS) == old
    assert not (folder / CANDIDATE).exists()
    (folder / "weights.npz").write_bytes(b"damaged")
    before_replacing(folder)
    assert read_files(folder / PREVIOUS) == old
