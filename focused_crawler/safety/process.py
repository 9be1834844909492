"""What this process asks of its system and of Python: open files, and a garbage collector for crawls."""

from __future__ import annotations

import ctypes
import gc
import resource
from contextlib import suppress

from focused_crawler.safety.errors import ConfigError

RESERVE = 100
"""Files that are no connections: the crawl's own, libraries, threads that resolve names."""
PER_REQUEST = 2
"""A connection, and another that is tried beside it (Happy Eyeballs) or is still being closed."""
IDLE = 1000
"""Connections kept for later at most."""


def make_room(requests: int) -> None:
    """Let this process open what so many requests at a time need; ConfigError where the system forbids it.

    A process may raise its own limit up to a second one, which is often far higher.
    """
    limit, highest = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = _needed(requests)
    if highest == resource.RLIM_INFINITY:
        highest = max(limit, needed + IDLE)
    if highest < needed:
        raise ConfigError(
            f"CONCURRENT_REQUESTS is {requests}, which takes {needed} open files, and {highest} are allowed; "
            f"use {max(1, (highest - RESERVE) // PER_REQUEST)}, or allow more (ulimit -n {needed})"
        )
    if limit < needed + IDLE:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(highest, needed + IDLE), highest))


def idle_connections(requests: int) -> int:
    """Return how many connections may stay open for later beside so many requests at a time."""
    return max(0, min(IDLE, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - _needed(requests)))


def _needed(requests: int) -> int:
    return RESERVE + PER_REQUEST * requests


_THRESHOLDS = (20_000, 4, 2)  # all there is about every 4,000 pages: closed connections are cycles
_LARGE = 128 * 1024
_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8  # of malloc.h


def collect_seldom() -> None:
    """Call before much is loaded: by Python's own thresholds that takes an eighth longer."""
    gc.set_threshold(*_THRESHOLDS)


def settle() -> None:
    """Call when all that lives as long as the process is loaded: it is never looked at again.

    A page makes thousands of objects that die with it and hardly a cycle. By Python's own thresholds the
    collector walks models and modules over and over: a fifth of a page's analysis.

    Large pieces of memory have a place of their own from now on, and go back to the system when they are
    free. By itself glibc gives that up after the first of them: bodies then leave holes among what stays.
    And all threads share one place for the rest: each of its own would keep what its longest work took.
    """
    gc.freeze()
    collect_seldom()
    with suppress(AttributeError):  # another library of C
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_MMAP_THRESHOLD, _LARGE)
        mallopt(_M_ARENA_MAX, 1)
