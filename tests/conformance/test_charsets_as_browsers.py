"""The charset and text of pages, as Chromium reads them over HTTP: by mark, header, <meta> and bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from focused_crawler.page.encoding import decode, encoding_of, header_charset, web_encoding
from tests.crawls.site import Answer, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LATIN, RUSSIAN, POLISH = "Grüße, naïve café", "Привет, мир и добрый день", "Zażółć gęślą jaźń"
GREEK, HEBREW, ARABIC, TURKISH = "Ελληνική γλώσσα", "שלום עולם", "مرحبا بالعالم", "Türkçe ğış"
BALTIC, THAI, CHINESE, TAIWAN = "āēģ", "ภาษาไทยครับ", "中国人民银行的网站首页", "台灣的網站首頁與新聞"
JAPANESE, KOREAN = "日本語のホームページです", "한국어 홈페이지입니다"
LABELS = {  # label -> Python's codec, text
    **dict.fromkeys(("windows-1252", "latin1", "iso-8859-1", "us-ascii"), ("cp1252", f"{LATIN} “€”")),
    **dict.fromkeys(("gb2312", "gbk"), ("gbk", CHINESE)),
    **dict.fromkeys(("shift_jis", "x-sjis", "windows-31j"), ("cp932", f"{JAPANESE}①")),
    **dict.fromkeys(("euc-kr", "ks_c_5601-1987"), ("cp949", f"{KOREAN}똠")),
    **dict.fromkeys(("iso-8859-8", "iso-8859-8-i"), ("iso8859-8", HEBREW)),
    **dict.fromkeys(("iso-8859-11", "windows-874", "tis-620"), ("cp874", THAI)),
    **dict.fromkeys(("utf8", "unicode-1-1-utf-8"), ("utf-8", RUSSIAN)),
    "iso-8859-2": ("iso8859-2", POLISH),
    "iso-8859-3": ("iso8859-3", "Ĉu ĝi"),
    "iso-8859-4": ("iso8859-4", BALTIC),
    "iso-8859-5": ("iso8859-5", RUSSIAN),
    "iso-8859-6": ("iso8859-6", ARABIC),
    "iso-8859-7": ("iso8859-7", GREEK),
    "iso-8859-9": ("cp1254", TURKISH),
    "iso-8859-10": ("iso8859-10", BALTIC),
    "iso-8859-13": ("iso8859-13", BALTIC),
    "iso-8859-14": ("iso8859-14", "Ŵŷ"),
    "iso-8859-15": ("iso8859-15", "€ œ"),
    "iso-8859-16": ("iso8859-16", "ș €"),
    "windows-1250": ("cp1250", POLISH),
    "windows-1251": ("cp1251", RUSSIAN),
    "windows-1253": ("cp1253", GREEK),
    "windows-1254": ("cp1254", TURKISH),
    "windows-1255": ("cp1255", HEBREW),
    "windows-1256": ("cp1256", ARABIC),
    "windows-1257": ("cp1257", BALTIC),
    "windows-1258": ("cp1258", "Đđ"),
    "gb18030": ("gb18030", f"{CHINESE}𠀀"),
    "big5": ("big5", TAIWAN),
    "big5-hkscs": ("big5hkscs", f"{TAIWAN}嘅"),
    "euc-jp": ("euc_jp", JAPANESE),
    "iso-2022-jp": ("iso2022_jp", JAPANESE),
    "koi8-r": ("koi8-r", RUSSIAN),
    "koi8-u": ("koi8-u", f"{RUSSIAN} їґ"),
    "ibm866": ("cp866", RUSSIAN),
    "macintosh": ("mac-roman", LATIN),
    "x-mac-cyrillic": ("mac-cyrillic", RUSSIAN),
}
MAC, OTHER = "<meta charset=macintosh>", "<meta charset=windows-1250>"  # neither can be guessed from `LATIN`
MAC_BY_PRAGMA = "<meta {}content='text/html; charset=macintosh'>"
FILLER = "x" * 9_000


class Served(NamedTuple):
    """A body and its Content-Type."""

    body: bytes
    header: str = "text/html"


def page(text: str, encoding: str, head: str = "", *, before: str = "", header: str = "") -> Served:
    html = (
        f"{before}<!doctype html><html><head>{head}<title>t</title></head><body><p>{text}</p></body></html>"
    )
    return Served(html.encode(encoding), f"text/html{header}")


def mac(head: str = "", **about: str) -> Served:
    """Return a page in an encoding that has to be declared."""
    return page(LATIN, "mac-roman", head, **about)


SAME = {
    **{
        f"<meta> {label}": page(text, by, f"<meta charset='{label}'>") for label, (by, text) in LABELS.items()
    },
    **{
        f"header {label}": page(text, by, header=f"; charset={label}") for label, (by, text) in LABELS.items()
    },
    "mark before header and <meta>": page(
        RUSSIAN, "utf-8-sig", "<meta charset=koi8-r>", header="; charset=windows-1251"
    ),
    "mark of UTF-16": page(RUSSIAN, "utf-16", header="; charset=utf-8"),
    "mark of UTF-16, the other end first": Served(b"\xfe\xff" + page(RUSSIAN, "utf-16-be").body),
    "UTF-16 without a mark": page(RUSSIAN, "utf-16-le", header="; charset=utf-16"),
    "UTF-16BE without a mark": page(RUSSIAN, "utf-16-be", header="; charset=utf-16be"),
    "<meta> cannot say UTF-16": page(RUSSIAN, "utf-8", "<meta charset=utf-16le>"),
    "<meta> x-user-defined": page(LATIN, "cp1252", "<meta charset=x-user-defined>"),
    "header before <meta>": mac(OTHER, header="; charset=macintosh"),
    "header that is wrong": page(LATIN, "cp1252", "<meta charset=latin1>", header="; charset=utf-8"),
    "header with an unknown label": mac(MAC, header="; charset=x-y-z"),
    "header with no label": mac(MAC, header="; charset="),
    "header in quotes": mac(OTHER, header='; charset="macintosh"'),
    "header in capitals": mac(header=";CHARSET=MACINTOSH"),
    "header with two labels": mac(header="; charset=macintosh; charset=windows-1250"),
    "two <meta>": mac(MAC + OTHER),
    "<meta> in capitals, with space": mac("<META  CHARSET = ' Macintosh '  />"),
    "<meta> in lines": mac("<meta\n id=x charset\n=\nmacintosh>"),
    "pragma": mac(MAC_BY_PRAGMA.format("http-equiv=Content-Type ")),
    "pragma, no semicolon": mac("<meta content='text/html charset=macintosh' http-equiv=content-type>"),
    "content alone": mac(MAC_BY_PRAGMA.format("")),
    "content of another name": mac("<meta name=x content='charset=windows-1250'>" + MAC),
    "data-charset": mac("<meta data-charset=windows-1250>" + MAC),
    "charset before pragma": mac(
        "<meta charset=macintosh http-equiv=content-type content='text/html; charset=windows-1250'>"
    ),
    "XML declaration": mac(before="<?xml version='1.0' encoding='macintosh'?>"),
    "beyond 1,024 bytes": mac(f"<!--{FILLER[:1100]}-->{MAC}"),
    "beyond a long comment": mac(f"<!--{FILLER}-->{MAC}"),
    "beyond a long script": mac(f"<script>{FILLER}</script>{MAC}"),
    "beyond a long style sheet": mac(f"<style>{FILLER}</style>{MAC}"),
    "in a comment": mac(f"<!--{OTHER}-->{MAC}"),
    "in a script": mac(f'<script>let a = "{OTHER}"</script>{MAC}'),
    "in a title": mac(f"<title>{OTHER}</title>{MAC}"),
    "in noscript": mac(f"<noscript>{MAC}</noscript>"),
    "bytes that UTF-8 does not have": Served(b"<meta charset=utf-8><p>a\xe4b \xf0\x9f\x98 c \xc3</p>"),
    "half characters of GBK": Served(b"<meta charset=gbk><p>a\x81 b \xff c</p>"),
    "half characters of EUC-KR": Served(b"<meta charset=euc-kr><p>a\x81 b \xff c</p>"),
    "windows-1252 that says nothing": page(LATIN * 5, "cp1252"),
}
UTF_8 = "bytes that are UTF-8 are UTF-8, whoever says nothing, or nothing that the web knows"
GUESSED = "no language is guessed from bytes"
READ = "what can be read is read; a browser refuses it, for its users' safety"
LENIENT = "what is written in a wrong way counts as it was meant"
RARE = "not worth rules of its own"
OURS = {  # name -> page, our encoding, why it is another than the browser's
    "UTF-8, undeclared": (page(RUSSIAN * 5, "utf-8"), "utf-8", UTF_8),
    "ASCII, undeclared": (page("plain", "ascii"), "utf-8", UTF_8),
    "unknown label": (page(LATIN, "utf-8", header="; charset=x-y-z"), "utf-8", UTF_8),
    "utf-7": (page(f"{LATIN} +ADw-", "utf-8", header="; charset=utf-7"), "utf-8", UTF_8),
    "utf-32, which it is not": (page(LATIN, "utf-8", header="; charset=utf-32"), "utf-8", UTF_8),
    "utf-32 by its mark": (page(RUSSIAN, "utf-32"), "utf-32-le", READ),
    "Russian, undeclared": (page(RUSSIAN * 5, "koi8-r"), "cp1252", GUESSED),
    "Chinese, undeclared": (page(CHINESE * 5, "gbk"), "cp1252", GUESSED),
    "Japanese, undeclared": (page(JAPANESE * 5, "cp932"), "cp1252", GUESSED),
    "hz-gb-2312": (page(CHINESE, "hz", "<meta charset=hz-gb-2312>"), "hz", READ),
    "iso-2022-kr": (page("한국어", "iso2022_kr", "<meta charset=iso-2022-kr>"), "iso2022_kr", READ),
    "johab": (page(KOREAN, "johab", "<meta charset=johab>"), "johab", READ),
    "x-user-defined by header": (page(LATIN, "cp1252", header="; charset=x-user-defined"), "cp1252", READ),
    "header in single quotes": (mac(header="; charset='macintosh'"), "mac-roman", LENIENT),
    "header without a semicolon": (mac(header=" charset=macintosh"), "mac-roman", LENIENT),
    "header with spaces": (mac(header="; charset = macintosh"), "mac-roman", LENIENT),
    "httpequiv": (mac(MAC_BY_PRAGMA.format("httpequiv=content-type ")), "mac-roman", LENIENT),
    "beyond 4 KiB of tags": (mac("<meta name=a content=b>" * 200 + MAC), "cp1252", RARE),
    "beyond an unknown label": (mac("<meta charset=x-y-z>" + MAC), "cp1252", RARE),
    "in the body": (page(f"{MAC}{LATIN}", "mac-roman"), "cp1252", RARE),
    "in an attribute": (mac(f'<link title="{OTHER}">{MAC}'), "cp1250", RARE),
    "XML declaration and <meta>": (
        mac(MAC, before="<?xml version='1.0' encoding='windows-1250'?>"), "cp1250", RARE,
    ),
}  # fmt: skip


class Reading(NamedTuple):
    """A charset by our name for it, and the text of the first paragraph as a browser takes it out."""

    encoding: str | None
    text: str


THEIRS = "[document.characterSet, document.querySelector('p')?.textContent ?? '']"
PARAGRAPH = "html => new DOMParser().parseFromString(html, 'text/html').querySelector('p')?.textContent ?? ''"


@pytest.fixture(scope="module")
def readings(browser: Browser) -> dict[str, tuple[Reading, Reading]]:
    """What Chromium reads of each page, and what we do."""
    pages, found = SAME | {name: page for name, (page, *_) in OURS.items()}, {}
    tab = browser.new_page()
    with serving() as site:
        for number, (name, (body, header)) in enumerate(pages.items()):
            site.answers[f"/{number}"] = [Answer(body, headers={"Content-Type": header})]
            tab.goto(site.url(f"/{number}"))
            charset, text = tab.evaluate(THEIRS)
            label = header_charset(header.encode())
            ours = Reading(encoding_of(body, label), tab.evaluate(PARAGRAPH, decode(body, label)))
            found[name] = Reading(web_encoding(charset), text), ours
    tab.close()
    return found


@pytest.mark.parametrize("name", SAME)
def test_a_page_is_read_as_by_a_browser(name: str, readings: dict[str, tuple[Reading, Reading]]) -> None:
    """Charset and text."""
    theirs, ours = readings[name]
    assert ours == theirs
    assert ours.text


@pytest.mark.parametrize("name", OURS)
def test_where_we_differ_we_say_why(name: str, readings: dict[str, tuple[Reading, Reading]]) -> None:
    """And do differ."""
    theirs, ours = readings[name]
    _, encoding, _ = OURS[name]
    assert ours.encoding == encoding != theirs.encoding
