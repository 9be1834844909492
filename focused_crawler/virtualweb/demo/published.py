"""What some sites of a demo web publish for crawlers, on request: sitemaps, feeds, canonical URLs, prints."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from html import escape
from random import Random

from focused_crawler.page.url import host_of
from focused_crawler.virtualweb.demo.compose import Composer
from focused_crawler.virtualweb.demo.model import DemoPage, Site
from focused_crawler.virtualweb.demo.oddities import answer
from focused_crawler.virtualweb.record import WebRecord

_NAMED, _USUAL, _FEED, _PRINTED = 0.35, 0.15, 0.4, 0.35
"""Shares of sites whose robots.txt names their sitemaps, that have one at the usual place, and a feed, and a
printed form of each article."""
_INDEXED = 20
"""Pages above which a site's sitemap is an index, of files packed by gzip."""
_LATEST = 15
"""Articles in a feed."""
_NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'


class Published:
    """Adds to the records of a web what some of its sites publish; the same web always publishes the same.

    The site that is wrong names its home page as the canonical URL of all its pages, as many do.
    """

    def __init__(self, composer: Composer) -> None:
        self._world = composer.world
        self._composer = composer
        sites = [site for site in self._world.sites if site.pages]
        chance = {site.host: self._world.random(f"published {site.host}") for site in sites}
        self._place = {site.host: _place(chance[site.host]) for site in sites}
        self._feeds = {site.host for site in sites if chance[site.host].random() < _FEED}
        self._printed = {site.host for site in sites if chance[site.host].random() < _PRINTED}
        self._wrong = next((site.host for site in sites if site.kind == "mixed"), "")

    def html(self, page: DemoPage, html: str) -> str:
        """Return a page with what its head names, and a link to its printed form."""
        host, head = page.site.host, []
        if host == self._wrong:
            head.append(f'<link rel="canonical" href="{page.site.root}/">')
        elif host in self._printed:
            head.append(f'<link rel="canonical" href="{escape(page.url)}">')
        if host in self._feeds:
            head.append('<link rel="alternate" type="application/rss+xml" title="News" href="/feed.xml">')
        html = html.replace("</title>", "</title>" + "".join(head), 1)
        link = f'<p><a href="{escape(printed(page))}">Print</a></p>' if self._has_printed(page) else ""
        return html.replace("</body>", f"{link}</body>", 1)

    def more(self, page: DemoPage, record: WebRecord) -> Iterator[WebRecord]:
        """Yield the printed form of a page, if it has one: the same text at another URL."""
        if self._has_printed(page):
            yield WebRecord(page.site.root + printed(page), record.status, record.headers, record.body)

    def names_sitemaps(self, url: str) -> bool:
        """Tell whether a URL is of a robots.txt that names sitemaps: it comes from `listings`."""
        return url.endswith("/robots.txt") and self._place.get(host_of(url)) == "robots"

    def listings(self, robots: dict[str, bytes]) -> Iterator[WebRecord]:
        """Yield sitemaps and feeds, and the robots.txt of sites that name theirs; these had `robots`."""
        for site in self._world.sites:
            place = self._place.get(site.host, "")
            pages = [page for page in site.pages if page.kind != "private"]
            if place == "robots":
                own = robots.get(site.host, b"User-agent: *\n")
                line = f"\nSitemap: {site.root}/sitemaps/all.xml\n".encode()
                yield answer(f"{site.root}/robots.txt", own + line, "text/plain")
                yield from self._sitemaps(site, "/sitemaps/all.xml", pages)
            elif place == "usual":
                yield from self._sitemaps(site, "/sitemap.xml", pages)
            if site.host in self._feeds:
                yield self._feed(site)

    def _has_printed(self, page: DemoPage) -> bool:
        return page.kind == "article" and page.site.host in self._printed and page.site.host != self._wrong

    def _sitemaps(self, site: Site, path: str, pages: list[DemoPage]) -> Iterator[WebRecord]:
        if len(pages) <= _INDEXED:
            yield answer(f"{site.root}{path}", _urlset(pages, self._world.random(path)), "application/xml")
            return
        parts = [pages[at : at + _INDEXED] for at in range(0, len(pages), _INDEXED)]
        urls = [f"{site.root}/sitemaps/{number}.xml.gz" for number in range(len(parts))]
        named = "".join(f"<sitemap><loc>{url}</loc></sitemap>\n" for url in urls)
        index = f"{_XML}<sitemapindex {_NAMESPACE}>\n{named}</sitemapindex>\n"
        yield answer(f"{site.root}{path}", index, "application/xml")
        for url, part in zip(urls, parts, strict=True):
            packed = gzip.compress(_urlset(part, self._world.random(url)).encode(), mtime=0)
            yield answer(url, packed, "application/gzip")

    def _feed(self, site: Site) -> WebRecord:
        random = self._world.random(f"feed {site.host}")
        articles = [page for page in site.of_kind("article") if not page.is_hidden]
        items = "".join(
            f"<item><title>{escape(page.title)}</title><link>{escape(page.url)}</link>"
            f"<description>{escape(self._summary(page))}</description></item>\n"
            for page in random.sample(articles, min(_LATEST, len(articles)))
        )
        body = (
            f'{_XML}<rss version="2.0"><channel><title>{escape(site.name)}</title>\n{items}</channel></rss>\n'
        )
        return answer(f"{site.root}/feed.xml", body, "application/rss+xml")

    def _summary(self, page: DemoPage) -> str:
        paragraphs = self._composer.blocks(page)[0].paragraphs
        return " ".join(part for part in paragraphs[0] if isinstance(part, str)) if paragraphs else ""


def printed(page: DemoPage) -> str:
    """Return the path of a page's printed form."""
    return f"{page.path}{'&' if '?' in page.path else '?'}print=1"


def _place(random: Random) -> str:
    """Return where a site has its sitemap."""
    chance = random.random()
    return "robots" if chance < _NAMED else "usual" if chance < _NAMED + _USUAL else ""


def _urlset(pages: list[DemoPage], random: Random) -> str:
    lines = (
        f"<url><loc>{escape(page.url)}</loc><lastmod>2024-{random.randrange(1, 13):02}-01</lastmod></url>\n"
        for page in pages
    )
    return f"{_XML}<urlset {_NAMESPACE}>\n{''.join(lines)}</urlset>\n"
