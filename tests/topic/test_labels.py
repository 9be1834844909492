from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.safety.errors import TopicError
from focused_crawler.topic import labels as module
from focused_crawler.topic.label import ANSWERS, QUEUES, Label, Undo, line_of, random_order, read_record
from focused_crawler.topic.labels import FILE, append, labels_of, read_labels, undo

URLS = [f"http://a.org/{name}" for name in "abcd"]
SPELLINGS = {url: (url, f"{url}/", url.replace("http://", "https://www.")) for url in URLS}
PEOPLE = ("Ana", "Bo", "Ćiro")


def label(url="http://a.org/a", answer="yes", by="Ana", at=0, **more):
    time = f"2026-01-01T00:00:{at:02}.000Z"
    return Label(**{"url": url, "label": answer, "by": by, "queue": "page", "at": time} | more)


some_labels = st.builds(
    label,
    url=st.sampled_from(URLS).flatmap(lambda url: st.sampled_from(SPELLINGS[url])),
    answer=st.sampled_from(list(ANSWERS)),
    by=st.sampled_from(PEOPLE),
    at=st.integers(0, 9),
    queue=st.sampled_from(QUEUES),
    id=st.integers(0, 2**64 - 1).map("{:016x}".format),
)


@st.composite
def records(draw):
    """Labels, some of them undone, and an undo whose label is in no copy."""
    given = draw(st.lists(some_labels, max_size=12))
    undone = draw(st.lists(st.sampled_from(given), unique=True)) if given else []
    gone = [Undo(undoes="0" * 16, by="Bo")] if draw(st.booleans()) else []
    return [*given, *(Undo(undoes=one.id, by=one.by) for one in undone), *gone]


@given(records(), st.randoms(), st.data())
def test_copies_merge_in_any_order(given, chance, data):
    """Whatever lines come first, in either copy or in both: people say the same."""
    lines = [line_of(one) for one in given]
    twice = data.draw(st.lists(st.sampled_from(lines))) if lines else []
    merged = [*lines, *twice]
    chance.shuffle(merged)
    one, other = labels_of(b"".join(lines)), labels_of(b"".join(merged))
    assert one == other
    assert (one.by_url(), one.people, one.disagreements) == (
        other.by_url(),
        other.people,
        other.disagreements,
    )


@given(records())
def test_each_persons_newest_label_counts_and_people_vote(given):
    """By a plain recount, page by page, whatever the spelling of its URL."""
    undone = {one.undoes for one in given if isinstance(one, Undo)}
    kept = [one for one in given if isinstance(one, Label) and one.id not in undone]
    found = {one.url: one for one in labels_of(b"".join(map(line_of, given))).by_url().values()}
    pages = {url for url in URLS if any(one.url in SPELLINGS[url] for one in kept)}
    assert len(found) == len(pages)
    for url in pages:
        said = {}
        for one in sorted(kept, key=lambda one: (one.at, one.id, one.url, one.label)):
            if one.url in SPELLINGS[url]:
                said[one.by] = one.label
        (verdict,) = (one for name, one in found.items() if name in SPELLINGS[url])
        yes, no, unsure = (list(said.values()).count(answer) for answer in ("yes", "no", "unsure"))
        assert verdict[2:] == (yes, no, unsure)
        assert verdict.answer is (None if yes == no else yes > no)


@given(some_labels, st.data())
def test_a_line_reads_back(one, data):
    """As the record that was written; so does an undo."""
    assert read_record(line_of(one)) == one
    back = Undo(undoes=one.id, by=one.by)
    assert read_record(line_of(back)) == back
    assert next(iter(json.loads(line_of(one)))) == "id"


def test_a_line_is_as_documented():
    """The very form that other programs build on."""
    written = line_of(label(queue="near", crawl="1", text="0" * 32, id="0123456789abcdef"))
    assert written.decode() == (
        '{"id": "0123456789abcdef", "url": "http://a.org/a", "label": "yes", "by": "Ana", "queue": "near",'
        f' "crawl": "1", "text": "{"0" * 32}", "at": "2026-01-01T00:00:00.000Z"}}\n'
    )
    new = Label(url="http://a.org/", label="no", by="Ana", queue="page")
    assert read_record(line_of(new)) == new


def test_disagreements_have_their_kappa():
    """Cohen's of each two people, on the pages that both decided."""
    said = {"Ana": "yynnu", "Bo": "ynnny"}
    names = {"y": "yes", "n": "no", "u": "unsure"}
    lines = [
        line_of(label(f"http://a.org/{number}", names[answer], by))
        for by, answers in said.items()
        for number, answer in enumerate(answers)
    ]
    found = labels_of(b"".join(lines))
    assert [one.url for one in found.disagreements.pages] == ["http://a.org/1"]
    assert found.disagreements.pairs == (("Ana", "Bo", 4, 3, 0.5),)
    assert found.people == {"Ana": 5, "Bo": 5}


NO_TIMES = [
    "yesterday",
    "2026-99-99T00:00:00.000Z",
    "\u0662\u0660\u0662\u0666-01-31T00:00:00.000Z",  # Arabic digits
    "2026-01-31T00:00:00.000Z\n",
]

FAULTS = {
    "no JSON": "<<<<<<< HEAD",
    "no JSON object": '["http://a.org/"]',
    "id is not made of 16 hex digits": {"id": "7"},
    "url is missing, or no text": {"url": 7},
    "url is no http or https URL": {"url": "javascript:alert(1)"},
    "label is none of yes, no, unsure": {"label": "perhaps"},
    "queue is none of uncertain,": {"queue": "other"},
    "by is no name of 1 to 100 characters": {"by": "a\nb"},
    "at is no time such as": {"at": "yesterday"},
    "text is no checksum": {"text": "sum"},
    "crawl is no name": {"crawl": "a\x1b"},
    "undoes is no id": {"undoes": "all"},
    "it is too long": {"more": "x" * 30_000},
}


@pytest.mark.parametrize("why", FAULTS)
def test_a_line_that_is_no_label_is_reported_and_left_out(why, tmp_path):
    """With its number and what is wrong; the others count."""
    good, fault = line_of(label()).decode(), FAULTS[why]
    bad = fault if isinstance(fault, str) else json.dumps(json.loads(good) | fault)
    (tmp_path / FILE).write_text(f"{good}\r\n{bad}\n{bad}\n{line_of(label(URLS[1])).decode()}")
    found = read_labels(tmp_path)
    assert f"labels.jsonl:3 is no label ({why}" in found.fault
    assert found.fault.endswith(" (and 1 more such lines): left out; fix or delete it")
    assert len(found.by_url()) == 2


@pytest.mark.parametrize("at", NO_TIMES)
def test_a_label_has_a_time(at):
    """It says which one of a person's labels is the newest."""
    with pytest.raises(ValueError, match=r"^at is no time such as"):
        replace(label(), at=at)


@given(st.binary())
def test_any_file_can_be_read(content):
    """Each line is a label, empty, or reported."""
    found = labels_of(content)
    assert len(found.labels) + len(found.faults) <= content.count(b"\n") + 1


def test_deep_nesting_is_no_label():
    """Nor does it end the command."""
    assert labels_of(b"[" * 15_000).faults == ("labels.jsonl:1 is no label (no JSON)",)


def test_files_joined_without_a_line_break_lose_nothing():
    """As `cat` joins them where one has no last line break; with half a line there is nothing to be had."""
    first, second, third = (line_of(label(url)).rstrip() for url in ("http://a.org/?}{", *URLS[:2]))
    found = labels_of(first + b"\n" + second + third)
    assert (set(found.by_url()), found.faults) == ({"http://a.org/?}{", *URLS[:2]}, ())
    found = labels_of(second[:-9] + third)
    assert (len(found.labels), len(found.faults)) == (0, 1)


def test_half_a_line_of_a_killed_writer_is_mended(tmp_path):
    """Wherever it ends: it counts for nothing, and is gone with the next label; a whole one counts."""
    first, torn, last = (label(url) for url in URLS[:3])
    half = line_of(torn)
    for left in range(1, len(half)):
        is_whole = left == len(half) - 1
        (tmp_path / FILE).write_bytes(line_of(first) + half[:left])
        assert len(read_labels(tmp_path).labels) == 1 + is_whole
        append(tmp_path, [last])
        expected = [first, *[torn] * is_whole, last]
        assert (tmp_path / FILE).read_bytes() == b"".join(map(line_of, expected))


@pytest.mark.parametrize("tail", ['{"id": "1", "more": 1}', "by hand", '{"url": "http://a.org/'])
def test_what_no_writer_of_ours_left_is_not_deleted(tail, tmp_path):
    """A last line without its end that is something else stays, and is reported."""
    (tmp_path / FILE).write_text(tail)
    append(tmp_path, [label()])
    assert (tmp_path / FILE).read_bytes() == f"{tail}\n".encode() + line_of(label_in(tmp_path))
    assert len(read_labels(tmp_path).faults) == 1


def label_in(folder):
    (one,) = read_labels(folder).labels
    return one


def test_undo_takes_back_one_label_after_the_other(tmp_path):
    """The newest of that person first; the page is then as it was before; nothing leaves the file."""
    append(tmp_path, [label(answer="no"), label(answer="yes", at=1), label(by="Bo", answer="no", at=2)])
    assert undo(tmp_path, "Ana").label == "yes"
    assert read_labels(tmp_path).by_url()["http://a.org/a"][2:] == (0, 2, 0)
    assert undo(tmp_path, "Ana").label == "no"
    assert undo(tmp_path, "Ana") is None
    assert undo(tmp_path, "Eve") is None
    assert (tmp_path / FILE).read_bytes().count(b"\n") == 5


def run(*words):
    return subprocess.Popen(
        [sys.executable, "-m", "tests.topic.appending", *map(str, words)], stdout=subprocess.PIPE, text=True
    )


def test_nothing_is_lost_by_kill_9(tmp_path):
    """50 writers killed at work, one after the other: all that was acknowledged is there, nothing is half."""
    acknowledged = run(tmp_path, 50).communicate()[0].split()
    append(tmp_path, [label()])
    found = read_labels(tmp_path)
    assert found.faults == ()
    assert len(acknowledged) > 50
    assert {*acknowledged} <= {one.id for one in found.labels}


def test_two_who_append_at_once_lose_nothing(tmp_path):
    """Each label of both is there, whole."""
    writers = [run(tmp_path, 10 + number) for number in range(2)]
    acknowledged = {id for writer in writers for id in writer.communicate()[0].split()}
    append(tmp_path, [label()])
    found = read_labels(tmp_path)
    assert found.faults == ()
    assert acknowledged <= {one.id for one in found.labels}


def test_a_merge_in_between_is_not_written_past(tmp_path):
    """Git puts a new file in the place of the old one: what waits for the old one goes to the new one."""
    append(tmp_path, [label()])
    with (tmp_path / FILE).open("rb") as old:
        fcntl.flock(old, fcntl.LOCK_EX)
        code = (
            "import sys; from pathlib import Path; from focused_crawler.topic.label import Label;"
            "from focused_crawler.topic.labels import append; print('ready', flush=True);"
            "append(Path(sys.argv[1]), [Label(url='http://b.org/', label='no', by='Bo', queue='page')])"
        )
        words = [sys.executable, "-c", code, str(tmp_path)]
        with subprocess.Popen(words, stdout=subprocess.PIPE) as waiting:
            assert waiting.stdout.readline() == b"ready\n"
            (tmp_path / "new").write_bytes(line_of(label(URLS[1])))
            (tmp_path / "new").replace(tmp_path / FILE)
        assert waiting.returncode == 0
    assert set(read_labels(tmp_path).by_url()) == {"http://b.org/", URLS[1]}


def test_git_merges_copies_of_two_people(tmp_path):
    """By the rule that .gitattributes has: what both added is there, and what they took back."""
    rules = Path(__file__).parents[2] / ".gitattributes"

    def git(*words):
        subprocess.run(
            ["git", "-c", "user.name=A", "-c", "user.email=a@a.org", *words], cwd=tmp_path, check=True
        )

    (folder := tmp_path / "topics/bees").mkdir(parents=True)
    (tmp_path / ".gitattributes").write_bytes(rules.read_bytes())
    append(folder, [label(by="Ana")])
    git("init", "--quiet", "--initial-branch=main")
    for branch, by in (("main", ""), ("ana", "Ana"), ("bo", "Bo")):
        git("checkout", "--quiet", "-B", branch, *["main"] * bool(by))
        if by:
            append(folder, [label(URLS[1], "no", by), label(URLS[2], "yes", by, at=1)])
            undo(folder, by)
        git("add", "--all")
        git("commit", "--quiet", "--message", branch)
    git("merge", "--quiet", "ana")
    found = read_labels(folder)
    assert found.faults == ()
    assert {(one.by, one.url) for one in found.labels} == {
        ("Ana", URLS[0]),
        ("Ana", URLS[1]),
        ("Bo", URLS[1]),
    }


def test_one_who_never_lets_go_is_reported(tmp_path, monkeypatch):
    """In one line, after a while."""
    monkeypatch.setattr(module, "_PATIENCE", 0.05)
    with (tmp_path / FILE).open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(TopicError, match=r"labels.jsonl is in use; end who holds it, and try again"):
            append(tmp_path, [label()])


def test_a_full_file_is_reported_and_nothing_is_half_written(tmp_path, monkeypatch):
    """So is one that is too large to be read."""
    append(tmp_path, [label()])
    before = (tmp_path / FILE).read_bytes()
    monkeypatch.setattr(module, "MOST_BYTES", len(before) + 10)
    with pytest.raises(TopicError, match=r"labels.jsonl is larger than .* bytes"):
        append(tmp_path, [label()])
    assert (tmp_path / FILE).read_bytes() == before
    monkeypatch.setattr(module, "MOST_BYTES", len(before) - 1)
    with pytest.raises(TopicError, match="is larger than"):
        read_labels(tmp_path)


def test_what_is_no_plain_file_is_reported(tmp_path):
    """A pipe would be waited for without end."""
    os.mkfifo(tmp_path / FILE)
    for action in (lambda: read_labels(tmp_path), lambda: append(tmp_path, [label()])):
        with pytest.raises(TopicError, match=r"labels.jsonl .*plain file"):
            action()


def test_no_room_on_the_disk(tmp_path):
    """A label is there whole or not at all: a limit on the file's size cuts a write short."""
    code = (
        "import resource, signal, sys; from pathlib import Path;"
        "from focused_crawler.topic.label import Label; from focused_crawler.topic.labels import append;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500));"
        "append(Path(sys.argv[1]), [Label(url=f'http://b.org/{n}', label='no', by='Bo', queue='page')"
        " for n in range(9)])"
    )
    append(tmp_path, [label()])
    before = (tmp_path / FILE).read_bytes()
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True)
    assert "TopicError" in done.stderr
    assert "no room is left" in done.stderr
    assert (tmp_path / FILE).read_bytes() == before


def test_the_random_order_is_one_for_all_spellings_and_another_a_topic():
    """A prefix of it depends on the URLs and the topic alone."""
    urls = [f"http://a.org/{number}" for number in range(200)]
    order = sorted(urls, key=lambda url: random_order(url, "asthma"))
    assert order == sorted(urls, key=lambda url: random_order(f"{url}/#top", "asthma"))
    assert order != sorted(urls, key=lambda url: random_order(url, "bees"))
    late = sum(int(url.rpartition("/")[2]) >= 100 for url in order[:100])
    assert 30 < late < 70
