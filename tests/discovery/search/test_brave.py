from __future__ import annotations

import logging
import ssl
import traceback

import pytest

from focused_crawler.discovery.search.base import SearchSettings
from focused_crawler.discovery.search.brave import KEY, BraveSearch
from focused_crawler.safety.errors import SearchError
from tests.discovery.search.conftest import Serve
from tests.discovery.search.services import (
    PATIENCE,
    Asked,
    Behaviour,
    Reply,
    as_json,
    brave,
    brave_error,
    nobody,
    page_url,
    running,
)

SECRET = "BSA-Zt0ps3cr3t_K3y"
SOON = 1.0  # seconds, for servers that never answer whole
LATE = f"within {SOON:g} s"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours is in the environment."""
    monkeypatch.setenv(KEY, f" {SECRET}\n")


def provider(
    address: str, language: str = "", pause_seconds: float = 0.0, timeout: float = PATIENCE
) -> BraveSearch:
    return BraveSearch(SearchSettings(timeout=timeout), language, pause_seconds, address)


def test_one_request_for_up_to_twenty(serve: Serve) -> None:
    """No more are paid for than are needed; marks and entities are gone from the texts."""
    service = serve(brave(SECRET))
    results = provider(service.url).search("wet blasting", 7)
    assert [result.url for result in results] == [page_url(number) for number in range(7)]
    assert results[3].title == "Page 3 & more"
    assert results[3].snippet == "All of page 3 'here'."
    (asked,) = service.asked
    assert asked.query == {
        "q": "wet blasting", "count": "7", "offset": "0", "result_filter": "web", "text_decorations": "false"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("n", "found", "requests"), [(45, 45, 3), (41, 45, 3), (40, 45, 2), (100, 45, 3), (500, 999, 10)]
)
def test_pages_of_twenty(serve: Serve, n: int, found: int, requests: int) -> None:
    """Until there are enough, or no more, or ten pages are asked."""
    service = serve(brave(SECRET, found))
    results = provider(service.url).search("rust", n)
    assert [result.url for result in results] == [page_url(number) for number in range(min(n, found, 200))]
    assert len(service.asked) == requests


def test_nothing_is_found(serve: Serve) -> None:
    """It leaves the results out then."""
    assert provider(serve(brave(SECRET, 0)).url).search("xyzzy", 20) == []


@pytest.mark.parametrize(
    ("language", "told"), [("de", "de"), ("ja", "jp"), ("zh", "zh-hans"), ("eo", None), ("", None)]
)
def test_the_language(serve: Serve, language: str, told: str | None) -> None:
    """By Brave's own codes; one that it does not know is not told, for it would refuse the search."""
    service = serve(brave(SECRET))
    provider(service.url, language=language).search("rust", 1)
    assert service.asked[0].query.get("search_lang") == told


@pytest.mark.parametrize("value", ["", "  \n"])
def test_no_key(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """One line that says what to type; nobody is asked."""
    monkeypatch.setenv(KEY, value)
    with pytest.raises(SearchError, match=f"brave needs a key: export {KEY}=") as raised:
        BraveSearch(SearchSettings())
    assert raised.value.is_final


@pytest.mark.parametrize("value", ["two words", "line\nline", "schlüssel", "\udcffkey", "\x1b[2J"])
def test_a_key_that_no_header_can_hold(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """Is not shown."""
    monkeypatch.setenv(KEY, value)
    with pytest.raises(SearchError, match="holds characters that no key has") as raised:
        BraveSearch(SearchSettings())
    assert value not in str(raised.value)


def refusing(status: int, code: str = "X", component: str = "x", **headers: str) -> Behaviour:
    return lambda asked: brave_error(status, code, component, **headers)


def echoing(status: int, header: str = "X-Request-Id", before: str = "") -> Behaviour:
    """A server that says the key in all that it answers."""

    def behave(asked: Asked) -> Reply:
        told = asked.headers["x-subscription-token"]
        error = {"code": told, "detail": told, "meta": {"component": told}}
        return as_json({"error": error, "type": told}, status, {header: before + told})

    return behave


REFUSALS: dict[str, tuple[Behaviour, bool, str]] = {
    "a wrong key": (brave("BSA-another"), True, f"answers 422; {KEY} is not a key it takes"),
    "no key": (refusing(401, "SUBSCRIPTION_TOKEN_MISSING"), True, f"answers 401; {KEY} is not a key"),
    "not paid for": (refusing(402, "PAYMENT_REQUIRED"), True, "answers 402; your plan is used up"),
    "another plan": (refusing(403, "OPTION_NOT_IN_PLAN"), True, f"answers 403; {KEY} is not a key"),
    "no subscription": (refusing(404, "SUBSCRIPTION_NOT_FOUND"), True, f"answers 404; {KEY} is not a key it"),
    "wrong words": (refusing(422, "VALIDATION"), False, "answers 422; it does not take these words"),
    "too often": (refusing(429, "RATE_LIMITED"), True, "it has been asked too often; try again later"),
    "too often, for long": (
        refusing(429, "RATE_LIMITED", **{"Retry-After": "3600"}), True, "too often; try again in 3600 s"
    ),
    "used up": (
        refusing(429, "QUOTA_LIMITED", **{"X-RateLimit-Remaining": "1, 0"}), True, "your plan are used up for"
    ),
    "it fails": (refusing(500, "INTERNAL"), False, "answers 500; it fails; try again later"),
    "moved": (echoing(302, "Location", "https://b.example/"), True, "sends us to https://b.example, and"),
    "echoes the key, 400": (echoing(400), False, "answers 400; it refuses us"),
    "echoes the key, 422": (echoing(422), False, "answers 422; it does not take"),
    "echoes the key, 429": (echoing(429, "Retry-After"), True, "answers 429; it has been asked"),
    "echoes the key, 500": (echoing(500), False, "answers 500"),
    "echoes the key, 200": (echoing(200), False, "no JSON of results"),
    "a list": (lambda asked: as_json([]), False, "no JSON of results"),
    "other shape": (lambda asked: as_json({"web": {"results": {"url": "x"}}}), False, "no JSON of results"),
    "no shape": (lambda asked: as_json({"web": None, "type": "search"}), False, "no JSON of results"),
    "no JSON": (lambda asked: Reply(200, b"<html>\xff"), False, "no JSON of results"),
    "too large": (lambda asked: Reply(200, b" " * 10_000_000), True, "answers more than a search could"),
    "broken off": (lambda asked: Reply(200, b'{"web"', cut=True), False, "broke off"),
    "wrong coding": (lambda asked: Reply(200, b"{}", {"Content-Encoding": "gzip"}), False, "cannot be read"),
    "late": (lambda asked: Reply(200, b"{}", delay=PATIENCE), False, LATE),
    "a byte at a time": (lambda asked: Reply(200, b" " * 999, drip=0.05), False, LATE),
}  # fmt: skip


def all_that_is_told(error: BaseException) -> str:
    """Return an error as the most talkative tracebacks show it: with all variables and the errors behind."""
    told = traceback.TracebackException.from_exception(error, capture_locals=True, compact=False)
    behind = [error.__context__, error.__cause__]
    return "".join(told.format()) + repr(error) + str(vars(error)) + str(behind)


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refusal(serve: Serve, caplog: pytest.LogCaptureFixture, name: str) -> None:
    """Is one line with the cure, says whether to ask again, and tells the key to nobody."""
    behaviour, is_final, message = REFUSALS[name]
    caplog.set_level(logging.DEBUG)
    service = serve(behaviour)
    brave_search = provider(service.url, timeout=SOON if message == LATE else PATIENCE)
    with pytest.raises(SearchError, match=r"^brave: ") as raised:
        brave_search.search("rust", 5)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)
    assert raised.value.is_final is is_final
    assert service.asked[-1].headers["x-subscription-token"] == SECRET
    assert SECRET not in all_that_is_told(raised.value)
    assert SECRET not in caplog.text + repr(brave_search) + str(brave_search)


def test_nobody_is_there(caplog: pytest.LogCaptureFixture) -> None:
    """Which is known at once, and tells no key either."""
    caplog.set_level(logging.DEBUG)
    with nobody() as address, pytest.raises(SearchError, match="nobody answers at 127") as raised:
        provider(address).search("rust", 5)
    assert raised.value.is_final
    assert SECRET not in caplog.text + all_that_is_told(raised.value)


def test_a_certificate_that_nobody_signed(
    self_signed: ssl.SSLContext, caplog: pytest.LogCaptureFixture
) -> None:
    """Then the key is not sent."""
    caplog.set_level(logging.DEBUG)
    with running(brave(SECRET), self_signed) as service:
        with pytest.raises(SearchError, match="its certificate is not one") as raised:
            provider(service.url).search("rust", 5)
        assert service.asked == []
    assert raised.value.is_final
    assert SECRET not in caplog.text + all_that_is_told(raised.value)


def test_the_key_does_not_follow_a_redirect(serve: Serve) -> None:
    """To whatever host."""
    other = serve(brave(SECRET))
    service = serve(
        lambda asked: Reply(307, headers={"Location": f"{other.url}{asked.path}?q=x&count=1&offset=0"})
    )
    with pytest.raises(SearchError):
        provider(service.url).search("rust", 5)
    assert other.asked == []


def test_a_later_page_that_fails(serve: Serve) -> None:
    """What was paid for before is kept."""
    good = brave(SECRET, 100)
    service = serve(lambda asked: good(asked) if asked.query["offset"] == "0" else brave_error(402, "X", "x"))
    assert len(provider(service.url).search("rust", 50)) == 20


def test_the_pause_is_what_the_smallest_plan_asks() -> None:
    """One request a second."""
    assert BraveSearch(SearchSettings()).pause_seconds >= 1
