"""Archive files as tools of many kinds write them, made anew: records, and how they are packed."""

from __future__ import annotations

import gzip
import zipfile
from base64 import b32encode
from collections.abc import Callable
from hashlib import sha1
from pathlib import Path
from typing import Any

import brotli
from backports import zstd

DATE = "2024-05-01T10:00:00Z"
HTML = b"Content-Type: text/html\r\n"
OK = b"HTTP/1.1 200 OK\r\n" + HTML + b"\r\n"


def digest(payload: bytes) -> str:
    return f"sha1:{b32encode(sha1(payload).digest()).decode()}"


def record(kind: str, url: str = "", block: bytes = b"", version: str = "1.0", **fields: Any) -> bytes:
    """Return a record; names of fields without their WARC- and with _ for -."""
    lines = [f"WARC/{version}", f"WARC-Type: {kind}"]
    lines += [f"WARC-Target-URI: {url}"] if url else []
    fields = {"Record_ID": f"<urn:x:{kind}:{url}>", "Date": DATE, **fields}
    lines += [f"WARC-{name.replace('_', '-')}: {value}" for name, value in fields.items() if name != "length"]
    lines += [f"Content-Length: {fields.get('length', len(block))}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + block + b"\r\n\r\n"


def response(url: str, body: bytes = b"", head: bytes = OK, **fields: Any) -> bytes:
    return record("response", url, head + body, Payload_Digest=digest(body), **fields)


INFO = record("warcinfo", block=b"software: x\r\nformat: WARC File Format 1.0\r\n")
PAGES = {f"http://a.example/{name}": f"<p>{name} of bees".encode() for name in ("one", "two", "three")}
RESPONSES = [response(url, body) for url, body in PAGES.items()]
RECORDS = [INFO, *RESPONSES]


def apart(records: list[bytes]) -> bytes:
    return b"".join(gzip.compress(one, mtime=0) for one in records)


def plain(records: list[bytes]) -> bytes:
    return b"".join(records)


def together(records: list[bytes]) -> bytes:
    return gzip.compress(b"".join(records), mtime=0)


def in_blocks(records: list[bytes]) -> bytes:
    """Members that end anywhere, as bgzip makes them."""
    text = b"".join(records)
    return b"".join(gzip.compress(text[start : start + 300]) for start in range(0, len(text), 300))


def framed(records: list[bytes]) -> bytes:
    return b"".join(zstd.compress(one) for one in records)


def with_dictionary(records: list[bytes], *, is_packed: bool = False) -> bytes:
    """As the Archive Team's tools do: the dictionary stands first, in a frame that readers skip."""
    samples = [response(f"http://a.example/{n}", b"bees and honey %d" % n) for n in range(200)]
    trained = zstd.train_dict(samples, 4096)
    content = zstd.compress(trained.dict_content) if is_packed else trained.dict_content
    skipped = b"\x5d\x2a\x4d\x18" + len(content).to_bytes(4, "little") + content
    return skipped + b"".join(zstd.compress(one, zstd_dict=trained) for one in records)


def arc(pages: dict[str, bytes], pack: Callable[[bytes], bytes] = bytes) -> bytes:
    """As Heritrix 1 wrote them: a line of five words before each response, dns answers between."""
    about = b"1 0 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n\n"
    first = b"filedesc://a.arc 0.0.0.0 20080501100000 text/plain %d\n" % len(about) + about
    dns = b"20080501100000\na.example. 300 IN A 10.0.0.1\n"
    found = [b"dns:a.example 10.0.0.1 20080501100000 text/dns %d\n" % len(dns) + dns]
    for url, body in pages.items():
        line = f"{url} 10.0.0.1 20080501100000 text/html {len(OK + body)}\n".encode()
        found.append(line + OK + body)
    return b"".join(pack(one + b"\n") for one in (first, *found))


def wacz(path: Path, warcs: dict[str, bytes], how: int = zipfile.ZIP_STORED) -> Path:
    """As browsertrix does: WARCs stored as they are, beside indexes and a list of pages."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in warcs.items():
            zipped.writestr(zipfile.ZipInfo(name), content, how)
        zipped.writestr("indexes/index.cdx.gz", gzip.compress(b"com,example)/ 2024 {}"))
        zipped.writestr("pages/pages.jsonl", b'{"format": "json-pages-1.0"}\n')
        zipped.writestr("datapackage.json", b'{"profile": "data-package", "wacz_version": "1.1.1"}')
    return path


def chunked(body: bytes) -> bytes:
    return b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)


def packed_as(name: str, pack: Callable[[bytes], bytes], body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Encoding: " + name.encode() + b"\r\n" + HTML + b"\r\n" + pack(body)


def web_of_kinds() -> tuple[list[bytes], dict[str, bytes | None]]:
    """Return records as tools write them, and what the web of them answers to each URL; None: nothing."""
    body, site = b"<p>bees", "http://k.example/"
    heads = {
        "chunked": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + HTML + b"\r\n" + chunked(body),
        "gzip": packed_as("gzip", gzip.compress, body),
        "br": packed_as("br", brotli.compress, body),
        "zstd": packed_as("zstd", zstd.compress, body),
        "http2": b"HTTP/2 200\r\n" + HTML.lower() + b"\r\n" + body,
        "http10": b"HTTP/1.0 200 OK\r\n" + HTML + b"\r\n" + body,
        "interim": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" + OK + body,
        "lf": OK.replace(b"\r\n", b"\n") + body,
    }
    records = [INFO, *(record("response", site + name, block) for name, block in heads.items())]
    answers: dict[str, bytes | None] = {site + name: body for name in heads}
    records += [
        record("response", f"<{site}brackets>", OK + body),
        record("response", site + "v11", OK + body, "1.1", Date="2024-05-01T10:00:00.123456Z"),
        record("resource", site + "resource", body, Profile="x").replace(
            b"WARC-Date", b"Content-Type: text/html\r\nWARC-Date"
        ),
        record("metadata", site + "metadata", b"outlink: x\r\n"),
        record("conversion", site + "conversion", b"bees"),
        record("continuation", site + "continuation", b"bees"),
        record("response", site + "no-http"),
        record("response", "dns:k.example", b"20240501100000\nk.example. 1 IN A 10.0.0.1\n"),
        record("resource", "urn:pageinfo:" + site, b"{}"),
        record("resource", "metadata://gnu.org/software/wget/warc/MANIFEST.txt", b"x"),
        record("request", site + "posted", b"POST /posted HTTP/1.1\r\n\r\nx=1", Concurrent_To="<urn:x:p>"),
        record("response", site + "posted", OK + b"<p>your post", Record_ID="<urn:x:p>"),
        record("request", site + "asked", b"HEAD /asked HTTP/1.1\r\n\r\n", Record_ID="<urn:x:h>"),
        record("response", site + "asked", OK, Concurrent_To="<urn:x:h>"),
        record("response", site + "cut", OK + b"<p>be", Record_ID="<urn:x:c>", Truncated="length"),
        record("response", site + "cut", OK + body, Record_ID="<urn:x:w>"),
    ]
    answers |= {site + name: body for name in ("brackets", "v11", "resource", "cut")}
    nothing = ("metadata", "conversion", "continuation", "no-http", "posted", "asked")
    answers |= {site + name: None for name in nothing}
    return records, answers
