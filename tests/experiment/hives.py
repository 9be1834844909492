"""A web of a hundred pages with two topics, for experiments that take a second."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

from focused_crawler.virtualweb.writer import WebWriter

PAGES = 100
WORDS = {
    "bees": "bee hive honey queen drone swarm nectar pollen wax comb",
    "cars": "engine wheel brake road gear motor petrol diesel tyre lamp",
    "news": "council mayor street market weather train school vote budget park",
}
SUBJECTS = ("bees", "cars", "news", "news")


def subject_of(number: int) -> str:
    return SUBJECTS[number % 4]


def url(number: int) -> str:
    return f"http://{subject_of(number)}{number % 8}.example/{number}"


def pages_about(subject: str) -> list[int]:
    return [number for number in range(PAGES) if subject_of(number) == subject]


def write_hives(folder: Path) -> Path:
    """Write the web with its topics beside it; return its path."""
    random = Random(3)
    path = folder / "hives.warc.gz"
    with WebWriter(path) as web:
        for number in range(PAGES):
            web.write(url(number), 200, [("Content-Type", "text/html")], _page(number, random).encode())
    for topic in ("bees", "cars"):
        truth = "".join(f"{url(number)}\n" for number in pages_about(topic))
        write_topic(folder / "hives.topics", topic, truth=truth)
    return path


def write_topic(
    folder: Path, name: str, *, truth: str = "", skip: int = 0, others: Sequence[str] = (), more: str = ""
) -> Path:
    """Write a topic whose examples are six pages about it and eight others, `skip` pages later."""
    mine, rest = pages_about(name), [n for n in range(PAGES) if subject_of(n) != name]
    lines = [
        f'name = "{name}"',
        f"keywords = {WORDS[name].split()[:4]}",
        f"seeds = {[url(mine[0])]}",
        more,
        "[seed_sets]",
        f"a = {[url(mine[0])]}",
        f"c = {[url(2), url(3)]}",
        "[examples]",
        f"relevant = {[url(number) for number in mine[1 + skip : 7 + skip]]}",
        f"other = {[*(url(number) for number in rest[skip : 8 + skip]), *others]}",
    ]
    target = folder / name
    target.mkdir(parents=True)
    (target / "topic.toml").write_text("\n".join(lines).replace("'", '"'))
    if truth:
        (target / "relevant.txt").write_text(truth)
    return target


def _page(number: int, random: Random) -> str:
    subject = subject_of(number)
    words = " ".join(random.choices(WORDS[subject].split(), k=60))
    links = random.sample(pages_about(subject), 3) + random.sample(range(PAGES), 3)
    anchors = "".join(f'<p>{words[:40]} <a href="{url(n)}">{subject_of(n)} {n}</a></p>' for n in links)
    return f"<title>{subject} {number}</title><h1>{words[:20]}</h1><p>{words}</p>{anchors}"
