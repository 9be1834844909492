"""Hosts that count visitors or sell their attention: nothing of theirs belongs to a page's text."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from urllib.parse import urlsplit


def is_tracker(url: str) -> bool:
    """Tell whether a URL is one of theirs; a relative one is not.

    >>> is_tracker("https://www.google-analytics.com/ga.js"), is_tracker("/app.js")
    (True, False)
    """
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return False
    labels = host.split(".")
    return any(".".join(labels[start:]) in tracker_hosts() for start in range(len(labels) - 1))


@cache
def tracker_hosts() -> frozenset[str]:
    """Return their domains; each stands for all hosts under it."""
    lines = files(__package__ or "").joinpath("trackers.txt").read_text(encoding="utf-8").split("\n")
    return frozenset(line.strip() for line in lines if line.strip() and not line.startswith("#"))
