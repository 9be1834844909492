"""The part of a robots.txt that concerns one robot: what is read of it, and how many are kept."""

from __future__ import annotations

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
    """Return the rules of a robots.txt for a robot: those of the group that names it best (RFC 9309).

    Each rule once, in the order of the file. Time and memory are those of the body, however many groups and
    names it has; it is read twice, as its directives take several times its memory.
    """
    lines = body.decode("utf-8-sig", "ignore").splitlines()
    name = _best_name(agent.strip().lower(), _directives(lines))
    if name is None:
        return RobotRules("", False)
    rules: dict[str, None] = {}
    was_agent = concerns = False
    for field, value in _directives(lines):
        if field == "user-agent":
            concerns = (concerns and was_agent) or name in _names(value)
        elif concerns and value and field in ("allow", "disallow", "crawl-delay"):
            rule = f"{field}: {value}"
            if field == "crawl-delay":
                rules.pop(rule, None)  # the last of them holds
            rules[rule] = None
            if len(rules) > MAX_RULES:
                del rules[rule]
                return RobotRules(_written(rules), True)
        was_agent = field == "user-agent" or (field == "sitemap" and was_agent)
    return RobotRules(_written(rules), False)


def _written(rules: dict[str, None]) -> str:
    return "\n".join(["user-agent: *", *rules]) if rules else ""


def _best_name(agent: str, lines: Iterable[tuple[str, str]]) -> str | None:
    """Return the name in a robots.txt that means a robot, the longest of them; "*" means all others."""
    names = dict.fromkeys(name for field, value in lines if field == "user-agent" for name in _names(value))
    best = max(names, key=lambda name: _likeness(name, agent), default="")
    return best if _likeness(best, agent) else None


def _names(value: str) -> list[str]:
    """Return the names that a line gives; in all but "*" itself a wildcard says nothing."""
    name = value.lower()
    names = [name] if name == "*" or "*" not in name else [name, name.replace("*", "")]
    return [name for name in names if name]


def _likeness(name: str, agent: str) -> int:
    """Return how well a name means a robot: its length where it begins a word of the robot's, else 0."""
    if name == "*" or not name:
        return len(name)
    start = agent.find(name)
    while start > 0 and (agent[start - 1].isalnum() or agent[start - 1] in "-_"):
        start = agent.find(name, start + 1)
    return len(name) if start >= 0 else 0


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
        self.cost -= self._values.pop(key, (None, 0))[1]
        if self.make_room(cost):
            self._values[key] = (value, cost)
            self.cost += cost

    def make_room(self, cost: int) -> bool:
        """Forget what could not stay beside a value of that cost; return whether there can be room for it."""
        while self.cost + cost > self._room >= cost:
            self.cost -= self._values.popitem(last=False)[1][1]
        return cost <= self._room

    def __len__(self) -> int:
        return len(self._values)
