"""The wheel, built and installed: one top-level package, all files, a command that works anywhere."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.edge.deploy.scrapyd_server import PACKAGES, _environment, copy_project
from tests.package.test_first_install import CLEAN
from tests.project import Done

pytestmark = pytest.mark.slow
PIP = ("-m", "pip", "--disable-pip-version-check", "-q")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this one."""
    return copy_project(tmp_path_factory.mktemp("package") / "checkout", "")


@pytest.fixture(scope="module")
def wheel(checkout: Path) -> Path:
    """What pip builds of it."""
    build = [sys.executable, *PIP, "wheel", "--no-deps", "--no-build-isolation", "-w", checkout / "made", "."]
    subprocess.run(build, cwd=checkout, check=True, capture_output=True)
    (made,) = (checkout / "made").glob("*.whl")
    return made


@pytest.fixture(scope="module")
def python(wheel: Path) -> Path:
    """An environment with our libraries, in which the wheel is installed."""
    python = _environment(wheel.parent / "venv")
    target = [sys.executable, *PIP, "--python", python, "install", "--no-deps", "--no-compile", wheel]
    subprocess.run(target, check=True, capture_output=True)
    return python


@pytest.fixture
def typed(python: Path, tmp_path: Path):
    """Runs `focused-crawler` in an empty folder."""

    def run(*words: object) -> Done:
        environ = {**CLEAN, "XDG_CONFIG_HOME": str(tmp_path / "config")}
        environ.pop("PYTHONPATH", None)  # a checkout's package would come before the wheel's
        command = [python.with_name("focused-crawler"), *map(str, words)]
        done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True)
        return Done(done.returncode, done.stdout, done.stderr)

    return run


def test_every_file_is_in_it_and_nothing_else_at_the_top(wheel: Path, checkout: Path) -> None:
    """What a checkout has at its top lies within the package."""
    names = set(ZipFile(wheel).namelist())
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"focused_crawler"}
    for package in PACKAGES:
        home = "" if package == "focused_crawler" else "focused_crawler/shipped/"
        for path in (checkout / package).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".jsonl":
                assert f"{home}{path.relative_to(checkout).as_posix()}" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_command_works_in_any_folder(typed, tmp_path: Path) -> None:
    """Topics and profiles ship; a user's are made in the folder."""
    assert typed("--version").out == "focused-crawler 0.1.0\n"
    assert typed("newtopic", "tea", "--keyword", "tea").code == 0
    assert (tmp_path / "topics/tea/topic.toml").is_file()
    assert {"tea", "asthma"} <= set(typed("list").out.split())
    assert (
        "unknown profile 'none'; use one of broad, default,"
        in typed("crawl", "tea", "-a", "profile=none").err
    )
    assert "health" in typed("taxonomy", "show").out


def test_what_ships_is_not_written_to(typed, tmp_path: Path) -> None:
    """The line says how to have a copy: it can be typed as it stands."""
    done = typed("train", "asthma")
    assert (done.code, "asthma came with the package" in done.err) == (2, True), done.err
    copy = done.err.partition("with cp -r ")[2].partition(" ")[0]
    shutil.copytree(copy, tmp_path / "topics/asthma")
    assert typed("lists", "asthma", "--keep", "nhs.uk").code == 0


def test_a_crawl_and_its_export(typed, demo_web: Path) -> None:
    """As in a checkout."""
    topic = demo_web.parent / "demo.topics/astronomy"
    web = ("-s", f"FOCUSED_WEB={demo_web}")
    done = typed("crawl", "topic", "-a", f"topic={topic}", "-a", "pages=20", "-a", "profile=offline", *web)
    assert done.code == 0, done.err
    assert typed("export", "crawls/astronomy/1", "--all", "--urls", "urls.txt").out == "urls.txt: 20 pages\n"
