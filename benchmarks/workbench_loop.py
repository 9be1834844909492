"""Labels in a loop, through the workbench alone: does its page do what the functions behind it do?

    .venv/bin/python benchmarks/workbench_loop.py [--web F] [--topics databases,mathematics] [--json FILE]

A topic of words alone is crawled by `scrapy crawl`. From then on a person has only the page: labels 15 pages
(of the queues of the study's loop), trains, accepts, starts the next crawl; four times, all of it HTTP as a
browser sends it. The topic lies among the others of its web, and not in the project's folder: those that ship
would be its background, and the web has none of their pages. Beside it stand figures as `yardstick.py --parts
loop` makes them: the same person, the same functions, crawls simulated. F1: on pages neither learnt from.
"""

from __future__ import annotations

import html
import http.client
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated
from urllib.parse import urlencode, urlsplit

import numpy as np
import tomlkit

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness import OPEN_WEB, ROOT, Report, main, temporary_folder
from benchmarks.studies.crawls import subjects_of
from benchmarks.studies.labels_loop import ARMS, ROUNDS, Rounds, Setting, measured
from benchmarks.tables import Rows
from focused_crawler.crawl.judges import load_model
from focused_crawler.experiment.grid import Subject
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.store.opening import is_in_use, read_crawl
from focused_crawler.topic.labels import read_labels
from focused_crawler.topic.topic import load_topic

PAGES = 500
PATIENCE = 1_800.0  # seconds until a training or a crawl has ended, on a busy machine
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""Sums come out the same to the last digit, so that the arms draw the same pages."""
_FIELD = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')


class Browser:
    """What a browser does with the workbench: it keeps a cookie, follows redirects and sends forms."""

    def __init__(self, first_url: str) -> None:
        parts = urlsplit(first_url)
        self.address, self.cookie = parts.netloc, ""
        self.get(f"/?{parts.query}")

    def get(self, path: str) -> tuple[str, str]:
        """Return where redirects led to, and the page."""
        return self._follow("GET", path, None)

    def post(self, path: str, fields: dict[str, str]) -> tuple[str, str]:
        """Send a form."""
        return self._follow("POST", path, urlencode(fields).encode())

    def _follow(self, method: str, path: str, body: bytes | None) -> tuple[str, str]:
        for _ in range(5):
            with closing(http.client.HTTPConnection(self.address, timeout=300)) as connection:
                headers = {"Cookie": self.cookie, "Origin": f"http://{self.address}"}
                headers["Content-Type"] = "application/x-www-form-urlencoded"
                connection.request(method, path, body, headers)
                response = connection.getresponse()
                text = response.read().decode()
            if cookie := response.headers["Set-Cookie"]:
                self.cookie = cookie.partition(";")[0]
            if response.status != 303:
                if response.status >= 400:
                    raise RuntimeError(f"{path}: {response.status} {re.findall('wrong.*?>(.*?)<', text)}")
                return path, text
            method, path, body = "GET", response.headers["Location"], None
        raise RuntimeError(f"{path} redirects on and on")


def _settings(root: Path, web: Path) -> list[str]:
    given = {"CRAWLS": root / "crawls", "MODELS": root / "models", "WEB": web, "LISTS": "off"}
    words = [word for name, value in given.items() for word in ("-s", f"FOCUSED_{name}={value}")]
    return [*words, "-s", "ROBOTSTXT_OBEY=False"]  # as simulated crawls, which fetch no robots.txt


@contextmanager
def workbench(root: Path, web: Path) -> Iterator[Browser]:
    """Run `scrapy ui` over a project."""
    words = [sys.executable, "-m", "scrapy", "ui", "--no-browser", "--port", "0", *_settings(root, web)]
    environ = {**os.environ, "FOCUSED_TOPICS": str(root / "topics"), **ONE_THREAD}
    process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=environ)
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None, "scrapy ui did not start"
        yield Browser(found[0])
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


def _token(page: str) -> dict[str, str]:
    found = re.search(r'name="csrf" value="([^"]+)"', page)
    assert found is not None
    return {"csrf": found[1]}


def _wait(ready: object, what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not ready():  # type: ignore[operator]
        if time.monotonic() > end:
            raise RuntimeError(f"{what} does not end")
        time.sleep(0.5)


class Person:
    """Somebody who crawls, labels, trains and accepts by the page alone."""

    def __init__(self, browser: Browser, root: Path, topic: str, seed_set: str, setting: Setting) -> None:
        self._browser, self._root, self._topic, self._setting = browser, root, topic, setting
        self._seed_set = seed_set

    def crawl(self, job: str) -> None:
        """Start a crawl and wait for its end."""
        _, page = self._browser.get(f"/topics/{self._topic}")
        form = {"job": job, "pages": str(PAGES), "profile": "offline", "seed_set": self._seed_set}
        self._browser.post(f"/topics/{self._topic}/crawls", {**_token(page), **form})
        folder = self._root / "crawls" / self._topic / job
        _wait(lambda: not is_in_use(folder), f"crawl {job}")

    def label(self, job: str) -> None:
        """Label fifteen pages of a crawl."""
        place = f"/crawls/{self._topic}/{job}/label"
        for queue, count in ARMS["loop"].items():
            given, path = 0, f"{place}?queue={queue}&number={count}"
            while given < count:
                _, page = self._browser.get(path)
                form = re.search(rf'action="{place}/say">(.*?)</form>', page, re.DOTALL)
                if form is None:
                    if "being chosen" in page:
                        time.sleep(0.5)
                        continue
                    break  # the queue has no more
                fields = {name: html.unescape(value) for name, value in _FIELD.findall(form[1])}
                answer = self._setting.answer(fields["url"])
                path, _ = self._browser.post(f"{place}/say", {**fields, "answer": answer})
                given += 1

    def train(self, job: str) -> bool:
        """Train and accept; tell whether there is another model."""
        place = f"/topics/{self._topic}/train"
        page = self._done(place, {})
        if f'action="{place}/accept"' not in page:
            return False
        self._done(f"{place}/accept", {"crawl": job})
        return True

    def _done(self, path: str, fields: dict[str, str]) -> str:
        place = f"/topics/{self._topic}/train"
        _, page = self._browser.get(place)
        self._browser.post(path, {**_token(page), **fields})
        _wait(lambda: f"{place}/progress" not in self._browser.get(place)[1], path)
        return self._browser.get(place)[1]


def rounds_of(subject: Subject, seed_set: str, setting: Setting, root: Path) -> Rounds:
    """Return what the loop comes to through the page."""
    name = subject.topic.name
    shutil.copytree(subject.topic.folder.parent, root / "web.topics")
    (root / "topics").mkdir()
    folder = root / "web.topics" / name
    text = tomlkit.parse((folder / "topic.toml").read_text())
    text.pop("examples", None)
    (folder / "topic.toml").write_text(tomlkit.dumps(text))
    called, found, yes, no, learnt = [], [], [], [], set[int]()
    given = {"topic": folder, "job": 0, "pages": PAGES, "profile": "offline", "seed_set": seed_set}
    arguments = [word for key, value in given.items() for word in ("-a", f"{key}={value}")]
    words = [sys.executable, "-m", "scrapy", "crawl", "topic", *arguments, *_settings(root, subject.web)]
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
    with workbench(root, subject.web) as browser:
        person = Person(browser, root, name, seed_set, setting)
        for number in range(ROUNDS + 1):
            if number:
                person.crawl(str(number))
            topic = load_topic(str(folder))
            model = load_model(topic, root / "models", Analyzer(topic.language), {})
            relevance = [model.classifier.relevance(page) for page in setting.pages]
            called.append(np.array(relevance) >= model.threshold)
            found.append(_found(root / "crawls" / name / str(number), setting))
            learnt |= {page for url in model.learnt_from if (page := setting.number(url)) is not None}
            said = [one.answer for one in read_labels(folder).by_key.values()]
            yes.append(said.count(True))
            no.append(said.count(False))
            if number < ROUNDS:
                person.label(str(number))
                person.train(str(number))
    return Rounds(*map(np.array, (called, found, yes, no, sorted(learnt))))


def _found(crawl: Path, setting: Setting) -> np.ndarray:
    """Return how many relevant pages are among the first n of a crawl."""
    with read_crawl(crawl) as database:
        urls = [url for (url,) in database.rows("SELECT url FROM pages ORDER BY position")]
    numbers = [setting.number(url) for url in urls]
    hits = [bool(setting.truth[number]) for number in numbers if number is not None][: setting.reach]
    found = np.zeros(setting.reach + 1, dtype=np.int64)
    found[1 : len(hits) + 1] = hits
    return np.cumsum(found)


def measure(
    *,
    web: Annotated[Path, "a WARC file with its topics beside it"] = OPEN_WEB,
    topics: Annotated[str, "names, with commas between"] = "databases,mathematics",
) -> Report:
    """Measure both ways."""
    rows, gains = Rows(), Rows()
    for subject in subjects_of(web, topics):
        seed_set = next(iter(subject.seed_sets))
        setting = Setting(subject, seed_set, subject.topic.name)
        with temporary_folder() as root:
            page = rounds_of(replace(subject), seed_set, setting, root)
        arms = {"page": page, "functions": setting.rounds(ARMS["loop"])}
        found = measured(setting, arms)
        about = {"topic": subject.topic.name}
        rows += [{**about, "arm": arm, "round": number, **row} for (arm, number), row in found.items()]
        for number in range(1, ROUNDS + 1):
            ours, theirs = found["page", number], found["functions", number]
            gains.append(
                {**about, "round": number, **{name: ours[name] - theirs[name] for name in ("f1", "area")}}
            )
    differences = {
        f"page_{name}_difference": float(np.mean([row[name] for row in gains])) for name in ("f1", "area")
    }
    return Report({"rounds": rows, "differences": gains}, differences)


if __name__ == "__main__":
    main(measure, __doc__)
