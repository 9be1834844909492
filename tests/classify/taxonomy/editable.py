"""A small taxonomy in files, with a topic that marks some of it."""

from __future__ import annotations

from pathlib import Path

from focused_crawler.classify.taxonomy.edit_log import FOLDER
from focused_crawler.classify.taxonomy.folder import load_tree
from focused_crawler.classify.taxonomy.tree import Tree
from focused_crawler.safety.whole_file import UNFINISHED
from focused_crawler.topic.topic import load_topic

TREE = {
    "": 'language = "en"\n',
    "arts": "",
    "arts/film": '# Moving pictures.\ntitle = "Film"\nexamples = [\n    "http://film.example/",\n]\n',
    "arts/music": 'examples = ["http://music.example/"]\n',
    "life": 'examples = ["http://life.example/"]\r\n',
    "life/film": 'examples = ["http://films.example/", "seen.html"]\ntopics = ["tea"]\n',
    "life/film/short": "",
    "life/pets": "",
}
MARKS = '\n[taxonomy]\ngood = ["life/film/short", "arts"]\n'


def write_tree(folder: Path) -> Path:
    """Write it, and the topic `tea` beside it; return the tree's folder."""
    for path, text in TREE.items():
        (folder / "tree" / path).mkdir(parents=True, exist_ok=True)
        (folder / "tree" / path / "category.toml").write_bytes(text.encode())
    (folder / "tree/life/film/seen.html").write_text("<p>seen")
    (folder / "tree/life/film/examples").mkdir()
    (folder / "tree/life/film/examples/kept.html").write_text("<p>kept")
    (folder / "topics/tea").mkdir(parents=True)
    (folder / "topics/tea/topic.toml").write_text(
        f'name = "tea"\nkeywords = ["tea"]\n[examples]\nrelevant = ["http://tea.example/"]\n{MARKS}'
    )
    return folder / "tree"


def files_of(folder: Path) -> dict[str, bytes]:
    """Return all files of tree and topics; those of the log, and what a killed writer left, are left out."""
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and FOLDER not in file.parts and not UNFINISHED.fullmatch(file.name)
    }


def tree_of(folder: Path) -> Tree:
    return load_tree(folder / "tree", folder / "topics")


def marks_of(folder: Path) -> tuple[str, ...]:
    return load_topic("tea", folder / "topics").good_categories
