"""docs/deploy: what the files for containers name is there, and what they run works outside of one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml

from focused_crawler.safety.user_settings import FROM_ENVIRONMENT
from tests.project import ROOT, Scrapy

HOME = ROOT / "docs/deploy"
COPIED = re.compile(r"^COPY (?!--)(.+) (\S+)$", re.MULTILINE)


def test_the_image_is_built_of_what_there_is() -> None:
    """All that the wheel is made from is copied, and its extras exist."""
    text = (HOME / "Containerfile").read_text()
    copied = {name for names, _ in COPIED.findall(text) for name in names.split()}
    assert all((ROOT / name).exists() for name in copied)
    assert {"pyproject.toml", "setup.py", "README.md", "LICENSE", "focused_crawler", "topics"} <= copied
    (extras,) = re.findall(r"whl\)\[(.+?)\]", text)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(extras.split(",")) <= project["optional-dependencies"].keys()
    assert re.findall(r'ENTRYPOINT \["(.+)"\]', text) == list(project["scripts"])


def test_a_fleet_gets_its_addresses_from_the_environment() -> None:
    """No password stands in a command, which everybody on the machine can read."""
    text = (HOME / "compose.yaml").read_text()
    assert all(f"      {name}: " in text for name in FROM_ENVIRONMENT)
    command = text.partition("    command:\n      - fleet")[2].partition("    volumes")[0]
    assert "PASSWORD" not in command
    assert "dockerfile: docs/deploy/Containerfile" in text


def interpolated(value: str) -> str:
    """Return a value of the compose file where only the password is set."""
    return re.sub(r"\$\{\w+:-(.*?)\}", r"\1", value)


def test_the_command_of_a_fleet_is_one(scrapy: Scrapy) -> None:
    """With all that it takes by default: only the server is missing."""
    service = yaml.safe_load((HOME / "compose.yaml").read_text())["services"]["crawl"]
    assert service["depends_on"].keys() == {"postgresql"}
    nowhere = ("-s", "FOCUSED_DATABASE=postgresql://127.0.0.1:1/c")
    done = scrapy.run(*map(interpolated, service["command"]), *nowhere)
    assert done.code == 2
    (line,) = done.err.splitlines()
    assert "127.0.0.1:1" in line


@pytest.mark.slow
def test_the_image_s_commands_make_and_install_the_whole_package(tmp_path: Path) -> None:
    """Of the files that are copied into it, and no others."""
    text, build, wheels = (HOME / "Containerfile").read_text(), tmp_path / "build", tmp_path / "wheels"
    build.mkdir()
    for names, target in COPIED.findall(text):
        for source in map(ROOT.joinpath, names.split()):
            if source.is_dir():
                shutil.copytree(source, build / target, ignore=shutil.ignore_patterns("__pycache__", "model"))
            else:
                shutil.copy(source, build / target)
    runs = re.findall(r"^RUN (pip .+?)(?: && .*| \\)?$", text, re.MULTILINE)
    assert len(runs) == 2
    for run, offline in zip(runs, ("--no-build-isolation", "--no-deps --dry-run"), strict=True):
        line = re.sub(r"\brm -r .*", "", run).replace("/wheels", str(wheels)).rstrip(" &")
        done = subprocess.run(
            ["sh", "-ec", f"{line} {offline}"],
            cwd=build,
            env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
    assert "focused-crawler-0.1.0" in done.stdout
    (wheel,) = wheels.glob("*.whl")
    names = set(ZipFile(wheel).namelist())
    shipped = (path for path in (build / "focused_crawler").rglob("*") if path.is_file())
    assert {path.relative_to(build).as_posix() for path in shipped} <= names
    assert "focused_crawler/shipped/topics/asthma/topic.toml" in names
