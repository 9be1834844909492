from __future__ import annotations

import re

from tests.project import ROOT

FOLDERS = ("focused_crawler", "settings_profiles", "tests", "benchmarks")
_REQUIREMENTS = ("requirements.txt", "requirements-dev.txt")
FILES = ("Makefile", "scrapy.cfg", "pyproject.toml", *_REQUIREMENTS, "CHANGELOG.md")


def test_every_page_that_code_names_is_there() -> None:
    """An error message sends its reader to a page: it has to be where it says."""
    paths = [
        path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".toml")
    ]
    texts = {path: path.read_text() for path in [*paths, *(ROOT / name for name in FILES)]}
    named = {(path, page) for path, text in texts.items() for page in re.findall(r"docs/[\w/-]+\.md", text)}
    assert len({page for _, page in named}) > 20
    gone = sorted((str(path), page) for path, page in named if not (ROOT / page).is_file())
    assert gone == []
