"""Which requests each crawl makes; `label` is what tests ask the report for."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from tests.hostile.server import encodings

# Spellings of loopback and unspecified addresses that a system's resolver or parser takes for one.
IPV4_SPELLINGS = (
    "127.0.0.1",
    "127.1",
    "0x7f.0.0.1",
    "0x7f000001",
    "0177.0.0.1",
    "2130706433",
    "0",
    "0.0.0.0",
    "localhost",
    "LOCALHOST",
    "\uff11\uff12\uff17.0.0.1",
)
HTML_TYPES = (
    "text/html;charset=x",
    "text/html charset=x",
    "text/html, text/html; charset=utf-8",
    "text/plain, text/html",
)
SPELLINGS = (
    *IPV4_SPELLINGS,
    "%31%32%37.0.0.1",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[fe80::1%25lo]",
    "[fe80::1%lo]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "good@127.0.0.1",
    "good:word@127.0.0.1",
)
OTHER_PLACES = (
    "10.0.0.1",
    "172.16.0.1",
    "192.168.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "192.0.0.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "[fc00::1]",
    "[ff02::1]",
    "[2001:0:7f00:1::1]",
)
RESOLVER = {
    "public.test": [["127.0.0.1"]],
    "secure.test": [["127.0.0.1"]],
    "mixed.test": [["127.0.0.1", "127.0.0.2"]],
    "mixed6.test": [["127.0.0.1", "::1"]],
    "flips.test": [["127.0.0.1"], ["127.0.0.2"]],
    "kept.test": [["127.0.0.1"], ["127.0.0.2"]],
    "stale.test": [["127.0.0.1"], ["127.0.0.2"]],
    "inside.test": [["127.0.0.2"]],
    "metadata.test": [["169.254.169.254"]],
    "nowhere.test": [[]],
    "silent.test": [["never"]],
    "spelled.test": [["127.1"]],
    "endless-robots.test": [["127.0.0.1"]],
    "huge-robots.test": [["127.0.0.1"]],
    "moved-robots.test": [["127.0.0.1"]],
}
GIVEN_UP = {"meta": {"download_timeout": 2.5}}
"""For servers that never come to an end; a busy machine may need longer than that for all others."""
LOOPBACK = ["127.0.0.0/8"]
ONE = ["127.0.0.1/32"]
CHUNKS = {
    "chunk-overflow": b"ffffffffffffffffffffffff\r\nabc",
    "chunk-negative": b"-5\r\nabc",
    "chunk-garbage": b"zz\r\nabc",
    "chunk-lies": b"2\r\nabcdef\r\n0\r\n\r\n",
}
LOCATIONS = {
    "file": b"file:///etc/hostname",
    "ftp": b"ftp://127.0.0.1/x",
    "data": b"data:text/html,<p>x",
    "javascript": b"javascript:alert(1)",
    "gopher": b"gopher://127.0.0.1/x",
    "upper-case-file": b"FILE:///etc/hostname",
    "empty": b"",
    "blank": b"   ",
    "broken-ipv6": b"http://[::1/x",
    "broken-port": b"http://127.0.0.1:99999999/",
    "control-host": b"http://a\x1b]0;owned\x07b/",
    "nul-host": b"http://a\x00b/",
    "rtl-host": "http://a\u202eb/".encode(),
    "latin-1-host": b"http://\xe9\xff/",
    "user-info": b"http://good@127.0.0.1/",
    "no-host": b"http:///page",
    "latin-1-path": b"/caf\xe9",
    "utf-8-path": "/café".encode(),
    "line-breaks": b"/a%0d%0aX: y",
    "folded": b"/page\r\n /more",
}


def plan(ports: dict[str, int]) -> dict[str, Any]:
    base = f"http://127.0.0.1:{ports['plain']}"
    return {
        "resolver": RESOLVER,
        "crawls": {
            "limits": _crawl(_limits(base), FOCUSED_ALLOWED_NETWORKS=LOOPBACK, REDIRECT_MAX_TIMES=20),
            "stock": _crawl(_spellings(ports["plain"], IPV4_SPELLINGS), DOWNLOAD_HANDLERS={}),
            "kept": _crawl(
                [
                    _ask(f"{name} {turn}", f"http://{name}.test:{ports['plain']}/{name}")
                    for name in ("kept", "stale")
                    for turn in (1, 2)
                ],
                FOCUSED_ALLOWED_NETWORKS=ONE,
                CONCURRENT_REQUESTS_PER_DOMAIN=1,
            ),
            "closed": _crawl(_spellings(ports["plain"], SPELLINGS) + _other_places()),
            "one": _crawl(_one_address(ports), FOCUSED_ALLOWED_NETWORKS=ONE),
            "proxy": _crawl(
                [_ask("by-meta", f"{base}/page", meta={"proxy": base}), _ask("direct", f"{base}/page")],
                FOCUSED_ALLOWED_NETWORKS=LOOPBACK,
                HTTPPROXY_ENABLED=True,
            ),
            "robots": _crawl(
                _robots(ports["plain"]),
                FOCUSED_ALLOWED_NETWORKS=ONE,
                ROBOTSTXT_OBEY=True,
            ),
            "tls": _crawl(_tls(ports), FOCUSED_ALLOWED_NETWORKS=ONE),
        },
    }


def _crawl(requests: list[dict[str, Any]], **settings: Any) -> dict[str, Any]:
    return {"requests": requests, "settings": settings}


def _ask(label: str, url: str, **more: Any) -> dict[str, Any]:
    return {"label": label, "url": url, **more}


def _limits(base: str) -> list[dict[str, Any]]:
    plain = (
        "page untyped-html untyped-gzipped-html untyped-film disguised-pdf empty empty-gzip error-film"
        " endless ten-gigabytes cut-short header-of-a-megabyte ten-thousand-headers"
        " endless-headers endless-continue header-without-colon nul-in-header nul-in-type no-http"
        " wrong-status wrong-length chunk-endless-extension to-with-film to-long to-huge loop"
    )
    asked = [_ask(name, f"{base}/{name}") for name in plain.split()]
    asked += [_ask(name, f"{base}/{name}", **GIVEN_UP) for name in ("slow", "slow-head")]
    asked += [_ask(f"encoded {name}", f"{base}/encoded?{name}") for name in encodings()]
    asked += [_ask(name, f"{base}/chunked?{quote(body)}") for name, body in CHUNKS.items()]
    asked += [_ask(f"to {name}", f"{base}/to?{quote(target)}") for name, target in LOCATIONS.items()]
    for kind in ("video/mp4", "text/plain", "application/json", "nonsense", *HTML_TYPES):
        asked.append(_ask(f"typed {kind}", f"{base}/typed-html?{quote(kind)}"))
    return [
        *asked,
        _ask("film", f"{base}/type?video/mp4"),
        _ask("user's own film", f"{base}/type?video/mp4&x", page=False),
        _ask("user's own text", f"{base}/typed-html?text/plain&x", page=False),
        _ask("20 hops", f"{base}/hop?20"),
        _ask("21 hops", f"{base}/hop?21"),
        _ask("refresh to file", f"{base}/refresh?file:///etc/hostname"),
        _ask("refresh to nonsense", f"{base}/refresh?{quote('http://[')}"),
        _ask("refresh to page", f"{base}/refresh?/page"),
        _ask("last page", f"{base}/page?last"),
    ]


def _spellings(port: int, hosts: tuple[str, ...]) -> list[dict[str, Any]]:
    return [_ask(host, f"http://{host}:{port}/spelled") for host in hosts]


def _other_places() -> list[dict[str, Any]]:
    return [_ask(host, f"http://{host}/") for host in OTHER_PLACES] + [
        _ask("https", "https://127.0.0.1/"),
        _ask("https name", "https://localhost/"),
        _ask("file", "file:///etc/hostname"),
        _ask("data", "data:text/html,<p>x"),
        _ask("ftp", "ftp://127.0.0.1/"),
    ]


def _one_address(ports: dict[str, int]) -> list[dict[str, Any]]:
    port = ports["plain"]
    base = f"http://127.0.0.1:{port}"
    targets = {
        "to 127.0.0.2": f"http://127.0.0.2:{port}/secret",
        "to metadata": "http://169.254.169.254/latest/meta-data/",
        "to metadata by name": "http://metadata.test/",
        "to a name inside": f"http://inside.test:{port}/secret",
        "to ::1": f"http://[::1]:{port}/secret",
        "to a spelling": f"http://127.2:{port}/secret",
        "to https inside": f"https://127.0.0.2:{ports['trusted']}/secret",
        "to page": "/page",
    }
    hops = [_ask(label, f"{base}/to?{quote(target)}") for label, target in targets.items()]
    second_hop = quote(f"/to?{quote(targets['to 127.0.0.2'])}")
    names = ("public", "mixed", "mixed6", "inside", "nowhere", "spelled")
    return [
        *hops,
        _ask("second hop to 127.0.0.2", f"{base}/to?{second_hop}"),
        *(_ask(name, f"http://{name}.test:{port}/named") for name in names),
        _ask("silent", f"http://silent.test:{port}/named", **GIVEN_UP),
        _ask("flips once", f"http://flips.test:{port}/flips"),
        _ask("flips twice", f"http://flips.test:{port}/flips"),
    ]


def _robots(port: int) -> list[dict[str, Any]]:
    hosts = ("public.test", "endless-robots.test", "huge-robots.test", "moved-robots.test", "inside.test")
    asked = []
    for host in hosts:
        asked.append(_ask(f"{host} page", f"http://{host}:{port}/page"))
        asked.append(_ask(f"{host} forbidden", f"http://{host}:{port}/type?text/html"))
    return asked


def _tls(ports: dict[str, int]) -> list[dict[str, Any]]:
    trusted, self_signed = ports["trusted"], ports["self_signed"]
    return [
        _ask("trusted address", f"https://127.0.0.1:{trusted}/page"),
        _ask("trusted name", f"https://secure.test:{trusted}/page"),
        _ask("another name", f"https://public.test:{trusted}/page"),
        _ask("self-signed", f"https://127.0.0.1:{self_signed}/page"),
        *(_ask(kind, f"https://secure.test:{ports[kind]}/page") for kind in ("nameless", "malformed")),
        _ask("nameless address", f"https://127.0.0.1:{ports['nameless']}/page"),
        _ask("other address", f"https://127.0.0.2:{trusted}/page"),
        _ask("inside", f"https://inside.test:{trusted}/page"),
    ]
