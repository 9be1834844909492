"""The how-to of the add-on works as it stands: its files make a project, and its spider runs there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.conformance.shop import open_shop
from tests.project import ROOT

WORDS = ("-O", "prices.jsonl", "-s", "FOCUSED_ALLOWED_NETWORKS=127.0.0.0/8", "-s", "DOWNLOAD_DELAY=0")


def test_the_project_of_the_page_crawls(tmp_path: Path) -> None:
    """Pages of the site and prices of its API come in one feed; the crawl's folder has the pages."""
    page = (ROOT / "docs/how-to/addon.md").read_text()
    with open_shop() as shop:
        for path, text in re.findall(r"```\w+\n# (\S+)\n(.*?)```", page, re.DOTALL):
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text.replace("http://127.0.0.1:8000", shop.url))
        (tmp_path / "shop/spiders/__init__.py").touch()
        (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = shop.settings\n")
        command = [sys.executable, "-W", "error", "-m", "scrapy", "crawl", "prices", *WORDS]
        environ = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    items = [json.loads(line) for line in (tmp_path / "prices.jsonl").read_text().splitlines()]
    titles = {item["title"] for item in items if "title" in item and "url" not in item}
    assert {"Goods 1", "Old", "About"} <= titles
    assert [item for item in items if "price" in item] == [{"price": 70}]
    assert {item["title"] for item in items if "url" in item} == titles
    assert json.loads((tmp_path / "crawls/bees/1/run.json").read_text())["totals"]["pages"] == len(titles)
