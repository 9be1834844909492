"""Topics are found by name or path, read strictly, and complain in one line with the cure."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from focused_crawler.safety.errors import TopicError
from focused_crawler.topic.folders import topics_folder
from focused_crawler.topic.topic import Topic, load_topic, topic_names, typed
from tests.project import ROOT

SMALL = """\
name = "asthma"
keywords = ["asthma"]
seeds = ["https://en.wikipedia.org/wiki/Asthma"]
"""
FULL = """\
name = "asthma"
title = "Asthma"
description = \"\"\"
The airways.
seeds = "none"
\"\"\"
language = "en"
keywords = ["asthma", "peak flow", "asthma"]
seeds = [
    "https://en.wikipedia.org/wiki/Asthma",  # encyclopedia
    'http://example.org/?a=1&b=2',
]
targets = "targets.txt"
profile = "polite"
strategy = "lpe"

[seed_sets]
a = ["https://a.example/"]
"set b" = ["https://b.example/", "https://c.example/"]

[examples]
relevant = ["https://r.example/", "saved/one.html"]
other = ["https://o.example/"]

[thresholds]
relevance = 0.6
link = 0

[taxonomy]
good = ["health/asthma", "health/lungs"]
"""
NO_URL = ' is no http or https URL; write it like "https://www.example.org/page"'
NO_TOML = "; every text stands in quotes, every list in [ ] with commas between its items"
OUTSIDE = " lies outside its folder; copy the file into it"
ALL_KEYS = (
    "name, title, description, language, keywords, seeds, targets, profile, strategy, "
    "seed_sets, examples, thresholds, taxonomy, scope, rules"
)
NEITHER = 'neither keywords nor relevant examples; say what it is about: keywords = ["..."]'
CLASH = """"]
[examples]
relevant = ["https://a.example/x"]
other = [
    "https://b.example/",
    "http://www.a.example/x/"]
"""
REAL_TOPICS = sorted(Path("../shared/webs").glob("*.topics/*/topic.toml"))


def make(folder: Path, text: str = SMALL) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "topic.toml").write_text(text, encoding="utf-8")
    return folder


def make_full(folder: Path) -> Path:
    make(folder, FULL)
    for name in ("saved/one.html", "examples/relevant/two.html", "examples/other/three.htm"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("<p>page</p>", encoding="utf-8")
    (folder / "targets.txt").write_text(
        "# known\nhttps://t.example/1\n\nhttps://t.example/2\n", encoding="utf-8"
    )
    return folder


def message_of(name_or_path: str | Path, topics_dir: Path | None = None) -> str:
    with pytest.raises(TopicError) as caught:
        load_topic(str(name_or_path), topics_dir)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_every_key_is_read(tmp_path):
    """All that a topic.toml may hold arrives in the Topic."""
    folder = make_full(tmp_path / "asthma")
    assert load_topic(str(folder)) == Topic(
        name="asthma",
        folder=folder,
        title="Asthma",
        description='The airways.\nseeds = "none"\n',
        language="en",
        keywords=("asthma", "peak flow"),
        seeds=("https://en.wikipedia.org/wiki/Asthma", "http://example.org/?a=1&b=2"),
        seed_sets={"a": ("https://a.example/",), "set b": ("https://b.example/", "https://c.example/")},
        relevant_examples=("https://r.example/", "saved/one.html", "examples/relevant/two.html"),
        other_examples=("https://o.example/", "examples/other/three.htm"),
        targets=("https://t.example/1", "https://t.example/2"),
        profile="polite",
        strategy="lpe",
        relevance_threshold=0.6,
        link_threshold=0.0,
        good_categories=("health/asthma", "health/lungs"),
    )


def test_what_is_not_written_has_a_default(tmp_path):
    """Name, keywords and seeds are enough."""
    folder = make(tmp_path / "hay-fever", SMALL.replace("asthma", "hay-fever"))
    topic = load_topic(str(folder))
    assert (topic.title, topic.description, topic.language) == ("Hay fever", "", "en")
    assert (topic.relevant_examples, topic.targets, topic.seed_sets) == ((), (), {})
    assert (topic.strategy, topic.profile, topic.relevance_threshold, topic.link_threshold) == (None,) * 4


@pytest.mark.parametrize("how", ["asthma", "topics/asthma", "topics/asthma/", "./topics/asthma/topic.toml"])
def test_name_folder_and_file_mean_the_same_topic(tmp_path, monkeypatch, how):
    """A user may type whichever is at hand."""
    monkeypatch.chdir(tmp_path)
    folder = make(tmp_path / "topics" / "asthma")
    assert load_topic(how, Path("topics")).folder == folder


def test_folder_one_stands_in_is_a_topic(tmp_path, monkeypatch):
    """A dot is a path as good as any."""
    monkeypatch.chdir(make(tmp_path / "asthma"))
    assert load_topic(".").name == "asthma"


def test_windows_editors_may_save_it(tmp_path):
    """A byte order mark and \\r\\n do no harm, not even to line numbers."""
    folder = make(tmp_path / "asthma")
    text = SMALL.replace("https", "ftp").replace("\n", "\r\n")
    (folder / "topic.toml").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert "topic.toml:3: seeds: 'ftp://en.wikipedia.org/wiki/Asthma'" in message_of(folder)


def test_unknown_topic_names_the_nearest(tmp_path):
    """A slip of the finger is answered with what was meant."""
    make(tmp_path / "asthma")
    make(tmp_path / "linux")
    assert message_of("astma", tmp_path) == (
        "no topic 'astma'; did you mean asthma? "
        "(see scrapy list; scrapy newtopic astma --keyword WORD makes one)"
    )
    assert message_of("Quantum Physics", tmp_path) == (
        "no topic 'Quantum Physics' (see scrapy list; scrapy newtopic NAME --keyword WORD makes one)"
    )


@pytest.mark.parametrize("name", ["", "nope", "a\0b", "x" * 5000, "né", "\ud800"])
def test_any_text_can_be_asked_for(tmp_path, name):
    """Whatever is typed, the answer is one line."""
    assert message_of(name, tmp_path).startswith("no topic ")


@pytest.mark.parametrize("path", ["../asthma", "nowhere/asthma", "/nowhere/asthma/topic.toml"])
def test_path_to_nothing_says_so(tmp_path, monkeypatch, path):
    """A wrong path is answered with that path, not with a list of names."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert message_of(path, tmp_path).endswith(
        "topic.toml: not found; give the folder that holds a topic.toml"
    )


def test_names_are_folders_with_a_topic_file(tmp_path):
    """Other folders and files between the topics are no topics."""
    make(tmp_path / "linux")
    make(tmp_path / "asthma")
    make(tmp_path / "Not A Name")
    (tmp_path / "__pycache__").mkdir()
    assert topic_names(tmp_path) == ["asthma", "linux"]


def test_seed_set_is_chosen_by_name(tmp_path):
    """Without a name `seeds` are meant; a wrong name is told the right ones."""
    topic = load_topic(str(make_full(tmp_path / "asthma")))
    assert topic.seeds_of(None) == topic.seeds
    assert topic.seeds_of("a") == ("https://a.example/",)
    with pytest.raises(TopicError, match=r"^topic asthma has no seed set 'z'; its seed sets: a, set b$"):
        topic.seeds_of("z")
    alone = replace(topic, seed_sets={"b": ("https://b.example/",)})
    assert alone.seeds_of("a") == topic.seeds != topic.seeds_of("a")  # as experiments call them


@pytest.mark.parametrize("written", ["", "seeds = []\n"])
def test_topic_may_have_no_start_pages(tmp_path, monkeypatch, written):
    """A user may come with words alone: the topic reads well, and a crawl of it says what finds some."""
    monkeypatch.chdir(tmp_path)
    make(tmp_path / "asthma", 'name = "asthma"\nkeywords = ["asthma"]\n' + written)
    topic = load_topic("./asthma")
    assert topic.seeds == ()
    with pytest.raises(TopicError, match=r"^asthma has no start pages; scrapy seeds asthma finds some$"):
        topic.seeds_of(None)


def test_topic_is_typed_as_it_is_found(tmp_path, monkeypatch):
    """Its name where it lies among the project's topics, a path elsewhere, quoted for the shell."""
    monkeypatch.chdir(tmp_path)
    assert typed(load_topic("corrosion")) == "corrosion"
    make(tmp_path / "my topics" / "asthma")
    assert typed(load_topic("my topics/asthma")) == "'my topics/asthma'"


BROKEN = [
    # what is put into a good file (old, new), the line and the message
    (('name = "asthma"', ""), 1, 'no name; write name = "asthma", as the folder is called'),
    (
        ('"asthma"\nk', '"Hay Fever"\nk'),
        1,
        "name 'Hay Fever' is not made of a-z, 0-9 and - alone (64 at most); write hay-fever",
    ),
    (('"asthma"\nk', '"linux"\nk'), 1, "name is 'linux', the folder 'asthma'; give both the same name"),
    (('"asthma"\nk', '"topic"\nk'), 1, "name 'topic' is the spider of all topics; choose another"),
    (("keywords", "keyword"), 2, "unknown key 'keyword'; did you mean keywords?"),
    (("keywords", "zzz"), 2, "unknown key 'zzz'; the keys are " + ALL_KEYS),
    (("keywords", "relevant"), 2, "unknown key 'relevant'; it belongs in [examples]"),
    (
        ("seeds", "[examples]\nseeds"),
        4,
        "unknown key 'seeds' in [examples]; it belongs at the top, above the first [table]",
    ),
    (
        ("seeds =", "examples.relevent = []\nseeds ="),
        3,
        "unknown key 'relevent' in [examples]; did you mean relevant?",
    ),
    (
        ("seeds =", "examples = { other = [], tother = [] }\nseeds ="),
        3,
        "unknown key 'tother' in [examples]; did you mean other?",
    ),
    (("seeds =", "examples = 5\nseeds ="), 3, "examples is a number; write it as a table: [examples]"),
    (('["asthma"]', '"asthma"'), 2, 'keywords is text; write a list: keywords = ["..."]'),
    (('["asthma"]', '["asthma",\n# two\n7]'), 2, 'keywords holds a number; write each item as text: "..."'),
    (('["asthma"]', '["asthma", "  "]'), 2, "keywords holds an empty text; remove it"),
    (('keywords = ["asthma"]', ""), 1, NEITHER),
    (("https://en", "ftp://en"), 3, "seeds: 'ftp://en.wikipedia.org/wiki/Asthma'" + NO_URL),
    (
        ('["https', '[\n  "https://a.example/",\n\n  # and\n  "www.b.example",\n  "https'),
        7,
        "seeds: 'www.b.example'" + NO_URL,
    ),
    (("name =", "title = 2020-01-01\nname ="), 1, 'title is a date or time; write it as text: title = "..."'),
    (("name =", "title = ''\nname ="), 1, "title is empty; write something or remove the line"),
    (
        ("name =", "language = 'english'\nname ="),
        1,
        'language \'english\' is no ISO 639 code; write two letters, as "en" or "de"',
    ),
    (
        ("name =", f"language = 'sl{'-rozaj' * 2000}'\nname ="),
        1,
        f'language \'sl{"-rozaj" * 15}-roz... is no ISO 639 code; write two letters, as "en" or "de"',
    ),
    (("name =", 'thresholds.link = "0.5"\nname ='), 1, "link is text; write a number from 0 to 1, as 0.5"),
    (
        ("name =", "thresholds.link = true\nname ="),
        1,
        "link is true or false; write a number from 0 to 1, as 0.5",
    ),
    (
        ('Asthma"]\n', '"]\n\n[thresholds] # x\n\nrelevance = 1.5\n'),
        7,
        "relevance is 1.5; use a number from 0 to 1",
    ),
    (('Asthma"]\n', '"]\n[thresholds]\nrelevance = nan\n'), 5, "relevance is nan; use a number from 0 to 1"),
    (
        ("name =", f"thresholds.link = 1{'0' * 400}\nname ="),
        1,
        f"link is 1{'0' * 96}...; use a number from 0 to 1",
    ),
    (
        ("name =", f"thresholds.link = 0x{'f' * 5000}\nname ="),
        1,
        "link is a number of thousands of digits; use a number from 0 to 1",
    ),
    (
        ("name =", 'scope.hosts = ["a\\nb"]\nname ='),
        1,
        "hosts: host 'a\\nb' is not written as links are; write \"ab\"",
    ),
    (
        ('Asthma"]\n', '"]\n[seed_sets]\na = []\n'),
        5,
        'a names no start page; write a = ["https://www.example.org/"]',
    ),
    (('Asthma"]\n', "\"]\n[seed_sets]\na = ['x:y']\n"), 5, "a: 'x:y'" + NO_URL),
    (
        ('wiki/Asthma"]\n', CLASH),
        8,
        "'http://www.a.example/x/' is a relevant and an other example; remove it from one of them",
    ),
    (("name =", 'examples.other = ["../../secret.html"]\nname ='), 1, "other: '../../secret.html'" + OUTSIDE),
    (("name =", 'examples.other = ["/etc/hosts.html"]\nname ='), 1, "other: '/etc/hosts.html'" + OUTSIDE),
    (
        ("name =", 'examples.other = ["file:///etc/passwd"]\nname ='),
        1,
        "other: 'file:///etc/passwd'" + NO_URL,
    ),
    (("name =", 'targets = "../relevant.txt"\nname ='), 1, "targets: '../relevant.txt'" + OUTSIDE),
    (("name =", 'targets = ["nothing"]\nname ='), 1, "targets: 'nothing'" + NO_URL),
    (
        ('Asthma"]\n', '"]\n[taxonomy]\ngood = ["health",\n"../Health/model"]\n'),
        6,
        "good: category '../Health/model' is not made of names of a-z, 0-9 and - with / between;"
        " write health/model-pages",
    ),
    (('["asthma"]', '["asthma"'), 3, "no valid TOML: unclosed array at column 1" + NO_TOML),
    (('Asthma"]', 'Asthma"'), 3, "no valid TOML: unclosed array" + NO_TOML),
    (('"asthma"\nk', "asthma\nk"), 1, "no valid TOML: invalid value at column 8" + NO_TOML),
    (("seeds", "keywords"), 3, "no valid TOML: cannot overwrite a value at column 52" + NO_TOML),
]


@pytest.mark.parametrize(
    ("change", "line", "message"), BROKEN, ids=[message[:40] for _, _, message in BROKEN]
)
def test_broken_file_names_line_and_cure(tmp_path, monkeypatch, change, line, message):
    """Every mistake is answered with its place, what is wrong and what would be right."""
    monkeypatch.chdir(tmp_path)
    assert change[0] in SMALL
    make(tmp_path / "asthma", SMALL.replace(*change, 1))
    assert message_of("./asthma") == f"asthma/topic.toml:{line}: {message}"


def test_missing_example_page_is_named(tmp_path, monkeypatch):
    """The error points at the line and says which file it looked for."""
    monkeypatch.chdir(tmp_path)
    make(tmp_path / "asthma", SMALL + '[examples]\nother = ["lost.html"]\n')
    expected = (
        "asthma/topic.toml:5: other: asthma/lost.html does not exist; save the page there or leave it out"
    )
    assert message_of("./asthma") == expected


def test_link_out_of_the_folder_is_refused(tmp_path):
    """A symbolic link among the examples may not read other files."""
    folder = make(tmp_path / "asthma")
    (tmp_path / "secret.html").write_text("secret", encoding="utf-8")
    (folder / "examples" / "relevant").mkdir(parents=True)
    (folder / "examples" / "relevant" / "page.html").symlink_to(tmp_path / "secret.html")
    assert "asthma: 'examples/relevant/page.html' lies outside its folder" in message_of(folder)
    (folder / "examples" / "relevant" / "page.html").unlink()
    (folder / "examples" / "relevant" / "page.html").symlink_to("page.html")
    assert "'examples/relevant/page.html' lies outside its folder" in message_of(folder)


def test_same_page_in_other_spelling_is_one_example(tmp_path):
    """A saved page that is named and lies in examples/ counts once."""
    text = SMALL + '[examples]\nrelevant = ["./examples/relevant/../relevant/a.html"]\n'
    folder = make(tmp_path / "asthma", text)
    (folder / "examples" / "relevant").mkdir(parents=True)
    (folder / "examples" / "relevant" / "a.html").write_text("a", encoding="utf-8")
    assert load_topic(str(folder)).relevant_examples == ("examples/relevant/a.html",)


def test_large_files_are_refused(tmp_path):
    """Neither a huge topic.toml nor a huge example page is read."""
    folder = make(tmp_path / "asthma", "#" * 1_000_001)
    assert message_of(folder).endswith("is larger than 1,000,000 bytes; keep it below")
    make(folder)
    (folder / "examples" / "other").mkdir(parents=True)
    (folder / "examples" / "other" / "big.html").write_bytes(b"x" * 4_000_001)
    assert message_of(folder).endswith("is larger than 4,000,000 bytes; choose a smaller page")


def test_broken_line_of_targets_is_named(tmp_path, monkeypatch):
    """The targets' file has line numbers of its own."""
    monkeypatch.chdir(tmp_path)
    folder = make(tmp_path / "asthma", 'targets = "known.txt"\n' + SMALL)
    assert message_of("./asthma") == "asthma/known.txt: cannot be read: No such file or directory"
    (folder / "known.txt").write_text("https://a.example/\n\nnonsense\n", encoding="utf-8")
    assert message_of("./asthma").startswith("asthma/known.txt:3: 'nonsense' is no http or https URL")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b'name = "asthma"\ntitle = "\xff"\n', ":2: is not UTF-8; save the file with that encoding"),
        (b"keywords = " + b"[" * 100_000, ": is nested too deeply; write plain lists of strings"),
        (b"title = " + b"9" * 5_000, ":1: no valid TOML: exceeds the limit"),
    ],
    ids=["latin-1", "brackets", "digits"],
)
def test_hostile_bytes_end_in_one_line(tmp_path, content, expected):
    """What breaks a parser is an error like any other."""
    folder = make(tmp_path / "asthma")
    (folder / "topic.toml").write_bytes(content)
    assert f"topic.toml{expected}" in message_of(folder)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_unreadable_file_is_named(tmp_path):
    """A missing permission is said as such."""
    folder = make(tmp_path / "asthma")
    (folder / "topic.toml").chmod(0)
    assert message_of(folder).endswith("topic.toml: cannot be read: Permission denied")


@pytest.mark.skipif(not REAL_TOPICS, reason="the real webs are not here")
@pytest.mark.parametrize("path", REAL_TOPICS, ids=lambda path: path.parent.name)
def test_topics_of_the_real_webs_load(path):
    """The schema is the one the virtual webs use."""
    topic = load_topic(str(path.parent))
    assert len(topic.relevant_examples) == 30
    assert len(topic.other_examples) == 60
    assert topic.seeds_of("a") == topic.seeds
    assert not topic.targets


def test_topics_are_read_out_of_an_egg(tmp_path):
    """On a scrapyd server the topics lie in a zip file."""
    with zipfile.ZipFile(tmp_path / "project.egg", "w") as egg:
        for path in (ROOT / "focused_crawler").rglob("*.py"):
            egg.write(path, path.relative_to(ROOT))
        egg.writestr("focused_crawler/shipped/topics/asthma/topic.toml", SMALL)
    code = "from focused_crawler.topic.topic import *; print(topic_names(), load_topic('asthma').keywords)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "project.egg"), "XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "['asthma'] ('asthma',)\n", done.stderr


def test_topics_folder_is_the_projects(tmp_path, monkeypatch):
    """It lies beside scrapy.cfg, however deep one stands below; without a project, in the working folder."""
    monkeypatch.delenv("FOCUSED_TOPICS", raising=False)
    assert topics_folder() == Path("topics").resolve()
    monkeypatch.chdir("docs/explanation/strategies")
    assert topics_folder() == ROOT / "topics"
    monkeypatch.chdir(tmp_path)
    assert topics_folder() == tmp_path / "topics"


def test_a_users_topic_comes_before_one_that_ships(tmp_path, monkeypatch):
    """By its name alone, wherever the user's folder is; all others are still there."""
    monkeypatch.setenv("FOCUSED_TOPICS", str(tmp_path))
    (tmp_path / "asthma").mkdir()
    (tmp_path / "asthma/topic.toml").write_text(SMALL)
    monkeypatch.chdir(tmp_path)
    assert load_topic("asthma").folder == tmp_path / "asthma"
    assert typed(load_topic("asthma")) == "asthma"
    assert typed(load_topic(str(ROOT / "topics/asthma"))) == str(ROOT / "topics/asthma")
    assert load_topic("linux").folder == ROOT / "topics/linux"
    assert topic_names().count("asthma") == 1
