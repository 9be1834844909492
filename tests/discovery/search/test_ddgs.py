from __future__ import annotations

import logging
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any

import pytest

from focused_crawler.discovery.search.base import SearchSettings
from focused_crawler.discovery.search.ddgs import ENGINES, MOST_BARREN, DdgsSearch, region_of
from focused_crawler.safety.errors import SearchError
from tests.discovery.search.engines import HOSTS, Engines, Page, duckduckgo, engines, mojeek
from tests.discovery.search.services import PATIENCE, page_url


def provider(
    running: Engines, language: str = "", pause_seconds: float = 0.0, timeout: float = PATIENCE, **more: Any
) -> DdgsSearch:
    """The library as it is, which takes our proxy for the network."""
    settings = SearchSettings(timeout=timeout)
    return DdgsSearch(settings, language, pause_seconds, **{"proxy": running.proxy, "verify": False, **more})


def status(number: int, page: str = "") -> Page:
    return lambda fields: (number, page)


def test_what_an_engine_finds(self_signed: ssl.SSLContext) -> None:
    """The library's parser reads its page."""
    with engines(self_signed, duckduckgo=duckduckgo(range(10))) as running:
        results = provider(running).search("wet blasting", 10)
        assert running.hosts() == [HOSTS["duckduckgo"]]
    assert [result.url for result in results] == [page_url(number) for number in range(10)]
    assert results[3].title == "Page 3 of wet blasting"
    assert results[3].snippet == "What page 3 holds & more."


def test_as_many_engines_as_it_takes(self_signed: ssl.SSLContext) -> None:
    """One after the other; what two of them find counts once."""
    pages = {"duckduckgo": duckduckgo(range(6)), "brave": status(429), "mojeek": mojeek(range(4, 9))}
    with engines(self_signed, **pages) as running:
        results = provider(running).search("wet blasting", 7)
        assert running.hosts() == [HOSTS["duckduckgo"], HOSTS["brave"], HOSTS["mojeek"]]
    assert [result.url for result in results] == [page_url(number) for number in range(7)]


def test_none_are_asked_for(self_signed: ssl.SSLContext) -> None:
    """Then nobody is asked."""
    with engines(self_signed, duckduckgo=duckduckgo(range(6))) as running:
        assert provider(running).search("rust", 0) == []
        assert running.asked == []


def test_the_words_and_the_language_are_sent(self_signed: ssl.SSLContext) -> None:
    """The words on one line, quotes and all."""
    with engines(self_signed, duckduckgo=duckduckgo(range(3))) as running:
        provider(running, language="de").search(' "nasses  Strahlen"\nRost ', 3)
        assert (HOSTS["duckduckgo"], {"q": '"nasses Strahlen" Rost', "l": "de-de"}) in running.asked


@pytest.mark.parametrize(
    ("language", "region"),
    [("en", "us-en"), ("", "us-en"), ("cs", "cz-cs"), ("pt", "br-pt"), ("ja", "jp-ja"), ("zh", "cn-zh")],
)  # fmt: skip
def test_regions(language: str, region: str) -> None:
    """Two parts, whatever the language."""
    assert region_of(language) == region


@pytest.mark.parametrize("number", [200, 202, 403, 429, 500])
def test_nothing_is_found(self_signed: ssl.SSLContext, number: int) -> None:
    """Or the engines refuse: the library does not tell, and if it lasts there is no use in asking."""
    with engines(self_signed, **dict.fromkeys(ENGINES, status(number, "<p>none"))) as running:
        ddgs = provider(running)
        for _ in range(MOST_BARREN - 1):
            with pytest.raises(SearchError, match="found nothing or refuse us") as raised:
                ddgs.search("xyzzy", 10)
            assert not raised.value.is_final
        with pytest.raises(SearchError, match="gave nothing 5 times in a row: most likely") as raised:
            ddgs.search("xyzzy", 10)
        assert raised.value.is_final
        assert running.hosts().count(HOSTS["duckduckgo"]) == MOST_BARREN


def test_an_engine_that_refuses(self_signed: ssl.SSLContext) -> None:
    """Is left alone after a while; the others go on."""
    with engines(self_signed, duckduckgo=status(403), brave=status(403), mojeek=mojeek(range(10))) as running:
        ddgs = provider(running)
        for _ in range(MOST_BARREN + 3):
            assert len(ddgs.search("rust", 10)) == 10
        assert running.hosts().count(HOSTS["duckduckgo"]) == MOST_BARREN


def test_a_result_in_between(self_signed: ssl.SSLContext) -> None:
    """Begins the count anew."""

    def moody(fields: Mapping[str, str]) -> tuple[int, str]:
        return duckduckgo(range(3 * (fields["q"] == "rust")))(fields)

    with engines(self_signed, duckduckgo=moody) as running:
        ddgs = provider(running)
        for words in ["xyzzy"] * (MOST_BARREN - 1) + ["rust"] + ["xyzzy"] * (MOST_BARREN - 1):
            outcome_of(ddgs, words)
        assert len(ddgs.search("rust", 5)) == 3


def outcome_of(ddgs: DdgsSearch, words: str) -> str:
    try:
        return str(ddgs.search(words, 5))
    except SearchError as error:
        return str(error)


@pytest.mark.parametrize(
    "page",
    ["", "<", "\x00", "<html>" * 50_000, "<div class='body'><h2>\udcff</h2></div>", "{}", "<!--", "<?xml?>"],
)
def test_pages_that_are_none(self_signed: ssl.SSLContext, page: str) -> None:
    """End in one line."""
    with engines(self_signed, **dict.fromkeys(ENGINES, status(200, page))) as running:
        said = outcome_of(provider(running), "rust")
    assert said.startswith("ddgs: ")
    assert "\n" not in said


def test_results_that_would_do_harm(self_signed: ssl.SSLContext) -> None:
    """Are left out, or made harmless."""
    hits = [
        "javascript:alert(1)",
        "http://127.0.0.1/",
        "https://a.example/\x1b[2J",
        "//b.example/",
        "https://c.example/",
    ]
    rows = "".join(
        f"<div class='body'><h2>\x1b[31m{'x' * 999} &lt;b&gt;</h2><a href='{hit}'>s</a></div>" for hit in hits
    )
    with engines(self_signed, duckduckgo=status(200, rows)) as running:
        results = provider(running).search("rust", 10)
    assert "https://c.example/" in [result.url for result in results]
    assert all(result.url.startswith("https://") and "\x1b" not in result.url for result in results)
    assert all(len(result.title) <= 300 and "\x1b" not in result.title for result in results)


def test_nobody_is_there(self_signed: ssl.SSLContext, caplog: pytest.LogCaptureFixture) -> None:
    """One line; the proxy's password stands nowhere."""
    caplog.set_level(logging.DEBUG)
    with engines(self_signed) as running:
        ddgs = provider(running)
        with pytest.raises(
            SearchError, match=r"^ddgs: yahoo cannot be reached or read \(\w+Error\)$"
        ) as raised:
            ddgs.search("rust", 10)
    assert not raised.value.is_final
    assert "s3cret" not in caplog.text + str(raised.value) + repr(ddgs)


def test_a_certificate_that_nobody_signed(self_signed: ssl.SSLContext) -> None:
    """Is not taken, unless the caller says so."""
    with engines(self_signed, duckduckgo=duckduckgo(range(10))) as running:
        with pytest.raises(SearchError, match="cannot be reached or read"):
            provider(running, verify=True).search("rust", 10)
        assert running.asked == []


def test_engines_that_take_their_time(self_signed: ssl.SSLContext) -> None:
    """Are given up."""

    ended = threading.Event()

    def slow(fields: Mapping[str, str]) -> tuple[int, str]:
        ended.wait(10 * PATIENCE)
        return 200, ""

    started = time.monotonic()
    with engines(self_signed, **dict.fromkeys(ENGINES, status(200)) | {"yahoo": slow}) as running:
        with pytest.raises(SearchError, match="no answer from yahoo within 1 s"):
            provider(running, timeout=1.0).search("rust", 10)
        assert time.monotonic() - started < PATIENCE  # the library may have to be loaded first
        ended.set()


def test_a_proxy_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Is not shown: it may hold a password."""
    monkeypatch.setenv("DDGS_PROXY", "s3cret nonsense")
    with pytest.raises(SearchError, match="DDGS_PROXY names no proxy; use http://HOST:PORT") as raised:
        DdgsSearch(SearchSettings(), pause_seconds=0).search("rust", 10)
    assert "s3cret" not in str(raised.value)


def test_it_is_loaded_when_it_is_used() -> None:
    """The library takes its time to load."""
    code = (
        "import sys, focused_crawler.discovery.search.ddgs as d;"
        " from focused_crawler.discovery.search.base import SearchSettings;"
        " d.DdgsSearch(SearchSettings()); print({'ddgs'} & {*sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=True
    )
    assert done.stdout.strip() == "set()"


def test_searches_are_apart(self_signed: ssl.SSLContext) -> None:
    """By the pause, five seconds as a rule."""
    times = []

    def timed(fields: Mapping[str, str]) -> tuple[int, str]:
        times.append(time.monotonic())
        return duckduckgo(range(10))(fields)

    with engines(self_signed, duckduckgo=timed) as running:
        ddgs = provider(running, pause_seconds=0.3)
        ddgs.search("rust", 5)
        ddgs.search("paint", 5)
    first, second = times
    assert second - first >= 0.3
    assert DdgsSearch(SearchSettings()).pause_seconds >= 5
