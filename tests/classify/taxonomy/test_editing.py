"""Each edit of a taxonomy does all that belongs to it, and can be taken back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from focused_crawler.classify.taxonomy.editing import TaxonomyEditor
from focused_crawler.safety.errors import TopicError
from tests.classify.taxonomy.editable import files_of, marks_of, tree_of, write_tree


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_tree(tmp_path)
    return tmp_path


@pytest.fixture
def editor(folder: Path) -> TaxonomyEditor:
    return TaxonomyEditor(folder / "tree", folder / "topics")


def own_examples(folder: Path, path: str) -> list[str]:
    """Names of files as paths from the tree, without the topic's."""
    top = f"{folder.resolve()}/tree/"
    return [name.removeprefix(top) for name in tree_of(folder)[path].examples if "tea.example" not in name]


def test_a_category_is_made_below_another(editor: TaxonomyEditor, folder: Path) -> None:
    """With a title, or one made of its name."""
    assert editor.create("life/plants", 'Plants & "trees"') == "made life/plants"
    editor.create("life/plants/moss")
    tree = tree_of(folder)
    assert [tree[path].title for path in ("life/plants", "life/plants/moss")] == ['Plants & "trees"', "Moss"]


def test_a_new_name_is_that_of_marks_and_all_below(editor: TaxonomyEditor, folder: Path) -> None:
    """Comments of the file stay; so does its title, if no other is given."""
    editor.rename("life/film", "cinema")
    assert marks_of(folder) == ("arts", "life/cinema/short")
    assert "life/cinema/short" in tree_of(folder)
    editor.rename("arts/film", "pictures", "Pictures")
    text = (folder / "tree/arts/pictures/category.toml").read_text()
    assert text == '# Moving pictures.\ntitle = "Pictures"\nexamples = [\n    "http://film.example/",\n]\n'
    editor.rename("arts/music", "music", "All music")
    assert tree_of(folder)["arts/music"].title == "All music"


def test_a_category_moves_with_all_below(editor: TaxonomyEditor, folder: Path) -> None:
    """Also to the top."""
    assert editor.move("life/film/short", "arts/film") == "moved life/film/short to arts/film"
    assert marks_of(folder) == ("arts", "arts/film/short")
    assert editor.move("arts", "life") == "moved arts to life"
    assert marks_of(folder) == ("life/arts", "life/arts/film/short")
    editor.move("life/film", "")
    assert {"film", "life/arts/film/short"} <= {*tree_of(folder).paths}


def test_merging_joins_examples_topics_and_what_is_below(editor: TaxonomyEditor, folder: Path) -> None:
    """Of two subcategories with one name, one is left; marks are of what stands for both."""
    assert editor.merge("life", "arts") == "merged life into arts"
    tree = tree_of(folder)
    assert tree.paths == ("", "arts", "arts/film", "arts/music", "arts/pets", "arts/film/short")
    assert tree["arts"].examples == ("http://life.example/",)
    assert own_examples(folder, "arts/film") == [
        "http://film.example/", "http://films.example/", "arts/film/examples/kept.html",
        "arts/film/examples/seen.html",
    ]  # fmt: skip
    assert tree["arts/film"].topics == ("tea",)
    assert marks_of(folder) == ("arts", "arts/film/short")


def test_a_category_is_merged_into_the_one_above(editor: TaxonomyEditor, folder: Path) -> None:
    """Its own children become those of that."""
    editor.merge("life/film", "life")
    assert "life/short" in tree_of(folder)
    assert "http://films.example/" in tree_of(folder)["life"].examples
    assert marks_of(folder) == ("arts", "life/short")


def test_a_deleted_category_is_no_mark_any_more(editor: TaxonomyEditor, folder: Path) -> None:
    """Nor what was below it."""
    editor.delete("life/film")
    assert "life/film" not in tree_of(folder)
    assert marks_of(folder) == ("arts",)


def test_pages_become_examples(editor: TaxonomyEditor, folder: Path, tmp_path: Path) -> None:
    """URLs once, in whatever spelling; files as copies, under free names."""
    mine = tmp_path / "kept.html"
    mine.write_text("<p>mine")
    editor.add("life/film", ["http://new.example/", "https://www.films.example", str(mine)])
    assert own_examples(folder, "life/film") == [
        "http://films.example/", "life/film/seen.html", "http://new.example/",
        "life/film/examples/2-kept.html", "life/film/examples/kept.html",
    ]  # fmt: skip
    assert (folder / "tree/life/film/examples/2-kept.html").read_text() == mine.read_text() == "<p>mine"


def test_examples_move_from_one_category_to_another(editor: TaxonomyEditor, folder: Path) -> None:
    """URLs, pages beside the file, and pages in its folder of examples, as the tree names them."""
    names = ["http://films.example", *tree_of(folder)["life/film"].examples[1:3]]
    assert editor.add("arts/music", names, "life/film") == "moved 3 examples from life/film to arts/music"
    assert own_examples(folder, "life/film") == []
    assert own_examples(folder, "arts/music") == [
        "http://music.example/", "http://films.example/", "arts/music/examples/kept.html",
        "arts/music/examples/seen.html",
    ]  # fmt: skip


def test_examples_are_taken_away(editor: TaxonomyEditor, folder: Path) -> None:
    """Files as well."""
    editor.remove("life/film", ["http://films.example/", "seen.html", "examples/kept.html"])
    assert own_examples(folder, "life/film") == []


EDITS: dict[str, Callable[[TaxonomyEditor], str]] = {
    "create": lambda editor: editor.create("life/plants", "Plants"),
    "rename": lambda editor: editor.rename("life/film", "cinema", "Cinema"),
    "title": lambda editor: editor.rename("life", "life", "All life"),
    "move": lambda editor: editor.move("life", "arts"),
    "merge": lambda editor: editor.merge("life", "arts"),
    "merge up": lambda editor: editor.merge("life/film", "life"),
    "delete": lambda editor: editor.delete("life"),
    "add": lambda editor: editor.add("life/pets", ["http://a.example/", "http://b.example/"]),
    "take over": lambda editor: editor.add("life", ["seen.html", "http://films.example/"], "life/film"),
    "take": lambda editor: editor.remove("life/film", ["seen.html", "examples/kept.html"]),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_taken_back(name: str, editor: TaxonomyEditor, folder: Path) -> None:
    """Every file is as it was, line ends and comments included; then there is nothing more to take back."""
    before = files_of(folder)
    said = EDITS[name](editor)
    assert [edit.what for edit in editor.edits()] == [said]
    assert files_of(folder) != before
    assert editor.undo() == said
    assert files_of(folder) == before
    with pytest.raises(TopicError, match="has no edit to take back"):
        editor.undo()


def test_edits_are_taken_back_in_turn(editor: TaxonomyEditor, folder: Path) -> None:
    """The last one first."""
    before = files_of(folder)
    for edit in EDITS.values():
        edit(editor)
        editor.undo()
    editor.rename("life", "living")
    editor.merge("living/film", "arts/film")
    editor.delete("living")
    assert editor.undo() == "deleted living"
    assert "living/pets" in tree_of(folder)
    editor.undo()
    editor.undo()
    assert files_of(folder) == before


def test_what_somebody_changed_since_stays(editor: TaxonomyEditor, folder: Path) -> None:
    """The edit cannot be taken back then, and nothing is."""
    editor.add("life/pets", ["http://a.example/"])
    file = folder / "tree/life/pets/category.toml"
    file.write_text(file.read_text() + 'title = "Mine"\n')
    before = files_of(folder)
    with pytest.raises(TopicError, match=r"life/pets/category\.toml was changed since; change the files by"):
        editor.undo()
    assert files_of(folder) == before


MISTAKES: dict[str, tuple[Callable[[TaxonomyEditor], str], str]] = {
    "unknown": (lambda e: e.delete("arts/fil"), "has no category 'arts/fil'; did you mean arts/film"),
    "root": (lambda e: e.delete(""), "the top of the tree stays as it is; name a category, such as"),
    "name": (lambda e: e.create("arts/Opera"), "category 'arts/Opera' is not made of names of a-z, 0-9"),
    "reserved": (lambda e: e.rename("arts", "model"), "write model-pages"),
    "way out": (lambda e: e.rename("arts", "../../x"), "is not made of names of a-z"),
    "no parent": (lambda e: e.create("art/opera"), "has no category 'art'; did you mean arts"),
    "taken": (lambda e: e.create("arts/film"), "has a category arts/film; choose another name, or merge"),
    "same name": (lambda e: e.rename("arts", "arts"), "arts is called so already; give another name, or"),
    "into itself": (lambda e: e.move("life", "life/film"), "life/film lies in life itself; move it else"),
    "there already": (lambda e: e.move("life/film", "life"), "life/film lies in life already"),
    "two of a name": (lambda e: e.move("life/film", "arts"), "has a category arts/film; choose another"),
    "nothing added": (lambda e: e.add("life", []), "no example is chosen; choose one or more"),
    "nothing moved": (lambda e: e.add("life", [], "life/film"), "no example is chosen; choose one or more"),
    "nothing taken": (lambda e: e.remove("life", []), "no example is chosen; choose one or more"),
    "merged into itself": (lambda e: e.merge("life", "life"), "to be merged into itself; name another"),
    "merged down": (lambda e: e.merge("life", "life/film"), "lies in life; merge it into life instead"),
    "no URL": (lambda e: e.add("arts", ["ftp://a/"]), "'ftp://a/' is no http or https URL"),
    "no file": (lambda e: e.add("arts", ["gone.html"]), "gone.html does not exist; save the page there"),
    "had": (lambda e: e.add("life", ["http://www.life.example"]), "life has it already"),
    "of another": (
        lambda e: e.add("arts", ["http://life.example/"]),
        "to move it: scrapy taxonomy add arts http://life.example/ --from life",
    ),
    "not its own": (lambda e: e.remove("life", ["http://a.example/"]), "life has no example 'http://a.exam"),
    "of a topic": (
        lambda e: e.add("arts", ["http://tea.example/"], "life/film"),
        "those of its topics (tea) are changed in their topic.toml",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_changes_nothing(name: str, editor: TaxonomyEditor, folder: Path) -> None:
    """It ends in one line that says what to do instead."""
    before = files_of(folder)
    edit, message = MISTAKES[name]
    with pytest.raises(TopicError) as caught:
        edit(editor)
    assert message in str(caught.value)
    assert files_of(folder) == before
    assert editor.edits() == []


def test_a_tree_gets_no_deeper_than_it_may(editor: TaxonomyEditor) -> None:
    """By no way."""
    path = "life/pets"
    for _ in range(18):
        path += "/x"
        editor.create(path)
    with pytest.raises(TopicError, match="has more than 20 levels; make it higher up"):
        editor.create(f"{path}/x")
    with pytest.raises(TopicError, match="would have more than 20 levels; move it higher up"):
        editor.move("life/pets", "arts/film")


def test_a_broken_topic_stays_as_it_is(editor: TaxonomyEditor, folder: Path) -> None:
    """And hinders no edit."""
    (folder / "topics/broken").mkdir()
    (folder / "topics/broken/topic.toml").write_text("good = [")
    editor.rename("arts", "art")
    assert marks_of(folder) == ("life/film/short", "art")
