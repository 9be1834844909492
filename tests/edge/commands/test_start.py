from __future__ import annotations

import subprocess
import sys

import pytest

SLOW = ("aiohttp", "hmmlearn", "jinja2", "matplotlib", "nltk", "prometheus_client", "scipy.stats", "sklearn")
LOAD = """
import sys
from importlib import import_module
from pkgutil import iter_modules
from focused_crawler import addon
from focused_crawler.edge import commands
for found in iter_modules(commands.__path__):
    import_module(f"focused_crawler.edge.commands.{found.name}")
print(*sys.modules)
"""


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    """What Scrapy has loaded before any command of the project begins: all of them."""
    command = [sys.executable, "-c", LOAD]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize("name", SLOW)
def test_no_command_waits_for_what_others_need(loaded: set[str], name: str) -> None:
    """A library that takes long to load is loaded by the command that uses it, when it does."""
    assert "focused_crawler.edge.commands.experiment" in loaded
    assert name not in loaded
