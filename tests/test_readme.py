"""The pages that a user reads first."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    """To a file of the project, where it is not a web page."""
    links = re.findall(r"\]\(([^)#\s]+)[^)\s]*\)", page.read_text())
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_nothing_is_left_to_fill_in(page: Path) -> None:
    """Figures and output blocks are real."""
    assert not re.search(r"@@|^[A-Z]{4,}$", page.read_text(), re.MULTILINE)
