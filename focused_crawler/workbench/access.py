"""Who may use the workbench: a token or a password for the first request, then a session's cookie."""

from __future__ import annotations

import hmac
import ipaddress
import platform
import secrets
from dataclasses import dataclass, field

from focused_crawler.page.url import host_of, normalise
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.formats import tidy
from focused_crawler.topic.label import user_name

MOST_SESSIONS = 100
MOST_SAID = 20
_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(slots=True)
class BrowserSession:
    """A browser that has shown the token, or the password; `csrf` goes with each of its forms."""

    id: str = field(default_factory=secrets.token_urlsafe)
    csrf: str = field(default_factory=secrets.token_urlsafe)
    by: str = field(default_factory=lambda: user_name() or "me")
    """Who labels."""
    _said: dict[str, str] = field(default_factory=dict)

    def say(self, path: str, said: str) -> None:
        """Let a place say what was done when it is shown next: no other, whatever is opened meanwhile."""
        if said:
            self._said[path] = f"{self._said.pop(path, '')} {said}".strip()
        for oldest in list(self._said)[:-MOST_SAID]:
            self._said.pop(oldest, None)  # other requests of the browser have threads of their own

    def to_say(self, path: str) -> str:
        """Return what a place has to say, once."""
        return self._said.pop(path, "")


class Access:
    """The secret, the sessions, and the names that the workbench is asked for by.

    `password`: for a workbench that others can reach; without one the secret is a token of its own.
    `origin`: what browsers know it by where a proxy is in front, as `outer_origin` returns it.
    """

    def __init__(self, host: str, port: int, password: str = "", origin: str = "") -> None:
        self.host, self.port, self.has_password, self.origin = host, port, bool(password), origin
        self._secret = password or secrets.token_urlsafe(24)
        self._sessions: dict[str, BrowserSession] = {}
        self.cookie = f"workbench-{port}"  # cookies are not kept apart by port

    @property
    def first_url(self) -> str:
        """Return what opens the workbench: with the token, if there is one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        origin = self.origin or f"http://{host}:{self.port}"
        return f"{origin}/" + ("" if self.has_password else f"?token={self._secret}")

    @property
    def is_encrypted(self) -> bool:
        """Tell whether a proxy encrypts what browsers send and see."""
        return self.origin.startswith("https:")

    def begin(self, secret: str) -> BrowserSession | None:
        """Return a new session for whoever knows the secret; the oldest ends where there are too many."""
        if not hmac.compare_digest(secret.encode("utf-8", "replace"), self._secret.encode()):
            return None
        session = BrowserSession()
        self._sessions[session.id] = session
        while len(self._sessions) > MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        return session

    def session(self, cookie: str) -> BrowserSession | None:
        return self._sessions.get(cookie)

    def answers_to(self, host: str) -> bool:
        """Tell whether a Host header names this server: no name of DNS that somebody else may point here."""
        if self.origin and normalise(f"{self.origin.partition(':')[0]}://{host}/") == f"{self.origin}/":
            return True
        named = host_of(normalise(f"http://{host}/") or "")
        port = "" if self.port == 80 else f":{self.port}"  # which browsers leave out
        if not named.endswith(port):
            return False
        name = named.removesuffix(port).removeprefix("[").removesuffix("]")
        if is_loopback(self.host):
            return name in _LOOPBACK_NAMES
        return name in {self.host.lower(), platform.node().lower(), *_LOOPBACK_NAMES} or _is_address(name)


def outer_origin(address: str) -> str:
    """Return the address that a proxy is asked by, as browsers write it in Origin; raises ConfigError.

    >>> outer_origin("https://Crawler.example:443/")
    'https://crawler.example'
    """
    origin = (normalise(address) or "").removesuffix("/")
    if address and origin.count("/") != 2:
        raise ConfigError(
            f"--origin is {tidy(address)}; give one without a path, such as https://crawler.example"
        )
    return origin


def is_loopback(host: str) -> bool:
    """Tell whether nobody but this machine can reach a host."""
    return host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
