from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.discovery.search.services import Behaviour, Service, running
from tests.hostile.certificates import make_certificates
from tests.hostile.server import HostileSite

Serve = Callable[[Behaviour], Service]


@pytest.fixture(autouse=True)
def no_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither proxies, passwords, authorities nor keys of whoever runs the tests."""
    for name in (
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "DDGS_PROXY",
        "REQUESTS_CA_BUNDLE",
        "CURL_CA_BUNDLE",
    ):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("NETRC", "/dev/null")
    monkeypatch.delenv("BRAVE_SEARCH_API_KEY", raising=False)


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start services that end with the test."""
    with ExitStack() as stack:
        yield lambda behaviour: stack.enter_context(running(behaviour))


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> tuple[ssl.SSLContext, ssl.SSLContext, Path]:
    """For 127.0.0.1: one that an authority signed, one that nobody did, and the authority."""
    folder = tmp_path_factory.mktemp("certificates")
    made = make_certificates(folder)
    return made["trusted"], made["self_signed"], folder / "authority.pem"


@pytest.fixture
def trusted(certificates: tuple[ssl.SSLContext, ssl.SSLContext, Path]) -> ssl.SSLContext:
    """A certificate for those who know the authority."""
    return certificates[0]


@pytest.fixture
def self_signed(certificates: tuple[ssl.SSLContext, ssl.SSLContext, Path]) -> ssl.SSLContext:
    """A certificate for nobody."""
    return certificates[1]


@pytest.fixture
def authorities(certificates: tuple[ssl.SSLContext, ssl.SSLContext, Path]) -> Path:
    """The authority's file."""
    return certificates[2]


@pytest.fixture(scope="session")
def hostile() -> Iterator[HostileSite]:
    """The site that misbehaves on purpose."""
    site = HostileSite()
    site.start()
    yield site
    site.close()
