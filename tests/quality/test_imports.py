from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "focused_crawler"
REACTOR = "twisted.internet.reactor"


def imported_at_once(node: ast.AST) -> Iterator[str]:
    """Yield the full names that are imported when a file is, not those that functions import when called."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            yield from (f"{child.module}.{alias.name}" for alias in child.names)
        elif not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from imported_at_once(child)


def test_no_module_installs_a_reactor() -> None:
    """Importing twisted.internet.reactor does, so it is imported inside functions only."""
    for path in sorted(PACKAGE.rglob("*.py")):
        assert REACTOR not in imported_at_once(ast.parse(path.read_text("utf-8"))), path


def test_imports_inside_functions_are_left_out() -> None:
    """And those of classes and branches are not: they run with the file."""
    text = "import a\nif x:\n    from b import c\nclass D:\n    import e\n    def f(self): import g\n"
    assert list(imported_at_once(ast.parse(text))) == ["a", "b.c", "e"]
