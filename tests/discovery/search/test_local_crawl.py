"""A search over a crawl knows what the crawl knows now, whatever became of its index."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from filelock import FileLock

from focused_crawler.crawl.steering.revisit_store import RevisitStore
from focused_crawler.discovery.search import crawl_index as crawl_index_module
from focused_crawler.discovery.search.local import FILE, LocalSearch, search_crawl
from focused_crawler.page.model import Outline, Page, Sections
from focused_crawler.page.stored_text import stored_text
from focused_crawler.safety.errors import CrawlError, SearchError
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import RunInfo, write_run
from focused_crawler.store.opening import open_crawl_database
from focused_crawler.store.pages import PageStore
from tests.postgresql import Server


def record(url: str, text: str, relevance: float = 0.9, title: str = "", **more: str) -> PageItem:
    page = Page(url, "", text, Sections(), Outline(is_heading=False))
    is_relevant = relevance >= 0.5
    return PageItem(
        url=url, fetched_at=1.0, relevance=relevance, is_relevant=is_relevant, title=title,
        text=stored_text(page), **more,
    )  # fmt: skip


class Crawl:
    """A crawl under way."""

    def __init__(self, folder: Path, address: str = "", language: str = "en") -> None:
        self.folder = folder
        self.run = RunInfo("bees", "Bees", "1", "lpe", "", None, trained=True, database=address)
        self.run.language = language
        folder.mkdir(exist_ok=True)
        self.database = open_crawl_database(folder, address, self.run)
        write_run(folder, self.run)
        self.store = PageStore(self.database)
        self.number = self.store.begin_run({}, {})
        self.database.commit()

    def add(self, *pages: PageItem) -> None:
        for page in pages:
            assert self.store.record_page(page)
        self.database.commit()

    def revisit(self, url: str, found: PageItem | None = None, *, is_gone: bool = False) -> None:
        """Look at a page again: it has changed, is gone, or is as it was."""
        revisits = RevisitStore(self.database, self.store)
        known = revisits.known(url)
        assert known is not None
        if found is not None:
            revisits.changed(known, time.time(), self.number, found)
        elif is_gone:
            revisits.missed(known, time.time(), self.number, is_gone=True)
        else:
            revisits.unchanged(known, time.time(), self.number, (None, None))
        self.database.commit()

    def found(self, query: str, n: int = 10, **more: bool) -> list[str]:
        """Return the URLs that a search finds now."""
        with closing(search_crawl(self.folder, **more)) as search:
            return [result.url for result in search.search(query, n)]


@pytest.fixture(params=["sqlite", "postgresql"])
def crawl(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Crawl]:
    """On each kind of database."""
    if request.param == "sqlite":
        crawl = Crawl(tmp_path / "1")
        yield crawl
        crawl.database.close()
        return
    server: Server = request.getfixturevalue("postgresql")
    crawl = Crawl(tmp_path / "1", server.address)
    yield crawl
    crawl.database.close()
    server.drop(crawl.run.schema)


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Crawl]:
    """Two pages, on SQLite."""
    crawl = Crawl(tmp_path / "1")
    crawl.add(record("http://a.org/1", "Bees make honey."), record("http://a.org/2", "Wasps do not.", 0.1))
    yield crawl
    crawl.database.close()


def test_pages_are_found_as_the_crawl_goes_on(crawl: Crawl) -> None:
    """Beside the writer, with what it has committed."""
    crawl.add(record("http://a.org/1", "Bees make honey.", title="Of bees"))
    assert crawl.found("honey") == ["http://a.org/1"]
    crawl.add(record("http://a.org/2", "Honey and wax."), record("http://a.org/3", ""))
    assert sorted(crawl.found("honey")) == ["http://a.org/1", "http://a.org/2"]
    crawl.store.record_page(record("http://a.org/4", "Honey, not committed."))
    assert len(crawl.found("honey")) == 2


def test_revisits(crawl: Crawl) -> None:
    """A changed page is found by its new words, one that is gone not at all, until it is back."""
    crawl.add(*(record(f"http://a.org/{number}", f"Honey of kind{number}.") for number in range(1, 5)))
    assert len(crawl.found("honey")) == 4
    crawl.revisit("http://a.org/1", record("http://a.org/1", "Wax.", 0.1))
    crawl.revisit("http://a.org/2", is_gone=True)
    crawl.revisit("http://a.org/3")
    assert sorted(crawl.found("honey")) == ["http://a.org/3", "http://a.org/4"]
    assert crawl.found("wax") == ["http://a.org/1"]
    assert crawl.found("wax", only_relevant=True) == []
    crawl.revisit("http://a.org/2")
    assert sorted(crawl.found("honey")) == ["http://a.org/2", "http://a.org/3", "http://a.org/4"]


def test_copies_are_left_out(crawl: Crawl) -> None:
    """The page that was found first stands for them."""
    copy = record("http://b.org/", "Honey.", duplicate_of="http://a.org/")
    crawl.add(record("http://a.org/", "Honey."), copy)
    assert crawl.found("honey") == ["http://a.org/"]


def test_results(small: Crawl) -> None:
    """Title and snippet come with a page."""
    small.add(record("http://a.org/3", "Drones make none.", title="Drones"))
    with closing(search_crawl(small.folder)) as search:
        (result,) = search.search("drone", 1)
        assert (result.url, result.title, result.snippet) == ("http://a.org/3", "Drones", "Drones make none.")
        with pytest.raises(SearchError, match="has no word that pages could be told apart by"):
            search.search("the of -bees", 1)


def test_only_relevant_pages(small: Crawl) -> None:
    """Those that the crawl's classifier took for relevant."""
    small.add(record("http://a.org/3", "Honey? No.", 0.2))
    assert len(small.found("honey")) == 2
    for words in ("honey", "honey and comb"):  # in every step of the search
        assert small.found(words, only_relevant=True) == ["http://a.org/1"]
    small.database.execute("UPDATE pages SET is_relevant = 1 - is_relevant")  # as all pages are judged anew
    small.database.commit()
    for words in ("honey", "honey and comb"):
        assert small.found(words, only_relevant=True) == ["http://a.org/3"]
    small.add(*(record(f"http://a.org/1{number}", "Honey, honey.", 0.1 + number % 2) for number in range(40)))
    found = small.found("honey", only_relevant=True)
    assert found == small.found("honey", 40, only_relevant=True)[:10]
    assert len(small.found("honey", 40, only_relevant=True)) == 21


def test_words_are_read_by_the_language_of_the_crawl(tmp_path: Path) -> None:
    """As run.json has it; when the language is another, the index is made again."""
    crawl = Crawl(tmp_path / "1", language="de")
    crawl.add(record("http://a.de/", "Viele Häuser"))
    assert crawl.found("Haus") == ["http://a.de/"]
    crawl.run.language = "en"
    write_run(crawl.folder, crawl.run)
    assert crawl.found("Haus") == []
    assert crawl.found("Häuser") == ["http://a.de/"]
    crawl.database.close()


def overwritten(path: Path) -> None:
    path.write_bytes(b"no database at all\n" * 500)


def damaged_inside(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))


def newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE made_from SET version = version + 1")
        db.execute("DELETE FROM page")
        db.commit()


def much_newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("DROP TABLE made_from")
        db.execute("CREATE TABLE made_from (format TEXT)")
        db.commit()


def of_rubbish(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE made_from SET position = 'x', revisit = NULL")
        db.commit()


def without_words(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("DROP TABLE words")
        db.commit()


def emptied(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize(
    "harm",
    [Path.unlink, emptied, overwritten, damaged_inside, newer, much_newer, of_rubbish, without_words],
)
def test_an_index_that_does_not_fit_is_made_again(small: Crawl, harm: Callable[[Path], None]) -> None:
    """Whatever became of it."""
    assert small.found("honey") == ["http://a.org/1"]
    harm(small.folder / FILE)
    assert small.found("honey") == ["http://a.org/1"]
    assert small.found("wasp") == ["http://a.org/2"]


def test_damage_met_during_a_search(small: Crawl) -> None:
    """The index is made again, and the search goes on."""
    with closing(search_crawl(small.folder)) as search:
        with closing(sqlite3.connect(small.folder / FILE)) as db:
            db.execute("DELETE FROM words_data")
            db.commit()
        assert [result.url for result in search.search("honey", 5)] == ["http://a.org/1"]


def test_another_crawl_in_the_same_folder(small: Crawl) -> None:
    """Its pages are not mixed up with those of the one before."""
    assert small.found("honey") == ["http://a.org/1"]
    small.database.close()
    for path in small.folder.glob("crawl.db*"):
        path.unlink()
    other = Crawl(small.folder)
    other.add(
        record("http://b.org/1", "Wax."), record("http://b.org/2", "Honey."), record("http://b.org/3", "x")
    )
    assert other.found("honey") == ["http://b.org/2"]
    other.database.close()


def test_a_worn_index_is_made_again(small: Crawl) -> None:
    """So that it does not grow with every revisit."""
    assert small.found("honey") == ["http://a.org/1"]
    with closing(sqlite3.connect(small.folder / FILE)) as db:
        db.execute("UPDATE sqlite_sequence SET seq = 5000")
        db.commit()
    assert small.found("honey") == ["http://a.org/1"]
    with closing(sqlite3.connect(small.folder / FILE)) as db:
        assert db.execute("SELECT max(id) FROM page").fetchone() == (2,)


def test_a_folder_that_cannot_be_written_to(small: Crawl, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index is the search's own, and leaves nothing behind."""

    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(crawl_index_module, "FileLock", refuse)
    assert small.found("honey") == ["http://a.org/1"]
    assert not (small.folder / FILE).exists()


def test_a_file_that_cannot_be_written(small: Crawl) -> None:
    """Is told in one line."""
    (small.folder / FILE).mkdir()
    with pytest.raises(CrawlError, match=r"search\.db cannot be written .* or move it away$"):
        search_crawl(small.folder)


KILLED = """
import os, sys
from pathlib import Path
from focused_crawler.discovery.search import crawl_index
from focused_crawler.discovery.search.local import search_crawl
crawl_index._CHUNK = 10
add, done = crawl_index.TextIndex.add, []
def killed(self, documents):
    def passed():
        for document in documents:
            if document.page == 25:
                os.kill(os.getpid(), 9)
            yield document
    add(self, passed())
crawl_index.TextIndex.add = killed
search_crawl(Path(sys.argv[1]))
"""


def test_killed_in_the_middle(small: Crawl) -> None:
    """What was committed stays, and the next search goes on from there."""
    small.add(*(record(f"http://a.org/{number}", f"Honey {number}.") for number in range(3, 31)))
    done = subprocess.run([sys.executable, "-c", KILLED, small.folder], check=False)
    assert done.returncode == -9
    assert len(small.found("honey", 100)) == 29
    with closing(sqlite3.connect(small.folder / FILE)) as db:
        assert db.execute("SELECT count(*), max(id) FROM page").fetchone() == (30, 30)


SEARCH = """
import sys
from pathlib import Path
from focused_crawler.discovery.search.local import search_crawl
print(len(search_crawl(Path(sys.argv[1])).search("honey", 1000)))
"""


def test_two_searches_at_once(small: Crawl) -> None:
    """One makes the index, the other waits for it; both find all."""
    small.add(*(record(f"http://a.org/{number}", f"Honey {number}.") for number in range(3, 303)))
    command = [sys.executable, "-c", SEARCH, small.folder]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate(timeout=600)[0] for process in running] == ["301\n"] * 3
    assert len(small.found("honey", 1000)) == 301


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda _: None, "is no crawl's folder"),
        (lambda folder: Crawl(folder).database.close(), "has no pages yet"),
        (lambda folder: without_texts(folder), "has no words of its pages"),
    ],
)
def test_nothing_to_search(tmp_path: Path, make: Callable[[Path], None], message: str) -> None:
    """Is told in one line that says what to do."""
    make(tmp_path / "1")
    with pytest.raises(CrawlError, match=message):
        search_crawl(tmp_path / "1")


def without_texts(folder: Path) -> None:
    crawl = Crawl(folder)
    crawl.add(record("http://a.org/", ""))
    crawl.database.close()


def test_a_text_that_is_damaged(small: Crawl) -> None:
    """Is passed over, before and after it was indexed."""
    small.database.execute("UPDATE page_texts SET text = ? WHERE page = 2", (b"rubbish",))
    small.database.commit()
    assert small.found("wasps") == []
    small.database.execute("UPDATE page_texts SET text = ? WHERE page = 1", (b"rubbish",))
    small.database.commit()
    assert small.found("honey") == []


def test_the_language_of_an_older_crawl(small: Crawl) -> None:
    """Is that of its topic, else English."""
    small.run.language = ""
    write_run(small.folder, small.run)
    assert small.found("bee") == ["http://a.org/1"]


def test_a_search_is_a_provider(small: Crawl) -> None:
    """Named as in settings."""
    with closing(search_crawl(small.folder)) as search:
        assert (LocalSearch.name, search.name) == ("local", "local")


def test_a_copied_folder(small: Crawl, tmp_path: Path) -> None:
    """Takes its index with it."""
    small.found("honey")
    small.database.close()
    shutil.copytree(small.folder, tmp_path / "2")
    made = (tmp_path / "2" / FILE).stat().st_mtime_ns
    with closing(search_crawl(tmp_path / "2")) as search:
        assert len(search.search("honey", 5)) == 1
    assert (tmp_path / "2" / FILE).stat().st_mtime_ns == made


def looked(crawl: Crawl, most: int) -> tuple[list[int], int]:
    """Return what is found by somebody who does not wait, and how many pages the index lacks."""
    with closing(search_crawl(crawl.folder, most=most)) as search:
        return sorted(search.positions("honey", 99)), search.missing


def test_who_does_not_wait_finds_what_is_in_the_index(crawl: Crawl) -> None:
    """It grows by so many pages each time; beside another who is at work on it, not at all."""
    crawl.add(*(record(f"http://a.org/{number}", "Honey.") for number in range(1, 8)))
    assert looked(crawl, 3) == ([1, 2, 3], 4)
    with FileLock(f"{crawl.folder / FILE}.lock"):
        assert looked(crawl, 3) == ([1, 2, 3], 4)
    assert looked(crawl, 3) == ([1, 2, 3, 4, 5, 6], 1)
    crawl.revisit("http://a.org/1", record("http://a.org/1", "Wax."))
    crawl.revisit("http://a.org/2", record("http://a.org/2", "Wax."))
    assert looked(crawl, 1)[0] == [1, 2, 3, 4, 5, 6, 7]  # two have changed: that is too much
    assert looked(crawl, 2) == ([3, 4, 5, 6, 7], 0)


def test_who_does_not_wait_has_no_index_yet(small: Crawl) -> None:
    """Where another makes the first, or made one of another crawl: nothing is found, and all is missing."""
    for content in (b"", b"no database"):
        with FileLock(f"{small.folder / FILE}.lock"):
            (small.folder / FILE).write_bytes(content)
            assert looked(small, 9) == ([], 2)
    assert looked(small, 9) == ([1], 0)
