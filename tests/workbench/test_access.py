"""A workbench that others can reach: by a password, and said so."""

from __future__ import annotations

import sys
from contextlib import closing
from threading import Thread

import pytest
from playwright.sync_api import Browser, expect

from focused_crawler.workbench.access import (
    MOST_SAID,
    MOST_SESSIONS,
    Access,
    BrowserSession,
    is_loopback,
)
from focused_crawler.workbench.server import listen
from tests.project import Scrapy, until
from tests.workbench.bench import Project, Workbench, running, started

PASSWORD = "correct horse battery"


def test_a_password_is_asked_for(scrapy: Scrapy, project: Project) -> None:
    """Once a browser; a wrong one opens nothing, and the token's way is closed."""
    workbench = started(scrapy, project, "--host", "0.0.0.0", FOCUSED_UI_PASSWORD=PASSWORD)
    try:
        until(lambda: "not encrypted" in workbench.process.out)
        port = workbench.address.rpartition(":")[2]
        here = Workbench(project, f"http://127.0.0.1:{port}/", workbench.process)
        assert here.ask("/").headers["Location"] == "/login"
        assert here.ask("/?token=").headers["Location"] == "/login"
        part = here.ask("/", headers={"HX-Request": "true"})
        assert (part.status, part.headers["HX-Retarget"]) == (403, "#message")
        assert "Password" in here.ask("/login").text
        wrong = here.post("/login", {"password": "wrong"}, Origin=here.origin)
        assert (wrong.status, wrong.headers["Set-Cookie"]) == (403, None)
        assert here.post("/login", {"password": PASSWORD}, Origin="http://evil.example").status == 403
        right = here.post("/login", {"password": PASSWORD}, Origin=here.origin)
        cookie = right.headers["Set-Cookie"].partition(";")[0]
        assert "Topics and crawls" in here.ask("/", headers={"Cookie": cookie}).text
        evil = here.ask("/", headers={"Cookie": cookie, "Host": f"evil.example:{port}"})
        assert evil.status == 421
    finally:
        workbench.process.signal(2)
        workbench.process.wait()


def test_a_tab_outlives_its_workbench(scrapy: Scrapy, project: Project, browser: Browser) -> None:
    """It says what is wrong for as long as that is so, and its table stays what it was."""
    context = browser.new_context()
    tab = context.new_page()
    with running(scrapy, project) as first:
        tab.goto(first.first_url)
    expect(tab.get_by_role("alert")).to_contain_text("does not answer")
    with running(scrapy, project, "--port", first.address.rpartition(":")[2]) as second:
        expect(tab.get_by_role("alert")).to_contain_text("Open the address with its token")
        expect(tab.get_by_role("heading", level=1)).to_have_count(1)
        context.new_page().goto(second.first_url)
        expect(tab.get_by_role("alert")).to_have_count(0)
        expect(tab.get_by_text("There is no crawl yet.")).to_be_visible()
    context.close()


def test_a_proxy_in_front_of_it_has_an_address_of_its_own(scrapy: Scrapy, project: Project) -> None:
    """Browsers name it in Origin; the proxy hands it on in Host, or writes where it has asked."""
    outer = "https://crawler.example"
    with closing(listen("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = ("--port", str(port), "--origin", f"{outer}:443/")
    workbench = started(scrapy, project, *words, FOCUSED_UI_PASSWORD=PASSWORD)
    try:
        until(lambda: "encrypted by the proxy" in workbench.process.out)
        assert workbench.first_url == f"{outer}/"
        here = Workbench(project, f"http://127.0.0.1:{port}/", workbench.process)
        for host in (here.address, "crawler.example"):
            right = here.post("/login", {"password": PASSWORD}, Origin=outer, Host=host)
            assert (right.status, "Secure" in right.headers["Set-Cookie"]) == (303, True)
            cookie = {"Cookie": right.headers["Set-Cookie"].partition(";")[0], "Host": host}
            assert "Topics and crawls" in here.ask("/", headers=cookie).text
        evil = here.post("/login", {"password": PASSWORD}, Origin="https://evil.example")
        assert evil.status == 403
        assert here.ask("/", headers={"Host": "evil.example"}).status == 421
    finally:
        workbench.process.signal(2)
        workbench.process.wait()


@pytest.mark.parametrize("origin", ["crawler.example", "https://crawler.example/a", "ftp://crawler.example"])
def test_an_origin_is_scheme_and_host(scrapy: Scrapy, origin: str) -> None:
    """Places have paths from the root on: what is anything else is named in one line."""
    done = scrapy.run("ui", "--no-browser", "--origin", origin)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "such as https://crawler.example" in done.err


def test_browsers_leave_out_port_80() -> None:
    """But no other."""
    names = ("127.0.0.1", "127.0.0.1:80", "localhost", "[::1]")
    assert all(map(Access("127.0.0.1", 80).answers_to, names))
    assert not any(map(Access("127.0.0.1", 80).answers_to, ("evil.example", "localhost:8080", "")))
    assert not any(map(Access("127.0.0.1", 8080).answers_to, names))


@pytest.mark.parametrize("password", ["", "short"])
def test_without_a_good_one_it_does_not_start(scrapy: Scrapy, project: Project, password: str) -> None:
    """It says what to do, in one line."""
    environ = {**project.environ, "FOCUSED_UI_PASSWORD": password}
    done = scrapy.run("ui", "--no-browser", "--host", "0.0.0.0", environ=environ)
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert "FOCUSED_UI_PASSWORD" in done.err


@pytest.mark.parametrize(
    ("words", "said"), [(["--port", "70000"], "whole number"), (["now"], "no arguments")]
)
def test_what_is_typed_wrong_is_said(scrapy: Scrapy, words: list[str], said: str) -> None:
    """In one line, with exit code 2."""
    done = scrapy.run("ui", "--no-browser", *words)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert said in done.err


def test_a_port_that_is_taken_is_named(scrapy: Scrapy, workbench: Workbench) -> None:
    """With what to give instead."""
    done = scrapy.run("ui", "--no-browser", "--port", workbench.address.rpartition(":")[2])
    assert done.code == 2
    assert "give another with --port" in done.err


def test_the_oldest_session_ends_where_there_are_too_many() -> None:
    """So that nobody fills the memory by opening the first address again and again."""
    access = Access("127.0.0.1", 8765)
    token = access.first_url.partition("token=")[2]
    sessions = [access.begin(token) for _ in range(MOST_SESSIONS + 1)]
    assert access.session(sessions[0].id) is None
    assert access.session(sessions[-1].id) is sessions[-1]
    assert access.begin(token + "x") is None


def test_requests_of_a_browser_may_come_at_the_same_time() -> None:
    """Each has a thread; what they have to say is bounded."""
    session, errors = BrowserSession(), []

    def work(number: int) -> None:
        try:
            for place in range(20_000):
                session.say(f"/{number}/{place}", "Done.")
        except (KeyError, RuntimeError) as error:
            errors.append(error)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert not errors
    session.say("/last", "Done.")
    assert len(session._said) == MOST_SAID
    assert session.to_say("/last") == "Done."


def test_loopback_is_told_from_the_rest() -> None:
    """By what an address is, not by how it looks."""
    assert all(map(is_loopback, ("127.0.0.1", "127.1.2.3", "::1", "localhost")))
    assert not any(
        map(is_loopback, ("0.0.0.0", "::", "192.168.1.1", "localhost.evil.example", "example.org"))
    )
