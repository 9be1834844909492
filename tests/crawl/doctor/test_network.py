"""What start pages that gave nothing say of the network."""

from __future__ import annotations

import pytest

from focused_crawler.crawl.doctor.network import check_names, check_network, check_proxy, check_robots

SEEDS = ["http://a.example/", "http://a.example/2", "http://b.example/"]


def test_one_cause_is_named_once() -> None:
    """Where no name was found, that is the finding, and the network has none of its own."""
    missing = dict.fromkeys(SEEDS, "dns")
    (names,) = check_names(SEEDS, missing)
    assert (names.state, names.text) == ("error", "no DNS answer for any host of the start pages")
    assert list(check_network(SEEDS, missing)) == []


def test_a_name_that_is_not_known_is_shown() -> None:
    """Others were found, so that it may be spelt wrong."""
    (names,) = check_names(SEEDS, {SEEDS[2]: "dns"})
    assert (names.state, names.text) == ("warning", "no DNS answer for 1 of 2 hosts: b.example")


@pytest.mark.parametrize(
    ("reason", "state", "cure"),
    [
        ("HTTP 404", "ok", ""),
        ("robots", "ok", ""),
        ("refused_address", "error", "FOCUSED_ALLOWED_NETWORKS"),
        ("timeout", "error", "firewall"),
    ],
)
def test_any_answer_of_a_site_shows_that_the_network_is_there(reason: str, state: str, cure: str) -> None:
    """Also one that is no page."""
    (network,) = check_network(SEEDS, dict.fromkeys(SEEDS, reason))
    assert network.state == state
    assert cure in network.cure


def test_robots_txt_that_forbids_all_start_pages_is_an_error() -> None:
    """One that forbids some leaves a crawl something to begin with."""
    all_of_them, some = dict.fromkeys(SEEDS, "robots"), {SEEDS[0]: "robots"}
    states = [next(check_robots(SEEDS, missing, is_obeyed=True)).state for missing in (all_of_them, some, {})]
    assert states == ["error", "warning", "ok"]
    assert next(check_robots(SEEDS, {}, is_obeyed=False)).state == "warning"


def test_a_proxy_that_is_used_is_an_error_and_its_password_is_not_shown() -> None:
    """The guard refuses whatever would go through it."""
    environ = {"https_proxy": "http://ann:secret@proxy:1", "HTTP_PROXY": "", "PATH": "/bin"}
    found = check_proxy(environ, is_used=True)
    assert found.state == "error"
    assert "secret" not in str(found)
    assert check_proxy({"PATH": "/bin"}, is_used=True).state == "ok"
