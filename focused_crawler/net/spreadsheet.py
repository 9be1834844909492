"""Text from the web in CSV files that people open in a spreadsheet."""

from __future__ import annotations

FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""What a spreadsheet takes a cell that begins with for: a formula, which may run a program."""


def harmless(cell: str) -> str:
    """Return text with an apostrophe before what a spreadsheet would run.

    >>> harmless("=1+1"), harmless("1+1")
    ("'=1+1", '1+1')
    """
    return f"'{cell}" if cell.startswith(FORMULA) else cell


def as_written(cell: str) -> str:
    """Return the text that `harmless` made safe.

    >>> as_written("'=1+1"), as_written("'t is")
    ('=1+1', "'t is")
    """
    return cell[1:] if cell[:1] == "'" and cell[1:].startswith(FORMULA) else cell
