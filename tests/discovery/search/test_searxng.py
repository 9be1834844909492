from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from focused_crawler.discovery.harvest import FILE_NAME, Answers, harvest
from focused_crawler.discovery.search.base import SearchSettings
from focused_crawler.discovery.search.searxng import SearxngSearch
from focused_crawler.safety.address import parse_networks
from focused_crawler.safety.errors import SearchError
from tests.discovery.search.conftest import Serve
from tests.discovery.search.services import PATIENCE, Reply, as_json, page_url, searxng


def instance(
    address: str, language: str = "", pause_seconds: float = 0.0, timeout: float = PATIENCE, **more: Any
) -> SearxngSearch:
    settings = SearchSettings(searxng_url=address, timeout=timeout, **more)
    return SearxngSearch(settings, language, pause_seconds)


def test_results_come_in_its_order(serve: Serve) -> None:
    """With title and text, and no more than were asked for."""
    service = serve(searxng())
    results = instance(service.url).search("wet blasting", 3)
    assert [result.url for result in results] == [page_url(0), page_url(1), page_url(2)]
    assert results[1].title == "Page 1 of wet blasting"
    assert results[1].snippet == "What page 1 holds."
    assert len(service.asked) == 1


def test_it_goes_on_until_there_are_enough(serve: Serve) -> None:
    """Page after page; what stands on two of them counts once."""
    service = serve(searxng(25))
    assert [result.url for result in instance(service.url).search("rust", 18)] == [
        page_url(number) for number in range(18)
    ]
    assert [asked.query["pageno"] for asked in service.asked] == ["1", "2"]


def test_it_ends_where_nothing_is_new(serve: Serve) -> None:
    """Fewer than were asked for are all there are."""
    service = serve(searxng(25))
    assert len(instance(service.url).search("rust", 100)) == 25
    assert len(service.asked) == 4


def test_what_is_sent(serve: Serve) -> None:
    """The words on one line, the format, the topic's language, and who we are."""
    service = serve(searxng())
    instance(service.url, language="de", contact="ann@example.org").search(' "nasses\n Strahlen"  Rost ', 1)
    (asked,) = service.asked
    assert asked.query == {
        "q": '"nasses Strahlen" Rost', "format": "json", "pageno": "1", "language": "de"
    }  # fmt: skip
    assert asked.headers["user-agent"].startswith("focused-crawler/")
    assert asked.headers["user-agent"].endswith("(+ann@example.org)")


def test_an_instance_without_json(serve: Serve) -> None:
    """As most are: what to change, and no use in asking again."""
    with pytest.raises(SearchError, match=r"answers 403; enable json in search.formats of its") as raised:
        instance(serve(searxng(formats=("html",))).url).search("rust", 5)
    assert raised.value.is_final


@pytest.mark.parametrize(
    ("status", "is_final", "cure"),
    [
        (401, True, "~/.netrc"),
        (404, True, "not the address of a SearXNG instance"),
        (400, False, "it refuses us"),
        (418, True, "it refuses us"),
        (501, True, "it fails"),
    ],
)
def test_a_refusal(serve: Serve, status: int, is_final: bool, cure: str) -> None:
    """Is not repeated, and says what to do."""
    service = serve(lambda asked: Reply(status, b"<html>no"))
    with pytest.raises(SearchError, match=cure) as raised:
        instance(service.url).search("rust", 5)
    assert raised.value.is_final is is_final
    assert len(service.asked) == 1


def test_a_password_comes_from_netrc(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with other programs: none is in the settings."""
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login ann password secret")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    service = serve(searxng())
    instance(service.url).search("rust", 1)
    assert service.asked[0].headers["authorization"] == "Basic YW5uOnNlY3JldA=="


def test_a_redirect_is_not_followed(serve: Serve) -> None:
    """The error says where to: that may be the right address."""
    other = serve(searxng())
    service = serve(lambda asked: Reply(301, headers={"Location": f"{other.url}/search?x=1"}))
    with pytest.raises(SearchError, match=f"it sends us to {other.url}, and redirects are not followed"):
        instance(service.url).search("rust", 5)
    assert other.asked == []


@pytest.mark.parametrize(
    "body",
    [
        b"", b"<html>", b"[]", b"null", b"7", b'"results"', b'{"results": {}}', b'{"results": null}', b"{",
        b'{"results": [', b"\xff\xfe", b"[" * 100_000, b'{"n": ' + b"9" * 10_000 + b"}",
    ],
)  # fmt: skip
def test_no_answer_of_an_instance(serve: Serve, body: bytes) -> None:
    """Whatever else is there."""
    with pytest.raises(SearchError, match="no JSON of results; is FOCUSED_SEARXNG_URL a SearXNG instance"):
        instance(serve(lambda asked: Reply(200, body)).url).search("rust", 5)


def test_engines_that_are_silent(serve: Serve) -> None:
    """Are told from words that nobody knows."""
    empty: dict[str, object] = {"results": [], "unresponsive_engines": []}
    assert instance(serve(lambda asked: as_json(empty)).url).search("rust", 5) == []
    down = {"results": [], "unresponsive_engines": [["brave", "\x1b[2Jtimeout"], 7, ["qwant"]]}
    with pytest.raises(SearchError, match=r"that did not answer it: brave: \\x1b\[2Jtimeout, qwant"):
        instance(serve(lambda asked: as_json(down)).url).search("rust", 5)


def test_rows_that_are_no_results(serve: Serve) -> None:
    """Are left out one by one."""
    rows: list[object] = [
        7, None, [], "https://a.example/", {}, {"url": 7}, {"url": None}, {"url": ["https://b.example/"]},
        {"url": "javascript:alert(1)"}, {"url": "ftp://c.example/"}, {"url": "file:///etc/passwd"},
        {"url": "http://169.254.169.254/latest"}, {"url": "http://127.1/"}, {"url": "http://[::1]/"},
        {"url": "http://localhost:8888/"}, {"url": "http://ann:secret@d.example/"}, {"url": "//e.example/"},
        {"url": "https://f.example/" + "x" * 3000}, {"url": "https://\ud800.example/"}, {"url": ""},
        {"url": "https://good.example/", "title": {"a": 1}, "content": 9.5},
        {"url": "HTTP://GOOD.example", "title": "the same page again"},
    ]  # fmt: skip
    results = instance(serve(lambda asked: as_json({"results": rows})).url).search("rust", 50)
    assert [(result.url, result.title, result.snippet) for result in results] == [
        ("https://good.example/", "", "")
    ]


def test_an_intranet_that_is_allowed(serve: Serve) -> None:
    """Its pages are results, too."""
    service = serve(
        lambda asked: as_json({"results": [{"url": "http://10.1.2.3/"}, {"url": "http://10.9.0.1/"}]})
    )
    provider = instance(service.url, allowed_networks=parse_networks("10.1.0.0/16"))
    assert [result.url for result in provider.search("rust", 5)] == ["http://10.1.2.3/"]


def test_texts_that_would_do_harm(serve: Serve) -> None:
    """Come out as short plain lines."""
    row = {
        "url": "https://a.example/",
        "title": "\x1b[2J<b onclick='x'>Rust</b>\r\n\ud800&lt;script&gt; \u202eevil\x9b31m" + "x" * 999_999,
        "content": "if a < b and c > d: <em>AT&amp;T</em>\x00 " + "<i>" * 500_000,
    }
    (result,) = instance(serve(lambda asked: as_json({"results": [row]})).url).search("rust", 5)
    assert result.title.startswith("[2JRust <script> evil 31mxxx")
    assert len(result.title) == 300
    assert result.snippet.startswith("if a < b and c > d: AT&T")
    assert "<i>" not in result.snippet
    (result.title + result.snippet).encode()


def test_a_later_page_that_fails(serve: Serve) -> None:
    """Takes nothing away from the pages before it."""
    good = searxng(50)
    service = serve(lambda asked: good(asked) if asked.query["pageno"] == "1" else Reply(403))
    assert len(instance(service.url).search("rust", 30)) == 10


def test_a_part_of_an_answer_is_not_stored(serve: Serve, tmp_path: Path) -> None:
    """The next harvest of the day asks again: the page that failed may be there by now."""
    good, answers = searxng(50), Answers(tmp_path / FILE_NAME, "searxng")
    service = serve(lambda asked: good(asked) if asked.query["pageno"] == "1" else Reply(403))
    sizes = []
    for behaviour in (service.behaviour, good, good):
        service.behaviour = behaviour
        sizes.append(len(harvest(instance(service.url), ["rust"], 30, answers).answers[0].results))
    assert sizes == [10, 30, 30]
    assert len(service.asked) == 5  # pages: two, three, none


def test_an_answer_that_ends_is_stored_though_an_engine_is_silent(serve: Serve, tmp_path: Path) -> None:
    """Of ten engines one hardly ever answers: each search would be made again."""
    service, answers = serve(searxng(8)), Answers(tmp_path / FILE_NAME, "searxng")
    for _ in range(2):
        assert len(harvest(instance(service.url), ["rust"], 30, answers).answers[0].results) == 8
    assert len(service.asked) == 2  # pages: one, and none


def test_two_requests_are_apart(serve: Serve) -> None:
    """By the pause, whoever asks: pages of one search, and searches one after the other."""
    service = serve(searxng())
    provider = instance(service.url, pause_seconds=0.2)
    provider.search("rust", 15)
    provider.search("paint", 1)
    first, second, third = service.times
    assert second - first >= 0.2
    assert third - second >= 0.2
    assert SearxngSearch(SearchSettings(searxng_url=service.url)).pause_seconds >= 1


@pytest.mark.parametrize("query", ["", " \n", "\ud800", "x" * 401, "x " * 51])
def test_words_that_no_service_takes(serve: Serve, query: str) -> None:
    """Are not sent."""
    service = serve(searxng())
    with pytest.raises(SearchError) as raised:
        instance(service.url).search(query, 5)
    assert not raised.value.is_final
    assert service.asked == []


def test_none_are_asked_for(serve: Serve) -> None:
    """Then nobody is asked."""
    service = serve(searxng())
    assert instance(service.url).search("rust", 0) == instance(service.url).search("rust", -1) == []
    assert service.asked == []


def test_closing_twice(serve: Serve) -> None:
    """Does no harm."""
    provider = instance(serve(searxng()).url)
    found = provider.search("rust", 1)
    provider.close()
    provider.close()
    assert provider.search("rust", 1) == found, "a session that was closed opens new connections"


def test_a_server_that_takes_its_time(serve: Serve) -> None:
    """Is given up in time, and is no final error: it may be quicker with other words."""
    service = serve(lambda asked: Reply(200, b"{}", delay=10 * PATIENCE))
    started = time.monotonic()
    with pytest.raises(SearchError, match=f"no answer from 127.0.0.1:{service.port} within 0.1 s") as raised:
        instance(service.url, timeout=0.1).search("rust", 5)
    assert not raised.value.is_final
    assert time.monotonic() - started < PATIENCE
