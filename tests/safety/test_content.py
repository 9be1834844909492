"""Telling HTML from everything else, and what a server says of itself."""

import gzip
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.safety.content import YEAR, binary_format, looks_like_html, media_type, seconds_asked

HTML = [
    b"<!DOCTYPE html>",
    b"<!doctype HTML PUBLIC '-//W3C//DTD HTML 4.01//EN'>",
    b"  \r\n\t<html>",
    b"<html lang='en'>",
    b"<!-- a comment --><p>",
    b"<head>",
    b"<H1>News</H1>",
    b"<p>x",
    b"<a href='x'>",
    b"<br/>",
    b"\xef\xbb\xbf<!doctype html>",
    b"\xff\xfe" + "<html>".encode("utf-16-le"),
    b"\xfe\xff" + "<html>".encode("utf-16-be"),
    b"<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC 'x'><html>",
    b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'>",
]
OTHER = [
    b"",
    b"plain words",
    b"{}",
    b"%PDF-1.7",
    b"<?xml version='1.0'?><rss><html>"[:30],
    b"<rss>",
    b"<svg>",
    b"<abbr",
    b"<pre>",
    b"\x00<html>",
    b"\xff\xfe\x00",
    gzip.compress(b"<html>", mtime=0),
]


@pytest.mark.parametrize("body", HTML)
def test_html_is_seen(body):
    """By its first tag, in any case, after any white space, with any byte order mark."""
    assert looks_like_html(body)


@pytest.mark.parametrize("body", OTHER)
def test_other_bodies_are_seen(body):
    """Nothing, text, data and binary files are no pages."""
    assert not looks_like_html(body)


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (None, None),
        (b"", None),
        (b"   ", None),
        (b"text/html", "text/html"),
        (b"TEXT/HTML ; charset=utf-8", "text/html"),
        (b"application/xhtml+xml;x", "application/xhtml+xml"),
        (b"text/html\x00", ""),
        (b"text/plain, text/html", "text/html"),  # as browsers have it: the last one
        (b"text/html, text/html; charset=utf-8", "text/html"),
        (b"text/html; charset=utf-8, nonsense", "text/html"),
        (b"text/html charset=utf-8", "text/html"),
        (b"text /html", ""),
        (b"html", ""),
        (b";charset=utf-8", ""),
        (b"\xff\xfe/x", ""),
    ],
)
def test_media_types(header, expected):
    """None is no header, an empty string a header that says nothing."""
    assert media_type(header) == expected


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (b"%PDF-1.4", "PDF"),
        (gzip.compress(b"x", mtime=0), "gzip"),
        (b"\x00\x00\x00\x18ftypmp42", "MP4"),
        (b"GIF89a", "GIF"),
        (b"<p>%PDF-", None),
        (b"", None),
    ],
)
def test_binary_formats(body, name):
    """Signatures count at the beginning only."""
    assert binary_format(body) == name


@given(st.binary(max_size=600))
def test_any_bytes_are_judged(body):
    """No body raises, and none is both HTML and a binary file."""
    assert not (looks_like_html(body) and binary_format(body))
    media_type(body)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0), (" 0 ", 0.0), ("-3", None), ("soon", None), ("", None), ("1e3", None),
        ("9" * 400, YEAR), ("9" * 5000, YEAR),
    ],
)  # fmt: skip
def test_seconds_of_retry_after(header: str, seconds: float | None) -> None:
    """What is no number of seconds is none."""
    assert seconds_asked(header) == seconds


def test_a_date_in_retry_after() -> None:
    """Is the other form it has."""
    for zone in (UTC, None):
        moment = format_datetime((datetime.now(UTC) + timedelta(hours=5)).replace(tzinfo=zone))
        asked = seconds_asked(moment)
        assert asked is not None
        assert asked == pytest.approx(5 * 3600, abs=300)  # a wrong zone would be off by half an hour or more
    assert seconds_asked("Mon, 01 Jan 2001 00:00:00 GMT") == 0


@given(st.text(max_size=60))
def test_any_retry_after(header: str) -> None:
    """Is read without an error."""
    seconds = seconds_asked(header)
    assert seconds is None or seconds >= 0
