"""Label, and a server that is killed: nothing that it has answered is lost, and nothing is there twice."""

from __future__ import annotations

import html
import http.client
import random
import re
import signal
import time
from collections import Counter
from threading import Thread

import pytest

from focused_crawler.topic.labels import read_labels
from tests.project import Scrapy, until
from tests.workbench.bench import Project, Workbench, running

pytestmark = pytest.mark.slow

PAGES, KILLS = 120, 3
PATH = "/crawls/astronomy/1/label"
_FIELD = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')
_FORM = re.compile(rf'action="{PATH}/say">(.*?)</form>', re.DOTALL)


class Person:
    """Answers page after page, until nobody answers her."""

    def __init__(self) -> None:
        self.sent: dict[str, str] = {}  # the last form
        self.stored: list[str] = []  # URLs whose label the server has confirmed

    def label(self, workbench: Workbench) -> None:
        try:
            cookie = workbench.cookie()
            if self.sent:
                self._say(workbench, cookie)  # as a browser does whose request got no answer
            while True:
                asked = workbench.ask(f"{PATH}?queue=random", headers={"Cookie": cookie})
                while asked.status == 303:
                    asked = workbench.ask(asked.headers["Location"], headers={"Cookie": cookie})
                if form := _FORM.search(asked.text):
                    self.sent = {name: html.unescape(value) for name, value in _FIELD.findall(form[1])}
                    self.sent["answer"] = "yes"
                    self._say(workbench, cookie)
        except (OSError, http.client.HTTPException):
            return

    def _say(self, workbench: Workbench, cookie: str) -> None:
        sent = {name: value for name, value in self.sent.items() if name != "csrf"}
        answer = workbench.form(f"{PATH}/say", cookie, **sent)
        assert answer.status == 303, answer.text
        self.stored.append(sent["url"])


def test_nothing_is_lost_and_nothing_doubled(scrapy: Scrapy, project: Project) -> None:
    """Her last form is sent again to each new server, whether the old one had stored it or not."""
    assert project.crawl(scrapy, "astronomy", "1", pages=PAGES, profile="offline").wait().code == 0
    folder, chance, person = project.topics / "astronomy", random.Random(20), Person()
    for _ in range(KILLS):
        before = len(person.stored)
        with running(scrapy, project) as workbench:
            thread = Thread(target=person.label, args=[workbench])
            thread.start()
            until(lambda before=before: len(person.stored) > before + 2)
            time.sleep(chance.uniform(0, 0.2))
            workbench.process.signal(signal.SIGKILL)
            thread.join()
        labels = read_labels(folder)
        assert not labels.faults
        found = Counter(label.url for label in labels.labels)
        assert set(found.values()) == {1}
        assert set(person.stored) <= set(found)
        assert set(found) <= {*person.stored, person.sent["url"]}
