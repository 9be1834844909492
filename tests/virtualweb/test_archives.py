from __future__ import annotations

import gzip
import logging
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from backports import zstd

from focused_crawler.safety.errors import WebError
from focused_crawler.virtualweb import packing
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.writer import WebWriter
from tests.virtualweb import archives
from tests.virtualweb.archives import DATE, OK, PAGES, RECORDS, RESPONSES, digest, record, response
from tests.virtualweb.wire import KINDS, sending

SITE = "http://a.example/"


def bodies(path: Path) -> dict[str, bytes]:
    with VirtualWeb(path) as web:
        return {entry.url: web.read(entry).body for entry in web.answering()}


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("web.warc.gz", archives.apart(RECORDS)),
        ("web.warc", b"".join(RECORDS)),
        ("one.warc.gz", archives.apart([*RECORDS[:-1], b""]) + gzip.compress(RECORDS[-1])),
        ("web.warc.zst", archives.framed(RECORDS)),
        ("dictionary.warc.zst", archives.with_dictionary(RECORDS)),
        ("packed-dictionary.warc.zst", archives.with_dictionary(RECORDS, is_packed=True)),
        ("web.arc", archives.arc(PAGES)),
        ("web.arc.gz", archives.arc(PAGES, gzip.compress)),
        ("bare-lines.warc", b"".join(RECORDS).replace(b"\r\n\r\nWARC/", b"\n\nWARC/")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_archives_of_each_kind_are_read(tmp_path: Path, name: str, content: bytes) -> None:
    """What they are is seen by their bytes, not by their names."""
    assert bodies(written(tmp_path / name, content)) == PAGES
    assert bodies(written(tmp_path / "renamed", content)) == PAGES


def test_a_wacz_is_read_where_it_lies(tmp_path: Path) -> None:
    """Several WARCs, packed in any way, none of them taken out of the zip file."""
    parts = [archives.apart(RECORDS[:2]), RECORDS[2], archives.framed(RECORDS[3:])]
    names = ("archive/a.warc.gz", "archive/../../../b.warc", "/etc/c.warc.zst")
    path = archives.wacz(tmp_path / "web.wacz", dict(zip(names, parts, strict=True)))
    assert bodies(path) == PAGES
    assert sorted(found.name for found in tmp_path.rglob("*")) == ["web.wacz", "web.wacz.index"]


def test_a_torn_warc_in_a_wacz_ends_that_warc_only(tmp_path: Path) -> None:
    """A recording that was killed, and packed all the same."""
    torn = archives.apart(RECORDS[:3])[:-9]
    warcs = {"archive/1.warc.gz": torn, "archive/2.warc.gz": archives.apart(RECORDS[3:])}
    found = bodies(archives.wacz(tmp_path / "web.wacz", warcs))
    assert list(found) == [f"{SITE}one", f"{SITE}three"]


def _with_list_of(size: int, content: bytes) -> bytes:
    """Let a zip file say that its list of files is as long as that."""
    end = content.rindex(b"PK\x05\x06")
    return content[: end + 12] + size.to_bytes(4, "little") + content[end + 16 :]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: content[:-30], "cannot be read"),
        (lambda content: _with_list_of(10**9, content), "1,000,000,000 bytes long"),
        (lambda content: content.replace(b"archive/a.warc.gz", b"archive/a.html.gz"), "without a WARC in it"),
        (lambda content: content.replace(b"PK\x03\x04", b"PK\x05\x06", 1),
         "not where its list says"),
    ],
)  # fmt: skip
def test_a_broken_wacz_is_one_line(tmp_path: Path, change: Callable[[bytes], bytes], message: str) -> None:
    """Cut off, or with a list of its files that is not true."""
    path = archives.wacz(tmp_path / "web.wacz", {"archive/a.warc.gz": archives.apart(RECORDS)})
    assert refusal(written(path, change(path.read_bytes()))).count(message) == 1


def test_a_wacz_that_packs_its_warcs_is_not_unpacked(tmp_path: Path) -> None:
    """So none can be a bomb; the line says what to do."""
    bomb = archives.wacz(tmp_path / "w.wacz", {"archive/a.warc": bytes(10**7)}, zipfile.ZIP_DEFLATED)
    assert "unzip it and give a WARC of it" in refusal(bomb)


def refusal(path: Path) -> str:
    with pytest.raises(WebError) as caught:
        VirtualWeb(path)
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    return message


_CURE = "warcio recompress OLD.warc.gz NEW.warc.gz"
_LONGER = RESPONSES[1].replace(b"two of bees", b"two of bees and more")
_SHORTER = RESPONSES[1].replace(b"two of bees", b"two")
_WRONG = "its Content-Length is wrong"
_WITHOUT_URL = RESPONSES[1].replace(b"WARC-Target-URI", b"WARC-Old-URI")
_NO_URL = "it has no WARC-Target-URI"
_LARGE = [response(f"{SITE}{n}", bytes(range(256)) * 400) for n in range(3)]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("single.warc.gz", archives.together(RECORDS), _CURE),
        ("single-large.warc.gz", archives.together(_LARGE), _CURE),
        ("single-torn.warc.gz", archives.together(_LARGE)[:-20], _CURE),
        ("single.arc.gz", gzip.compress(archives.arc(PAGES)), _CURE),
        ("blocks.warc.gz", archives.in_blocks(RECORDS), _CURE),
        ("single.warc.zst", zstd.compress(b"".join(RECORDS)), "unpack it: zstd -d"),
        ("long.warc", b"".join([*RECORDS[:2], _LONGER, RECORDS[3]]), _WRONG),
        ("short.warc", b"".join([*RECORDS[:2], _SHORTER, RECORDS[3]]), _WRONG),
        ("long.warc.gz", archives.apart([*RECORDS[:2], _LONGER, RECORDS[3]]), _WRONG),
        ("short.warc.gz", archives.apart([*RECORDS[:2], _SHORTER, RECORDS[3]]), _WRONG),
        ("none.warc", b"".join(RECORDS).replace(b"Content-Length", b"X-Length"), "it has no Content-Length"),
        ("no-url.warc", b"".join([*RECORDS[:2], _WITHOUT_URL, RECORDS[3]]), _NO_URL),
        ("no-url.warc.gz", archives.apart([*RECORDS[:2], _WITHOUT_URL, RECORDS[3]]), _NO_URL),
        ("zeros.warc.gz", archives.apart(RECORDS) + bytes(3000), "cannot be read"),
        ("empty.warc", b"", "holds no response record"),
        ("info.warc", INFO := RECORDS[0], "holds no response record"),
        ("texts.warc.wet", record("conversion", SITE, b"text"), "holds no response record"),
        ("page.html", b"<!DOCTYPE html>\n<p>x", "it begins with '<!DOCTYPE html>"),
        ("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(99), r"it begins with '\x89PNG"),
        ("data.tar.gz", gzip.compress(b"data.txt" + bytes(999)), "it begins with 'data.txt"),
        ("index.cdx", b" CDX N b a m s k r M S V g\n", "it begins with ' CDX"),
    ],
    ids=lambda value: value if isinstance(value, str) and "." in value[:25] else "",
)
def test_what_cannot_be_read_is_one_true_line(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    """With the cure, where there is one."""
    assert message in refusal(written(tmp_path / name, content))


@pytest.mark.parametrize("pack", [archives.together, archives.in_blocks])
def test_the_cure_is_one(tmp_path: Path, pack: Callable[[list[bytes]], bytes]) -> None:
    """What the line says, typed."""
    old, new = written(tmp_path / "old.warc.gz", pack(RECORDS)), tmp_path / "new.warc.gz"
    subprocess.run(
        [sys.executable, "-m", "warcio.cli", "recompress", old, new], check=True, capture_output=True
    )
    assert bodies(new) == PAGES


def _with_tabs(records: list[bytes]) -> bytes:
    return archives.plain(records).replace(b"Content-Length: ", b"Content-Length:\t")


@pytest.mark.parametrize("cut", [1, 3, 30, 200])
@pytest.mark.parametrize("pack", [archives.apart, archives.plain, _with_tabs, archives.framed])
def test_a_file_that_ends_too_soon_is_a_web_of_its_whole_records(
    tmp_path: Path, cut: int, pack: Callable[[list[bytes]], bytes]
) -> None:
    """Whatever it is packed with, and wherever its writer was killed."""
    whole = len(pack(RECORDS[:3]))
    content = pack(RECORDS)
    found = bodies(written(tmp_path / "torn", content[: max(whole, len(content) - cut)]))
    is_plain = pack in {archives.plain, _with_tabs}
    lost = not is_plain or cut > 4  # of a plain record the empty lines behind it are nothing
    assert len(found) == (2 if lost else 3)


def test_a_frame_cannot_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Zstandard packs a gigabyte into a few bytes; its dictionary is bounded, too."""
    monkeypatch.setattr(packing, "_MOST", 10**6)
    bomb = zstd.compress(response(SITE, bytes(10**7)))
    assert "unpack to more than" in refusal(written(tmp_path / "bomb.warc.zst", bomb))
    long = b"\x5d\x2a\x4d\x18" + (2**31).to_bytes(4, "little")
    assert "its dictionary is 2,147,483,648 bytes long" in refusal(written(tmp_path / "d.warc.zst", long))


def test_records_of_every_kind_answer_as_they_should(tmp_path: Path) -> None:
    """Encodings, protocols, interim answers; and what is no answer to GET is none."""
    records, answers = archives.web_of_kinds()
    for name, pack in (("k.warc.gz", archives.apart), ("k.warc", b"".join)):
        with VirtualWeb(written(tmp_path / name, pack(records))) as web:
            found = {url: web.get(url) for url in answers}
            assert {url: one.body if one else None for url, one in found.items()} == answers
            assert {one.status for one in found.values() if one} == {200}


def test_a_scheme_in_capitals_is_one(tmp_path: Path) -> None:
    """As some tools write it; its record answers like any other."""
    web = written(tmp_path / "c.warc.gz", archives.apart([response("HTTP://A.example/Tea", b"<p>tea")]))
    with VirtualWeb(web) as found:
        page = found.get("http://a.example/Tea")
    assert page is not None
    assert (page.status, page.body) == (200, b"<p>tea")


def test_records_without_ids_are_pages_beside_a_form_that_was_sent(tmp_path: Path) -> None:
    """Nobody can tell which is the answer to the form, so all are there."""
    posted = record("request", f"{SITE}form", b"POST /form HTTP/1.1\r\nHost: a.example\r\n\r\n")
    lines = b"".join([*RESPONSES, posted]).splitlines(keepends=True)
    content = b"".join(line for line in lines if not line.startswith(b"WARC-Record-ID"))
    assert bodies(written(tmp_path / "w.warc", content)) == PAGES


_SAME = "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest"
_UNCHANGED = "http://netpreserve.org/warc/1.0/revisit/server-not-modified"
_BODY = b"<p>the same bees"
_FIRST = response(f"{SITE}first", _BODY, Record_ID="<urn:x:first>")
_304 = b"HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n"


def _revisit(url: str, block: bytes = OK, **fields: str) -> bytes:
    return record("revisit", url, block, Profile=fields.pop("Profile", _SAME), **fields)


@pytest.mark.parametrize(
    "revisit",
    [
        _revisit(f"{SITE}again", Refers_To="<urn:x:first>"),
        _revisit(f"{SITE}again", Refers_To_Target_URI=f"{SITE}first", Refers_To_Date=DATE),
        _revisit(
            f"{SITE}again",
            Refers_To_Target_URI=f"{SITE}first",
            Refers_To_Date="2001-01-01T00:00:00Z",
            Payload_Digest=digest(_BODY),
        ),
        _revisit(f"{SITE}again", Payload_Digest=digest(_BODY), Truncated="length"),
        _revisit(f"{SITE}again", b"", Payload_Digest=digest(_BODY)),
        _revisit(f"{SITE}again", _304, Profile=_UNCHANGED, Refers_To_Target_URI=f"{SITE}first"),
    ],
    ids=["id", "url and date", "url and digest", "digest", "no head", "not modified"],
)
@pytest.mark.parametrize("is_before", [False, True])
def test_a_revisit_answers_with_what_it_refers_to(tmp_path: Path, revisit: bytes, *, is_before: bool) -> None:
    """Named by its id, its URL or its digest; the head is the revisit's own, if that has one."""
    records = [revisit, _FIRST] if is_before else [_FIRST, revisit]
    if is_before and b"304" in revisit:
        pytest.skip("what is not modified was there before")
    with VirtualWeb(written(tmp_path / "w.warc.gz", archives.apart(records))) as web:
        answer = web.get(f"{SITE}again")
        assert answer is not None
        assert (answer.url, answer.status, answer.body) == (f"{SITE}again", 200, _BODY)
        assert answer.header("Content-Type") == "text/html"
        assert answer.header("Content-Length") == str(len(_BODY))


def test_a_revisit_of_another_file_is_left_out_aloud(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """All the others can be read; a redirect needs no body."""
    lost = _revisit(f"{SITE}lost", Refers_To="<urn:x:elsewhere>", Payload_Digest="sha1:NONE")
    moved = b"HTTP/1.1 301 Moved\r\nLocation: /first\r\n\r\n"
    name = "w\x1b[31m.warc.gz"
    path = written(tmp_path / name, archives.apart([_FIRST, lost, _revisit(f"{SITE}moved", moved)]))
    with caplog.at_level(logging.WARNING), VirtualWeb(path) as web:
        assert web.get(f"{SITE}lost") is None
        assert [entry.location for entry in web.entries()] == ["", f"{SITE}first"]
    assert "1 page of" in caplog.text
    assert r"cat FIRST.warc.gz 'w\x1b[31m.warc.gz' > ALL.warc.gz" in caplog.text


def test_an_encoded_body_is_decoded_as_it_was_sent_first(tmp_path: Path) -> None:
    """The second answer came plain and unchunked; what is stored is the first."""
    packed = archives.packed_as("gzip", gzip.compress, _BODY)
    first = record("response", f"{SITE}first", packed, Record_ID="<urn:x:first>")
    again = _revisit(f"{SITE}again", Refers_To="<urn:x:first>")
    assert bodies(written(tmp_path / "w.warc", first + again))[f"{SITE}again"] == _BODY


def test_only_a_gzip_warc_is_gone_on_with(tmp_path: Path) -> None:
    """Members appended to anything else could not be read by anybody."""
    for name, content in (("w.warc", b"".join(RECORDS)), ("w.arc", archives.arc(PAGES))):
        path = written(tmp_path / name, content)
        with pytest.raises(WebError, match="no gzip WARC"):
            WebWriter(path)
        assert path.read_bytes() == content


WGET = shutil.which("wget")


@pytest.mark.skipif(WGET is None, reason="wget is not installed")
def test_webs_of_wget_are_read(tmp_path: Path) -> None:
    """With its index and without the pages that it lists: the second file refers to the first."""
    names = ("length", "gzip", "chunked", "302")

    def wget(*options: str) -> None:
        urls = [f"{base}/{name}" for name in names]
        fixed = ("-q", "--tries=1", "--max-redirect=0", "--no-http-keep-alive", "-O", "/dev/null")
        command = [WGET, *fixed, *options, *urls]
        subprocess.run(command, cwd=tmp_path, check=False, timeout=60)  # it ends with 8: a redirect

    with sending() as (base, _):
        wget("--warc-file=first", "--warc-cdx")
        wget("--warc-file=second", "--warc-dedup=first.cdx")
        wget("--warc-file=plain", "--no-warc-compression")
    first, second = tmp_path / "first.warc.gz", tmp_path / "second.warc.gz"
    expected = {f"{base}/{name}": KINDS[name].page for name in names}
    assert bodies(first) == bodies(tmp_path / "plain.warc") == expected
    with VirtualWeb(second) as web:
        assert [entry.status for entry in web.entries()] == [302]
    both = written(tmp_path / "both.warc.gz", second.read_bytes() + first.read_bytes())
    with VirtualWeb(both) as web:
        assert len(web) == 2 * len(names)
        assert all(web.read(entry).body == expected[entry.url] for entry in web.entries())
