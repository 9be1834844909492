from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from scrapy.settings import Settings

from focused_crawler.addon import FocusedCrawlerAddon
from focused_crawler.discovery.search.base import (
    PROVIDERS,
    SearchProvider,
    SearchSettings,
    checked_address,
)
from focused_crawler.discovery.search.registry import open_provider
from focused_crawler.safety.errors import ConfigError, SearchError
from focused_crawler.safety.settings import read
from focused_crawler.topic.topic import Topic
from tests.discovery.search.conftest import Serve
from tests.discovery.search.services import searxng

TOPIC = Topic("rust", Path(), language="fi")


def opened(**given: object) -> SearchProvider:
    return open_provider(read(SearchSettings, Settings(given)), TOPIC, None)


def test_what_is_at_hand_is_searched_by_default() -> None:
    """Nothing is sent to anybody unless somebody says so."""
    assert read(SearchSettings, Settings()) == SearchSettings()
    with pytest.raises(ConfigError, match="nothing to search"):
        opened()


def test_each_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening one asks nobody."""
    monkeypatch.setenv("BRAVE_SEARCH_API_KEY", "key")
    for name in PROVIDERS[1:]:
        provider = opened(FOCUSED_SEARCH=name, FOCUSED_SEARXNG_URL="http://localhost:8888/")
        assert provider.name == name
        provider.close()


@pytest.mark.parametrize("name", ["google", "", "Local"])
def test_a_name_that_is_none(name: str) -> None:
    """One line with those that there are."""
    with pytest.raises(ConfigError, match="use one of local, searxng, brave, ddgs"):
        opened(FOCUSED_SEARCH=name)
    with pytest.raises(ConfigError, match=f"no search provider is called '{name}'; use one of local, searx"):
        open_provider(SearchSettings(provider=name), TOPIC, None)


def test_searxng_without_an_instance() -> None:
    """One line that says what to set."""
    with pytest.raises(ConfigError, match="needs an instance; set FOCUSED_SEARXNG_URL, as in"):
        opened(FOCUSED_SEARCH="searxng")


def test_brave_without_a_key() -> None:
    """One line that says what to set; a setting is not where a key belongs."""
    with pytest.raises(SearchError, match="export BRAVE_SEARCH_API_KEY="):
        opened(FOCUSED_SEARCH="brave", BRAVE_SEARCH_API_KEY="key")


def test_settings_reach_the_providers(serve: Serve) -> None:
    """Contact, time and language."""
    service = serve(searxng())
    settings = {
        "FOCUSED_SEARCH": "searxng",
        "FOCUSED_SEARXNG_URL": service.url,
        "FOCUSED_CONTACT": "ann@a.example",
    }
    provider = opened(**settings)
    assert len(provider.search("ruoste", 3)) == 3
    assert service.asked[0].query["language"] == "fi"
    assert "ann@a.example" in service.asked[0].headers["user-agent"]


@pytest.mark.parametrize(
    "address",
    [
        "localhost:8888",
        "ftp://a.example",
        "http://",
        "http:///search",
        "http://a.example:99999",
        "http://[a",
        "x y",
    ],
)
def test_an_address_that_is_none(address: str) -> None:
    """The message names the setting and what would be right."""
    with pytest.raises(ConfigError, match="FOCUSED_SEARXNG_URL is no address; use the address of a SearXNG"):
        checked_address(address)


@pytest.mark.parametrize(
    "address", ["http://ann:s3cret@a.example", "https://a.example/?key=s3cret", "http://a/#s3cret"]
)
def test_a_password_in_an_address(address: str) -> None:
    """Is refused before a crawl writes its settings down, and not shown."""
    for read_all in (partial(read, SearchSettings), FocusedCrawlerAddon().update_settings):
        with pytest.raises(ConfigError, match="FOCUSED_SEARXNG_URL ") as raised:
            read_all(Settings({"FOCUSED_SEARXNG_URL": address}))
        assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize(
    "address", ["https://a.example/searx", "https://a.example/searx/", "https://a.example/searx/search"]
)
def test_an_instance_in_a_folder(address: str) -> None:
    """With the address of its search page, too."""
    assert checked_address(address) == "https://a.example/searx"


@pytest.mark.parametrize("value", [0, -1, "soon", 601])
def test_a_wrong_timeout(value: object) -> None:
    """The message names setting and value, and what would be right."""
    with pytest.raises(
        ConfigError, match=f"FOCUSED_SEARCH_TIMEOUT is {value!r}; use a number from 0.1 to 600"
    ):
        read(SearchSettings, Settings({"FOCUSED_SEARCH_TIMEOUT": value}))


def test_what_is_not_used_is_not_loaded() -> None:
    """Scrapy loads all commands at every start."""
    code = (
        "import sys, focused_crawler.discovery.search.registry;"
        " print({'ddgs', 'primp', 'requests'} & {*sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=True
    )
    assert done.stdout.strip() == "set()"
