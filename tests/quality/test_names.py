from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "focused_crawler"
COMMANDS = (PACKAGE / "edge/commands", PACKAGE / "edge/menu")


def test_no_two_public_classes_have_one_name() -> None:
    """Who reads a name knows the class; Scrapy alone wants each of its commands to be called `Command`."""
    files = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                is_command = node.name == "Command" and path.parent in COMMANDS
                files[node.name] += [] if is_command else [str(path.relative_to(PACKAGE))]
    assert {name: found for name, found in files.items() if len(found) > 1} == {}
