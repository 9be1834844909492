from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console

from focused_crawler.fleet.screen import Screen
from tests.fleet.test_terminal import STATUS


def console(*, is_terminal: bool) -> tuple[Console, io.StringIO]:
    file = io.StringIO()
    return Console(file=file, width=120, force_terminal=is_terminal, _environ={"TERM": "xterm"}), file


def test_lines_now_and_then_without_a_terminal() -> None:
    """One an interval."""
    one, file = console(is_terminal=False)
    with Screen(one, 1000.0) as screen:
        screen.show(STATUS)
    assert file.getvalue() == ""
    with Screen(one, 1e-9) as screen:
        screen.show(STATUS)
        screen.show(STATUS)
    assert file.getvalue().count("400 of 1,000 pages") == 2


def test_a_remark_is_made_once() -> None:
    """Until it was right for a while."""
    one, file = console(is_terminal=False)
    with Screen(one, 0.0) as screen:
        for remarks in (("no answer",), ("no answer",), (), ("no answer",)):
            screen.show(replace(STATUS, remarks=remarks))
    assert file.getvalue().count("no answer") == 2


def test_what_cannot_be_read_stays_as_it_was_seen() -> None:
    """A server that is away for a while makes no crawl of no pages."""
    one, file = console(is_terminal=False)
    with Screen(one, 1e-9) as screen:
        screen.show(STATUS)
        screen.show(replace(STATUS, totals=None, frontier=None, workers=None, remarks=("no answer",)))
    assert file.getvalue().count("1 worker; 400 of 1,000 pages") == 2


def test_no_line_with_an_interval_of_0() -> None:
    """It is switched off."""
    one, file = console(is_terminal=False)
    with Screen(one, 0.0) as screen:
        screen.show(STATUS)
    assert file.getvalue() == ""


def test_live_on_a_terminal() -> None:
    """The view; what is told stays above it, and the cursor comes back in the end."""
    one, file = console(is_terminal=True)
    with Screen(one, 1000.0) as screen:
        screen.show(STATUS)
        screen.say("worker 2 died\x1b[2J\nforged")
    text = file.getvalue()
    assert "node-7-ab12" in text
    assert "worker 2 died\\x1b[2J\\nforged" in text
    assert text.index("\x1b[?25l") < text.rindex("\x1b[?25h")
