"""Links, title and base of broken HTML, as Chromium reads them: none may be lost or invented."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from focused_crawler.page.blocks import partition
from focused_crawler.page.parser import parse_page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.url import normalise

if TYPE_CHECKING:
    from playwright.sync_api import Browser

URL = "http://site.example/folder/page?q=1"
PAGES = {
    "plain": "<title>A &amp; B</title><p><a href=one>1</a> <a href='../two?a=1&amp;b=2'>2</a>",
    "base": "<base href='http://other.example/x/'><base href='http://third.example/'><a href=y>y</a>",
    "unclosed": "<title>T</title><div><a href=/1>1<a href=/2>2<p><a href=/3>3</div></table></td><a href=/4>4",
    "attributes": "<a class=x class=y HREF = '/1' href=/2>1</a><a/href=/4>3</a><a title='>' href=/5>4",
    "entities": "<a href='/a?x=1&copy=2&amp;y=&#51;'>1</a><a href=&#47;b>2</a><a href='/c&period;html'>3</a>",
    "nested": "<table><tr><td><table><tr><td><a href=/1>1</table><a href=/2>2<td><b><a href=/3>3</b></a><i>4",
    "hidden": "<script><a href=/no1></script><style><a href=/no2></style><!--<a href=/no3>--><a href=/yes>1",
    "textarea": "<textarea><a href=/no></textarea><a href=/yes>1</a>",
    "template": "<template><a href=/no>1</a></template><a href=/yes>2</a>",
    "title only": "<html><head><title>\n Two\n lines </title><title>other</title></head><body><a href=x>x",
    "area": "<map name=m><area href=/1><area nohref></map><a name=no>2</a><a href=mailto:a@b.example>3</a>",
    "no body": "<a href=/1>1<frameset><a href=/2>2</frameset>",
    "quotes": "<a href='/1 a'>1</a><a href=\"/2'\">2</a><a href=`/3`>3</a><a href=/4'>4</a>",
    "new lines": "<a\nhref\n=\n'/one\n two\t'\n>1</a><a href='  /2  '>2</a>",
    "svg": "<svg><title>no</title><text>t</text></svg><title>late</title><a href=/1>1</a>",
    "comment": "<!--><a href=/1>1</a>--><!-- -- ><a href=/no>2</a> --><a href=/3>3</a>",
    "letters": "<TITLE>Ü\u2026</TITLE><A HREF='/\u00fc'>\u00fc</A><a href='/?q=\u00fc'>2</a>",
}
READ = """([pages, url]) => pages.map(html => {
    const read = new DOMParser().parseFromString(html, "text/html");
    const first = read.querySelector("base[href]");
    const base = first ? new URL(first.getAttribute("href"), url).href : url;
    const links = [...read.querySelectorAll("a[href], area[href]")];
    return {title: read.title, base, links: links.map(link => new URL(link.getAttribute("href"), base).href)};
})"""


@pytest.fixture(scope="module")
def read_by_browser(browser: Browser) -> dict[str, dict[str, object]]:
    """What Chromium reads of each page, with its scripts off."""
    page = browser.new_page()
    found = page.evaluate(READ, [list(PAGES.values()), URL])
    page.close()
    return dict(zip(PAGES, found, strict=True))


@pytest.mark.parametrize("name", PAGES)
def test_links_are_those_of_a_browser(name: str, read_by_browser: dict[str, dict[str, object]]) -> None:
    """None is lost, none is invented; title and base agree."""
    theirs = read_by_browser[name]
    page = parse_page(PAGES[name].encode(), URL, Analyzer("en"), "utf-8")
    partition(page)
    assert {link.url for link in page.links} == {normalise(url) for url in theirs["links"]} - {None}
    assert (page.title, page.base) == (theirs["title"], theirs["base"])
