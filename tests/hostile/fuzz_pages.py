"""Targets of the fuzzer that come over the net: answers, robots.txt, URLs and names."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from urllib.parse import urlsplit

from protego import Protego
from scrapy import Request
from scrapy.exceptions import StopDownload
from scrapy.http import Headers, Response, TextResponse
from scrapy.responsetypes import responsetypes
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from focused_crawler.crawl.analysis import Analyst, Way
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.robots import rules_for
from focused_crawler.crawl.scored_links import candidates
from focused_crawler.crawl.steering.domains import DomainShares
from focused_crawler.crawl.steering.url_kinds import domain_of
from focused_crawler.edge import meta
from focused_crawler.edge.failures import Refused, asked_host, retry_after
from focused_crawler.edge.http import PageResponse, page_item
from focused_crawler.edge.middlewares.bounded_compression import BoundedCompressionMiddleware
from focused_crawler.edge.middlewares.bounded_redirect import (
    BoundedMetaRefreshMiddleware,
    BoundedRedirectMiddleware,
)
from focused_crawler.edge.middlewares.content_limits import ContentLimitsMiddleware
from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.memory.frontier import MemoryFrontier
from focused_crawler.page.parser import UnparsablePage
from focused_crawler.page.url import host_of, normalise, site_of
from focused_crawler.safety.address import is_allowed
from focused_crawler.safety.printable import UNSAFE, printable
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.pages import PageStore
from focused_crawler.topic.rules import category_problem, language_problem, name_problem
from focused_crawler.topic.topic import load_topic
from focused_crawler.virtualweb.surt import surt
from tests.crawls.site import write_topic
from tests.hostile.fuzzing import Target, scratch

URL = "http://www.hive.example/honey/page.html?a=1"
PAGE = b"""HTTP/1.1 200 OK
Content-Type: text/html; charset=utf-8
ETag: "abc"
Last-Modified: Mon, 01 Jan 2001 00:00:00 GMT
Retry-After: 120

<!doctype html><html lang=en><head><title>Honey &amp; bees</title><base href="/b/">
<meta name=keywords content="honey bee"><meta http-equiv=refresh content="0; url=/next"></head>
<body><h1>Bees keep honey</h1><p>Honey of the hive. <a href="x.html#a">comb</a>
<a href="//other.example">wax</a>
<table><tr><td><img alt="queen"><a href="http://[::1]/">six</a></table><ul><li>brood<li><b>nectar</ul>
<!-- c --><script>var a = "<a href=no>"</script><iframe src="?b=2&amp;a=1"></iframe><a href="mailto:a@b">m</a>
"""
SEEDS = [
    PAGE.replace(b"\n", b"\r\n"),
    b"HTTP/1.1 302 Found\nLocation: //other.example/\\x?b=%zz\n\n",
    b"HTTP/1.1 200 OK\nContent-Type: text/html; charset=utf-16le\n\n<\0a\0 \0h\0r\0e\0f\0=\0x\0>\0y\0",
    b"HTTP/1.1 200 OK\n\n<html><title>404 Not found</title><p>This page does not exist</p>",
    b"HTTP/1.1 503 Busy\nRetry-After: Mon, 01 Jan 2001 00:00:00 GMT\n\n",
    b"HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Encoding: gzip\n\n\x1f\x8b\x08\x00\x00\x00\x00\x00",
    b"HTTP/1.1 200 OK\nContent-Type: text/html; charset=hz\n\n~{<:Ky2;~} <a href=~{>x</a>",
]
WORDS = [
    b"<a href=", b"<base href=", b"<meta charset=", b"http-equiv=refresh content=", b"url=", b"<!--",
    b"-->", b"<![CDATA[", b"<script>", b"</script>", b"<title>", b"<table>", b"<td>", b"<svg>", b"<math>",
    b"<template>", b"<noscript>", b"<frameset>", b"<iframe src=", b"&#x110000;", b"&#0;", b"&amp",
    b"\xef\xbf\xbe", b"\xed\xa0\x80", b"\xe2\x80\xae", b"\xcc\x81", b"\0", b"http://", b"//",
    b"javascript:", b"data:", b"[::1]", b"[fe80::1%25eth0]", b":99999", b"%00", b"%ed%a0%80", b"..",
    b"xn--", b"utf-7", b"utf-16", b"utf-32", b"iso-2022-kr", b"punycode", b"hz", b"charset=", b"HTTP/1.1 ",
    b"Content-Type: ", b"Location: ", b"Retry-After: ", b"Content-Encoding: ", b"gzip", b"deflate", b"br",
    b"zstd", b"rel=nofollow", b"hreflang=", b"robots",
]  # fmt: skip


class Chain:
    """What an answer passes from its headers to its record, with nobody who fetches."""

    def __init__(self) -> None:
        folder = scratch()
        topic = write_topic(folder, "bees", "http://www.hive.example/")
        settings = Settings({"FOCUSED_TOPIC": str(topic)}, priority="cmdline")
        crawler = get_crawler(settings_dict={"LOG_LEVEL": "ERROR"})
        self._limits = ContentLimitsMiddleware.from_crawler(crawler)
        self._steps = (
            BoundedRedirectMiddleware.from_crawler(crawler),
            BoundedCompressionMiddleware.from_crawler(crawler),
            self._limits,
            BoundedMetaRefreshMiddleware.from_crawler(crawler),
        )
        self._analyst = Analyst.make(CrawlConfig.from_settings(settings), load_topic(str(topic)))
        self._database = CrawlDatabase(folder / "crawl.db")

    def read(self, data: bytes) -> None:
        """Take an answer in: status line, headers, an empty line, body."""
        head, _, body = data.replace(b"\r\n", b"\n").partition(b"\n\n")
        first, *lines = head.split(b"\n")
        status = first[9:12]
        headers = Headers()
        for line in lines:
            name, colon, value = line.partition(b":")
            if colon:
                headers.appendlist(name.strip(), value.strip())
        request = Request(URL, meta={meta.LEASE: URL})
        response = self._response(request, int(status) if status.isdigit() else 200, headers, body)
        if response is not None:
            self._page(request, response)

    def _response(self, request: Request, status: int, headers: Headers, body: bytes) -> Response | None:
        with suppress(StopDownload):
            self._limits.headers_received(headers, len(body), request)
            self._limits.bytes_received(body, request)
        kind = responsetypes.from_args(headers=headers, url=URL, body=body)
        answer: Request | Response = kind(URL, status=status, headers=headers, body=body, request=request)
        retry_after(answer)
        for step in self._steps:
            answer = step.process_response(request, answer)
            if isinstance(answer, Request):
                assert normalise(answer.url) is not None
                asked_host(answer.url)
                return None
        return answer

    def _page(self, request: Request, response: Response) -> None:
        if not isinstance(response, TextResponse) or response.status != 200:
            return
        analyst = self._analyst
        analysis = analyst.classify(response.body, response.url, response.encoding, Way(1))
        analyst.partition(analysis)
        scored = analyst.score(analysis)
        answer = PageResponse.of(response.replace(request=request), analysis)
        item = page_item(answer)
        assert 0.0 <= item.relevance <= 1.0
        links = candidates(scored, 2, item.url)
        assert all(normalise(link.url) == link.url and 0.0 <= link.priority <= 1.0 for link in links)
        MemoryFrontier(Rules()).add(DomainShares().admit(links, item.url)[0])
        store = PageStore(self._database)
        store.record_page(item)
        store.record_links(item.url, [link[:4] for link in scored])
        self._database._connection.rollback()  # nobody else needs to


@cache
def _chain() -> Chain:
    return Chain()


def page(data: bytes) -> None:
    _chain().read(data)


PAGE_ERRORS = (Refused, UnparsablePage)

AGENT = "focused-crawler/1.0 (+https://example.org/bot)"
ROBOTS = [
    b"User-agent: *\nDisallow: /private\nAllow: /private/x*.html$\nCrawl-delay: 1.5\n",
    b"\xef\xbb\xbfuser-agent: focused-crawler\nuser agent: other\ndisalow /a\n\nCrawl-delay 3\nSitemap: x\n",
    b"User-agent: f*cused\nAllow: /%E9%zz\nDisallow: /\xc3\xa9?a=*\nvisit-time: 06-08\n",
]
RULES = [
    b"User-agent: ", b"useragent", b"Allow: ", b"Disallow: ", b"Crawl-delay: ", b"crawl delay",
    b"Sitemap: ", b"Host: ", b"*", b"$", b"#", b"%2A", b"%24", b"\r", b"\n", b"\x0b", b"\x85",
    b"\xe2\x80\xa8", b"nan", b"inf", b"-1", b"1e309", b"focused", b"crawler", b"/", b"request-rate: ",
    b"visit-time: ", b"1/0", b"0/0s", b"2400-9999",
]  # fmt: skip


def robots(data: bytes) -> None:
    """Rules as they are reduced, kept, asked, and paced by."""
    rules = rules_for(AGENT, data)
    parser = Protego.parse(rules.text)
    for path in ("/", "/private/x.html?a=1&b=2", "/%E9", "/" + "a*" * 100, "//x/../y"):
        parser.can_fetch(f"http://hive.example{path}", AGENT)
    delay = float(parser.crawl_delay(AGENT) or 0.0)
    frontier = MemoryFrontier(Rules())
    frontier.add([Candidate(URL, 1.0)])
    frontier.pace(host_of(URL), delay)
    frontier.take(1, 1e9)
    assert (frontier.next_ready_at() or 0.0) < 1e10


HEADERS = [
    b"120", b" Mon, 01 Jan 2001 00:00:00 GMT", b"Mon, 01-Jan-01 00:00:00 +2400", b"9" * 400, b"-1", b"1e9",
    b"Mon, 99 Jan 9999 99:99:99 -9999", b"\xb2", b"text/html; charset=\"x", b"W/\"abc\"", b"gzip, br",
]  # fmt: skip
DATES = [
    b"GMT",
    b"Jan",
    b"Mon, ",
    b":",
    b"+0000",
    b"-9999",
    b"charset=",
    b"utf-16",
    b";",
    b'"',
    b"\x00",
    b"99999999999",
]


def header(data: bytes) -> None:
    """One value, in the place of each header that is read."""
    names = (b"Retry-After", b"Content-Type", b"ETag", b"Last-Modified", b"Content-Encoding", b"Location")
    for status in (b"200", b"301", b"429"):
        for name in names:
            value = data.replace(b"\r", b"").replace(b"\n", b"")
            answer = b"HTTP/1.1 " + status + b"\n" + name + b": " + value + b"\n\n<p>honey"
            with suppress(*PAGE_ERRORS):
                _chain().read(answer)


URLS = [
    b"http://www.example.org/a/../b?z=1&a=2#c", b"HTTP://0x7f.1\\x",
    b"//h\xc3\xa9.example:80/;jsessionid=1?sid=2", b"?a=%c3%28&b=", b"http://[::ffff:127.0.0.1]:8080/",
    b"http://a@b/", b"../../x%2e%2e/y", b"https://xn--bcher-kva.example./",
    b"http://1.2.3.4.example/" + b"a/" * 30,
]  # fmt: skip
PARTS = [
    b"http://", b"https://", b"//", b"\\", b"@", b":80", b":0", b"[", b"]", b"%25", b"%00", b"%c3%a9",
    b"..", b"./", b"?", b"#", b"&", b"=", b";sid=", b"utm_source=", b"xn--", b"\xe3\x80\x82", b"\xc5\xbf",
    b"\xef\xbc\x8f", b"\xed\xa0\x80", b"0x", b"127.1", b"::1", b"%eth0", b"\t", b"\n", b"\0",
]  # fmt: skip


def url(data: bytes) -> None:
    """A link: what is made of it is written as it will be once more, and goes to a host that has a name."""
    text = data.decode("utf-8", "surrogateescape")
    for read in (surt, printable, is_allowed, name_problem, category_problem, language_problem):
        read(text)
    for base in (None, URL, "http://[::1]:81/a/b?c"):
        found = normalise(text, base)
        if found is None:
            continue
        assert found.isascii(), found
        assert not UNSAFE.search(found), found
        assert normalise(found) == found, found
        parts = urlsplit(found)
        assert parts.scheme in ("http", "https"), found
        assert host_of(found) == parts.netloc, found
        assert parts.hostname, found
        Request(found)
        domain_of(host_of(found))
        surt(found)
        assert site_of(found)


TARGETS = (
    Target("page", page, SEEDS, PAGE_ERRORS, WORDS),
    Target("header", header, HEADERS, (), DATES),
    Target("robots", robots, ROBOTS, (), RULES),
    Target("url", url, URLS, (), PARTS),
)
