"""Webs of hundreds of honest pages, with traps on their sites; and one of a hundred hosts of one domain."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from focused_crawler.virtualweb.writer import WebWriter

HONEST = 800
FEW = 300
"""Honest pages of a web where no share of the pages is measured."""
SITES = 12
TRAP_PAGES = 2000
HTML = [("Content-Type", "text/html; charset=utf-8")]
_CHANCE = random.Random(5)
VISITS = [f"{_CHANCE.getrandbits(64):016x}" for _ in range(20)]
_VISIT = re.compile(r"/v-[0-9a-f]{16}|(?<=//)s[0-9a-f]{16}\.")
_WORDS = ["".join(_CHANCE.choices("aeioulnrst", k=7)) for _ in range(2000)]


def html(title: str, text: str, links: Sequence[str]) -> bytes:
    anchors = " ".join(f'<a href="{link}">see {link.rpartition("/")[2][:30]}</a>' for link in links)
    return f"<html><title>{title}</title><body><p>{text}</p><p>{anchors}</p></body></html>".encode()


def words(name: str, number: int = 60) -> str:
    return " ".join(random.Random(name).choices(_WORDS, k=number))


def honest(number: int) -> str:
    return f"http://site{number % SITES}.example/a{number}"


def is_good(urls: Sequence[str]) -> list[bool]:
    """Tell of each page whether it is honest, and comes for the first time."""
    paths = [_VISIT.sub("", url.partition("?")[0]) for url in urls]
    return [
        path.rpartition("/a")[2].isdigit() and "//mirror" not in path and path not in paths[:number]
        for number, path in enumerate(paths)
    ]


def text_of(number: int) -> str:
    about = "Bees keep honey in the hive. " * (2 if number // SITES % 3 == 0 else 0)
    return f"{about}{words(str(number))}"


def honest_page(number: int, pages: int, *more: str) -> tuple[str, bytes]:
    below = [honest(child) for child in _below(number, pages)]
    return honest(number), html(f"Page {number}", text_of(number), [*below, *more])


def _below(number: int, pages: int) -> range:
    """Return the numbers of those that a page links to, where there are so many."""
    return range(3 * number + 1, min(3 * number + 4, pages))


Pages = Iterator[tuple[str, bytes]]


def calendar(pages: int) -> Pages:
    """Days and months without end, on one of the sites."""
    for number in range(pages):
        yield honest_page(
            number, pages, *(["http://site0.example/calendar/2024/1"] if number % SITES == 0 else [])
        )
    for month in range(TRAP_PAGES // 8):
        at = f"http://site0.example/calendar/{2024 + month // 12}/{month % 12 + 1}"
        after = f"http://site0.example/calendar/{2024 + (month + 1) // 12}/{(month + 1) % 12 + 1}"
        days = [f"{at}/{day}" for day in range(1, 8)]
        yield at, html("Calendar", words(at, 20), [after, *days])
        for day in days:
            yield day, html("A day", words(day, 20), [at, after])


def mirror(pages: int, folder: str = "", more: str = " mirrored") -> Pages:
    """A second site has all pages of the first, at the same paths, with a word more; that links to it."""
    for number in range(pages):
        here, there = f"http://site0.example/a{number}", f"http://mirror.example/{folder}a{number}"
        below = [f"a{child}" for child in _below(number, pages)]
        yield here, html(f"Page {number}", text_of(number), [*below, there])
        yield there, html(f"Page {number}", f"{text_of(number)}{more}", below)


def folder(pages: int) -> Pages:
    """The same, word for word and below a folder."""
    return mirror(pages, "copy/", "")


def session(
    pages: int, named: Callable[[int, str], str] = lambda n, visit: f"{honest(n)}?visit={visit}"
) -> Pages:
    """A site with another visit in each of its links: its pages are there under ever new names."""
    chance = random.Random(1)

    def linked(number: int) -> str:
        return named(number, chance.choice(VISITS)) if number % SITES == 0 else honest(number)

    for number in range(pages):
        below = _below(number, pages)
        others = [*below, 0, number, *chance.sample(range(0, pages, SITES), 3)]
        names = [named(number, visit) for visit in VISITS] if number % SITES == 0 else []
        for name in [honest(number), *names]:
            links = map(linked, below if name == honest(number) else others)
            yield name, html(f"Page {number}", text_of(number), [*links])


def visits(pages: int) -> Pages:
    """The same, with the visit in a folder."""
    return session(pages, lambda n, visit: honest(n).replace("/a", f"/v-{visit}/a"))


def hosts(pages: int) -> Pages:
    """The same, with the visit in front of the host's name."""
    return session(pages, lambda n, visit: honest(n).replace("//", f"//s{visit}."))


FACETS = {
    "colour": "red blue green",
    "size": "s m l",
    "brand": "acme zoom",
    "sort": "price name",
    "stock": "yes no",
}


def facets(pages: int) -> Pages:
    """A shop with a page for each combination of its filters."""

    def at(chosen: dict[str, str]) -> str:
        query = "&".join(f"{name}={value}" for name, value in sorted(chosen.items()))
        return f"http://site0.example/shop{'?' if query else ''}{query}"

    for number in range(pages):
        yield honest_page(number, pages, *([at({})] if number % SITES == 0 else []))
    todo, known = [{}], {at({})}
    while todo:
        chosen = todo.pop(0)
        nexts = []
        for name, values in FACETS.items():
            nexts += [{**chosen, name: value} for value in values.split()]
            nexts += [{key: value for key, value in chosen.items() if key != name}] if name in chosen else []
        yield at(chosen), html("Shop", words(at(chosen), 40), [at(other) for other in nexts])
        for other in nexts:
            if at(other) not in known:
                known.add(at(other))
                todo.append(other)


TRAPS: dict[str, Callable[[int], Pages]] = {
    "calendar": calendar, "mirror": mirror, "folder": folder, "session": session, "visits": visits,
    "hosts": hosts, "facets": facets,
}  # fmt: skip


HOSTS, OF_HOST = 100, 10


def one_domain() -> Pages:
    """A hundred hosts of one domain, which differ; two of them have pages about the topic."""
    hosts = [f"http://h{number}.large.example" for number in range(HOSTS)]
    for number, host in enumerate(hosts):
        for page in range(OF_HOST):
            below = [f"{host}/p{child}" for child in (2 * page + 1, 2 * page + 2) if child < OF_HOST]
            others = [f"{hosts[(number + page + step) % HOSTS]}/" for step in (1, 7)]
            about = "Bees keep honey in the hive. " if number in {0, 1} and page % 2 else ""
            url = f"{host}/p{page}" if page else f"{host}/"
            yield url, html(f"{host} {page}", about * 3 + words(url), [*below, *others])


WIKIS, OF_WIKI = 60, 3
"""Hosts about the topic, and pages of each."""


def farm_of_wikis() -> Pages:
    """Hundreds of hosts of one domain: a portal names a hundred about nothing, and these name the others."""
    dull = [f"http://w{number}.wikis.example/p" for number in range(300)]
    wikis = [f"http://b{number}.wikis.example/honey-bees" for number in range(WIKIS)]
    portal = "http://www.wikis.example/"
    yield portal, html("Wikis", words(portal), dull[:100])
    for number, url in enumerate(dull):
        named = [*dull[3 * number + 100 : 3 * number + 103], *wikis[number : number + 1], portal]
        yield url, html(f"Wiki {number}", words(url), named)
    for number, url in enumerate(wikis):
        inside = [f"{url}-{page}" for page in range(1, OF_WIKI)]
        for page in (url, *inside):
            others = [*inside, dull[(7 * number) % len(dull)], portal]
            yield page, html("Honey bees", f"{'Bees keep honey in the hive. ' * 3}{words(page)}", others)


FLOOD = 400


def flood() -> Pages:
    """Hundreds of hosts of one domain that link to each other; some are missing, few about the topic."""
    chance = random.Random(3)
    hosts = [f"http://h{number}.flood.example" for number in range(FLOOD)]

    def some(number: int) -> list[str]:
        return [f"{host}/" for host in chance.sample(hosts, number)]

    about = "Bees keep honey in the hive. " * 3
    for number in range(4):  # of another domain
        here, below = f"http://www.bees.example/a{number}", f"http://www.bees.example/a{number + 1}"
        yield here, html(f"Bees {number}", f"{about}{words(here)}", [below, *some(15)])
    for number, host in enumerate(hosts):
        is_missing, is_good = chance.random() < 0.15, chance.random() < 0.02
        for page in range(0 if is_missing else 4):
            inside = [f"{host}/p{child}" for child in (2 * page + 1, 2 * page + 2) if child < 4]
            url = f"{host}/p{page}" if page else f"{host}/"
            text = f"{about if is_good else ''}{words(url)}"
            yield url, html(f"{'Bees' if is_good else 'Page'} {number}", text, [*inside, *some(4)])


def write(path: Path, pages: Pages) -> Path:
    with WebWriter(path) as writer:
        for url, body in pages:
            writer.write(url, 200, HTML, body)
    return path
