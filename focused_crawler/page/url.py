"""URL rules: which links can be crawled, how they are written, and when two of them are the same page."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from operator import itemgetter
from string import ascii_letters, digits
from struct import Struct
from urllib.parse import SplitResult, quote, urljoin, urlsplit

import idna
from w3lib.url import canonicalize_url

MAX_URL_LENGTH = 2083
MAX_SEGMENTS = 32
"""A path of more parts is a trap: sites that link relative to the wrong folder grow by one at each step."""
MAX_REPEATS = 3
"""So often may one part stand in a path of more than `_LONG_PATH` parts."""

_LONG_PATH = 8
_SHORT = 200  # characters
_DEFAULT_PORTS = {"http": 80, "https": 443}
_ID = (
    r"(?:(?=[0-9]*[a-z])(?=[a-z]*[0-9])(?:[0-9a-f]{12,}|[0-9a-z]{16,})"
    r"|[0-9]{20,}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})"
)
"""What the value of a session id looks like; article.pl?sid=04/11/03/1234 names an article."""

_SESSION_IN_PATH = re.compile(rf";(?:(?:jsessionid|phpsessid)=[^/?#]*|sid={_ID}(?=[/;]|$))", re.IGNORECASE)
_SESSION_IN_QUERY = re.compile(
    r"(?:^|&)(?:(?:jsessionid|phpsessid|aspsessionid\w*|utm_\w+|fbclid|gclid)=[^&]*"
    rf"|(?:sid|session_?id)={_ID}(?=&|$))",
    re.IGNORECASE,
)
_KEPT = "!$()*,/:;=?@"
"""They stay in a query as they are written there, escaped or not: servers may tell the one from the other."""

_QUERY_SAFE = f"{_KEPT}%+"
_ALWAYS_ESCAPED = str.maketrans({sign: f"%{ord(sign):02X}" for sign in _KEPT if sign != "="})
_SECOND_SIGN = re.compile(r"=([^&]*=[^&]*)")
_ESCAPE = re.compile(r"%([0-9a-fA-F]{2})?")
_ESCAPES = {f"{byte:02X}": f"%{byte:02X}" for byte in range(256)}
_ESCAPES |= {f"{ord(sign):02X}": sign for sign in ascii_letters + digits + "-._~"} | {"20": "+"}
_NAME_OF = itemgetter(0)
_LINE_END = re.compile(r"[\t\r\n]")
_AROUND = "".join(map(chr, range(0x21)))
"""Controls and the space: browsers leave out nothing else around a URL."""

_WWW = re.compile(r"^www\d*\.")
_HOST = re.compile(r"(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}")
_SIGNED = Struct(">q")
_NUMBER = re.compile(r"(?:.*\.)?(?:\d+|0x[0-9a-f]*)")

# Most links of most pages: nothing in them needs rewriting, so the long way round is spared.
_PATH = r"[a-zA-Z0-9_~./!$&'()*+,:=@-]*+"
_PAIR = r"[a-zA-Z0-9_.~!$()*+,/:;?@-]++(?:=[a-zA-Z0-9_.~!$()*+,/:;=?@-]*+)?+"
_BYTE = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_SITE = rf"(?:(?:[a-zA-Z0-9-]{{1,63}}\.){{1,3}}[a-zA-Z]{{2,63}}|(?:{_BYTE}\.){{3}}{_BYTE})"
_PORT = r":(?!(?:80|443)(?![0-9]))(?:[1-5][0-9]{4}|[1-9][0-9]{1,3})"
_PLAIN = re.compile(
    rf"([hH][tT][tT][pP][sS]?://{_SITE}(?:{_PORT})?(?![^/?#]))?"
    rf"({_PATH}(?:%(?:2[02F]|3F|[89A-F][0-9A-F]){_PATH})*+)"
    rf"(?:\?({_PAIR}(?:&{_PAIR})*+))?+"
    r"(?:#.*)?+"
)


def normalise(url: str, base: str | None = None) -> str | None:
    r"""Return `url` as it is to be fetched: absolute, escaped, query sorted, no fragment, no session id.

    None for what cannot be crawled: another scheme than http and https, no host, a user name, a wrong port,
    over 2,083 characters, a path that repeats itself. Tracking parameters go with the session id; parameters
    are sorted by name, those of one name stay in their order. Hosts are read as browsers read them (UTS 46),
    addresses come out in their usual form, however they were written. `base` is absolute. Idempotent; never
    raises.

    >>> normalise("../b?z=1&a=2&a=1#top", "HTTP://Example.org:80/x/y")
    'http://example.org/b?a=2&a=1&z=1'
    >>> normalise("http:///0x7f.1\\index.html"), normalise("https://Straße.example?solr")
    ('http://127.0.0.1/index.html', 'https://xn--strae-oqa.example/?solr')
    >>> normalise("mailto:a@example.org") is None
    True
    """
    if len(url) > MAX_URL_LENGTH:
        return None
    plain = _plain(url, base)
    if plain is not None:
        return plain if len(plain) <= MAX_URL_LENGTH else None
    try:
        url = _as_browsers(url, base)
        if base is not None:
            url = urljoin(base, url)
        return _canonical(url)
    except ValueError:  # also UnicodeError; from a host in brackets, a port, a lone surrogate
        return None


def url_key(url: str) -> int:
    """Return the identity of a normalised URL: a signed 64-bit hash.

    Scheme, a leading www., a trailing slash and escapes in a query make no other page; all else does.

    >>> url_key("http://www.example.org/a/") == url_key("https://example.org/a")
    True
    """
    return _recent_key(url) if len(url) <= _SHORT else _key(url)


def _key(url: str) -> int:
    rest = url.partition("://")[2]
    if rest.startswith("www"):
        rest = _without_www(rest)
    path, _, query = rest.partition("?")
    if query:
        escaped = _SECOND_SIGN.sub(_without_second, query.translate(_ALWAYS_ESCAPED))
        rest = f"{path}?{_sorted(escaped)}" if escaped != query else rest
    digest = blake2b(rest.rstrip("/").encode("utf-8", "surrogatepass"), digest_size=8).digest()
    key: int = _SIGNED.unpack(digest)[0]
    return key


def _without_second(match: re.Match[str]) -> str:
    return "=" + match[1].replace("=", "%3D")


# Most links of a page stood on an earlier one. 7 MB, 12 at most: long URLs would take more, and come seldom.
_recent_key = lru_cache(maxsize=32_768)(_key)


def host_of(url: str) -> str:
    """Return host and port of a normalised URL: what politeness and server load are counted by.

    >>> host_of("http://www.example.org:8080/a")
    'www.example.org:8080'
    """
    return url.partition("://")[2].partition("/")[0].partition("?")[0]


def site_of(url: str) -> str:
    """Return the host of a normalised URL without a leading www.: what counts as one site.

    >>> site_of("http://www.example.org:8080/a")
    'example.org:8080'
    """
    host = host_of(url)
    return _without_www(host) if host.startswith("www") else host


def to_other_sites(source: str, urls: Iterable[str]) -> list[bool]:
    """Tell of each of a page's links whether it leads to another site; all are normalised URLs."""
    own, site = f"{source.partition('://')[0]}://{host_of(source)}/", site_of(source)
    return [not url.startswith(own) and site_of(url) != site for url in urls]


def _without_www(rest: str) -> str:
    if rest.startswith("www."):
        return rest[4:]
    return _WWW.sub("", rest)


def _plain(url: str, base: str | None) -> str | None:
    """Return the normal form of a URL that needs no rewriting, None if it is not so plain."""
    match = _PLAIN.fullmatch(url)
    if match is None:
        return None
    origin, path, query = match.groups()
    if origin is not None:
        origin, path = origin.lower(), path or "/"
    else:
        if base is None or path.startswith("//"):
            return None
        origin, folder = _location(base)
        if not path.startswith("/"):
            path = _below(folder, path) if path else "/."
    if not origin or "/." in path or _is_trap(path):
        return None
    if query is None:
        return f"{origin}{path}"
    return f"{origin}{path}?{_sorted(query)}" if not _SESSION_IN_QUERY.search(query) else None


def _sorted(query: str) -> str:
    if "&" not in query:
        return query
    pairs = [pair.partition("=") for pair in query.split("&")]
    return "&".join(map("".join, sorted(pairs, key=_NAME_OF)))


@lru_cache(maxsize=1024)
def _location(base: str) -> tuple[str, str]:
    """Return scheme, host and port of a base URL, and its folder; empty what no link can be put behind."""
    normal = normalise(base)
    if normal is None:
        return "", ""
    origin = f"{normal.partition('://')[0]}://{host_of(normal)}"
    path = base.partition("#")[0].partition("?")[0].removeprefix(origin)
    folder = path[: path.rfind("/") + 1]
    is_plain = folder.startswith("/") and _PLAIN.fullmatch(folder) and not ("/." in folder or "//" in folder)
    return origin, folder if is_plain else ""


def _below(folder: str, path: str) -> str:
    """Return where a relative path leads; one that is less simple comes out not plain."""
    while path.startswith(("../", "./")):
        step, _, path = path.partition("/")
        if step == "..":
            folder = folder[: folder.rfind("/", 0, -1) + 1] or folder
    is_simple = folder and ":" not in path and "//" not in path and not path.startswith("/")
    return folder + path if is_simple else "/."


def _as_browsers(url: str, base: str | None) -> str:
    r"""Return a URL as browsers read it, in a form that says the same by the rules of RFC 3986.

    White space around it and line ends inside fall away, backslashes are slashes. Before a host any number of
    slashes may stand, none at all behind another scheme than the base's; behind the base's own scheme less
    than two slashes begin a path.
    """
    url = _LINE_END.sub("", url.strip(_AROUND))
    if "\\" in url:
        path = re.split(r"[?#]", url, maxsplit=1)[0]
        url = path.replace("\\", "/") + url[len(path) :]
    if url.startswith("//"):
        return "//" + url.lstrip("/")
    scheme, colon, rest = url.partition(":")
    scheme = scheme.lower()
    if not colon or scheme not in _DEFAULT_PORTS:
        return url
    is_below = (
        base is not None and base[: len(scheme) + 1].lower() == f"{scheme}:" and not rest.startswith("//")
    )
    if not is_below:
        return f"{scheme}://{rest.lstrip('/')}"
    return rest if rest.startswith(("/", "?", "#")) or not rest else f"./{rest}"


@lru_cache(maxsize=8192)
def _canonical(url: str) -> str | None:
    """Return the normal form of an absolute URL; ValueError if it is none."""
    parts = urlsplit(url)
    site = _site(parts)
    if site is None:
        return None
    path, query = parts.path or "/", parts.query
    url = f"{site}{path}?{query}" if query else f"{site}{path}"
    for _ in range(5):  # taking out a session id, or an escape, may lay another one bare
        safe = _escaped(url)
        normal = _without_session(safe, site)
        if normal == url or (normal == safe and "%" not in normal):
            break
        url = normal
    else:
        return None
    path = normal[len(site) :].partition("?")[0]
    return normal if len(normal) <= MAX_URL_LENGTH and not _is_trap(path) else None


def _escaped(url: str) -> str:
    """Return a URL in ASCII without a fragment: what must be escaped is, nothing else; parameters by name."""
    url, _, query = url.partition("#")[0].partition("?")
    pairs = ["=".join(map(_escaped_part, pair.split("=", 1))) for pair in query.split("&") if pair]
    path = canonicalize_url(url)
    return f"{path}?{_sorted('&'.join(pairs))}" if pairs else path


def _escaped_part(text: str) -> str:
    if "%" in text:
        text = _ESCAPE.sub(lambda escape: _ESCAPES[(escape[1] or "25").upper()], text)
    return quote(text.replace(" ", "+"), safe=_QUERY_SAFE)


def _site(parts: SplitResult) -> str | None:
    """Return scheme, host and port as they are written in a normal form, None if they cannot be crawled."""
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or "@" in parts.netloc:
        return None
    host, port = _host(parts.hostname), parts.port
    if host is None or port == 0 or ("[" in parts.netloc) != (":" in parts.hostname):
        return None
    if port is None or port == _DEFAULT_PORTS[parts.scheme]:
        return f"{parts.scheme}://{host}"
    return f"{parts.scheme}://{host}:{port}"


def _without_session(url: str, site: str) -> str:
    path, _, query = url[len(site) :].partition("?")
    path = _SESSION_IN_PATH.sub("", path) or "/"
    query = _SESSION_IN_QUERY.sub("", query).lstrip("&")
    return f"{site}{path}?{query}" if query else f"{site}{path}"


def _is_trap(path: str) -> bool:
    """Tell a path that grew by following links relative to the wrong folder (/a/b/a/b/a/b/...)."""
    if path.count("/") <= _LONG_PATH:
        return False
    segments = path.split("/")[1:]
    return len(segments) > MAX_SEGMENTS or max(Counter(segments).values()) > MAX_REPEATS


@lru_cache(maxsize=4096)
def _host(name: str) -> str | None:
    """Return a host name in lower-case ASCII without a trailing dot, None if it cannot be one."""
    if len(name) > 254:  # of a name over 253 characters no server knows; the idna codec would take long
        return None
    try:
        if ":" in name:
            return f"[{ipaddress.IPv6Address(name).compressed}]" if "%" not in name else None
        if not name.isascii():
            name = _ascii(name)
        name = name.removesuffix(".").lower()
        if _NUMBER.fullmatch(name):
            return socket.inet_ntoa(socket.inet_aton(name))
    except (ValueError, OSError):
        return None
    return name if _HOST.fullmatch(name) and len(name) <= 253 else None


def _ascii(name: str) -> str:
    """Return a host name in ASCII as browsers write it: UTS 46, non-transitional; ValueError if it is none.

    Without IDNA 2008's own narrower rules, so that names of emoji can be asked for, as in browsers.
    """
    mapped = idna.uts46_remap(name, std3_rules=False, transitional=False)
    labels = [
        label if label.isascii() else "xn--" + label.encode("punycode").decode("ascii")
        for label in mapped.split(".")
    ]
    return ".".join(labels)
