"""Listings of categories and URLs -> folders; what is there stays."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.classify.taxonomy.folder import load_tree, merge, skipped_text
from focused_crawler.classify.taxonomy.listing import category_path, read_listing
from focused_crawler.safety.errors import TopicError
from focused_crawler.topic.rules import category_problem

LISTING = """\
category\tURL
# a comment

Top/Arts/Arts_&_Crafts\thttp://c.example/\tPots and pans
"Top/Arts/Music, old",http://m.example/
Top/Arts/Arts_&_Crafts\thttps://www.c.example
Top/Arts/Model\thttp://d.example/
Top/\u65e5\u672c\u8a9e\thttp://j.example/
Top/Arts\tnot a URL
Top/Arts
Top/Arts,ftp://f.example/
Top/{deep}\thttp://deep.example/
""".replace("{deep}", "/".join("abcdefghijklmnopqrstuvwxyz"))


@pytest.fixture
def listing(tmp_path):
    path = tmp_path / "odp.tsv"
    path.write_text(LISTING, encoding="utf-8")
    return read_listing(path)


def test_tabs_and_commas_are_read(listing):
    """Both in one file if need be; prefixes stay, names become those of folders."""
    assert listing.urls == {
        "top/arts/arts-and-crafts": ["http://c.example/", "https://www.c.example"],
        "top/arts/music-old": ["http://m.example/"],
        "top/arts/model-pages": ["http://d.example/"],
    }
    assert listing.titles["top/arts/arts-and-crafts"] == "Arts & Crafts"
    assert listing.titles["top/arts"] == "Arts"


def test_what_was_left_out_is_counted_with_the_reason(listing):
    """A line each; comments and the head are no entries."""
    assert listing.skipped == {
        "no http or https URL": 2,
        "not a category and a URL": 1,
        "a name without a letter a-z or digit": 1,
        "more than 20 levels": 1,
    }
    assert skipped_text(listing.skipped).startswith("5 lines left out: no http or https URL 2x, ")


def test_a_column_over_two_lines_makes_no_category(tmp_path):
    """Both lines are counted; columns after the URL say nothing."""
    path = tmp_path / "odp.csv"
    path.write_text('a/b,http://x.org/p,1,2\n"Top/A\nB",http://q.org/\nx/y,"http://x.org/p,1,2"\n')
    listing = read_listing(path)
    assert listing.urls == {"a/b": ["http://x.org/p"], "x/y": ["http://x.org/p,1,2"]}
    assert listing.skipped == {"a quote that its line does not close": 2}


def test_categories_are_made_and_merged(listing, tmp_path):
    """A page that is there is not added again, and files that are there keep their comments."""
    folder = tmp_path / "tree"
    merged = merge(listing, folder)
    assert (merged.categories, merged.examples, merged.known) == (5, 3, 1)
    file = folder / "top/arts/arts-and-crafts/category.toml"
    file.write_text(file.read_text().replace("c.example/", "c.example/pots") + "# mine\n")
    again = merge(listing, folder)
    assert (again.categories, again.examples, again.known) == (0, 1, 3)
    assert file.read_text() == (
        'title = "Arts & Crafts"\n'
        'examples = [\n    "http://c.example/pots",\n    "http://c.example/",\n]\n# mine\n'
    )
    tree = load_tree(folder)
    assert tree.leaves == ("top/arts/arts-and-crafts", "top/arts/model-pages", "top/arts/music-old")


@pytest.mark.parametrize(
    ("text", "message"),
    [("examples = 1", r"category\.toml:1: examples is a number"), ("x = 1", "unknown key 'x'")],
)
def test_a_broken_category_is_not_written_to(listing, tmp_path, text, message):
    """It is named, with the line."""
    folder = tmp_path / "tree/top/arts/music-old"
    folder.mkdir(parents=True)
    (folder / "category.toml").write_text(text)
    with pytest.raises(TopicError, match=message):
        merge(listing, tmp_path / "tree")
    assert (folder / "category.toml").read_text() == text


def test_a_folder_that_cannot_be_made(listing, tmp_path):
    """A file is in its place."""
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/top").touch()
    with pytest.raises(TopicError, match="tree/top: cannot be made: File exists"):
        merge(listing, tmp_path / "tree")


@given(st.text(max_size=60))
def test_every_path_is_one_of_folders_or_none(text):
    """None leads out of the taxonomy, into its model or to a hidden folder."""
    names = category_path(text)
    assert names is None or category_problem("/".join(names)) is None


@given(st.text(max_size=200))
def test_any_text_is_a_listing(text):
    """Each line is an entry, or is counted, or says nothing."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "list"
        path.write_text(text, encoding="utf-8", newline="")
        listing = read_listing(path)
    assert sum(map(len, listing.urls.values())) + listing.skipped.total() in (len(lines), len(lines) - 1)
