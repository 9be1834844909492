"""Conditional requests to a recorded web: 304 where the client has what was recorded (RFC 9110, 13)."""

from __future__ import annotations

import re
from datetime import datetime
from email.utils import parsedate_to_datetime

from focused_crawler.net.status import NOT_MODIFIED
from focused_crawler.virtualweb.record import Record

_KEPT = frozenset(("cache-control", "content-location", "date", "etag", "expires", "last-modified", "vary"))
_ETAG = re.compile(r'(?:W/)?("[^"]*")')


def answer(record: Record, if_none_match: str, if_modified_since: str) -> Record:
    """Return a record as it is, or, if the conditions say that the client has it, the 304 in its place.

    The conditions are header values, empty where there is none; the first makes the second void. Only a page
    (200) is spared: an error or a redirect is sent in any case.
    """
    if record.status != 200 or not _is_known(record, if_none_match, if_modified_since):
        return record
    headers = [(name, value) for name, value in record.headers if name.lower() in _KEPT]
    return Record(record.url, NOT_MODIFIED, headers, b"")


def _is_known(record: Record, if_none_match: str, if_modified_since: str) -> bool:
    if if_none_match:
        own = _ETAG.fullmatch(record.header("ETag").strip())
        return if_none_match.strip() == "*" or (own is not None and own[1] in _ETAG.findall(if_none_match))
    modified, since = _date(record.header("Last-Modified")), _date(if_modified_since)
    return modified is not None and since is not None and modified <= since


def _date(header: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(header)
    except (ValueError, TypeError, OverflowError):
        return None
    return date if date.tzinfo is not None else None
