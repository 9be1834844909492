"""A workbench as a user has it: `scrapy ui` in a process of its own, over a project of its own."""

from __future__ import annotations

import http.client
import re
import shutil
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from tests.project import Job, Running, Scrapy, until


@dataclass
class Project:
    """Topics, models and crawls of a test; commands find `topics` before those that ship."""

    folder: Path
    web: Path

    @classmethod
    def make(cls, folder: Path, web: Path) -> Project:
        (folder / "topics").mkdir()
        return cls(folder, web)

    @property
    def topics(self) -> Path:
        return self.folder / "topics"

    @property
    def crawls(self) -> Path:
        return self.folder / "crawls"

    def add_topic(self, name: str) -> Path:
        """Copy a topic of the demo web, with its examples."""
        return Path(shutil.copytree(self.web.parent / "demo.topics" / name, self.topics / name))

    @property
    def settings(self) -> list[str]:
        given = {
            "FOCUSED_CRAWLS": self.crawls,
            "FOCUSED_MODELS": self.folder / "models",
            "FOCUSED_WEB": self.web,
            "FOCUSED_SEARCH": "local",
        }
        return [word for name, value in given.items() for word in ("-s", f"{name}={value}")]

    @property
    def environ(self) -> dict[str, str]:
        return {"FOCUSED_TOPICS": str(self.topics)}

    def crawl(self, scrapy: Scrapy, topic: str, job: str, *words: str, **arguments: object) -> Running:
        """Start a crawl without the workbench."""
        given = [w for name, value in arguments.items() for w in ("-a", f"{name}={value}")]
        command = [
            "crawl",
            "topic",
            "-a",
            f"topic={topic}",
            "-a",
            f"job={job}",
            *given,
            *self.settings,
            *words,
        ]
        return scrapy.start(*command, environ=self.environ)

    def job(self, topic: str, job: str) -> Job:
        return Job(self.crawls / topic / job)


@dataclass
class Answer:
    """Of the workbench, to a request that no browser made."""

    status: int
    headers: Mapping[str, str]
    text: str


@dataclass
class Workbench:
    """One that runs."""

    project: Project
    first_url: str
    process: Running

    @property
    def address(self) -> str:
        """Return host and port."""
        return urlsplit(self.first_url).netloc

    @property
    def origin(self) -> str:
        return f"http://{self.address}"

    def ask(
        self,
        path: str,
        method: str = "GET",
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send a request; with the Host header of the workbench unless another is given."""
        connection = http.client.HTTPConnection(self.address, timeout=30)
        try:
            connection.request(method, path, body, dict(headers or {}))
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read().decode())
        finally:
            connection.close()

    def cookie(self) -> str:
        """Return the cookie of a new session."""
        parts = urlsplit(self.first_url)
        given = self.ask(f"{parts.path}?{parts.query}").headers["Set-Cookie"]
        return given.partition(";")[0]

    def form(self, path: str, cookie: str, **fields: str) -> Answer:
        """Send a form of a session, with its token."""
        page = self.ask("/", headers={"Cookie": cookie}).text
        found = re.search(r'"X-CSRF-Token": "([^"]+)"', page)
        assert found is not None
        return self.post(path, {"csrf": found[1], **fields}, Cookie=cookie, Origin=self.origin)

    def post(self, path: str, fields: Mapping[str, str], **headers: str) -> Answer:
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.ask(path, "POST", urlencode(fields).encode(), {**kind, **headers})


def started(scrapy: Scrapy, project: Project, *words: str, **environ: str) -> Workbench:
    """Start `scrapy ui` over a project, with some more of an environment."""
    command = ["ui", "--no-browser", "--port", "0", *project.settings, *words]
    process = scrapy.start(*command, environ={**project.environ, **environ})
    until(lambda: "Ctrl-C" in process.out or process.err)
    found = re.search(r"https?://\S+", process.out)
    assert found is not None, process.err
    return Workbench(project, found[0], process)


@contextmanager
def running(scrapy: Scrapy, project: Project, *words: str) -> Iterator[Workbench]:
    """Run `scrapy ui` over a project, and end it as Ctrl-C does."""
    workbench = started(scrapy, project, *words)
    try:
        yield workbench
    finally:
        workbench.process.signal(signal.SIGINT)
        done = workbench.process.wait()
        assert "Traceback" not in done.err, done.err
