"""What the settings say of searches."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from focused_crawler.errors import ConfigError
from focused_crawler.net.address import Network

PROVIDERS = ("local", "searxng", "brave", "ddgs")

_EXAMPLE = "use the address of a SearXNG instance, as in http://localhost:8888"


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Who is asked, and how."""

    provider: str = "local"
    searxng_url: str = ""
    timeout: float = 10.0  # seconds for a whole answer
    contact: str = ""  # told to whom we ask, in the user agent
    allowed_networks: tuple[Network, ...] = ()  # results there are kept although they are not global


def checked_address(address: str) -> str:
    """Return FOCUSED_SEARXNG_URL without a slash at its end; ConfigError where it cannot be one.

    Never shown whole: somebody may have put a password into it.

    >>> checked_address("http://localhost:8888/"), checked_address("")
    ('http://localhost:8888', '')
    """
    if not address:
        return ""
    parts = _parts(address)
    if parts is None:
        raise ConfigError(f"FOCUSED_SEARXNG_URL is no address; {_EXAMPLE}")
    if "@" in parts.netloc:
        raise ConfigError(
            "FOCUSED_SEARXNG_URL holds a user name or password, and settings are written into run.json;"
            " put them into ~/.netrc (machine, login, password) and leave them out here"
        )
    if parts.query or parts.fragment:
        raise ConfigError(f"FOCUSED_SEARXNG_URL has more behind its path; {_EXAMPLE}")
    return address.rstrip("/").removesuffix("/search")


def _parts(address: str) -> SplitResult | None:
    """Return the parts of an http or https URL; None for anything else."""
    try:
        parts = urlsplit(address)
        is_one = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts if is_one and address.isprintable() and " " not in address else None
