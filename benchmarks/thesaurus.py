"""What words cost: matching a thesaurus of 10,000 entries on a page, and a search over 100,000 pages.

    .venv/bin/python benchmarks/thesaurus.py [--web WARC] [--pages N] [--json FILE]

Two measurements that can be made by themselves as well (thesaurus_matching.py, search_speed.py), in one run.
CPU, not the clock.
"""

from __future__ import annotations

import argparse
import json
from contextlib import nullcontext
from pathlib import Path

import search_speed
import thesaurus_matching
from rich.console import Console


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--web", type=Path, help="a recorded web (default: the shared one, or the demo)")
    parser.add_argument("--pages", type=int, default=search_speed.PAGES, help="pages to search")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    console = Console(width=120)
    place = thesaurus_matching.web_at_hand() if options.web is None else nullcontext(options.web)
    with place as web:
        costs = thesaurus_matching.costs(web)
        console.print(thesaurus_matching.match_table(costs))
        searched = search_speed.measure(web, options.pages)
        console.print(search_speed.table(searched))
    if options.json:
        figures = thesaurus_matching.match_figures(costs) | searched.figures()
        options.json.write_text(json.dumps({"figures": figures}, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
