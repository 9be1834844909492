"""There is one way onto a terminal, `say` and `report.terminal`: no other line of the package takes one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "focused_crawler"
DOORS = {
    "safety/printable.py": {"write"},
    "report/terminal/output.py": {"Text", "Segment"},
    "report/terminal/tables.py": {"Table", "Panel", "Padding", "Tree", "add_row", "add_column"},
    "report/live.py": {"Live", "FileProxy", "Progress", "TextColumn"},
}
"""File -> what may be called there alone."""
HARMLESS = {"Group", "ProgressBar", "BarColumn", "TaskProgressColumn", "TimeRemainingColumn", "decimal"}
"""Of rich: what takes no words, or hands on what it is given."""
METHODS = {"add_row", "add_column", "from_markup", "from_ansi", "render_str", "print_json"}
STREAMS = {"stdout", "stderr", "__stdout__", "__stderr__"}


def leaks(source: str, door: str = "") -> Iterator[str]:
    """Yield the calls that might bring foreign text to a terminal, as "line: what is called"."""
    tree = ast.parse(source)
    rich = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        if (getattr(node, "module", None) or alias.name).split(".")[0] == "rich"
    }
    allowed = HARMLESS | DOORS.get(door, set())
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = _called(node, rich)
            if called and called not in allowed:
                yield f"{node.lineno}: {ast.unparse(node.func)}"


def _called(node: ast.Call, rich: set[str]) -> str | None:
    """Return the name of what is called, if that is to be looked at."""
    for keyword in node.keywords:
        if keyword.arg in {"markup", "emoji"} and ast.unparse(keyword.value) != "False":
            return keyword.arg
    match node.func:
        case ast.Name("Text") if not node.args and not node.keywords:
            return None  # an empty line
        case ast.Name(name) if name == "print" or name in rich:
            return name
        case ast.Attribute(ast.Name(name), attribute) if name in rich:
            return name if name != "filesize" else attribute
        case ast.Attribute(ast.Attribute(ast.Name("sys"), stream), attribute) if stream in STREAMS:
            return attribute if attribute not in {"flush", "fileno", "isatty", "reconfigure"} else None
        case ast.Attribute(_, attribute) if attribute in METHODS:
            return attribute
    return None


def test_nothing_goes_past_the_doors() -> None:
    """Tables, panels, trees, bars, consoles and lines are made in a few files, which escape what they get."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        found += [f"{name}:{leak}" for leak in leaks(path.read_text("utf-8"), name)]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "print(title)",
        "import sys\nsys.stdout.write(title)",
        "import sys\nsys.stderr.writelines([title])",
        "from rich.console import Console\nConsole().print(title)",
        "from rich.table import Table as Grid\nGrid(title=title)",
        "from rich.text import Text\nText(title)",
        "from rich.text import Text\nText.from_markup(title)",
        "from rich.text import Text\nText.assemble(title)",
        "from rich import print as shout\nshout(title)",
        "from rich.markup import escape\nescape(title)",
        "import rich\nrich.print(title)",
        "grid.add_row(title)",
        "console.print(title, markup=True)",
    ],
)
def test_what_is_found(source: str) -> None:
    """Under any name."""
    assert len(list(leaks(source))) == 1


@pytest.mark.parametrize(
    "source",
    [
        "say(title)",
        "Terminal().print(table('a', rows=[[title]]))",
        "add_row(shown, title)",
        "from rich.text import Text\nText()",
        "from rich.console import Group\nGroup(text(title))",
    ],
)
def test_what_is_not(source: str) -> None:
    """What makes text printable by itself."""
    assert list(leaks(source)) == []
