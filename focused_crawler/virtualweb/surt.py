"""The lookup key of a URL, made as web archives make it (SURT, Sort-friendly URI Reordering Transform).

Own code, because the `surt` package has had no release for years; it merges the same URLs.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

_WWW = re.compile(r"^www\d*\.")
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}
_SESSION_IN_PATH = re.compile(r";jsessionid=[0-9a-z]{32}$")
_SESSION_IN_QUERY = re.compile(r"^(?:jsessionid|phpsessid|sid|aspsessionid[a-z]{8})=[0-9a-z]{24,32}$")
_ASCII = "".join(map(chr, range(33, 127)))


def surt(url: str) -> str:
    """Return the key under which `url` is looked up; two URLs of one key are one page.

    Scheme, default port, www., case, escapes, the order of the query, a trailing slash, session ids and
    the fragment make no difference. Never fails: what is no URL gets some key.

    >>> surt("HTTP://www.Example.org:80/A/b/?z=1&a=2#top")
    'org,example)/a/b?a=2&z=1'
    >>> surt("https://example.org/A/b?a=2&z=1") == surt("http://www2.example.org/a/%62/?z=1&a=2")
    True
    """
    scheme, _, rest = url.strip().partition("#")[0].partition("://")
    location, _, query = rest.partition("?")
    netloc, _, path = location.partition("/")
    path = _SESSION_IN_PATH.sub("", _plain(path)).rstrip("/")
    query = "&".join(sorted(p for p in _plain(query).split("&") if not _SESSION_IN_QUERY.match(p)))
    return f"{_host(netloc, scheme.lower())})/{path}{'?' if query else ''}{query}"


def host_key(host: str) -> str:
    """Return what the keys of all URLs of a host begin with.

    >>> host_key("www.Example.org"), surt("https://example.org/a").startswith(host_key("example.org"))
    ('org,example)/', True)
    """
    return surt(f"http://{host}/")


def _plain(text: str) -> str:
    """Return `text` in lower case without escapes; characters beyond ASCII become those of their bytes."""
    if not text.isascii():
        text = quote(text, safe=_ASCII, errors="replace")
    return (unquote(text, encoding="latin-1") if "%" in text else text).lower()


def _host(netloc: str, scheme: str) -> str:
    """Return the labels of a host from the top down, with the port unless it is the scheme's own."""
    name = netloc.rpartition("@")[2].lower().removesuffix(_DEFAULT_PORTS.get(scheme, ":"))
    if not name.isascii():
        try:
            name = name.encode("idna").decode("ascii")
        except UnicodeError:
            name = quote(name, errors="replace")
    if name.startswith("["):
        return name
    name, colon, port = name.partition(":")
    return ",".join(reversed(_WWW.sub("", name.rstrip(".")).split("."))) + colon + port
