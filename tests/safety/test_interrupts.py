"""Listening for a second signal; that it ends a hanging command, tests/hostile/test_hangs.py shows."""

from __future__ import annotations

import signal

from focused_crawler.safety.interrupts import listen_again


def test_who_does_not_listen_goes_on_not_listening() -> None:
    """A crawl that is a guest in somebody's process leaves its signals alone."""
    listen_again()
    assert signal.set_wakeup_fd(-1) == -1
