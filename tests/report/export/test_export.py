"""Files of a crawl's pages, read by those that they are for."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pytest

from focused_crawler.report.export.export import KINDS, export
from focused_crawler.report.export.rows import COLUMNS, MEANINGS, Chosen
from focused_crawler.safety.errors import ConfigError
from focused_crawler.store.page_table import PageFilter
from tests.project import ROOT, Job, Scrapy, crawl

ALL = Chosen(PageFilter())


@pytest.fixture(scope="module")
def job(scrapy: Scrapy, demo_web: Path, tmp_path_factory: pytest.TempPathFactory) -> Job:
    """A crawl of the demo web."""
    crawls = tmp_path_factory.mktemp("exported")
    topic = demo_web.parent / "demo.topics/astronomy"
    done = scrapy.run(
        *crawl(topic, crawls, f"FOCUSED_WEB={demo_web}", profile="offline", pages=60, job="one")
    )
    assert done.code == 0, done.err
    return Job(crawls / "astronomy/one")


def written(job: Job, kind: str, path: Path, chosen: Chosen = ALL) -> Path:
    return export(job.folder, kind, path, chosen).path


def test_a_table_is_read_by_all_who_read_parquet(job: Job, tmp_path: Path) -> None:
    """Pandas, polars and DuckDB see the same: the crawl's pages in their order."""
    path = written(job, "parquet", tmp_path / "pages.parquet")
    frames = pd.read_parquet(path), pl.read_parquet(path), duckdb.sql(f"SELECT * FROM '{path}'").pl()
    assert list(frames[0]["url"]) == list(frames[1]["url"]) == list(frames[2]["url"]) == job.pages
    assert frames[0].columns.tolist() == list(COLUMNS)
    assert frames[1].schema["fetched_at"] == pl.Datetime("us", "UTC")
    assert frames[1]["is_relevant"].sum() == sum(row[0] for row in job.rows("SELECT is_relevant FROM pages"))


def test_csv_and_json_lines_say_the_same(job: Job, tmp_path: Path) -> None:
    """Dates in ISO 8601; what is not known is empty, or null."""
    with written(job, "csv", tmp_path / "pages.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    lines = [
        json.loads(line) for line in written(job, "jsonl", tmp_path / "pages.jsonl").read_text().splitlines()
    ]
    assert [row["url"] for row in table] == [line["url"] for line in lines] == job.pages
    assert [row["fetched_at"] for row in table] == [line["fetched_at"] for line in lines]
    assert table[0]["fetched_at"].startswith("20")
    assert table[0]["fetched_at"].endswith("Z")
    assert (table[0]["parent"], lines[0]["parent"]) == ("", None)
    assert table[0]["is_relevant"] == str(lines[0]["is_relevant"]).lower()


def test_urls_are_those_of_relevant_pages(job: Job, tmp_path: Path) -> None:
    """Where nothing else is asked for."""
    done = export(job.folder, "urls", tmp_path / "urls.txt")
    relevant = [url for (url,) in job.rows("SELECT url FROM pages WHERE is_relevant ORDER BY position")]
    assert done.path.read_text().splitlines() == relevant
    assert done.what == f"{len(relevant)} pages"


def test_passages_stand_under_their_headings(job: Job, tmp_path: Path) -> None:
    """Of the pages as they were fetched: the crawl's web has them."""
    found = [
        json.loads(line)
        for line in written(job, "chunks", tmp_path / "chunks.jsonl", Chosen()).read_text().splitlines()
    ]
    assert {chunk["format"] for chunk in found} == {"markdown"}
    assert len({chunk["id"] for chunk in found}) == len(found)
    assert any(chunk["headings"] and chunk["headings"][0] == chunk["title"] for chunk in found)
    assert not any("About | Contact" in chunk["text"] for chunk in found)  # the site's menu
    assert max(len(chunk["text"]) for chunk in found) <= 2_000
    assert all(chunk["relevance"] > 0 and chunk["fetched_at"].endswith("Z") for chunk in found)


def test_texts_serve_where_no_response_is_there(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As they are stored: without headings."""
    monkeypatch.setattr("focused_crawler.report.export.export.webs_of", lambda folder, run: [])
    found = [
        json.loads(line)
        for line in written(job, "chunks", tmp_path / "chunks.jsonl", Chosen()).read_text().splitlines()
    ]
    assert {(chunk["format"], len(chunk["headings"])) for chunk in found} == {("text", 0)}
    (first,) = job.rows("SELECT url FROM pages WHERE is_relevant ORDER BY position LIMIT 1")
    assert found[0]["url"] == first[0]
    assert not any("About | Contact" in chunk["text"] for chunk in found)  # the site's menu


@pytest.mark.parametrize("kind", KINDS)
def test_equal_crawls_give_equal_files(job: Job, tmp_path: Path, kind: str) -> None:
    """Byte for byte, whatever the time."""
    one, other = (written(job, kind, tmp_path / name / "pages") for name in ("one", "other"))
    assert one.read_bytes() == other.read_bytes()
    assert one.stat().st_size > 1_000


@pytest.mark.parametrize("kind", ["csv", "parquet", "warc"])
def test_pipes_and_links_stay(scrapy: Scrapy, job: Job, tmp_path: Path, kind: str) -> None:
    """Who reads a pipe gets the file, and nothing else; of a link what it names is written."""
    whole = written(job, kind, tmp_path / "plain" / "to", Chosen()).read_bytes()
    link, target, pipe = (tmp_path / name / "to" for name in ("link", "target", "pipe"))
    for path in (link, target, pipe):
        path.parent.mkdir()
    link.symlink_to(target)
    os.mkfifo(pipe)
    assert written(job, kind, link, Chosen()).is_symlink()
    assert target.read_bytes() == whole
    running = scrapy.start("export", job.folder, f"--{kind}", pipe)
    assert subprocess.run(["cat", pipe], capture_output=True, timeout=60, check=True).stdout == whole
    done = running.wait()
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith(f"{pipe}: 59 ")


@pytest.mark.parametrize("stream", ["/dev/stdout", "-"])
def test_the_standard_output_may_be_a_file(stream: str, job: Job, tmp_path: Path) -> None:
    """What others have written there, or write next, stays: it is no file to be replaced."""
    whole = written(job, "urls", tmp_path / "plain", Chosen()).read_bytes()
    both = tmp_path / "both"
    both.write_bytes(b"before\n")
    command = [sys.executable, "-m", "scrapy", "export", str(job.folder), "--urls", stream]
    with both.open("ab") as out:
        for _ in range(2):
            subprocess.run(command, stdout=out, cwd=ROOT, check=True)
    assert both.read_bytes() == b"before\n" + 2 * whole
    assert {path.name for path in tmp_path.iterdir()} == {"plain", "both"}


def test_the_command_writes_what_is_named(scrapy: Scrapy, job: Job, tmp_path: Path) -> None:
    """Several files at once, each with a line that says what is in it."""
    words = ("export", job.folder, "--csv", tmp_path / "a.csv", "--urls", tmp_path / "a.txt", "--all")
    done = scrapy.run(*words)
    assert (done.code, done.err) == (0, "")
    assert done.out == f"{tmp_path / 'a.csv'}: 60 pages\n{tmp_path / 'a.txt'}: 60 pages\n"
    judged = scrapy.run(
        "export", job.folder, "--jsonl", tmp_path / "j.jsonl", "--judge", "keywords", "--text"
    )
    assert judged.code == 0, judged.err
    line = json.loads((tmp_path / "j.jsonl").read_text().splitlines()[0])
    assert line["judge"].startswith("keywords:")
    assert line["text"]


def test_the_command_writes_what_is_chosen(scrapy: Scrapy, job: Job, tmp_path: Path) -> None:
    """By all that the workbench's table is asked for: relevance, host, depth, words."""

    def urls(*where: str) -> list[str]:
        chosen = [word for one in where for word in ("--where", one)]
        done = scrapy.run("export", job.folder, "--urls", tmp_path / "u", *chosen)
        assert (done.code, done.err) == (0, "")
        return (tmp_path / "u").read_text().split()

    def expected(condition: str) -> list[str]:
        return [url for (url,) in job.rows(f"SELECT url FROM pages WHERE {condition} ORDER BY position")]

    assert urls("relevant=no", "depth=2") == expected("is_relevant = 0 AND depth = 2")
    assert urls("low=0.3", "high=0.9") == expected("relevance BETWEEN 0.3 AND 0.9")
    host = job.rows("SELECT host FROM pages GROUP BY host ORDER BY count(*) DESC LIMIT 1")[0][0]
    assert urls(f"host={host}") == expected(f"host = '{host}'")
    found = urls("words=telescope mirror", "relevant=yes")
    assert 0 < len(found) < 60
    assert set(found) <= set(expected("is_relevant = 1"))


WRONG: dict[str, tuple[Callable[[Job, Path], tuple[object, ...]], str]] = {
    "no file": (lambda job, _: (job.folder,), "nothing to write; give one or more of --csv FILE,"),
    "no crawl": (
        lambda _, folder: (folder / "none", "--urls", folder / "u"),
        "none/crawl.db does not exist; give the folder of a crawl",
    ),
    "no judge": (
        lambda job, folder: (job.folder, "--urls", folder / "u", "--judge", "keyword"),
        "no judge is called 'keyword'; did you mean keywords?",
    ),
    "nothing to choose by": (
        lambda job, folder: (job.folder, "--urls", folder / "u", "--where", "hosts=a.org"),
        "--where hosts is nothing that pages are chosen by; did you mean host=?",
    ),
    "no depth": (
        lambda job, folder: (job.folder, "--urls", folder / "u", "--where", "depth=deep"),
        "depth is 'deep'; use the number of links from a start page",
    ),
    "no value": (
        lambda job, folder: (job.folder, "--urls", folder / "u", "--where", "relevant"),
        "--where relevant has no value; write it once, as --where relevant=VALUE",
    ),
    "one name twice": (
        lambda job, folder: (job.folder, "--urls", folder / "u", "--where=host=a.org", "--where=host=b.org"),
        "--where host stands twice; write it once, as --where host=VALUE",
    ),
    "one file for two": (
        lambda job, folder: (job.folder, "--urls", folder / "u", "--csv", folder / "." / "u"),
        "one file is named for two kinds; name a file for each",
    ),
    "no folder": (lambda job, _: (job.folder, "--urls", "/proc/none/u"), "/proc/none/u cannot be written ("),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_typed_wrong_ends_in_one_line(scrapy: Scrapy, job: Job, tmp_path: Path, name: str) -> None:
    """That says what would be right."""
    words, message = WRONG[name]
    done = scrapy.run("export", *words(job, tmp_path))
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")
    assert message in done.err


def test_a_file_is_whole_or_not_there(job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is left behind by an export that fails."""
    monkeypatch.setattr(Chosen, "rows", lambda self, database: iter([{"url": "x"}]))
    with pytest.raises(KeyError):
        export(job.folder, "csv", tmp_path / "pages.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", KINDS)
def test_who_may_read_a_file_is_the_users_to_say(job: Job, tmp_path: Path, kind: str) -> None:
    """By the umask, and of a file that is there by its mode."""
    mask = os.umask(0o077)
    try:
        path = written(job, kind, tmp_path / "pages")
        assert path.stat().st_mode & 0o777 == 0o600
        path.chmod(0o640)
        assert written(job, kind, path).stat().st_mode & 0o777 == 0o640
    finally:
        os.umask(mask)


def test_a_missing_extra_is_named_wherever_a_file_is_asked_for(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also by the workbench, which has pages saved as Parquet; nothing is left of the file."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ConfigError, match=r"type pip install 'focused-crawler\[data\]'"):
        export(job.folder, "parquet", tmp_path / "pages.parquet")
    assert not list(tmp_path.iterdir())


def test_a_missing_folder_of_a_file_is_made(job: Job, tmp_path: Path) -> None:
    """Unless that cannot be."""
    assert export(job.folder, "urls", tmp_path / "new/urls.txt").path.is_file()
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="cannot be written"):
        export(job.folder, "urls", tmp_path / "file/urls.txt")


@pytest.mark.parametrize("name", MEANINGS)
def test_every_column_is_documented(name: str) -> None:
    """In docs/reference/export.md, with what the database says of it."""
    row = next(
        line
        for line in (ROOT / "docs/reference/export.md").read_text().splitlines()
        if line.startswith(f"| `{name}` |")
    )
    assert MEANINGS[name] in row
