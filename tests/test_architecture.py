from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "focused_crawler"
PACKAGES = {
    "browsing", "classify", "distill", "experiment", "explain", "frontier", "link_scoring", "lists",
    "fleet", "metrics", "net", "page", "rendering", "report", "sampling", "search", "seeding", "steering",
    "store", "taxonomy", "telemetry", "text", "thesaurus", "virtualweb", "why",
}  # fmt: skip
MODULES = {
    "analysis", "analysis_pool", "budget", "config", "crawl", "crawl_parts", "errors", "example_list",
    "garbage", "items", "journal", "meta", "package_folder", "page_recorder", "plan", "setting_reader",
    "toml_list", "toml_text", "topic", "topic_file", "topic_rules", "topic_writer",
}  # fmt: skip
CORE = PACKAGES | MODULES


def room(path: Path) -> str:
    """Return the package or module of ours that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


FILES = {path: ast.parse(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))}
CORE_FILES = {path: tree for path, tree in FILES.items() if room(path) in CORE}


def imported(tree: ast.AST) -> set[str]:
    """Return the full names of all that a file imports, at whatever place."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def imported_at_once(tree: ast.AST) -> set[str]:
    """Return what is imported when the file is: not what functions import when they are called."""
    names = imported(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names -= imported(node)
    return names


def test_every_room_of_the_core_is_there() -> None:
    """A room that was renamed does not slip out of the next tests."""
    assert {room(path) for path in CORE_FILES} == CORE


def test_core_never_imports_scrapy() -> None:
    """The core can be used, and tested, without Scrapy."""
    for path, tree in CORE_FILES.items():
        assert not {name.split(".")[0] for name in imported(tree)} & {"scrapy", "twisted"}, path


def test_core_imports_no_edge() -> None:
    """Nor does it know any module of ours that knows Scrapy."""
    for path, tree in CORE_FILES.items():
        ours = {name.split(".")[1] for name in imported(tree) if name.startswith("focused_crawler.")}
        assert ours <= {*CORE, "__version__"}, path


def test_nothing_imports_spiders_or_commands() -> None:
    """Scrapy finds both by name; what they share with others lies elsewhere."""
    edges = ("focused_crawler.edge.spiders", "focused_crawler.edge.commands")
    for path, tree in FILES.items():
        assert not [name for name in imported(tree) if name.startswith(edges)], path


def test_only_its_command_imports_experiments() -> None:
    """What webs, crawls and reports have in common with experiments lies in their own rooms."""
    for path, tree in FILES.items():
        if path.relative_to(PACKAGE).as_posix() != "commands/experiment.py" and room(path) != "experiment":
            assert not [name for name in imported(tree) if ".experiment." in name], path


def test_no_module_installs_a_reactor() -> None:
    """Importing twisted.internet.reactor does, so it is imported inside functions only."""
    for path, tree in FILES.items():
        assert not [name for name in imported_at_once(tree) if name.endswith("internet.reactor")], path
