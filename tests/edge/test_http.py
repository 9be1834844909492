from __future__ import annotations

import pytest
from scrapy.http import Response

from focused_crawler.edge.http import LONGEST_VALIDATOR, validators_of

DATE = "Mon, 06 Jan 2025 10:00:00 GMT"


def test_a_server_tells_versions_by_tag_and_date() -> None:
    """Both are kept as they came."""
    response = Response("http://a.example/", headers={"ETag": ' W/"1" ', "Last-Modified": DATE})
    assert validators_of(response) == ('W/"1"', DATE)
    assert validators_of(Response("http://a.example/")) == (None, None)


@pytest.mark.parametrize("tag", [b"", b"x" * (LONGEST_VALIDATOR + 1), b'"a\x00"', b'"a\r\nX: y"', b'"\xff"'])
def test_what_could_not_be_sent_back_is_left_out(tag: bytes) -> None:
    """Neither long ones nor such as hold anything but plain characters."""
    assert validators_of(Response("http://a.example/", headers={"ETag": tag})).etag is None
