"""The hosts of the hostile web, one function each: the groups of bad input that a crawler must survive.

`hub.test` links to all of them and to `honest.test`, a site of 200 pages on the topic. Each hostile page is
stuffed with the topic's words, so that no crawl leaves it aside.
"""

from __future__ import annotations

import asyncio
import os
import random
import string
from urllib.parse import quote, unquote

from tests.hostile.bodies import BODIES, CHARSETS, body
from tests.hostile.web import BROKEN, NAMES, NEVER, Asked, host

HONEST_PAGES = 200
DEAD_NAMES = 300
TOPIC = "Bees keep honey in the hive. "
WORDS = TOPIC + "The queen lays eggs and the workers feed the brood with nectar and pollen. "

TOPICAL = (
    "bee", "bees", "honey", "hive", "queen", "nectar", "pollen", "comb", "brood", "wax", "keeper", "swarm",
)  # fmt: skip


def html(title: str, body: str, head: str = "") -> str:
    return f"<!doctype html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"


def anchors(urls: list[str], text: str = "honey bee hive") -> str:
    return " ".join(f'<a href="{url}">{text} {number}</a>' for number, url in enumerate(urls))


@host("honest.test")
async def honest(asked: Asked) -> None:
    """A tree of pages with texts of their own; each has three others below it."""
    if asked.path == "/robots.txt":
        await asked.page("User-agent: *\nDisallow: /private\n", kind="text/plain")
        return
    number = int(asked.path.strip("/") or 0)
    words = random.Random(number).choices(
        ["nectar", "comb", "wax", "drone", "smoker", "frame", "brood", "pollen", "meadow"], k=60
    )
    below = [f"/{child}" for child in range(3 * number + 1, 3 * number + 4) if child < HONEST_PAGES]
    links = " ".join(f'<a href="{link}">page {link[1:]} of the hive</a>' for link in below)
    await asked.page(html(f"Hive {number}", f"<p>{WORDS}{' '.join(words)}</p><p>{links}</p>"))


# --- what is asked for by name ------------------------------------------------------------------------

NAMES |= {
    "*.dead.test": NEVER,
    "gone.dead.test": [],
    "*.broken.test": BROKEN,
    "nowhere.test": [],
    "inside.test": ["10.0.0.1"],
    "metadata.test": ["169.254.169.254"],
    "mixed.test": ["127.0.0.1", "10.0.0.1"],
    "crowd.test": [f"127.1.0.{number}" for number in range(1, 26)],
    "loop6.test": ["::1"],
}


def topical_anchors(urls: list[str]) -> str:
    """Return links with words of the topic, other ones on each page."""
    said = (" ".join(random.choices(TOPICAL, k=6)) for _ in urls)
    return " ".join(f'<a href="{url}">{text}</a>' for url, text in zip(urls, said, strict=True))


FARM_LINKS = 50


def farm_links(asked: Asked, domain: str, number: int) -> list[str]:
    names = (f"h{random.getrandbits(48):012x}.{domain}" for _ in range(number))
    return [asked.url(name) for name in names]


@host("spam.test", "*.spam.test")
async def farm(asked: Asked) -> None:
    """Pages of nothing but anchors on the topic, to ever new hosts of one domain."""
    if asked.path == "/robots.txt":
        await asked.page("", status="404 Not Found")
        return
    await asked.page(html(asked.host, topical_anchors(farm_links(asked, "spam.test", FARM_LINKS))))


@host("*.manydomains.test", "h????????????.test")
async def domains(asked: Asked) -> None:
    """The same, where each new host is a registered domain of its own."""
    if asked.path == "/robots.txt":
        await asked.page("", status="404 Not Found")
        return
    await asked.page(html(asked.host, topical_anchors(farm_links(asked, "test", FARM_LINKS))))


@host("dead.test")
async def dead(asked: Asked) -> None:
    """Links to names that no server answers for."""
    names = [asked.url(f"n{number}.dead.test") for number in range(DEAD_NAMES)]
    await asked.page(html("honey", TOPIC + anchors(names)))


NAMED_ODDLY = {"xn--n3h.test": "\u2603.test", "xn--ab-c6t.test": "a\u2044b.test", "a_b.test": "a_b.test"}
"""Names that browsers ask for and IDNA 2008 does not have -> as links have them."""


@host(*NAMED_ODDLY)
async def named_oddly(asked: Asked) -> None:
    status = "404 Not Found" if asked.path == "/robots.txt" else "200 OK"
    await asked.page(html(asked.host, WORDS + asked.host), status=status)


# --- what makes a crawl write more than it reads ------------------------------------------------------


@host("*.long.test")
async def long_links(asked: Asked) -> None:
    """5,000 short links, each of 2,000 characters by its base, to a host that serves nobody."""
    folder = "/".join(f"{random.getrandbits(32):08x}" + "x" * 52 for _ in range(31))
    base = f'<base href="{asked.url("busy.long.test", "/" + folder)}/">'
    links = "".join(f"<a href={number:x}>{number:x}</a>" for number in range(5000))
    await asked.page(html("List", TOPIC + links, base))


@host("*.short.test")
async def short_links(asked: Asked) -> None:
    """5,000 links that take 20 bytes each, to a host that serves nobody."""
    first = random.getrandbits(28)
    base = f'<base href="{asked.url("busy.short.test")}">'
    await asked.page(html("List", TOPIC + "".join(f"<a href={first + n:x}>" for n in range(5000)), base))


@host("busy.long.test", "busy.short.test")
async def busy(asked: Asked) -> None:
    await asked.page("", status="503 Service Unavailable")


# --- answers that outlast a lease -----------------------------------------------------------------------

SLOW_PAGES = {"slow.test": (16, 0.3), "slower.test": (5, 1.3)}
"""How many pages a slow site has, and the seconds that each answer takes."""


@host(*SLOW_PAGES)
async def slow(asked: Asked) -> None:
    """A tree of pages with texts of their own, each of which takes its time."""
    pages, seconds = SLOW_PAGES[asked.host]
    if asked.path == "/robots.txt":
        await asked.page("", status="404 Not Found")
        return
    number = int(asked.path.strip("/") or 0)
    await asyncio.sleep(seconds)
    words = " ".join(random.Random(number).choices(string.ascii_lowercase, k=99))
    below = [asked.url(asked.host, f"/{child}") for child in range(3 * number + 1, 3 * number + 4)]
    links = anchors([link for link in below if int(link.rpartition("/")[2]) < pages])
    await asked.page(html(f"Hive {number}", f"<p>{WORDS}{words}</p><p>{links}</p>"))


# --- bodies that hold who reads them ------------------------------------------------------------------


@host("bodies.test")
async def bodies(asked: Asked) -> None:
    """A page for each body of 1 MiB."""
    name = unquote(asked.path).strip("/")
    if name in BODIES:
        await asked.page(body(name))
    elif name:
        await asked.page("", status="404 Not Found")
    else:
        await asked.page(html("honey", TOPIC + anchors([f"/{quote(name)}" for name in BODIES])))


@host("charsets.test")
async def charsets(asked: Asked) -> None:
    """Pages that are labelled with codecs of Python's, in their headers or by themselves."""
    place, _, label = asked.path.strip("/").partition("/")
    if place == "header":
        await asked.page(b"honey " + b"a" * 1_000_000, kind=f"text/html; charset={label}")
    elif place == "meta":
        await asked.page(f'<meta charset="{label}"><p>honey '.encode() + b"a" * 1_000_000)
    else:
        urls = [f"/{place}/{label}" for place in ("header", "meta") for label in CHARSETS]
        await asked.page(html("honey", TOPIC + anchors(urls)))


# --- robots.txt -----------------------------------------------------------------------------------------

MANY_ROBOTS = int(os.environ.get("MANY_ROBOTS", "15"))
IS_SHORT = "SHORT_ROBOTS" in os.environ
LISTED = 1000
"""Hosts that are linked on a page: who has more, has more such pages."""
NAMED = "".join(f"User-agent:{name:x}\n" for name in range(15_000))
RULES = "".join(f"Allow:*z{rule:x}\n" for rule in range(30_000))
LONG_RULES = "".join(f"Disallow:/z{random.Random(rule).randbytes(1000).hex()}\n" for rule in range(256))
"""Read in no time, and as many bytes to keep."""
MOST_PARSED = 20


@host("*robots.test")
async def robots(asked: Asked) -> None:
    """Hosts with as many rules as a robots.txt holds, others on each; the first names as many robots, too.

    Or with one rule, to tell what a host costs that says little.
    """
    if asked.path != "/robots.txt":
        first = int(asked.path.strip("/") or 0)
        hosts = [asked.url(f"n{n}robots.test") for n in range(first, min(first + LISTED, MANY_ROBOTS))]
        lists = [f"/{n}" for n in range(LISTED, MANY_ROBOTS, LISTED)]
        await asked.page(
            html("honey", TOPIC + anchors([*lists, *hosts] if asked.host == "robots.test" else []))
        )
        return
    name = asked.host.partition(".")[0]
    number = int(name.removeprefix("n").removesuffix("robots") or 0)
    rules = RULES if number < MOST_PARSED or number % MOST_PARSED == 0 else LONG_RULES
    names = NAMED if name == "robots" else ""
    text = f"{names}User-agent:*\n{'Disallow: /z' if IS_SHORT else rules.replace('z', name)}"
    await asked.page(text[: 512 * 1024], kind="text/plain")
