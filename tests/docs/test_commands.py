from __future__ import annotations

from tests.docs.commands import PAGE, commands_page


def test_the_page_of_commands_is_what_they_say_themselves() -> None:
    """Else run `python -m tests.docs.commands`."""
    assert PAGE.read_text() == commands_page()
