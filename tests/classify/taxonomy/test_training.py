"""Pages -> model and table: nothing is judged by a model that saw it."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from focused_crawler.classify.taxonomy.training import pages_of, train_taxonomy
from focused_crawler.classify.taxonomy.tree import Category, Tree
from focused_crawler.page.model import Outline, Page, Sections
from focused_crawler.safety.errors import TopicError

WORDS = {
    "health/asthma": "inhaler lung wheeze breath",
    "health/eyes": "retina nerve sight lens",
    "sports/football": "goal league keeper coach",
    "sports/cycling": "wheel pedal saddle tour",
}
COMMON = ["site", "menu", "news", "share", "people"]


def pages(words: str, count: int, seed: int = 1) -> list[Page]:
    rng = random.Random(f"{words} {seed}")
    body = [rng.choices(words.split(), k=8) + rng.choices(COMMON, k=8) for _ in range(count)]
    return [
        Page(f"http://{seed}.example/{words[:5]}/{n}", "", "", Sections(body=text), Outline(False))
        for n, text in enumerate(body)
    ]


TREE = Tree.of(map(Category, (*WORDS, "health")))
PAGES = {path: pages(words, 12) for path, words in WORDS.items()} | {"health": pages("doctor hospital", 3)}


@pytest.fixture(scope="module")
def trained():
    return train_taxonomy(TREE, PAGES)


def test_each_category_has_its_row(trained):
    """Inner ones with all examples below; words so different are never mistaken."""
    report = trained[1]
    rows = {row.path: row for row in report.rows}
    assert list(rows) == list(TREE.paths[1:])
    assert (rows["health"].examples, rows["health/asthma"].examples) == (27, 12)
    assert all(rows[path].recall == 1 and rows[path].held_out == 12 for path in WORDS)
    assert (report.accuracy, report.left_out, report.warnings) == (1, (), ())


def test_the_model_knows_where_new_pages_belong(trained):
    """Also those of a category that has pages of its own and others below."""
    for path, words in WORDS.items():
        assert trained[0].judge(pages(words, 1, seed=2)[0], ["sports"]).category == path


def test_the_row_of_an_inner_category_counts_what_is_judged_below_it():
    """Leaves of the same words are mixed up; who asks for the category above them notices nothing."""
    same = {f"a/{name}": pages("one two three four", 20, seed) for seed, name in enumerate("xy", start=1)}
    found = {**same, "b": pages("five six", 20)}
    rows = {row.path: row for row in train_taxonomy(Tree.of(map(Category, found)), found)[1].rows}
    assert (rows["a"].precision, rows["a"].recall, rows["a"].held_out, rows["a"].examples) == (1, 1, 40, 40)
    assert rows["a/x"].recall < 1


def test_no_page_is_judged_by_a_model_that_saw_it():
    """Two categories of the same words, by chance: no classifier can tell held-out pages apart."""
    same = {"a": pages("one two three four", 40), "b": pages("one two three four", 40, seed=3)}
    report = train_taxonomy(Tree.of(map(Category, same)), same)[1]
    assert 0.3 < report.accuracy < 0.7


def test_the_order_of_pages_does_not_matter(trained):
    """Neither for the model nor for the table."""
    shuffled = {path: some[::-1] for path, some in reversed(PAGES.items())}
    model, report = train_taxonomy(TREE, shuffled)
    assert report == trained[1]
    assert model.terms == trained[0].terms
    assert (model.counts != trained[0].counts).nnz == 0


def test_a_category_without_pages_is_left_out():
    """With all above it that has none either; the rest is trained, and a warning says so."""
    tree = Tree.of(map(Category, (*WORDS, "arts/music")))
    model, report = train_taxonomy(tree, {path: some for path, some in PAGES.items() if path in WORDS})
    assert "arts" not in model.tree
    assert report.left_out == ("arts", "arts/music")
    assert report.warnings == ("left out, as no example of theirs could be had: arts, arts/music",)


def test_few_and_mixed_examples_are_warned_of():
    """Less than ten, or an F1 below one half; the only example of a category is never held out."""
    few = {"a": pages("one two", 1), "b": pages("three four", 12), "c": pages("three four", 12, seed=2)}
    report = train_taxonomy(Tree.of(map(Category, few)), few)[1]
    assert {row.path: row.held_out for row in report.rows} == {"a": 0, "b": 12, "c": 12}
    assert report.warnings[0] == "fewer than 10 examples: a"


def test_one_category_is_no_taxonomy():
    """There is nothing to tell apart."""
    with pytest.raises(TopicError, match=r"has 2 categories with examples; .* add URLs to examples in"):
        train_taxonomy(TREE, {"health/asthma": PAGES["health/asthma"]})


def test_examples_are_looked_up_by_their_names():
    """Those that could not be had are missing."""
    page = PAGES["health/asthma"][0]
    tree = Tree.of([Category("a", examples=("http://x.example/", "http://gone.example/"))])
    assert pages_of(tree, {"http://x.example/": page}) == {"": [], "a": [page]}


def test_a_page_is_one_example_of_a_category():
    """Whatever its URL's spelling; else it would be judged by a model that learnt from it."""
    twice = PAGES | {
        "health": [*PAGES["health"], *(replace(page, url=f"{page.url}/") for page in PAGES["health"])]
    }
    assert train_taxonomy(TREE, twice)[1] == train_taxonomy(TREE, PAGES)[1]
