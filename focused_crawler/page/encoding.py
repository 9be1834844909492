"""In which encoding a body is written: one that the web uses, whatever a server or a page says."""

from __future__ import annotations

import re
from codecs import utf_8_decode
from functools import lru_cache

from w3lib.encoding import (
    DEFAULT_ENCODING_TRANSLATION,
    html_body_declared_encoding,
    read_bom,
    resolve_encoding,
    to_unicode,
)

WEB_ENCODINGS = frozenset([
    "big5", "big5hkscs", "cp437", "cp850", "cp852", "cp855", "cp857", "cp858", "cp862", "cp864", "cp866",
    "cp874", "cp932", "cp949", "cp950", "cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256",
    "cp1257", "cp1258", "euc_jis_2004", "euc_jisx0213", "euc_jp", "gb18030", "hz",
    "iso2022_jp", "iso2022_jp_1", "iso2022_jp_2", "iso2022_jp_2004", "iso2022_jp_3", "iso2022_jp_ext",
    "iso2022_kr", "iso8859-2", "iso8859-3", "iso8859-4", "iso8859-5", "iso8859-6", "iso8859-7", "iso8859-8",
    "iso8859-10", "iso8859-13", "iso8859-14", "iso8859-15", "iso8859-16", "johab", "koi8-r", "koi8-t",
    "koi8-u", "mac-cyrillic", "mac-greek", "mac-iceland", "mac-latin2", "mac-roman", "mac-turkish",
    "shift_jis_2004", "shift_jisx0213",
    "utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-16-le", "utf-32", "utf-32-be", "utf-32-le",
])  # fmt: skip
"""Python's names for those of WHATWG's standard and a few older ones.

Python knows codecs that no page is written in: some of them (punycode) can take for ever, others (hex, zlib)
make no text.
"""

_LABELS = {
    "big5hkscs": "cn_big5 x_x_big5",
    "cp874": "dos_874 iso885911",
    "cp949": "cseuckr csksc56011987 iso_ir_149 ks_c_5601_1989 ksc_5601 windows_949",
    "cp1252": "iso88591 x_cp1252",
    "cp1254": "iso88599 x_cp1254",
    "euc_jp": "cseucpkdfmtjapanese x_euc_jp",
    "gb18030": "csgb2312 gb_2312 x_gbk",
    "iso8859-6": "iso88596 csiso88596e csiso88596i iso_8859_6_e iso_8859_6_i",
    "iso8859-7": "iso88597 sun_eu_greek",
    "iso8859-8": "iso88598 csiso88598e csiso88598i iso_8859_8_e iso_8859_8_i logical visual",
    "iso8859-15": "csisolatin9 iso885915",
    "koi8-r": "koi koi8",
    "koi8-u": "koi8_ru",
    "mac-cyrillic": "x_mac_cyrillic x_mac_ukrainian",
    "mac-roman": "csmacintosh mac x_mac_roman",
    "utf-8": "unicode11utf8 unicode20utf8 unicode_1_1_utf_8 x_unicode20utf8",
    "utf-16-be": "unicodefffe",
    "utf-16-le": "csunicode iso_10646_ucs_2 ucs_2 unicode unicodefeff",
    **{f"cp{page}": f"x_cp{page}" for page in (1250, 1251, 1253, 1255, 1256, 1257, 1258)},
    **{f"iso8859-{part}": f"iso8859{part}" for part in (2, 3, 4, 5, 10, 13, 14)},
}
"""Labels of the standard that w3lib does not know."""

DEFAULT_ENCODING_TRANSLATION.update(
    {label: name for name, labels in _LABELS.items() for label in labels.split()}
)
_LONGEST_LABEL = 40
_HEAD = 65_536  # bytes that are looked through for a <meta>
_NO_MARKUP = re.compile(
    rb"<!--.*?(?:-->|\Z)|<(script|style|title|textarea)\b.*?(?:</\1|\Z)", re.IGNORECASE | re.DOTALL
)
"""Comments and elements whose text holds no tags; scripts can be longer than what is looked at."""
_CHARSET = re.compile(r"""(?:^|[;\s])charset\s*=\s*["']?([\w.:-]+)""", re.IGNORECASE | re.ASCII)


def header_charset(content_type: bytes | None) -> str | None:
    """Return the label that a Content-Type header gives, known or not.

    >>> header_charset(b'text/html; charset="Shift_JIS"'), header_charset(b"text/html")
    ('Shift_JIS', None)
    """
    match = _CHARSET.search(content_type.decode("latin-1")) if content_type else None
    return match[1] if match else None


def encoding_of(body: bytes, label: str | None = None) -> str:
    r"""Return Python's name of a body's encoding, one of `WEB_ENCODINGS`.

    By its byte order mark, else by `label`, else by its <meta>, else by its bytes. A label that the web does
    not know counts for nothing.

    >>> encoding_of(b"abc", "punycode"), encoding_of(b"<meta charset=hex>", "koi8-r"), encoding_of(b"\xe4b")
    ('utf-8', 'koi8-r', 'cp1252')
    """
    marked = read_bom(body)[0]
    if marked is not None:
        return marked
    name = (web_encoding(label) if label else None) or _declared(body)
    return name or ("utf-8" if _is_utf_8(body) else "cp1252")


def decode(body: bytes, label: str | None = None) -> str:
    """Return a body as text, in the encoding that `encoding_of` finds.

    >>> decode("naïve".encode("latin-1"))
    'naïve'
    """
    marked, mark = read_bom(body)
    if marked is not None and mark is not None:
        return to_unicode(body[len(mark) :], marked)
    name = (web_encoding(label) if label else None) or _declared(body)
    if name is not None:
        return to_unicode(body, name)
    try:
        return utf_8_decode(body, "strict", False)[0]  # the end may be a part of a character: bodies are cut
    except UnicodeDecodeError:
        return to_unicode(body, "cp1252")


def web_encoding(label: str) -> str | None:
    """Return Python's name of the encoding that a label means, None if the web does not use it."""
    return _codec(label) if len(label) <= _LONGEST_LABEL else None


@lru_cache(maxsize=256)
def _codec(label: str) -> str | None:
    name = resolve_encoding(label)
    if name not in WEB_ENCODINGS or name.startswith("utf-32"):  # only a mark says so: browsers do not know it
        return None
    return f"{name}-le" if name == "utf-16" else name


def _declared(body: bytes) -> str | None:
    """Return what a body says of itself; it could not say so in UTF-16."""
    name = html_body_declared_encoding(_NO_MARKUP.sub(b" ", body[:_HEAD]))
    return web_encoding(name) if name and not name.startswith("utf-16") else None


def _is_utf_8(body: bytes) -> bool:
    try:
        utf_8_decode(body, "strict", False)
    except UnicodeDecodeError:
        return False
    return True
