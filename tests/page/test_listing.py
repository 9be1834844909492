from __future__ import annotations

import gzip
import tracemalloc

import pytest

from focused_crawler.page.listed import listed_page
from focused_crawler.page.listing import (
    MAX_ENTRIES,
    ListedUrl,
    UnreadableListing,
    named_sitemaps,
    read_listing,
)
from focused_crawler.page.text.tokens import Analyzer

HOME = "http://a.example/sitemap.xml"
NAMESPACES = (
    'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
)
FEBRUARY = 1706745600.0


def urlset(*urls: str, more: str = "") -> bytes:
    locs = "".join(f"<url><loc>{url}</loc>{more}</url>" for url in urls)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {NAMESPACES}>{locs}</urlset>'.encode()


def urls(body: bytes) -> list[str]:
    return [entry.url for entry in read_listing(body, HOME).entries]


def test_a_sitemap_says_which_pages_there_are_and_when_they_changed() -> None:
    """Images in it are no pages; relative URLs, spaces and bare ampersands are as browsers have them."""
    more = "<lastmod>2024-02-01</lastmod><image:image><image:loc>http://a.example/i.png</image:loc></image:image>"
    listing = read_listing(urlset(" http://a.example/x?b=1&c=2 ", "/y", "mailto:a@b", more=more), HOME)
    assert listing.kind == "sitemap"
    assert [(entry.url, entry.changed_at) for entry in listing.entries] == [
        ("http://a.example/x?b=1&c=2", FEBRUARY),
        ("http://a.example/y", FEBRUARY),
    ]


def test_a_url_is_unescaped_once() -> None:
    """A parameter may be called copy or amp;b; what is bare, or in CDATA, stands for itself."""
    wrote = ("/?a=1&amp;copy=2", "/?a=1&amp;amp;b=2", "/?a=2&copy=2&lt", "<![CDATA[/?a=3&b=2&amp;c]]>", "/?x")
    read = ("?a=1&copy=2", "?a=1&amp;b=2", "?a=2&copy=2&lt", "?a=3&amp;c&b=2", "?x")
    assert urls(urlset(*wrote)) == [f"http://a.example/{query}" for query in read]
    many = [f"/?a={number}&amp;copy=1&b" for number in range(9_000)]  # some are cut where a chunk ends
    assert urls(urlset(*many)) == [f"http://a.example/?a={number}&b&copy=1" for number in range(9_000)]


def test_an_index_names_sitemaps() -> None:
    """Its kind says that they are no pages."""
    body = b"<sitemapindex><sitemap><loc>http://a.example/1.xml.gz</loc></sitemap></sitemapindex>"
    assert read_listing(body, HOME) == ("index", (ListedUrl("http://a.example/1.xml.gz"),))


def test_a_packed_sitemap_and_a_url_a_line_are_read_alike() -> None:
    """The protocol has three forms, and servers cut files."""
    plain = urlset("http://a.example/1", "http://a.example/2")
    packed = gzip.compress(plain)
    assert urls(plain) == urls(packed) == urls(b"http://a.example/1\nhttp://a.example/2\n")
    assert urls(plain.decode().replace("UTF-8", "UTF-16").encode("utf-16")) == urls(plain)
    assert urls(plain[:-40]) == urls(plain)[:1]
    assert len(urls(gzip.compress(urlset(*map(str, range(2000))))[:-9])) > 1900


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("says", ["utf-16", "utf-8"])
def test_a_sitemap_in_utf_16_or_that_says_so_is_one_like_all(encoding: str, says: str) -> None:
    """Some programs write UTF-8 that names the encoding of their memory; and queries stand there as well."""
    written = urlset("/?a=1&id=3&amp;n=", *map(str, range(9_000)), "/\u0416").decode()
    plain = urls(written.encode())
    body = written.replace("UTF-8", says).encode(encoding)
    assert urls(body) == urls(gzip.compress(body)) == plain
    assert (plain[0], len(plain)) == ("http://a.example/?a=1&id=3&n=", 9_002)


def test_members_of_a_packed_sitemap_are_one_file() -> None:
    """As tools append them: the first lines may be packed apart, and an empty one is the last."""
    head, one = b"<?xml version='1.0'?>\n", b"<urlset><url><loc>/1"
    two = b"</loc></url><url><loc>/2</loc></url></urlset>"
    packed = b"".join(map(gzip.compress, (head, one, two, b"", b"<url>")))
    both = ["http://a.example/1", "http://a.example/2"]
    in_many = map(gzip.compress, (head, one, b"?a=1", b"&a", b"mp;b=2", two))
    assert urls(b"".join(in_many)) == ["http://a.example/1?a=1&b=2", both[1]]
    assert urls(packed) == urls(gzip.compress(one) + gzip.compress(two) + b"\0" * 512) == both


def test_other_things_in_an_entry_are_not_its_url() -> None:
    """Translations of a page, the URL of a picture, or the entry that begins where this one has no end."""
    other = '<x:link xmlns:x="x" rel="alternate" hreflang="de" href="/de"/><loc>/en</loc>'
    picture = "<image><url>/i.png</url></image>"
    for entry in (f"{picture}{other}", f"{other}{picture}"):
        assert urls(f"<urlset><url>{entry}</url></urlset>".encode()) == ["http://a.example/en"]
    item = b"<item><image><url>/i.png</url><title>I</title></image><title>T</title><link>/1</link></item>"
    (listed,) = read_listing(b"<rss><channel>" + item + b"</channel></rss>", HOME).entries
    assert listed == ("http://a.example/1", "T", "", None)
    body = b"<urlset><url><loc>/1</loc><url><loc>/2</loc></url><url><loc>/3</loc></url></urlset>"
    assert urls(body) == [f"http://a.example/{number}" for number in (1, 2, 3)]


FEED = b"""<rss version="2.0"><channel><title>Bees</title><link>http://a.example/</link>
<item><title>Hives &amp;amp; honey</title><link>http://a.example/1</link>
<description><![CDATA[<p>How <b>bees</b> live</p>]]></description>
<pubDate>Thu, 01 Feb 2024 00:00:00 GMT</pubDate></item>
<item><guid>http://b.example/2</guid></item></channel></rss>"""
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><title>Bees</title><link rel="self" href="/feed"/>
<entry><title>Hives</title><link rel="edit" href="/edit"/><link href="/1"/>
<updated>2024-02-01T00:00:00Z</updated><summary type="html">&lt;i&gt;bees&lt;/i&gt;</summary>
</entry></feed>"""


def test_feeds_say_what_their_pages_are_about() -> None:
    """Titles and summaries are text, whatever markup they hold; a feed may lead anywhere."""
    one, two = read_listing(FEED, HOME).entries
    assert one == ("http://a.example/1", "Hives & honey", "How bees live", FEBRUARY)
    assert two == ("http://b.example/2", "", "", None)
    body = FEED.replace(b"Hives", b"Caf&eacute; &amp;lt;b&amp;gt;&#33;")
    assert read_listing(body, HOME).entries[0].title == "Caf\u00e9 <b>! & honey"
    assert read_listing(ATOM, HOME).entries == (("http://a.example/1", "Hives", "bees", FEBRUARY),)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\xfe\x00",
        b"no sitemap",
        b"<html><body><h1>Not found</h1></body></html>",
        b"<urlse",
        gzip.compress(b"<html/>", mtime=0),
        b"\x1f\x8b broken",
        b'<!DOCTYPE x [<!ENTITY a "b">]><urlset><url><loc>http://a.example/&a;</loc></url></urlset>',
        b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]><urlset/>',
        '<!DOCTYPE x [<!ENTITY a "b">]><urlset/>'.encode("utf-16"),
        b"<!DOCTYPE x [" + b" " * 100_000 + b'<!ENTITY a "b">]><urlset><url><loc>/&a;</loc></url></urlset>',
    ],
)
def test_what_is_no_listing_or_defines_entities_is_refused(body: bytes) -> None:
    """A page that says "not found" with status 200 is no sitemap, and no entity can grow."""
    with pytest.raises(UnreadableListing):
        read_listing(body, HOME)


def test_a_gigabyte_in_a_megabyte_takes_no_memory() -> None:
    """It is unpacked as it is read, and no further than the protocol allows."""
    block = gzip.compress(b" " * 64_000_000)
    bomb = gzip.compress(b"<urlset><url><loc>http://a.example/" + b"a" * 60_000_000)
    tracemalloc.start()
    assert read_listing(bomb, HOME).entries == ()
    with pytest.raises(UnreadableListing):
        read_listing(block, HOME)
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


def test_of_a_sitemap_without_end_the_first_fifty_thousand_are_read() -> None:
    """As the protocol has it; the same URL counts once."""
    body = gzip.compress(urlset("/0", *map("/{}".format, range(MAX_ENTRIES + 9))))
    listing = read_listing(body, HOME)
    assert len(listing.entries) == MAX_ENTRIES
    assert listing.entries[-1].url == f"http://a.example/{MAX_ENTRIES - 1}"


def test_a_long_url_is_no_url_and_a_long_text_is_cut() -> None:
    """No entry takes more than it may."""
    assert urls(urlset("http://a.example/" + "a" * 3000, "/x")) == ["http://a.example/x"]
    body = FEED.replace(b"Hives", b"Hives " * 9999)
    assert len(read_listing(body, HOME).entries[0].title) <= 300


def test_tags_of_any_length_are_no_text() -> None:
    """Nor is what is left of one where a text is cut; but 1 < 2 is."""
    for picture in (b"x" * 1_500, b"x" * 9_999):
        html = b"<![CDATA[1 < 2 <img src='" + picture + b"'> bees]]>"
        body = FEED.replace(b"<![CDATA[<p>How <b>bees</b> live</p>]]>", html)
        shown = "1 < 2 bees" if len(picture) < 2_000 else "1 < 2"
        assert read_listing(body, HOME).entries[0].summary == shown


def test_robots_names_sitemaps_of_any_host_in_any_case() -> None:
    """The first ten; comments and what is no URL are left out."""
    lines = [
        b"SITEMAP: http://b.example/s.xml # ours",
        b"Sitemap: mailto:x",
        b"User-agent: *",
        b"site-map: /t",
    ]
    robots = "http://a.example/robots.txt"
    assert named_sitemaps(b"\r\n".join(lines), robots) == ["http://b.example/s.xml", "http://a.example/t"]
    assert len(named_sitemaps(b"".join(b"sitemap: /%d\n" % n for n in range(99_999)), robots)) == 10


def test_what_is_listed_can_be_scored_as_links() -> None:
    """By its title and summary, else by the words of its URL; each stands in a block of its own."""
    entries = [
        ListedUrl("http://a.example/1", "Honey", "Of the bees"),
        ListedUrl("http://a.example/old_hives/7.html"),
    ]
    page = listed_page(HOME, entries, Analyzer("en"), 10)
    one, two = page.links
    assert (one.anchor, one.context, one.text, one.block) == (["honey"], ["", "", "bee"], "Honey", 0)
    assert (two.anchor, two.context, two.block) == (["old", "hive"], [], 1)
    assert [block.terms for block in page.blocks] == [["honey", "", "", "bee"], ["old", "hive"]]
