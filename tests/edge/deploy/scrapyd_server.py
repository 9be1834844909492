"""A real scrapyd in a folder of its own, and a copy of the project to deploy there."""

from __future__ import annotations

import json
import os
import random
import shutil
import site
import socket
import subprocess
import sys
import venv
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib
import requests

from tests.project import ROOT, until

PROJECT = "focused_crawler"
LONG = 600  # seconds; the start of a job alone takes some of a free CPU, and a hundred on a busy machine
PORTS = range(10_000, 12_000)
"""Below those that the system gives out: nobody takes one before scrapyd does."""
GUARD = Path(__file__).with_name("scrapyd_guard.py")
FILES = ("LICENSE", "Makefile", "README.md", "pyproject.toml", "scrapy.cfg", "setup.py")
PACKAGES = ("focused_crawler", "settings_profiles", "topics")


class Scrapyd:
    """A server on a free port, whose Python has all that a crawl needs but the project."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.python = _environment(folder / "venv")
        port = _free_port()
        self.url = f"http://127.0.0.1:{port}/"
        (folder / "scrapyd.conf").write_text(f"[scrapyd]\nhttp_port = {port}\npoll_interval = 0.2\n")
        own = {"XDG_CACHE_HOME": str(folder / "cache"), "TMPDIR": str(folder / "tmp")}
        own["MPLCONFIGDIR"] = matplotlib.get_cachedir()  # or it looks for fonts anew, for seconds
        (folder / "tmp").mkdir()
        self.environment = {**os.environ, **own, "OPENBLAS_NUM_THREADS": "1"}
        command = [sys.executable, str(GUARD), str(self.python), str(folder)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, env=self.environment)
        until(lambda: "Site starting on" in self.log, pause=0.05, patience=LONG)

    @property
    def log(self) -> str:
        path = self.folder / "scrapyd.log"
        return path.read_text() if path.exists() else ""

    def ask(self, service: str, **values: Any) -> Any:
        """Return what a service answers to GET, or to POST if anything but the project is given."""
        send = requests.post if values else requests.get
        values |= {"project": PROJECT}
        given = {"data": values} if send is requests.post else {"params": values}
        answer = send(f"{self.url}{service}.json", **given, timeout=LONG).json()
        assert answer["status"] == "ok", answer
        return answer

    def schedule(self, spider: str, *settings: str, **arguments: object) -> str:
        """Return the new job's name."""
        return str(self.ask("schedule", spider=spider, setting=settings, **arguments)["jobid"])

    def wait(self, *jobs: str) -> None:
        for job in jobs:
            until(partial(self.has_ended, job), pause=0.1, patience=LONG)

    def has_ended(self, job: str) -> bool:
        return job in [ended["id"] for ended in self.ask("listjobs")["finished"]]

    def job_log(self, job: str) -> str:
        (path,) = self.folder.glob(f"logs/*/*/{job}.log")
        return path.read_text()

    def command(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the deployed project there, as docs/how-to/deploy.md says."""
        return subprocess.run(
            [self.python, "-m", "scrapyd.runner", *words],
            cwd=self.folder,
            env={**self.environment, "SCRAPY_PROJECT": PROJECT},
            capture_output=True,
            text=True,
            timeout=LONG,
        )

    def close(self) -> None:
        self._process.communicate(timeout=LONG)


def _environment(folder: Path) -> Path:
    """Make an environment that has our libraries, but not the project: an egg is to bring that."""
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "libraries.pth").write_text("\n".join(site.getsitepackages()))
    return folder / "bin" / "python"


def _free_port() -> int:
    while True:
        port = random.SystemRandom().choice(PORTS)
        with socket.socket() as one, suppress(OSError):
            one.bind(("127.0.0.1", port))
            return port


def copy_project(target: Path, url: str) -> Path:
    """Copy what `make deploy` needs; `url`: the server that scrapy.cfg is to name."""
    target.mkdir()
    for name in FILES:
        shutil.copy(ROOT / name, target)
    for name in PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__", "lists.db*", "model")
        shutil.copytree(ROOT / name, target / name, ignore=ignored)
    config = target / "scrapy.cfg"
    config.write_text(config.read_text().replace("http://localhost:6800/", url))
    return target


def deploy(project: Path) -> dict[str, Any]:
    """Run `make deploy` with the tools beside this Python; return the server's answer."""
    tools = Path(sys.executable).parent
    done = subprocess.run(
        ["make", "--silent", "--old-file=setup", "deploy", f"BIN={tools}"],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=LONG,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout[done.stdout.index("{") :])
