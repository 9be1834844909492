from __future__ import annotations

from pathlib import Path

import pytest

from focused_crawler.crawl.lists.lists import Lists
from tests.crawl.lists.crawls import Found, articles, crawl, site
from tests.crawls.site import write_topic
from tests.project import Done, Scrapy

EVIL = "\x1b[2J[red]best\u202e"


@pytest.fixture
def topic(tmp_path: Path) -> Path:
    return write_topic(tmp_path, "bees", "http://a.org/")


@pytest.fixture
def lists(topic: Path, scrapy: Scrapy, tmp_path: Path):
    """Runs the command on a topic with one crawl counted: two sites, one of them good."""
    web = {**site("a.org", 9), **site("poor.org", 1, other=9), **articles("bad.org", 3, relevant=False)}
    web["http://hub.org/links"] = Found((*articles("a.org", 9), *articles("poor.org", 1)), relevant=False)
    folder = crawl(tmp_path / "1", web)

    def run(*words: object) -> Done:
        return scrapy.run("lists", topic, *words)

    done = run("--update", folder)
    assert (done.code, done.out) == (0, "1 counted: 25 pages, 12 relevant\n")
    return run


def test_shows_what_is_kept(lists) -> None:
    """What is not is counted."""
    done = lists()
    assert done.code == 0, done.err
    for words in (
        "1 crawl counted: 1 (",
        "Sites: 1, 3 more with --all",
        "Hubs: 1, 2 more with --all",
        "http://hub.org/links",
        "a.org",
    ):
        assert words in done.out
    assert "poor.org" not in done.out


def test_urls_have_lines_of_their_own(lists) -> None:
    """However long: they can be copied, and a narrow terminal breaks no number."""
    url = f"http://hub.org/{'long' * 30}"
    lists("--keep", url, "--note", "by hand")
    lines = [line.strip() for line in lists().out.splitlines()]
    first = lines.index("http://hub.org/links")
    assert lines[first - 1].split() == ["10", "10", "2", "1"]
    assert lines[lines.index(url) - 1].split()[-1] == "kept"
    assert lines[lines.index(url) + 1] == "by hand"


def test_all_shows_the_rest(lists) -> None:
    """With its numbers."""
    out = lists("--all").out
    assert "Sites: 4" in out
    assert "poor.org" in out


def test_marks_are_shown_and_escaped(lists, topic: Path) -> None:
    """A note says what it says, and steers no terminal."""
    done = lists(
        "--keep", "poor.org", "--ban", "https://www.a.org/", "--ban", "http://hub.org/links", "--note", EVIL
    )
    assert done.out == "poor.org is kept\na.org is banned\nhttp://hub.org/links is banned\n"
    out = lists().out
    assert [out.count(word) for word in ("kept", "banned", "[red]best\\u202e")] == [1, 2, 3]
    assert not {"\x1b", "\u202e"} & set(out)


def test_export_and_import(lists, tmp_path: Path) -> None:
    """What a person changed in the file is what counts."""
    file = tmp_path / "sites.csv"
    assert lists("--export", file).out == f"{file}\n"
    assert "site,a.org,,,yes,1,10,10,1.0000\n" in file.read_text()
    file.write_text(file.read_text().replace("site,a.org,,", "site,a.org,banned,"))
    assert lists("--import", file).out == "7 rows read\n"
    assert "banned" in lists().out


def test_counting_again_changes_nothing_and_forgetting_does(lists, tmp_path: Path) -> None:
    """A crawl is one crawl."""
    before = lists("--all").out
    lists("--update", tmp_path / "1")
    assert lists("--all").out == before
    assert lists("--forget", tmp_path / "1").out == "1 crawl forgotten\n"
    assert "No crawl counted yet." in lists().out


def test_a_list_may_begin_by_hand(topic: Path, scrapy: Scrapy) -> None:
    """Before there was any crawl."""
    done = scrapy.run("lists", topic, "--keep", "new.org", "--note", "said Ann")
    assert (done.code, done.out) == (0, "new.org is kept\n")
    with Lists(topic / "lists.db", read_only=True) as lists:
        assert [(one.site, one.note) for one in lists.sites()] == [("new.org", "said Ann")]


def test_models_move_the_lists(lists, tmp_path: Path) -> None:
    """FOCUSED_MODELS names where they lie."""
    lists("--keep", "new.org", "-s", f"FOCUSED_MODELS={tmp_path / 'models'}")
    assert (tmp_path / "models/bees/lists.db").is_file()
    assert "new.org" not in lists("--all").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "bees has no lists yet: a crawl of the live web makes them"),
        (("--note", "x"), "name it with --keep SITE or --ban SITE"),
        (("--keep", "no site"), "'no site' is no site; give a host"),
        (("--keep", "http://www.a.org/", "--ban", "A.org"), "is to be both kept and banned; leave --keep or"),
        (("--keep", "http://a.org/x", "--ban", "http://www.a.org/x/"), "is to be both kept and banned"),
        (("--keep", f"{'x' * 100_000}!"), "... is no site; give a host"),
        (("--update", "nowhere"), "nowhere holds no crawl"),
        (("more",), "name one topic"),
    ],
)
def test_what_is_wrong_is_one_line(words, said, topic: Path, scrapy: Scrapy) -> None:
    """With the cure, and without a file."""
    done = scrapy.run("lists", topic, *words)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err
