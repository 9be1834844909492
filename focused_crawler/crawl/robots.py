"""The part of a robots.txt that concerns one robot: what is read of it, and how many are kept."""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Generic, NamedTuple, TypeVar

MAX_RULES = 10_000
"""Rules for one robot; what follows is left out, as what follows 512 KiB is."""

_AGENT = frozenset(["user-agent", "useragent", "user agent"])
_ALLOW = frozenset(["allow"])
_DISALLOW = frozenset(["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"])
_PACE = frozenset(["crawl-delay", "crawl delay"])
_SITE = frozenset(["sitemap", "sitemaps", "site-map", "host"])  # they belong to no group
_OTHER = frozenset(["request-rate", "request rate", "visit-time", "visit time"])
_RULES = frozenset(["allow", "disallow"])
_TOKEN = re.compile(r"[a-zA-Z0-9_-]+")
_FIELDS = {
    **dict.fromkeys(_AGENT, "user-agent"),
    **dict.fromkeys(_ALLOW, "allow"),
    **dict.fromkeys(_DISALLOW, "disallow"),
    **dict.fromkeys(_PACE, "crawl-delay"),
    **dict.fromkeys(_SITE, "sitemap"),
    **dict.fromkeys(_OTHER, "other"),
}
"""Words as they are written -> what they mean; the mistakes are those that Protego reads as well."""

Key = TypeVar("Key")
Value = TypeVar("Value")


class RobotRules(NamedTuple):
    """A robots.txt of one group, for everybody."""

    text: str
    is_cut: bool  # it had more rules than are read


def rules_for(agent: str, body: bytes) -> RobotRules:
    """Return the rules of a robots.txt for a robot: those of all groups that name it, else those of "*".

    A robot is named by its product token, "focused-crawler" of "focused-crawler/1.0 (+http://a.example)",
    as a whole and in any case (RFC 9309, 2.2.1). A group is a run of user-agent lines and the rules behind
    it: only an allow or disallow line ends the run, a Crawl-delay in it holds for all that it names. Each
    rule once, in the order of the file. Time and memory are those of the body, however many groups and names
    it has; it is read twice, as its directives take several times its memory. It is UTF-8; one that is marked
    as UTF-16, as editors of Windows write it, forbids what it says, too.
    """
    encoding = "utf-16" if body.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig"
    lines = body.decode(encoding, "ignore").splitlines()
    token = _token(agent)
    names = {_name(value) for field, value in _directives(lines) if field == "user-agent"}
    name = token if token and token in names else "*"
    rules: dict[str, None] = {}
    in_group = concerns = has_rules = False
    delay = ""
    for field, value in _directives(lines):
        if field == "user-agent":
            if has_rules or not in_group:
                concerns = has_rules = False
                delay = ""
            in_group = True
            concerns = concerns or _name(value) == name
        elif field == "crawl-delay":
            delay = value
        has_rules = has_rules or field in _RULES
        rule = f"{field}: {value}" if field in _RULES and value else ""
        if not concerns or not (rule or delay):
            continue
        if delay:
            rules.pop(f"crawl-delay: {delay}", None)  # the last of them holds
            rules[f"crawl-delay: {delay}"] = None
            delay = ""
        if rule:
            rules[rule] = None
        if len(rules) > MAX_RULES:
            return RobotRules(_written(dict(list(rules.items())[:MAX_RULES])), True)
    return RobotRules(_written(rules), False)


def _written(rules: dict[str, None]) -> str:
    return "\n".join(["user-agent: *", *rules]) if rules else ""


def _token(agent: str) -> str:
    """Return the product token of a User-Agent or of a line that names one, in lower case; "" if it has none.

    >>> _token("Focused-Crawler/1.0 (+http://example.org/bot)"), _token("*bot")
    ('focused-crawler', '')
    """
    found = _TOKEN.match(agent.strip())
    return found[0].lower() if found else ""


def _name(value: str) -> str:
    """Return whom a user-agent line names: a token, "*" for all, "" for nobody."""
    return "*" if value.split()[:1] == ["*"] else _token(value)


def _directives(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield field and value of each line that has them; a field that is not known is "other"."""
    for written in lines:
        line = written.partition("#")[0].strip()
        if not line:
            continue
        field, colon, value = line.partition(":")
        known = _FIELDS.get(field.strip().lower()) if colon else None
        if known is not None:
            yield known, value.strip()
            continue
        is_field = bool(colon) and (not value or value[0].isspace())
        words = [] if is_field else line.split(None, 2)
        for count in (1, 2):
            known = _FIELDS.get(" ".join(words[:count]).lower())
            if known is not None:
                yield known, " ".join(line.split()[count:])
                break
        else:
            if colon:
                yield "other", value.strip()


class Shelf(Generic[Key, Value]):
    """Values by key, those asked for last, up to a cost in all; others are forgotten."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._values: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self.cost = 0

    def get(self, key: Key) -> Value | None:
        """Return the value of a key, None if there is none."""
        found = self._values.get(key)
        if found is None:
            return None
        self._values.move_to_end(key)
        return found[0]

    def put(self, key: Key, value: Value, cost: int) -> None:
        """Keep a value; one that costs more than there is room for is not kept."""
        self.forget(key)
        if self.make_room(cost):
            self._values[key] = (value, cost)
            self.cost += cost

    def forget(self, key: Key) -> None:
        """Give up the value of a key, if there is one."""
        self.cost -= self._values.pop(key, (None, 0))[1]

    def make_room(self, cost: int) -> bool:
        """Forget what could not stay beside a value of that cost; return whether there can be room for it."""
        while self.cost + cost > self._room >= cost:
            self.cost -= self._values.popitem(last=False)[1][1]
        return cost <= self._room

    def __len__(self) -> int:
        return len(self._values)
