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


def write_project(folder: Path, url: str) -> None:
    """Write the files of the page, for a shop at a URL."""
    page = (ROOT / "docs/how-to/addon.md").read_text()
    for path, text in re.findall(r"```\w+\n# (\S+)\n(.*?)```", page, re.DOTALL):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text.replace("http://127.0.0.1:8000", url))
    (folder / "shop/spiders/__init__.py").touch()
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = shop.settings\n")


def crawl(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-m", "scrapy", "crawl", "prices", *words]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True)


def test_the_project_of_the_page_crawls(tmp_path: Path) -> None:
    """Pages of the site and prices of its API come in one feed; the crawl's folder has the pages."""
    with open_shop() as shop:
        write_project(tmp_path, shop.url)
        done = crawl(tmp_path, *WORDS)
    assert done.returncode == 0, done.stderr
    items = [json.loads(line) for line in (tmp_path / "prices.jsonl").read_text().splitlines()]
    titles = {item["title"] for item in items if "title" in item and "url" not in item}
    assert {"Goods 1", "Old", "About"} <= titles
    assert [item for item in items if "price" in item] == [{"price": 70}]
    assert {item["title"] for item in items if "url" in item} == titles
    assert json.loads((tmp_path / "crawls/bees/1/run.json").read_text())["totals"]["pages"] == len(titles)


def test_without_our_commands_an_error_is_a_line_of_the_log(tmp_path: Path) -> None:
    """Scrapy's `crawl` knows nothing of our errors, and has no command that one of them could name."""
    write_project(tmp_path, "http://127.0.0.1:9")
    settings = tmp_path / "shop/settings.py"
    settings.write_text(re.sub(r"COMMANDS_MODULE.*\n", "", settings.read_text()))
    for setting, said in {
        "FOCUSED_PAGSE=3": "no setting is called FOCUSED_PAGSE; did you mean FOCUSED_PAGES?",
        "FOCUSED_TOPIC=wasps": "no topic 'wasps' (see focused-crawler list; ",
    }.items():
        done = crawl(tmp_path, "-s", setting)
        (line,) = done.stderr.splitlines()
        assert f"ERROR: {said}" in line
        assert done.returncode == 1
