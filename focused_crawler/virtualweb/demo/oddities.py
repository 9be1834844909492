"""What else is on the web: redirects, robots.txt, a calendar without end, broken pages, other files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random

from focused_crawler.virtualweb.demo.compose import OLD_ADDRESS, has_short_url, short_url
from focused_crawler.virtualweb.demo.grammar import Grammar, words
from focused_crawler.virtualweb.demo.model import Site, World
from focused_crawler.virtualweb.record import WebRecord

MONTHS_OF_CALENDAR = 420
HUGE_BYTES = 3_000_000
_HTML = "text/html; charset=utf-8"
_PDF = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj << /Type /Catalog >> endobj\ntrailer << /Root 1 0 R >>\n%%EOF\n"
_PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000049454e44ae426082"
)


def answer(url: str, body: str | bytes, content_type: str = _HTML, status: int = 200) -> WebRecord:
    """Return a record as the writer takes it."""
    data = body.encode() if isinstance(body, str) else body
    return WebRecord(url, status, [("Content-Type", content_type)], data)


def redirect(url: str, target: str, status: int = 301) -> WebRecord:
    return WebRecord(url, status, [("Content-Type", _HTML), ("Location", target)], b"")


def oddities(world: World) -> Iterator[WebRecord]:
    """Yield everything that is not one of the planned pages."""
    for site in world.sites:
        yield from _robots(site)
        if site.scheme == "https":
            yield from (redirect(page.url.replace("https:", "http:"), page.url) for page in site.pages)
    yield from _short_urls(world)
    yield from _moved(world)
    yield from _calendar(world)
    yield from _attic(world.site_of("attic"), world.random("attic"))


def _robots(site: Site) -> Iterator[WebRecord]:
    rules = ["User-agent: *"]
    if any(page.kind == "private" for page in site.pages):
        rules.append("Disallow: /private/")
    if site.crawl_delay:
        rules.append(f"Crawl-delay: {site.crawl_delay}")
    if len(rules) > 1 or site.style == "blog":
        yield answer(f"{site.root}/robots.txt", "\n".join([*rules, ""]), "text/plain")


def _short_urls(world: World) -> Iterator[WebRecord]:
    """Yield the short URLs; every fifth goes over a second hop."""
    site = world.site_of("shortener")
    yield answer(
        f"{site.root}/", "<html><title>Go</title><body><p>Short addresses for long ones.</p></body></html>"
    )
    for number, page in enumerate(filter(has_short_url, world.pages)):
        short = short_url(world, page)
        if number % 5:
            yield redirect(short, page.url)
        else:
            yield redirect(short, f"{short}-2", 302)
            yield redirect(f"{short}-2", page.url)


def _moved(world: World) -> Iterator[WebRecord]:
    """Yield old addresses: a chain of three on each blog, and a loop on the attic."""
    for site in world.sites:
        if site.style == "blog" and site.of_kind("article"):
            yield redirect(f"{site.root}{OLD_ADDRESS}", "/older/1")
            yield redirect(f"{site.root}/older/1", "/oldest/1", 302)
            yield redirect(f"{site.root}/oldest/1", site.of_kind("article")[0].path, 308)


def _calendar(world: World) -> Iterator[WebRecord]:
    """Yield month after month, each linked from the one before it, on to one that is not there."""
    site = world.site_of("calendar")
    months = words("general")["month"]
    homes = [s.root + "/" for s in world.sites if s.kind in ("general", "mixed")]
    yield answer(
        f"{site.root}/",
        _calendar_page("What's on", ["/calendar/0"], ["This month"], homes, "Events near you."),
    )
    for number in range(MONTHS_OF_CALENDAR):
        random = world.random(f"calendar {number}")
        grammar = Grammar("general", random)
        title = f"What's on: {months[number % 12]} {2010 + number // 12}"
        text = "</p><p>".join(
            f"{day}: {grammar.sentence()}" for day in sorted(random.sample(range(1, 29), 6))
        )
        hrefs = [
            f"/calendar/{number + 1}",
            f"/calendar/{max(number - 1, 0)}",
            f"/calendar/{number + 12}",
            "/",
        ]
        names = ["Next month", "Previous month", "Next year", "Today"]
        yield answer(
            f"{site.root}/calendar/{number}",
            _calendar_page(title, hrefs, names, random.sample(homes, 2), text),
        )


def _calendar_page(title: str, hrefs: list[str], names: list[str], homes: list[str], text: str) -> str:
    own = " ".join(f'<a href="{href}">{name}</a>' for href, name in zip(hrefs, names, strict=True))
    others = " ".join(f'<a href="{home}">{home}</a>' for home in homes)
    return (
        f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>{title}</title></head>'
        f"<body><h1>{title}</h1><div>{own}</div><p>{text}</p><footer>{others}</footer></body></html>"
    )


def _attic(site: Site, random: Random) -> Iterator[WebRecord]:
    grammar = Grammar("general", random)
    items = list(_broken(site.root, grammar, random))
    links = "".join(f'<li><a href="{item.url}">{item.url.rpartition("/")[2]}</a></li>' for item in items)
    yield answer(
        f"{site.root}/", f"<html><title>Attic</title><body><h1>Attic</h1><ul>{links}</ul></body></html>"
    )
    yield from items


def _broken(root: str, grammar: Grammar, random: Random) -> Iterator[WebRecord]:
    """Yield what servers really send: errors, cut and empty pages, wrong character sets, files, lies."""
    text = "<p>" + "</p><p>".join(grammar.paragraph(4, 1) for _ in range(20)) + "</p>"
    accents = "<p>Cr\u00e8me br\u00fbl\u00e9e, na\u00efve caf\u00e9, S\u00e3o Jo\u00e3o</p>"
    page = f"<html><head><title>Old page</title></head><body><h1>Old page</h1>{text}</body></html>"
    yield answer(f"{root}/not-found.html", "<h1>Not found</h1>", status=404)
    yield answer(f"{root}/gone.html", "<h1>Gone</h1>", status=410)
    yield answer(f"{root}/error.html", "<h1>Server error</h1>", status=500)
    yield answer(f"{root}/unavailable.html", "<h1>Try later</h1>", status=503)
    yield answer(f"{root}/empty.html", "")
    yield answer(f"{root}/truncated.html", page[: len(page) // 2] + '<a href="/notes')
    yield answer(f"{root}/latin1-as-utf8.html", (accents + text).encode("latin-1", "replace"))
    yield answer(f"{root}/utf8-as-latin1.html", accents + text, "text/html; charset=iso-8859-1")
    yield answer(f"{root}/no-such-charset.html", accents + text, "text/html; charset=utf-99")
    yield answer(f"{root}/no-type.html", page, "")
    yield answer(f"{root}/nul.html", page.replace("Old page", "Old\x00page"))
    yield answer(f"{root}/deep.html", "<div>" * 5000 + text + "</div>" * 5000)
    yield answer(f"{root}/comment.html", f"{page[:400]}<!-- {text}")
    yield answer(f"{root}/huge.html", page + f"<p>{'word ' * (HUGE_BYTES // 5)}</p>")
    yield answer(f"{root}/notes.pdf", _PDF, "application/pdf")
    yield answer(f"{root}/pdf-as-html", _PDF, "text/html")
    yield answer(f"{root}/photo.png", _PNG, "image/png")
    yield answer(f"{root}/html-as-png.png", page, "image/png")
    yield answer(
        f"{root}/data.json", json.dumps({"numbers": [random.random() for _ in range(9)]}), "application/json"
    )
    yield answer(
        f"{root}/feed.xml", "<rss version='2.0'><channel><title>Attic</title></channel></rss>", "text/xml"
    )
    yield answer(f"{root}/readme.txt", grammar.paragraph(9, 1), "text/plain")
    yield redirect(f"{root}/loop-a", "/loop-b", 302)
    yield redirect(f"{root}/loop-b", "/loop-a", 302)
    yield redirect(f"{root}/nowhere", "")
    yield redirect(f"{root}/to-file", "file:///etc/hostname")
    yield redirect(f"{root}/to-loopback", "http://127.0.0.1:1/")
