"""A virtual web, and a topic, whose every text is to be taken for markup, or moves the cursor."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

from focused_crawler.virtualweb.truth import topics_folder
from focused_crawler.virtualweb.writer import WebWriter
from tests.experiment.hives import WORDS

MARKUP = "[red]x[/red]"
PAINT = f"{MARKUP} [/] \x1b[31m\x1b]0;own\x07 \u202egnp\u2069 a\tb :bomb:"
BROKEN = f"{PAINT}\r\nerror: forged"
"""With the end of a line, where a format has no other meaning for it."""
HEADER = f"{MARKUP} \x1b[31m\x07\tb"
PAGES = 60
SUBJECTS = ("bees", "cars", "news")


def url(number: int) -> str:
    return f"http://{SUBJECTS[number % 3]}{number % 5}.example/[red]x[/red]/{number}"


def about(subject: str) -> list[str]:
    return [url(number) for number in range(PAGES) if SUBJECTS[number % 3] == subject]


def write_web(folder: Path, name: str = MARKUP.replace("/", "")) -> Path:
    """Write the web, with its topic beside it; return its path."""
    random = Random(5)
    path = folder / f"{name}.warc.gz"
    with WebWriter(path) as web:
        for number in range(PAGES):
            kind = "text/html; [red]x[/red]" if number % 10 < 9 else HEADER
            headers = [("Content-Type", kind), ("Server", HEADER), ("ETag", HEADER)]
            web.write(url(number), 200, headers, _page(number, random).encode())
    write_topic(topics_folder(path), "bees")
    (topics_folder(path) / "bees/relevant.txt").write_text("\n".join(about("bees")))
    return path


def write_topic(folder: Path, name: str, **more: str) -> Path:
    """Write a topic whose title, keywords and example names are painted; `more`: keys of its file."""
    mine, rest = about("bees"), about("cars") + about("news")
    values = {
        "name": name,
        "title": PAINT,
        "description": BROKEN,
        "keywords": [*WORDS["bees"].split()[:4], MARKUP],
        "seeds": mine[:1],
        **more,
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    lines += ["[seed_sets]", f"a = {json.dumps(mine[:1])}", "[examples]"]
    lines += [f"relevant = {json.dumps(mine[1:9])}", f"other = {json.dumps(rest[1:9])}"]
    (folder / name).mkdir(parents=True)
    (folder / name / "topic.toml").write_text("\n".join(lines))
    return folder / name


def paint_crawl(folder: Path) -> None:
    """Put into a crawl's database what no page could bring there: other programs write to it, too."""
    with closing(sqlite3.connect(folder / "crawl.db")) as database, database:
        for table, column in (("pages", "title"), ("links", "anchor"), ("decisions", "detail")):
            database.execute(f"UPDATE {table} SET {column} = ?", [BROKEN])


def _page(number: int, random: Random) -> str:
    subject = SUBJECTS[number % 3]
    words = " ".join(random.choices(WORDS[subject].split(), k=60))
    anchors = "".join(
        f'<p>{words[:40]} <a href="{url(other)}">{PAINT} {SUBJECTS[other % 3]}</a></p>'
        for other in random.sample(range(PAGES), 6)
    )
    return f"<title>{BROKEN} {number}</title><h1>{MARKUP} {words[:20]}</h1><p>{words} {PAINT}</p>{anchors}"
