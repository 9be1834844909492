"""Delays that hosts ask for in robots.txt: a host has one file for http and one for https, and one delay."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

MOST_HOSTS = 10_000
"""So many are remembered (some 2 MB), those whose files were read last."""
_NOTHING = (0.0, 0.0)  # one object for most hosts


class HostDelay(NamedTuple):
    """How a host wants to be asked."""

    seconds: float
    is_first: bool  # nothing of its files was known here: another one may ask for more


class HostDelays:
    """What each file asks for, of those that this process has read."""

    def __init__(self) -> None:
        self._asked: OrderedDict[str, tuple[float, float]] = OrderedDict()  # host -> seconds, http and https

    def record(self, host: str, scheme: str, seconds: float) -> HostDelay:
        """Take in what one file of a host asks for; return the larger of what its files ask for."""
        is_first = host not in self._asked
        http, https = self._asked.pop(host, _NOTHING)
        seconds = max(0.0, seconds)  # 0 for what is no number
        asked = (http, seconds) if scheme == "https" else (seconds, https)
        self._asked[host] = asked if any(asked) else _NOTHING
        if len(self._asked) > MOST_HOSTS:
            self._asked.popitem(last=False)
        return HostDelay(max(asked), is_first)
