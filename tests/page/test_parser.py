"""HTML -> Page."""

from __future__ import annotations

import encodings.aliases
import gc
import pickle
import time
import zlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from focused_crawler.page.blocks import partition
from focused_crawler.page.builder import MAX_BLOCKS, MAX_CHARACTERS, MAX_LAST, MAX_LINKS, MAX_TITLE, MAX_WORDS
from focused_crawler.page.encoding import decode
from focused_crawler.page.markup import PART
from focused_crawler.page.model import Outline, Page, Piece
from focused_crawler.page.parser import UnparsablePage, parse_page, parsing
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.aside import HOLD

URL = "http://example.org/x/y"
ANALYZER = Analyzer("en")


def parse(html: str | bytes, encoding: str | None = None) -> Page:
    return parse_page(html.encode() if isinstance(html, str) else html, URL, ANALYZER, encoding)


def words(terms: list[str]) -> str:
    return " ".join(terms)


def pieces(outline: Outline) -> list[Piece]:
    found = []
    for part in outline.parts:
        found += [part] if isinstance(part, Piece) else pieces(part)
    return found


def links(page: Page) -> list[tuple[str, str]]:
    return [(piece.href, piece.text) for piece in pieces(page.outline) if piece.href is not None]


def test_sections_are_those_of_lu():
    """Each word goes to the section it stands in, and to no other."""
    page = parse("""<html><head><title>Robot news</title><meta name="Keywords" content="robot arm">
        <meta name=description content="arm control"><style>p {robot: arm}</style></head>
        <body><h1>Robots <a href=/a>today</a></h1><h4>Small</h4><a href=/b>robot <b>arm</b></a>
        <a href=/c><h2>Card title</h2><p>card text</p></a> body text<script>robot()</script></body>""")
    assert words(page.sections.headline) == "robot news robot today card titl"
    assert words(page.sections.keywords) == "robot arm arm control"
    assert words(page.sections.anchor) == "robot arm card text"
    assert words(page.sections.body) == "small bodi text"


def test_title_and_text():
    """The title is one line; the text is what a reader sees, without it."""
    page = parse("<title> A\n title \x1b[31m</title><p>One  two<br>three</p><p>f<b>our</b>, five<td>six")
    assert page.title == "A title [31m"
    assert page.text == "One two three four, five six"


def test_long_title_is_cut():
    """A title has at most 300 characters."""
    assert len(parse(f"<title>{'a ' * 1000}</title><p>x").title) == MAX_TITLE


def test_first_title_counts():
    """A page has one title; one in a drawing is none."""
    assert parse("<svg><title>drawing</title></svg><title>page</title><title>more</title>x").title == "page"


def test_words_over_inline_tags_stay_whole():
    """Inline tags and soft hyphens part no words; blocks, breaks and list items do."""
    page = parse("<p>ro<b>bot</b> auto&shy;mobile<p>arm<ul><li>sensor<li>motor</ul><p>a<span>rm</span>")
    assert words(page.sections.body) == "robot automobil arm sensor motor arm"


def test_links_of_all_kinds():
    """Anchors, image maps and frames link; jumps within the page and names do not."""
    page = parse("""<a href="/a"> An  <i>anchor</i></a><a href=/i><img src=i.png alt="Old logo"> home</a>
        <map><area href=/m alt="north"><area alt=nowhere></map><a name=here>Name</a><a href="#top">Top</a>
        <a href="mailto:x@example.org">Mail</a><a href>Bare</a><img alt="outside">""")
    assert links(page) == [
        ("/a", "An anchor"),
        ("/i", "Old logo home"),
        ("/m", "north"),
        ("mailto:x@example.org", "Mail"),
        ("", "Bare"),
    ]
    assert "outside" not in page.text


def test_frames_are_links():
    """A frameset has no words, only places to go."""
    page = parse("<frameset><frame src=menu.html><frame src=main.html><noframes><a href=x>no</a></noframes>")
    assert links(page) == [("menu.html", ""), ("main.html", "")]


def test_unclosed_anchors():
    """An anchor ends where the next begins, or with its block."""
    page = parse("<div><p><a href=/a>one<a href=/b>two</p><p>three</p></div><td><a href=/c>four</td>five")
    assert links(page) == [("/a", "one"), ("/b", "two"), ("/c", "four")]
    assert words(page.sections.body) == "three five"


def test_anchor_around_blocks():
    """A link may hold whole blocks: it stays one link, its words apart."""
    page = parse("<div><a href=/a><h3>Title</h3><div>some<div>text</div></div></a>after</div>")
    assert links(page) == [("/a", "Title some text")]
    assert [words(piece.terms) for piece in pieces(page.outline)] == ["titl  text", ""]


@pytest.mark.parametrize(
    ("href", "base"),
    [
        ("/base/", "http://example.org/base/"),
        ("https://other.example/d/e", "https://other.example/d/e"),
        ("javascript:alert(1)//", URL),
        ("file:///etc/", URL),
        ("data:text/html,x", URL),
        ("http://user@127.0.0.1/", URL),
        ("", URL),
    ],
)
def test_base(href, base):
    """<base href> counts if it is http or https, and only the first of them."""
    page = parse(f"<base target=x><base href='{href}'><base href=/later/><a href=z>z</a>")
    assert page.base == base


@pytest.mark.parametrize("part", [1, 7, 100])
def test_a_page_is_the_same_in_parts(part, monkeypatch):
    """Wherever a part ends: in a word, a character, a tag, a title, a script, an entity or a link."""
    html = """<title>Robots&shy;ta  of the
        south</title><meta name=keywords content="robot arm"><script>a<b && c</script><style>p { x }</style>
        <p>arms &amp; sen&shy;sors <a href=/a>caf\u00e9 <b>b</b>ar <img alt="old logo"> \u4f60\u597d</a> and
        more \u00a0 words <a href=/c>call</a>(it)
        <div><h2>Head</h2>loose <ul><li>one<li>t\u200bwo</ul><svg>no <title>t</title></svg>z
        </div>"""
    whole = parse(html)
    monkeypatch.setattr("focused_crawler.page.markup.PART", part)
    page = parse(html)
    assert (page.title, page.text, page.sections) == (whole.title, whole.text, whole.sections)
    assert links(page) == links(whole)
    partition(whole)
    partition(page)
    assert (page.blocks, page.links) == (whole.blocks, whole.links)


def test_links_of_a_deep_page():
    """Elements that a page never ends are ended for it; its links and words are there all the same."""
    page = parse("".join(f"<font><p>word <i><a href=/{n}>robot {n}</a> arm<b>" for n in range(4_000)))
    assert links(page) == [(f"/{n}", f"robot {n}") for n in range(4_000)]
    assert words(page.sections.body) == " ".join(["word arm"] * 4_000)


@pytest.mark.parametrize("body", ["a" * 300_000, "<p>a" * 60_000, "\u4f60" * 90_000, "a b " * 70_000])
def test_parts_are_short(body):
    """The end of a long page does not wait for all of it."""
    parts, times = parsing(body.encode(), URL, Analyzer("en")), []
    began = time.process_time()
    for _ in parts:
        times.append(time.process_time() - began)
        began = time.process_time()
    assert len(times) >= len(body.encode()) // PART
    assert time.process_time() - began < HOLD + sum(times) / 2


def test_a_word_without_end_is_cut():
    """It is not waited for; what stands after it is read as ever."""
    page = parse("\u4f60" * (MAX_LAST + PART) + " robot")
    assert page.sections.body[-1] == "robot"
    assert set(page.sections.body[:-1]) <= {"\u4f60\u4f60", "\u4f60"}


def test_blocks_are_bounded():
    """Elements beyond the bound nest no further; their words are there."""
    page = parse("<div>word</div>" * (MAX_BLOCKS + 5))
    (body,) = page.outline.parts
    assert [isinstance(part, Outline) for part in body.parts].count(True) == MAX_BLOCKS - 1
    assert len(page.sections.body) == MAX_BLOCKS + 5


def test_outline_nests_as_the_page_does():
    """Wrappers and empty elements fall away; headings are known."""
    page = parse("<div><div><h2>Head</h2><p></p><div><div><p>one</p> <p>two</p></div></div></div></div>")
    (body,) = page.outline.parts
    heading, group = body.parts
    assert heading.is_heading
    assert [len(paragraph.parts) for paragraph in group.parts] == [1, 1]


@pytest.mark.parametrize(
    "body",
    [b"", b"  \n", b"\0" * 500, b"%PDF-1.7 text", bytes(range(256)) * 20, zlib.compress(b"x" * 99_999)],
    ids=["empty", "blank", "NULs", "PDF", "binary", "zlib"],
)
def test_what_is_no_html(body):
    """A body that is no text is refused, whatever its content type said."""
    with pytest.raises(UnparsablePage):
        parse(body)


def test_a_few_nuls_do_no_harm():
    """Browsers drop them too."""
    assert parse("<p>ro\0bot</p>" + "text " * 50).text.startswith("robot")


@pytest.mark.parametrize(
    ("body", "encoding", "text"),
    [
        ("naïve".encode(), None, "naïve"),
        ("naïve".encode("cp1252"), None, "naïve"),
        ("naïve".encode("cp1252"), "iso-8859-1", "naïve"),
        ("naïve".encode("utf-16"), None, "naïve"),
        ("\ufeffnaïve".encode(), "latin-1", "naïve"),
        ("naïve".encode("utf-16-le"), "utf-16", "naïve"),
        ("<meta charset=koi8-r>мир".encode("koi8-r"), None, "<meta charset=koi8-r>мир"),
        ("<meta charset=koi8-r>мир".encode(), "utf-8", "<meta charset=koi8-r>мир"),
        ("<meta charset=utf-16>мир".encode(), None, "<meta charset=utf-16>мир"),
        ("<meta charset=punycode>naïve".encode(), None, "<meta charset=punycode>naïve"),
        ("naïve".encode(), "no-such-charset", "naïve"),
        ("мир".encode("cp1251"), "X-CP1251", "мир"),
        ("日本".encode("euc-jp"), "x-euc-jp", "日本"),
        ("日本".encode("shift_jis"), "x-sjis", "日本"),
        ("中国".encode("gbk"), "gb2312", "中国"),
        ("<meta charset=iso-8859-8-i>שלום".encode("iso-8859-8"), None, "<meta charset=iso-8859-8-i>שלום"),
        ("<meta charset='x-gbk'>中国".encode("gbk"), "x-unknown", "<meta charset='x-gbk'>中国"),
        (b"+ADw-a", "utf-7", "+ADw-a"),
        ("naïve".encode()[:3], None, "na"),
    ],
)
def test_encodings(body, encoding, text):
    """Mark, server, page, look: in this order; what the web does not know is not believed."""
    assert decode(body, encoding) == text


@pytest.mark.parametrize("name", sorted({*encodings.aliases.aliases, "idna", "punycode", "undefined", "x-y"}))
def test_every_codec_of_python_can_be_declared(name):
    """No charset that a page names can break or stop the parser."""
    started = time.process_time()
    body = f"<meta charset={name}><p>".encode() + b"text\xe4-" * 5_000
    assert decode(body) is not None
    assert decode(body, name) is not None
    assert time.process_time() - started < 1


HOSTILE = {
    "nested divs": b"<div>" * 300_000 + b"x <a href=/a>y</a>",
    "nested blocks with words": b"<div>x " * 50_000,
    "nested inline": b"<b>" * 200_000 + b"x",
    "nested anchors": b"<a href=/a>x" * 50_000,
    "nested tables": b"<table><tr><td>x" * 30_000,
    "text node": b"<p>" + b"word " * 2_400_000,
    "one token": b"<p>" + b"a" * 12_000_000,
    "spaces": b"<title>" + b" " * 100_000 + b"</title><a href=/a>" + b" " * 5_000_000 + b"</a>x",
    "attribute": b"<a href='/" + b"a" * 2_000_000 + b"' title='" + b"b" * 2_000_000 + b"'>x</a>",
    "many links": b"<a href=/a>x</a>" * 30_000,
    "unclosed comment": b"x<!-- " + b"y" * 5_000_000,
    "unclosed script": b"x<script> " + b"<a href=/a>" * 400_000,
    "unclosed title": b"<title>" + b"x " * 1_000_000,
    "many metas": b"<meta name=keywords content='" + b"x " * 50_000 + b"'>" * 90,
    "closing tags": b"x" + b"</div></a></p></h1></title></svg>" * 100_000,
    "stray end tags": b"<u></b>" * 150_000,
    "stray end tags in deep": b"<div>" * 100_000 + b"</i>" * 130_000,
    "headings": b"<h1>" * 300_000 + b"x",
    "bad references": b"x&#0;&#xD800;&#x110000;&amp&lt;" * 50_000,
    "mixed newlines": b"a\rb\nc\r\nd\x0b\x0c" * 100_000,
    "skipped nest": b"x<svg>" * 300_000,
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_bodies_are_bounded(body):
    """Whatever comes, a page is made in seconds, within its bounds, and can be sent to another process."""
    started = time.process_time()
    page = parse(body)
    partition(page)
    assert time.process_time() - started < 6
    found = sum(len(block.terms) for block in page.blocks)
    assert found <= MAX_WORDS
    assert len(page.links) <= MAX_LINKS
    assert len(page.text) <= MAX_CHARACTERS
    assert len(page.title) <= MAX_TITLE
    assert pickle.loads(pickle.dumps(page)) == page
    del page
    gc.collect()


MARKUP = st.sampled_from(
    [
        *(
            "<div>",
            "</div>",
            "<p>",
            "</p>",
            "<h2>",
            "</h2>",
            "<a href='/x?a=1'>",
            "<a href=mailto:x>",
            "<a>",
            "</a>",
        ),
        *(
            "<td>",
            "<table>",
            "</table>",
            "<ul>",
            "<li>",
            "</ul>",
            "<title>",
            "</title>",
            "<svg>",
            "</svg>",
            "<br>",
        ),
        *(
            "<script>",
            "</script>",
            "<b>",
            "</b>",
            "<area href=/m alt=map>",
            "<base href=/b/>",
            "<frame src=f>",
            "<!--",
        ),
        *(
            "-->",
            "robot arm ",
            "the ",
            " ",
            "\0",
            "\x01",
            "&nbsp;",
            "é",
            "<img alt=pic>",
            "<meta name=keywords content=k>",
        ),
    ]
)


@given(st.lists(MARKUP, max_size=40).map("".join).map(str.encode) | st.binary())
@example(b"<")
@example(b"\xfe\xff\xd8\x00")
def test_any_bytes_make_a_page_or_are_refused(body):
    """The parser raises nothing but UnparsablePage, and each word of the page's body is in one section."""
    try:
        page = parse(body)
    except UnparsablePage:
        return
    title = ANALYZER.terms(page.title)
    in_sections = page.sections.headline + page.sections.anchor + page.sections.body
    in_outline = [term for piece in pieces(page.outline) for term in piece.terms]
    assert sorted(in_sections) == sorted(in_outline + title)
    assert page.text == " ".join(page.text.split())


def test_a_page_dies_with_its_last_reader():
    """Nothing of it waits for the collector of garbage, which seldom comes."""
    parse("<p>warm <a href=/up>up</a>")
    gc.collect()
    gc.disable()
    try:
        before = alive()
        parse("<div><p>one <a href=/two>two</a></div>" * 50)
        assert alive() == before
    finally:
        gc.enable()


def alive() -> int:
    return sum(isinstance(one, (Piece, Outline)) for one in gc.get_objects())


WISHES = (
    '<meta name="Robots" content="noindex, NOFOLLOW"><p><a href="/a">a</a> <a rel="nofollow" href="/b">b</a>'
)


@pytest.mark.parametrize(
    ("html", "nofollow", "links", "closed"),
    [
        (WISHES, "off", ["/a", "/b"], 0),
        (WISHES, "page", [], 2),
        (WISHES.replace("NOFOLLOW", "follow"), "page", ["/a", "/b"], 0),
        (WISHES.replace("noindex, NOFOLLOW", "none"), "page", [], 2),
        (WISHES.replace(",", ";").replace("; ", ";"), "page", [], 2),
        (WISHES.replace("Robots", "focused-crawler"), "page", [], 2),
        (WISHES.replace("Robots", "googlebot"), "page", ["/a", "/b"], 0),
        (WISHES.replace("NOFOLLOW", "follow"), "link", ["/a"], 1),
        ('<a rel="noopener UGC NoFollow" href="/a">a</a><a href="/b">b</a>', "link", ["/b"], 1),
        (f'<link rel="next" href="/n">{WISHES}', "page", [], 3),
        (f'<ul><li><a href="/n">n</a><li><a href="/o">o{WISHES}', "page", [], 4),
    ],
)
def test_links_are_left_alone_where_that_is_wished(html, nofollow, links, closed) -> None:
    """Their words stay words of the page."""
    page = parse_page(html.encode(), URL, ANALYZER, nofollow=nofollow)
    partition(page)
    assert [link.url for link in page.links] == [f"http://example.org{link}" for link in links]
    assert page.closed == closed
    assert "b" in page.text
