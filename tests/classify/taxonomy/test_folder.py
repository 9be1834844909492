"""A taxonomy is read strictly: every mistake is one line with its place and the cure."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from focused_crawler.classify.taxonomy.folder import load_tree, model_folder, taxonomy_folder
from focused_crawler.safety.errors import TopicError
from focused_crawler.topic.topic import topic_names
from tests.project import ROOT

TEA = 'title = "All teas"\ntopics = ["tea"]\nexamples = [\n    "http://t.example/",\n    "saved.html",\n]\n'


@pytest.fixture
def topics(tmp_path):
    folder = tmp_path / "topics" / "tea"
    (folder / "examples/relevant").mkdir(parents=True)
    (folder / "examples/relevant/leaf.html").write_text("tea")
    (folder / "topic.toml").write_text(
        'name = "tea"\nseeds = ["http://s.example/"]\n'
        '[examples]\nrelevant = ["http://t.example/", "http://u.example/"]\n'
    )
    return folder.parent


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "tree"
    tea = folder / "drinks/tea"
    (tea / "examples").mkdir(parents=True)
    (tea / "category.toml").write_text(TEA)
    for page in (tea / "saved.html", tea / "examples/kept.htm"):
        page.write_text("green")
    (folder / "drinks/category.toml").write_text('description = "Not food."\n')
    (folder / "category.toml").write_text('language = "de"\n')
    for other in ("model", ".git", "__pycache__"):
        (folder / other).mkdir()
    (folder / "drinks/notes.txt").touch()
    return folder


def message_of(root: Path, topics: Path) -> str:
    with pytest.raises(TopicError) as caught:
        load_tree(root, topics)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_folder_becomes_a_tree(root, topics):
    """Examples of a category: those named, those saved beside it, those of its topics; each once."""
    tree = load_tree(root, topics)
    assert (tree.paths, tree.language) == (("", "drinks", "drinks/tea"), "de")
    assert (tree["drinks"].title, tree["drinks"].description) == ("Drinks", "Not food.")
    tea = tree["drinks/tea"]
    assert (tea.title, tea.topics) == ("All teas", ("tea",))
    assert tea.examples == (
        "http://t.example/",
        str(root / "drinks/tea/saved.html"),
        str(root / "drinks/tea/examples/kept.htm"),
        "http://u.example/",
        str(topics / "tea/examples/relevant/leaf.html"),
    )


MISTAKES = {
    "key": ('title = "x"\nexample = []\n', ":2: unknown key 'example'; did you mean examples?"),
    "language": ('language = "en"\n', ":1: unknown key 'language'; the keys are title, descr"),
    "url": ('examples = ["ftp://t.example/"]', ":1: examples: 'ftp://t.example/' is no http or https URL"),
    "outside": ('examples = ["../../x.html"]', ":1: examples: '../../x.html' lies outside its folder"),
    "not there": ('examples = ["x.html"]', "x.html does not exist; save the page there or leave it out"),
    "topic": ('topics = ["te"]', ":1: topics: 'te': no topic 'te'; did you mean tea?"),
    "way out": ('topics = ["../tea"]', ":1: topics: name '../tea' is not made of a-z, 0-9 and - alone"),
    "toml": ("title = tea", ":1: no valid TOML"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_wrong_category_names_line_and_cure(root, topics, name):
    """As topics do."""
    text, message = MISTAKES[name]
    (root / "drinks/tea/category.toml").write_text(text)
    found = message_of(root, topics)
    assert "drinks/tea/category.toml" in found or name == "not there"
    assert message in found


def test_wrong_folders(root, topics, tmp_path):
    """A name, a file that is missing, a link, a language; and no taxonomy at all."""
    (root / "Cold Drinks").mkdir()
    assert "Cold Drinks: category 'Cold Drinks' is not made of" in message_of(root, topics)
    (root / "Cold Drinks").rename(root / "cold-drinks")
    assert "tree/cold-drinks/category.toml: not found; write one" in message_of(root, topics)
    (root / "cold-drinks").rmdir()
    (root / "loop").symlink_to(root, target_is_directory=True)
    assert "tree/loop: is a link; put a folder in its place" in message_of(root, topics)
    (root / "loop").unlink()
    (root / "category.toml").write_text('language = "german"')
    assert "tree/category.toml:1: language 'german' is no ISO 639 code" in message_of(root, topics)
    assert "category.toml: not found; give the folder of a taxonomy" in message_of(tmp_path, topics)


def test_too_deep_a_tree(root, topics):
    """Twenty levels are enough for anybody; the folder is named."""
    for level in range(1, 22):
        folder = root.joinpath(*"x" * level)
        folder.mkdir()
        (folder / "category.toml").touch()
    assert message_of(root, topics).endswith("/x: lies more than 20 levels deep; move it up")
    shutil.rmtree(folder)
    assert "/".join("x" * 20) in load_tree(root, topics)


def test_a_name_with_terminal_codes_is_escaped(root, topics):
    """So that no folder can speak to the terminal."""
    (root / "\x1b]0;PWNED\x07").mkdir()
    assert "tree/\\x1b]0;PWNED\\x07: category" in message_of(root, topics)


def test_the_model_lies_in_the_folder_or_where_models_do():
    """Under FOCUSED_MODELS if that is set."""
    assert model_folder(Path("t"), None) == Path("t/model")
    assert model_folder(Path("t"), Path("m")) == Path("m/taxonomy")


def test_the_starter_tree_has_each_topic_at_one_leaf():
    """With enough examples in every leaf, none of them twice, and none in an inner category."""
    tree = load_tree()
    assert sorted(name for category in tree.categories for name in category.topics) == topic_names()
    assert all(len(tree[leaf].examples) >= 10 for leaf in tree.leaves)
    inner = [path for path in tree.paths if tree.children(path)]
    assert not any(tree[path].examples for path in inner)
    assert all(len(tree.children(path)) > 1 for path in inner)
    examples = [example for category in tree.categories for example in category.examples]
    assert len(examples) == len(set(examples))
    assert all(category.title and category.description for category in tree.categories[1:])


def test_the_taxonomy_is_read_out_of_an_egg(tmp_path):
    """On a scrapyd server it lies in a zip file, beside the topics."""
    with zipfile.ZipFile(tmp_path / "project.egg", "w") as egg:
        for path in (ROOT / "focused_crawler").rglob("*.py"):
            egg.write(path, path.relative_to(ROOT))
        egg.writestr("focused_crawler/shipped/taxonomy/category.toml", "")
        egg.writestr(
            "focused_crawler/shipped/taxonomy/health/category.toml", 'examples = ["http://h.example/"]'
        )
        egg.writestr("focused_crawler/shipped/topics/tea/topic.toml", "")
    code = "from focused_crawler.classify.taxonomy.folder import *; print(load_tree().paths)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "project.egg"), "XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "('', 'health')\n", done.stderr
    assert taxonomy_folder() == Path("focused_crawler/shipped/taxonomy").resolve()
