"""Numbers, times and crawled text as a reader sees them, on a page and in the terminal."""

from __future__ import annotations

import signal
from datetime import UTC, datetime
from urllib.parse import urlsplit

from focused_crawler.safety.printable import UNSAFE


def tidy(text: str, limit: int = 300) -> str:
    r"""Fold white space, drop control, direction and broken characters, cut to `limit` characters.

    >>> tidy("Solar\x1b[2J  panels" + chr(0x202E) + "!")
    'Solar[2J panels!'
    """
    folded = " ".join(text[: 4 * limit].split())
    return _cut(UNSAFE.sub("", folded), limit)


def folded(text: str, limit: int = 300) -> str:
    r"""Fold white space, cut to `limit` characters; what is unsafe stays, for whoever shows it.

    >>> folded("Solar\x1b[2J \n panels" + "!" * 300, 20)
    'Solar\x1b[2J panels!!!…'
    """
    return _cut(" ".join(text[: 4 * limit].split()), limit)


def _cut(text: str, limit: int) -> str:
    r"""Cut a text; of one that nobody would see anything of, such as zero-width spaces, nothing is left.

    >>> _cut("\u200bSolar", 3), _cut("\u200b\ufeff\u00ad", 9)
    ('\u200bS…', '')
    """
    if not any(letter.isprintable() and letter != " " for letter in text):
        return ""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def first_upper(text: str) -> str:
    """Let a text begin with a capital letter, unless it begins with a path or the name of a file.

    >>> first_upper("host closed at its Cap"), first_upper("crawls/a/1 is no crawl")
    ('Host closed at its Cap', 'crawls/a/1 is no crawl')
    """
    is_name = any(sign in text.partition(" ")[0].rstrip(".") for sign in "/.")
    return text if is_name else text[:1].upper() + text[1:]


def web_link(url: str) -> str | None:
    """Return a URL that is safe to put behind a link, None for any scheme but http and https.

    >>> web_link("http://a.example/x"), web_link("javascript:alert(1)")
    ('http://a.example/x', None)
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    is_web = parts.scheme in {"http", "https"} and parts.netloc
    return url if is_web and not UNSAFE.search(url) else None


def percent(share: float) -> str:
    """Three digits or so of a share.

    >>> percent(0.43127), percent(1.0), percent(0.0042), percent(0.0)
    ('43.1 %', '100 %', '0.42 %', '0 %')
    """
    if share in {0.0, 1.0}:
        return f"{share:.0%}".replace("%", " %")
    return f"{100 * share:.{1 if share >= 0.01 else 2}f} %"


def count(number: float) -> str:
    """A whole number with its thousands apart."""
    return f"{number:,.0f}"


def plural(number: int, noun: str) -> str:
    """A number with its noun.

    >>> plural(1, "page"), plural(2000, "page"), plural(2, "new entry"), plural(0, "search")
    ('1 page', '2,000 pages', '2 new entries', '0 searches')
    """
    many = f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}es" if noun.endswith("ch") else f"{noun}s"
    return f"{count(number)} {noun if number == 1 else many}"


def duration(seconds: float) -> str:
    """The two largest units of a time span.

    >>> duration(7.2), duration(192), duration(3840), duration(180_000)
    ('7.2 s', '3 min 12 s', '1 h 04 min', '2 d 2 h')
    """
    whole = round(seconds)
    if seconds < 9.95:
        return f"{max(seconds, 0):.1f} s"
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    if whole < 86400:
        return f"{whole // 3600} h {whole % 3600 // 60:02} min"
    return f"{whole // 86400} d {whole % 86400 // 3600} h"


def seconds(time: float) -> str:
    """A short time as a table has it.

    >>> seconds(1.0), seconds(0.0423), seconds(240)
    ('1.00 s', '0.04 s', '240 s')
    """
    return f"{time:.2f} s" if time < 10 else f"{time:.0f} s"


def period(started: float, ended: float) -> str:
    """From when to when, in UTC.

    >>> period(0, 754), period(0, 90_000)
    ('1970-01-01 00:00 to 00:12 UTC', '1970-01-01 00:00 to 1970-01-02 01:00 UTC')
    """
    first, last = (datetime.fromtimestamp(time, UTC) for time in (started, ended))
    end = "%H:%M UTC" if first.date() == last.date() else "%Y-%m-%d %H:%M UTC"
    return f"{first:%Y-%m-%d %H:%M} to {last:{end}}"


def moment(time: float) -> str:
    """A time, in UTC.

    >>> moment(754)
    '1970-01-01 00:12 UTC'
    """
    return f"{datetime.fromtimestamp(time, UTC):%Y-%m-%d %H:%M} UTC"


def end_in_words(status: int) -> str:
    """Say how a process ended.

    >>> end_in_words(2), end_in_words(-9)
    ('ended with code 2', 'was killed by SIGKILL')
    """
    if status >= 0:
        return f"ended with code {status}"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"
