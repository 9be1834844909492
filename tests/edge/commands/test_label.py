from __future__ import annotations

import csv
import fcntl
import os
import pty
import re
import select
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import termios
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from focused_crawler.classify.model import TopicModel
from focused_crawler.topic.label import Label, line_of, random_order
from focused_crawler.topic.labels import FILE, append, read_labels
from focused_crawler.topic.topic import load_topic
from tests.project import PATIENCE, ROOT, Done, Job, Scrapy, crawl, until

PAGES = 60
Run = Callable[..., Done]


@pytest.fixture(scope="module")
def crawls(scrapy: Scrapy, demo_web: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Crawls of astronomy, with the words of its pages and without; their folder."""
    folder = tmp_path_factory.mktemp("crawls")
    topic = demo_web.parent / "demo.topics/astronomy"
    for job, keeps in (("wordless", False), ("1", True)):
        settings = (f"FOCUSED_WEB={demo_web}", f"FOCUSED_KEEP_TEXTS={keeps}")
        words = crawl(topic, folder, *settings, pages=PAGES, profile="offline", job=job)
        assert scrapy.run(*words).code == 0
    return folder


@pytest.fixture
def topic(demo_web: Path, tmp_path: Path) -> Path:
    """A copy of the topic's folder, beside those of other topics; without labels."""
    return Path(shutil.copytree(demo_web.parent / "demo.topics", tmp_path / "topics")) / "astronomy"


@pytest.fixture
def label(scrapy: Scrapy, crawls: Path, topic: Path) -> Run:
    """Runs the command for the topic; `keys` are typed one a line."""

    def run(*words: object, keys: str = "", by: str = "Ana") -> Done:
        name = ["--by", by] if by else []
        settings = ["-s", f"FOCUSED_CRAWLS={crawls}"]
        return scrapy.run("label", topic, *name, *words, *settings, typed="".join(f"{k}\n" for k in keys))

    return run


def said(topic: Path) -> list[tuple[str, str, str]]:
    """Return by whom what is said from which queue, the oldest first."""
    return [(one.by, one.label, one.queue) for one in read_labels(topic).labels]


def urls(done: Done) -> list[str]:
    """Return the pages that were shown."""
    assert (done.code, done.err) == (0, ""), done.err
    return re.findall(r"^\d+ of \d+\n.*\n(http.*)$", done.out, re.MULTILINE)


def test_each_key_does_what_it_says(label: Run, topic: Path, crawls: Path) -> None:
    """Yes, no, taken back, unsure, skipped, shown again, quit; each label has all that is known of it."""
    done = label("--number", "9", keys="ynzuswo?q")
    shown = urls(done)
    assert len(set(shown)) == 4
    assert shown[1] == shown[3]  # where the label was taken back
    assert said(topic) == [("Ana", "yes", "uncertain"), ("Ana", "unsure", "uncertain")]
    first, second = read_labels(topic).labels
    assert (first.url, second.url) == (shown[0], shown[1])
    rows = dict(Job(crawls / "astronomy/1").rows("SELECT url, checksum FROM pages"))
    assert (first.text, first.crawl) == (rows[first.url], "1")
    assert "\nTaken back: no.\n" in done.out
    assert f"\n{shown[-1]}\n? is no answer. y yes  n no  u unsure" in done.out
    assert "2 labels by Ana in " in done.out
    assert "labels.jsonl: 1 yes, 1 unsure, 1 skipped.\nNext: scrapy train " in done.out


def test_a_page_is_shown_with_what_spoke_for_it(label: Run) -> None:
    """Its words, less the menu of its site; what the crawl thought; and the terms of its judge."""
    out = label(keys="y").out
    assert re.search(r"^crawl: +0\.\d\d by keywords:[0-9a-f]{8}$", out, re.MULTILINE)
    assert re.search(r"^words: +0\.\d\d by keywords:[0-9a-f]{8}$", out, re.MULTILINE)
    assert re.search(r"^for: +\w+ \+\d\.\d{3}", out, re.MULTILINE)
    assert re.search(r"^against: +\w+ -\d\.\d{3}", out, re.MULTILINE)
    assert len(out) > 1000


def test_labelled_pages_are_left_out(label: Run, topic: Path) -> None:
    """Of this person, unless --again is said; others are asked."""
    first = urls(label("--number", "5", keys="yyyyy"))
    second = urls(label("--number", "5", keys="n"))
    assert not {*first} & {*second}
    for words, who in ((), "Bo"), (("--again",), "Ana"):
        shown = urls(label("--number", PAGES, *words, keys="y" * PAGES, by=who))
        assert {*first} <= {*shown}


def drawn(topic: Path) -> set[str]:
    """Return the pages whose label somebody gave in the random queue."""
    return {one.url for one in read_labels(topic).labels if one.queue == "random"}


def test_the_random_queue_is_a_prefix_of_its_order(label: Run, topic: Path, crawls: Path) -> None:
    """Whoever skips a page is unsure of it; what was said elsewhere is taken over; no page is left out."""
    pages = Job(crawls / "astronomy/1").pages
    order = sorted(pages, key=lambda url: random_order(url, "astronomy"))
    elsewhere = Label(url=order[1], label="no", by="Ana", queue="near")
    append(topic, [elsewhere, Label(url=order[2], label="no", by="Bo", queue="near")])
    done = label("--queue", "random", "--number", "3", keys="ysq")
    assert urls(done) == [order[0], order[2], order[3]]
    assert "crawl: " not in done.out  # what the crawl thinks would tell what to answer
    assert "; 1 of before taken over into the sample." in done.out
    labels = read_labels(topic).by_url()
    assert {url: labels[url].answer for url in drawn(topic)} == dict(
        zip(order, [True, False, None], strict=False)
    ) | {
        order[2]: False  # by Bo: Ana is unsure
    }
    rest = label("--queue", "random", "--number", "10000", keys="n" * PAGES)
    assert urls(rest) == order[3:]
    assert drawn(topic) == set(pages)
    none = label("--queue", "random")
    assert (none.code, none.out) == (2, "")
    said = (
        "has no page left for Ana in the queue random; choose another queue, or crawl more, or see labelled"
    )
    assert f"{said} pages once more with --again" in none.err


def test_a_crawl_without_pages_has_none_to_label(scrapy: Scrapy, tmp_path: Path, demo_web: Path) -> None:
    """Another queue would have none, either."""
    (tmp_path / "bees").mkdir()
    text = 'name = "bees"\nkeywords = ["bee", "hive"]\nseeds = ["http://gone.example/"]\n'
    (tmp_path / "bees/topic.toml").write_text(text)
    scrapy.run(*crawl(tmp_path / "bees", tmp_path, f"FOCUSED_WEB={demo_web}"))
    done = scrapy.run("label", tmp_path / "bees", "-s", f"FOCUSED_CRAWLS={tmp_path}")
    said = f"error: {tmp_path}/bees/1 has no pages yet; let it crawl first, or name another with --crawl\n"
    assert (done.code, done.err) == (2, said)


def test_why_is_shown_when_it_is_asked_for(label: Run) -> None:
    """In the random queue too."""
    assert "crawl: " in label("--queue", "random", keys="wq").out


def test_a_page_that_changed_is_asked_about_again(label: Run, topic: Path, crawls: Path) -> None:
    """A label of another text than the page has now is no label of the sample."""
    first, second = sorted(Job(crawls / "astronomy/1").pages, key=lambda url: random_order(url, "astronomy"))[
        :2
    ]
    append(topic, [Label(url=first, label="no", by="Ana", queue="near", text="0" * 32)])
    assert urls(label("--queue", "random", "--number", "2", keys="yy")) == [first, second]
    assert [one.label for one in read_labels(topic).newest[read_labels(topic).labels[0].key].values()] == [
        "yes"
    ]


def test_disagreements_come_first(label: Run, topic: Path, crawls: Path) -> None:
    """Of two people; then pages that two judges see most differently, with what each of them says."""
    url = Job(crawls / "astronomy/1").pages[5]
    for by, answer in {"Bo": "yes", "Cy": "no"}.items():
        append(topic, [Label(url=url, label=answer, by=by, queue="page")])
    done = label("--queue", "disagree", "--number", "4", keys="yyyy")
    shown = urls(done)
    assert shown[0] == url
    assert "queue:    Bo: yes; Cy: no\n" in done.out
    values = re.findall(
        r"^queue: +keywords:[0-9a-f]{8}: (\d\.\d+); thesaurus:[0-9a-f]{8}: (\d\.\d+)$", done.out, re.MULTILINE
    )
    gaps = [abs(float(one) - float(other)) for one, other in values]
    assert len(gaps) == 3
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > 0.1


@pytest.mark.parametrize(
    ("queue", "why", "count"), [("near", "shares .*(stronomy|tar|ebula)", 3), ("hubs", "hub score 0", 2)]
)
def test_other_queues_say_why(label: Run, topic: Path, queue: str, why: str, count: int) -> None:
    """What a page shares with the examples; how good a hub it is."""
    done = label("--queue", queue, "--number", count, keys="y" * count)
    assert len(urls(done)) == count
    assert len(re.findall(rf"^queue: +{why}", done.out, re.MULTILINE)) == count
    assert {one[2] for one in said(topic)} == {queue}


def test_a_crawl_without_words_says_so(label: Run, topic: Path, crawls: Path) -> None:
    """The URL can be opened elsewhere; labels are made all the same."""
    done = label("--crawl", crawls / "astronomy/wordless", "--number", "1", keys="oy")
    assert "(the crawl has no words of it: o prints its URL, to be opened in a browser)" in done.out
    assert urls(done) * 2 == re.findall("^http.*$", done.out, re.MULTILINE)
    assert read_labels(topic).labels[0].crawl == "wordless"


def test_nothing_of_a_page_steers_the_terminal(label: Run, crawls: Path, tmp_path: Path) -> None:
    """Its title and its words are shown without control characters."""
    shutil.copytree(crawls / "astronomy/1", tmp_path / "1")
    with closing(sqlite3.connect(tmp_path / "1/crawl.db")) as database:
        database.execute("UPDATE pages SET title = ?", ("Stars \x1b]0;owned\x07 \u202eend [red]x[/red]",))
        database.commit()
    out = label("--crawl", tmp_path / "1", keys="y").out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "[red]x[/red]" in out


def test_a_line_that_is_no_label_is_reported(label: Run, topic: Path) -> None:
    """In one line with its number, wherever labels are read; the others count."""
    good = line_of(Label(url="http://a.org/", label="yes", by="Bo", queue="page")).decode()
    (topic / FILE).write_text(f"{good}<<<<<<< HEAD\n")
    for words in (["--list"], ["--number", "1"]):
        done = label(*words)
        assert (done.code, done.err) == (0, "")
        assert re.match(r".*labels\.jsonl:2 is no label \(no JSON\): left out; fix or delete it\n", done.out)


def test_labels_are_listed(label: Run, topic: Path) -> None:
    """What counts, who labelled, from where; on what people contradict each other, and their kappa."""
    assert label("--list").out == "No page is labelled.\n"
    answers = {"Ana": "yes yes no no", "Bo": "yes no no no"}
    for by, given in answers.items():
        append(
            topic,
            [
                Label(url=f"http://a.org/{number}", label=answer, by=by, queue="random" if number else "near")
                for number, answer in enumerate(given.split())
            ],
        )
    out = label("--list").out
    assert re.search(r"^ 1 yes, 1 no +unsure +http://a\.org/1", out, re.MULTILINE)
    assert "Ana: 4 pages (3 random, 1 near)\nBo: 4 pages (3 random, 1 near)\n" in out
    assert re.search(r"Ana, Bo +4 +3 +0\.500", out)
    assert "Contradicted: 1 yes, 1 no: http://a.org/1\n" in out


def test_undo_takes_back_the_newest_of_a_person(label: Run, topic: Path) -> None:
    """One at a time; who has none left is told."""
    label(keys="yn")
    assert label("--undo").out.startswith("Taken back: no, of http")
    assert said(topic) == [("Ana", "yes", "uncertain")]
    assert label("--undo").code == 0
    done = label("--undo")
    assert done.code == 2
    assert "Ana has no label in " in done.err
    assert done.err.endswith("; name another with --by NAME\n")


def test_judged_sheets_become_labels(
    label: Run, scrapy: Scrapy, topic: Path, crawls: Path, tmp_path: Path
) -> None:
    """As scrapy sample wrote them; the same sheet again adds nothing."""
    assert scrapy.run("sample", crawls / "astronomy/1", "--n", "10", "--out", tmp_path / "sheet").code == 0
    path = tmp_path / "sheet/judge-1.csv"
    head, *rows = path.read_text("utf-8").splitlines()
    answers = "yyyynnnuu"  # and one left empty
    judged = [f"{row}{answer}" for row, answer in zip(rows, [*answers, ""], strict=True)]
    path.write_text("\n".join([head, *judged]), "utf-8")
    done = label("--import", path, "--crawl", crawls / "astronomy/1")
    assert (done.code, done.err) == (0, "")
    assert (
        "judge-1.csv: 9 new labels of Ana (4 yes, 3 no, 2 unsure); 0 were there, 1 row not judged.\n"
        in done.out
    )
    with path.open(encoding="utf-8-sig", newline="") as file:
        expected = {row["url"]: row["relevant"] for row in csv.DictReader(file) if row["relevant"]}
    assert {one.url: one.label[0] for one in read_labels(topic).labels} == expected
    assert {(one.queue, one.crawl, one.by) for one in read_labels(topic).labels} == {("sheet", "1", "Ana")}
    again = label("--import", path)
    assert "judge-1.csv: 0 new labels; 9 were there, 1 row not judged." in again.out
    assert "of 1 (4 yes, 3 no, 2 unsure)" in label("--import", path, by="").out  # whom the sheet names


def test_any_csv_of_urls_and_labels_is_taken(label: Run, topic: Path, tmp_path: Path) -> None:
    """Whoever it names, else who imports it; what changes a label is new."""
    (tmp_path / "a.csv").write_text(
        "URL;Label;by\nhttp://a.org/1;yes;Bo\nhttp://a.org/2;Off topic;\nhttp://a.org/3;;\n"
    )
    (tmp_path / "b.csv").write_text("url,label\nhttp://a.org/2,yes\n")
    done = label("--import", tmp_path / "a.csv", "--import", tmp_path / "b.csv", by="")
    assert done.code == 0, done.err
    (user,) = {one.by for one in read_labels(topic).labels} - {"Bo"}
    first, last = said(topic)[:2], said(topic)[2:]
    assert {*first} == {("Bo", "yes", "import"), (user, "no", "import")}
    assert last == [(user, "yes", "import")]
    assert "a.csv: 2 new labels of Bo, " in done.out


FILES = {
    "no URL": ("url,label\nmailto:x,yes\n", "f.csv:2: 'mailto:x' is no http or https URL"),
    "a mark": (
        "url,label\nhttp://a.org/\u200e,yes\n",
        "f.csv:2: http://a.org/\\u200e holds a character that shows nothing; delete it",
    ),
    "a line break": (
        'url,label\n"http://a.org/\nb",yes\n',
        "http://a.org/\\nb holds a character that shows nothing; delete it",
    ),
    "no answer": ("url,label\nhttp://a.org/,perhaps\n", "f.csv:2: 'perhaps' is neither yes nor no"),
    "twice": (
        "url,label\nhttp://a.org/,yes\nhttps://www.a.org/#x,no\n",
        "f.csv:3: Ana labels this page twice",
    ),
    "no column": (
        "page,label\nhttp://a.org/,yes\n",
        "f.csv:1: no column url; give a sheet of scrapy sample, or",
    ),
    "no label": ("url\nhttp://a.org/\n", "f.csv:1: no column label; give a sheet of scrapy sample, or a CSV"),
    "empty": ("", "f.csv:1: no column url; give a sheet"),
    "no rows": ("url,label\n", "f.csv has no rows; give a sheet"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_wrong_row_leaves_nothing_behind(label: Run, topic: Path, tmp_path: Path, name: str) -> None:
    """One line names the row and the cure; the rows before it are not taken either."""
    text, message = FILES[name]
    (tmp_path / "f.csv").write_text(text)
    done = label("--import", tmp_path / "f.csv")
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert done.err.count("\n") == 1
    assert not (topic / FILE).exists()


MISTAKES: dict[str, tuple[list[str], str]] = {
    "queue": (
        ["--queue", "best"],
        "--queue is best; use one of uncertain, disagree, random, spread, near, hubs",
    ),
    "number": (["--number", "0"], "--number is 0; give a whole number from 1 to 10000"),
    "name": (["--by", ""], "--by is no name of 1 to 100 characters on one line"),
    "two things": (["--undo", "--list"], "give one of --queue, --import, --undo and --list"),
    "no crawl": (["--crawl", "nowhere"], "nowhere is no crawl's folder (it has no run.json); give one like"),
    "no file": (
        ["--import", "gone.csv"],
        "gone.csv cannot be read (No such file or directory); give a sheet",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_end_in_one_line(label: Run, name: str) -> None:
    """It names what is wrong and what would be right; exit code 2."""
    words, message = MISTAKES[name]
    done = label(*words)
    assert done.err.startswith("error: ")
    assert message in done.err
    assert (done.err.count("\n"), done.out, done.code) == (1, "", 2)


def test_a_second_judge_needs_words(label: Run, crawls: Path) -> None:
    """Where none were stored, one line says so."""
    done = label("--queue", "disagree", "--crawl", crawls / "astronomy/wordless")
    assert (done.code, done.out) == (2, "")
    assert "wordless has no texts of its pages (FOCUSED_KEEP_TEXTS was off), which a second" in done.err


def test_training_learns_from_labels(
    label: Run, scrapy: Scrapy, topic: Path, crawls: Path, demo_web: Path
) -> None:
    """Yes is relevant, no is other, unsure and contradicted ones are left out; all is counted and said."""
    examples = load_topic(str(topic))
    truth = set((topic / "relevant.txt").read_text().split())
    known = {*examples.relevant_examples, *examples.other_examples}
    new = [url for url in Job(crawls / "astronomy/1").pages if url not in known]
    *good, open_one = [url for url in new if url in truth][:4]
    elsewhere = load_topic(str(demo_web.parent / "demo.topics/football")).relevant_examples
    poor = [url for url in elsewhere if url not in known][:3]
    labels = [Label(url=url, label="yes", by="Ana", queue="page") for url in good]
    labels += [Label(url=url, label="no", by="Bo", queue="page") for url in poor]
    labels += [Label(url=good[0], label="no", by="Bo", queue="page")]
    labels += [Label(url=open_one, label="unsure", by="Bo", queue="page")]
    labels += [Label(url=examples.other_examples[0], label="yes", by="Bo", queue="page")]
    append(topic, labels)
    done = scrapy.run("train", topic, "-s", f"FOCUSED_WEB={demo_web}")
    assert (done.code, done.err) == (0, ""), done.err
    assert done.out.startswith(
        "topic.toml names 30 + 60 examples, 6 labels of 2 people, 1 disagreement left out,"
        " 1 unsure page left out.\n"
        f"Labels win over the examples that they contradict: {examples.other_examples[0]}.\n"
    )
    assert "\nTraining examples: 33 relevant, 62 other, 100 of other topics, 6 from labels.\n" in done.out
    model = TopicModel.load(topic / "model")
    assert model.examples == {"relevant": 33, "other": 62, "background": 100, "labels": 6}
    assert "Of these, from labels" in (topic / "model/training.html").read_text()
    settings = ["-s", f"FOCUSED_CRAWLS={crawls}"]
    offered = scrapy.run("train", topic, "--suggest", "50", *settings).out
    assert not {*good[1:], *poor} & {*re.findall(r'"(http.*)",', offered)}
    words = shlex.join([str(topic), *settings])
    assert f"To label such pages by single keys: scrapy label {words}\n" in offered


class Person:
    """Sits at a terminal on which the command runs; presses keys when they are waited for."""

    def __init__(self, *words: object) -> None:
        self._hand, self.screen = pty.openpty()
        self.before = self._settings()
        self._shown = b""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "scrapy", "label", *map(str, words)],
            cwd=ROOT,
            stdin=self.screen,
            stdout=self.screen,
            stderr=self.screen,
            start_new_session=True,
            preexec_fn=_own_terminal,
        )

    def press(self, keys: bytes, after: bytes) -> None:
        self.see(after)
        until(self.is_asked)
        os.write(self._hand, keys)

    def is_asked(self) -> bool:
        """Tell whether single keys are waited for."""
        return not termios.tcgetattr(self.screen)[3] & termios.ICANON

    def pauses(self, after: bytes) -> None:
        """Do what Ctrl-Z and `fg` do: a shell sets the terminal for its own lines in between."""
        self.see(after)
        until(self.is_asked)
        self.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED)
        termios.tcsetattr(self.screen, termios.TCSADRAIN, self.before)
        self.process.send_signal(signal.SIGCONT)
        until(self.is_asked)

    def see(self, words: bytes) -> None:
        while words not in self._shown:
            assert select.select([self._hand], [], [], PATIENCE)[0], self._shown
            self._shown += os.read(self._hand, 65536)
        self._shown = self._shown.partition(words)[2]

    def leaves(self) -> int:
        """Return the command's exit code; the terminal is as it was."""
        self.see(b"Next: scrapy train")
        code = self.process.wait(PATIENCE)
        assert self._settings() == self.before
        self.close()
        return code

    def close(self) -> None:
        os.close(self._hand)
        os.close(self.screen)

    def _settings(self) -> list[object]:
        return termios.tcgetattr(self.screen)


def _own_terminal() -> None:
    """Make standard input the terminal that Ctrl-C comes from."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background is born deaf to it


def test_keys_of_a_terminal_need_no_return(topic: Path, crawls: Path) -> None:
    """One key a page: a key held down answers one, an arrow is none; the terminal is given back as it was."""
    person = Person(topic, "--by", "Ana", "--number", "3", "-s", f"FOCUSED_CRAWLS={crawls}")
    person.press(b"yyyy", after=b"1 of 3")
    person.press(b"\x1b[A", after=b"2 of 3")
    person.press(b"n", after=b"is no answer")
    person.press(b"\x04", after=b"3 of 3")
    assert person.leaves() == 0
    assert said(topic) == [("Ana", "yes", "uncertain"), ("Ana", "no", "uncertain")]


def test_ctrl_c_ends_the_sitting_and_keeps_the_labels(topic: Path, crawls: Path) -> None:
    """As q does: each label is stored before the next page is shown."""
    person = Person(topic, "--by", "Ana", "-s", f"FOCUSED_CRAWLS={crawls}")
    person.press(b"y", after=b"1 of 20")
    person.press(b"\x03", after=b"2 of 20")
    assert person.leaves() == 0
    assert said(topic) == [("Ana", "yes", "uncertain")]


def test_a_sitting_goes_on_after_a_pause(topic: Path, crawls: Path) -> None:
    """Ctrl-Z and `fg`: keys are taken one by one as before, and not shown as they are typed."""
    person = Person(topic, "--by", "Ana", "--number", "2", "-s", f"FOCUSED_CRAWLS={crawls}")
    person.press(b"y", after=b"1 of 2")
    person.pauses(after=b"2 of 2")
    person.press(b"n", after=b"\n")
    assert person.leaves() == 0
    assert said(topic) == [("Ana", "yes", "uncertain"), ("Ana", "no", "uncertain")]


def test_kill_9_leaves_what_was_answered(topic: Path, crawls: Path) -> None:
    """All of it, and nothing half."""
    person = Person(topic, "--by", "Ana", "-s", f"FOCUSED_CRAWLS={crawls}")
    person.press(b"y", after=b"1 of 20")
    person.press(b"n", after=b"2 of 20")
    person.see(b"3 of 20")
    person.process.kill()
    assert person.process.wait(PATIENCE) == -signal.SIGKILL
    person.close()
    assert said(topic) == [("Ana", "yes", "uncertain"), ("Ana", "no", "uncertain")]
    assert read_labels(topic).faults == ()
