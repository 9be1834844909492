"""Whatever happens to who edits a taxonomy, its files are those from before an edit, or those from after."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from focused_crawler.classify.taxonomy import edit_log
from focused_crawler.classify.taxonomy.edit_log import FOLDER, KEPT, PENDING, PathChange, TextChange, editing
from focused_crawler.classify.taxonomy.editing import TaxonomyEditor
from focused_crawler.safety.errors import TopicError
from tests.classify.taxonomy.editable import files_of, tree_of, write_tree

EDITS_FOR_EVER = """
import sys
from pathlib import Path
from focused_crawler.classify.taxonomy.editing import TaxonomyEditor
editor = TaxonomyEditor(Path(sys.argv[1], "tree"), Path(sys.argv[1], "topics"))
print("begun", flush=True)
while True:
    editor.merge("life", "arts")
    editor.undo()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_tree(tmp_path)
    return tmp_path


class Killed(BaseException):
    """What a process feels that is killed."""


def die_after(monkeypatch: pytest.MonkeyPatch, changes: int) -> None:
    """Let the process be killed before its next change of a file after so many."""
    left = [changes]

    def counted(do):
        def wrapped(*args, **kwargs):
            if not left[0]:
                raise Killed
            left[0] -= 1
            return do(*args, **kwargs)

        return wrapped

    monkeypatch.setattr(edit_log, "replace_file", counted(edit_log.replace_file))
    for name in ("rename", "unlink"):
        monkeypatch.setattr(Path, name, counted(getattr(Path, name)))


def test_an_edit_that_was_cut_off_anywhere_is_whole_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After each of its changes: the next reader sees all of it, or nothing; so does who takes it back."""
    write_tree(tmp_path / "model")
    before = files_of(tmp_path / "model")
    TaxonomyEditor(tmp_path / "model/tree", tmp_path / "model/topics").merge("life/film", "arts/film")
    after = files_of(tmp_path / "model")
    ends = []
    for changes in range(40):
        folder = tmp_path / f"{changes}"
        write_tree(folder)
        editor = TaxonomyEditor(folder / "tree", folder / "topics")
        with monkeypatch.context() as patch:
            die_after(patch, changes)
            try:
                editor.merge("life/film", "arts/film")
                editor.undo()
                ends.append("all")
            except Killed:
                ends.append("cut")
        tree_of(folder)
        assert files_of(folder) in (before, after)
        assert len(editor.edits()) == (files_of(folder) == after)
        assert not (folder / "tree" / FOLDER / PENDING).exists()
        if ends[-1] == "all":
            break
    assert ends.count("cut") > 12


@pytest.mark.parametrize("milliseconds", [3, 17, 31])
def test_kill_9_leaves_a_whole_taxonomy(folder: Path, milliseconds: int) -> None:
    """Of a real process, at any moment."""
    before = files_of(folder)
    TaxonomyEditor(folder / "tree", folder / "topics").merge("life", "arts")
    after = files_of(folder)
    TaxonomyEditor(folder / "tree", folder / "topics").undo()
    process = subprocess.Popen(
        [sys.executable, "-c", EDITS_FOR_EVER, str(folder)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    time.sleep(0.05 + milliseconds / 1000)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    tree_of(folder)
    assert files_of(folder) in (before, after)


def test_readers_never_see_half_an_edit(folder: Path) -> None:
    """Nor does one editor see that of another: they wait."""
    paths = {tree_of(folder).paths}
    editors = [TaxonomyEditor(folder / "tree", folder / "topics") for _ in range(2)]
    editors[0].merge("life", "arts")
    paths.add(tree_of(folder).paths)
    editors[0].undo()
    stop = threading.Event()

    def edit(editor: TaxonomyEditor) -> None:
        while not stop.is_set():
            try:
                editor.merge("life", "arts")
            except TopicError:  # the other one has done it
                continue
            editor.undo()

    threads = [threading.Thread(target=edit, args=(editor,)) for editor in editors]
    for thread in threads:
        thread.start()
    seen = {tree_of(folder).paths for _ in range(10)}
    stop.set()
    for thread in threads:
        thread.join()
    assert seen <= paths


def test_a_disk_that_refuses_leaves_all_as_it_was(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says so, and the next edit works."""
    before = files_of(folder)
    editor = TaxonomyEditor(folder / "tree", folder / "topics")
    write = edit_log.replace_file

    def full(path: Path, content: bytes) -> None:
        if path.name == "topic.toml":
            raise OSError(28, "No space left on device", str(path))
        write(path, content)

    with monkeypatch.context() as patch:
        patch.setattr(edit_log, "replace_file", full)
        with pytest.raises(TopicError, match="cannot be changed: No space left on device; nothing was"):
            editor.rename("arts", "art")
    assert files_of(folder) == before
    editor.rename("arts", "art")


def test_a_log_that_is_none_is_named(folder: Path) -> None:
    """Nobody guesses what it said."""
    (folder / "tree" / FOLDER).mkdir()
    (folder / "tree" / FOLDER / PENDING).write_text(json.dumps({"number": 1}))
    with pytest.raises(
        TopicError, match=r"pending\.json: is no edit that could be finished; remove the file"
    ):
        tree_of(folder)


def test_no_more_edits_are_kept_than_anybody_takes_back(folder: Path) -> None:
    """With what the older ones had put aside."""
    root = folder / "tree"
    with editing(root) as log:
        for number in range(KEPT + 3):
            (root / "gone").mkdir()
            log.do(f"edit {number}", [PathChange("gone", log.scratch("gone"))])
        assert [edit.what for edit in (log.edits()[0], log.edits()[-1])] == [f"edit {KEPT + 2}", "edit 3"]
    assert len([*(root / FOLDER).iterdir()]) == 2 * KEPT


def test_steps_say_what_hinders_them(folder: Path) -> None:
    """Before anything is changed."""
    root = folder / "tree"
    assert PathChange("gone", "x").problem(root) == f"{root}/gone is not there any more"
    assert PathChange("arts", "life").problem(root) == f"{root}/life is there already"
    assert PathChange("arts", "art").problem(root) is None
    assert (
        TextChange("arts/category.toml", "x", "y").problem(root)
        == f"{root}/arts/category.toml was changed since"
    )
