"""The pages that a user reads first."""

from __future__ import annotations

import re
import shutil
import subprocess
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


def test_clean_takes_away_what_make_has_made(tmp_path: Path) -> None:
    """Not crawls that took days, nor what they were recorded into."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    made = (".venv/pyvenv.cfg", "crawls/demo/astronomy/focused/crawl.db", "webs/demo.warc.gz")
    own = ("crawls/asthma/1/crawl.db", "webs/asthma.warc.gz", "models/asthma/model.json")
    for name in (*made, *own):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    subprocess.run(["make", "clean"], cwd=tmp_path, check=True, capture_output=True)
    assert {name for name in (*made, *own) if (tmp_path / name).exists()} == set(own)
