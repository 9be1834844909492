from __future__ import annotations

from pathlib import Path

from focused_crawler.virtualweb.truth import topics_folder
from focused_crawler.virtualweb.writer import WebWriter

HTML = [("Content-Type", "text/html")]
LINKS = {"seed": "hub list moved", "hub": "tea1", "list": "more", "more": "tea2 tea3", "tea1": "hub"}
SEEDS = """
name = "tea"
keywords = ["tea"]
seeds = ["http://a.example/seed"]
"""
SEED_SETS = """
[seed_sets]
far = ["http://a.example/seed", "http://a.example/nowhere"]
near = ["http://a.example/tea1", "http://a.example/tea2"]
"""


def write_tea(path: Path) -> Path:
    """Write the web of docs/explanation/bounds.md and a topic; tea4 is nowhere, moved is now new."""
    with WebWriter(path) as writer:
        for name in (*LINKS, "tea2", "tea3", "new"):
            links = "".join(f'<p><a href="/{link}">{link}</a></p>' for link in LINKS.get(name, "").split())
            writer.write(f"http://a.example/{name}", 200, HTML, links.encode() or b"<p>tea")
        writer.write("http://a.example/moved", 301, [("Location", "/new")], b"")
    folder = topics_folder(path) / "tea"
    folder.mkdir(parents=True)
    (folder / "topic.toml").write_text(SEEDS + SEED_SETS)
    (folder / "relevant.txt").write_text("".join(f"http://www.a.example/tea{n}\n" for n in (1, 2, 3, 4)))
    return path
