"""Files are there whole or not at all."""

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from focused_crawler.safety.whole_file import UNFINISHED, replace_file, unfinished


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    """Until then the old one stays; the name in between is known as that of an unfinished file."""
    path = tmp_path / "run.json"
    path.write_text("old")
    with unfinished(path) as file:
        file.write_text("new")
        assert path.read_text() == "old"
        assert UNFINISHED.fullmatch(file.name)
    assert path.read_text() == "new"
    assert [*tmp_path.iterdir()] == [path]


def test_an_error_leaves_nothing(tmp_path: Path) -> None:
    """Neither half a file nor one less than before."""
    path = tmp_path / "run.json"
    path.write_text("old")
    with suppress(KeyError), unfinished(path) as file:
        file.write_text("ne")
        raise KeyError
    assert path.read_text() == "old"
    assert [*tmp_path.iterdir()] == [path]


def test_what_a_killed_writer_of_that_number_left_is_not_gone_on_with(tmp_path: Path) -> None:
    """Processes of containers often have the same number."""
    with unfinished(tmp_path / "x") as file:
        name = file
    name.write_text("left")
    with unfinished(tmp_path / "x") as file:
        assert (file, file.read_text()) == (name, "")


@pytest.mark.parametrize("name", ["n" * 255, "é" * 127])
def test_names_of_any_length(name: str, tmp_path: Path) -> None:
    """As long as a name may be."""
    replace_file(tmp_path / name, b"whole")
    assert {*tmp_path.iterdir()} == {tmp_path / name}


def test_what_killed_writers_have_left_is_taken_away(tmp_path: Path) -> None:
    """By the next one of the same file, once nobody can be at work on it any more."""
    left, at_work, mine = (tmp_path / f".x[1].{name}" for name in ("1.unfinished", "2.unfinished", "2024"))
    for file in (left, at_work, mine):
        file.touch()
    for file in (left, mine):
        os.utime(file, (0, time.time() - 2 * 24 * 3600))
    replace_file(tmp_path / "x[1]", b"whole")
    assert {*tmp_path.iterdir()} == {at_work, mine, tmp_path / "x[1]"}


def test_a_replaced_file_keeps_its_mode(tmp_path: Path) -> None:
    """A new one can be read by all, whatever the mask."""
    path = tmp_path / "topic.toml"
    mask = os.umask(0o077)
    try:
        replace_file(path, b"new")
        assert path.stat().st_mode & 0o777 == 0o644
        path.chmod(0o600)
        replace_file(path, b"newer")
    finally:
        os.umask(mask)
    assert (path.stat().st_mode & 0o777, path.read_bytes()) == (0o600, b"newer")


def test_a_file_system_without_modes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a share or a stick that refuses each change of one: a new file is written, and written anew."""

    def refuse(path: Path, mode: int) -> None:
        raise PermissionError(path, mode)

    monkeypatch.setattr(Path, "chmod", refuse)
    path = tmp_path / "topic.toml"
    replace_file(path, b"new")
    replace_file(path, b"newer")
    assert path.read_bytes() == b"newer"


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_root_leaves_a_file_to_its_owner(tmp_path: Path) -> None:
    """Who has crawled once with sudo can go on without."""
    path = tmp_path / "run.json"
    path.write_text("old")
    path.chmod(0o600)
    os.chown(path, 65534, 65534)
    with unfinished(path) as file:
        file.write_text("new")
    assert (path.stat().st_uid, path.stat().st_gid, path.read_text()) == (65534, 65534, "new")


def test_a_process_without_standard_output_writes_files(tmp_path: Path) -> None:
    """As one in the background may have closed it."""
    path = tmp_path / "run.json"
    path.write_text("old")
    code = (
        "import os; from pathlib import Path; from focused_crawler.safety.whole_file import replace_file;"
        f"os.close(1); replace_file(Path({str(path)!r}), b'new')"
    )
    subprocess.run([sys.executable, "-c", code], check=False)
    assert path.read_text() == "new"
