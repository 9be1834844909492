"""Hierarchical Naive Bayes: the numbers of a small tree by hand, and laws that hold for any tree."""

from __future__ import annotations

import json
import shutil
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from focused_crawler.classify.model_file import write_model
from focused_crawler.classify.taxonomy.classifier import FILES, TaxonomyModel
from focused_crawler.classify.taxonomy.tree import Category, Tree, line_of
from focused_crawler.page.model import Outline, Page, Sections
from focused_crawler.page.text.weighting import count_matrix, vocabulary
from focused_crawler.safety.errors import ModelError

# Four examples in three leaves:
#   a: "cat dog", "cat"     b/x: "fish fish bird"     b/y: "bird"
# Below the root, V = {bird, cat, dog, fish}, |V| = 4:
#   a has 2 of 4 examples, cat 2, dog 1: theta = (1 + n) / (4 + 3): cat 3/7, dog 2/7, fish 1/7, bird 1/7
#   b has 2 of 4 examples, fish 2, bird 2: theta = (1 + n) / (4 + 4): cat 1/8, dog 1/8, fish 3/8, bird 3/8
# Below b, V = {bird, fish}, |V| = 2; cat and dog say nothing there:
#   b/x has 1 of 2 examples, fish 2, bird 1: theta = (1 + n) / (2 + 3): fish 3/5, bird 2/5
#   b/y has 1 of 2 examples, bird 1: theta = (1 + n) / (2 + 1): fish 1/3, bird 2/3
SMALL = {"a": ["cat dog", "cat"], "b/x": ["fish fish bird"], "b/y": ["bird"]}


def page(*words: str) -> Page:
    return Page("http://p.example/", "", "", Sections(body=list(words)), Outline(False))


def learn(examples: dict[str, list[str]]) -> TaxonomyModel:
    """Return the model of texts by category."""
    tree = Tree.of([Category(path, f"The {path}", topics=("t",)) for path in examples])
    counts = [Counter(" ".join(examples.get(path, [])).split()) for path in tree.paths]
    terms = vocabulary(counts)
    own = np.array([len(examples.get(path, [])) for path in tree.paths])
    return TaxonomyModel(tree, terms, count_matrix(counts, terms), own)


@pytest.fixture(scope="module")
def small() -> TaxonomyModel:
    return learn(SMALL)


def test_probabilities_by_hand(small):
    """Of "fish cat": a: 1/2 1/7 3/7 = 3/98, b: 1/2 3/8 1/8 = 3/128, so a: 64/113 and b: 49/113.

    Within b by fish alone: x: 1/2 3/5, y: 1/2 1/3, so x: 9/14 and y: 5/14 of b's.
    """
    found = small.probabilities({"fish": 1, "cat": 1})
    assert found == pytest.approx(
        {"": 1, "a": 64 / 113, "b": 49 / 113, "b/x": 49 / 113 * 9 / 14, "b/y": 49 / 113 * 5 / 14}
    )


@pytest.mark.parametrize(
    ("good", "relevance", "is_good"),
    [
        ([], 0, False),
        (["b"], 49 / 113, False),
        (["b/y"], 35 / 226, False),
        (["a", "b/x"], 191 / 226, True),
        (["b", "b/x", "b/y"], 49 / 113, False),
        (["a", "b"], 1, True),
        ([""], 1, True),
    ],
)
def test_relevance_by_hand(small, good, relevance, is_good):
    """R(d) is the sum over the topmost good categories, and the best leaf is a whatever is good."""
    focus = small.judge(page("fish", "cat"), small.tree.good_nodes(good))
    assert focus.relevance == pytest.approx(relevance)
    assert (focus.category, focus.is_good) == ("a", is_good)


def test_a_page_of_no_known_word_is_judged_by_the_examples(small):
    """Two of four are in a, one in each leaf of b; stop words are no words."""
    focus = small.judge(page("zebra", ""), frozenset({"b"}))
    assert (focus.relevance, focus.category) == (pytest.approx(0.5), "a")


def test_every_section_counts_and_each_word_once(small):
    """Wherever on the page it stands."""
    spread = Page("", "", "", Sections(["cat"], ["fish"], ["cat"], ["fish"]), Outline(False))
    good = frozenset({"b/x"})
    assert small.judge(spread, good) == small.judge(page("cat", "cat", "fish", "fish"), good)


def test_examples_of_an_inner_category_count_for_it_alone():
    """With one more "fish" of b itself: 3 of 5 examples, fish 3 of 5 words; x and y as before."""
    found = learn({**SMALL, "b": ["fish"]}).probabilities({"fish": 1})
    a, b = 2 / 5 * 1 / 7, 3 / 5 * 4 / 9
    assert found["b"] == pytest.approx(b / (a + b))
    assert found["b/x"] / found["b"] == pytest.approx(9 / 14)


def test_long_pages_are_told_apart_by_tiny_relevances(small):
    """Posteriors run to 0 and 1; above 1e-308 the order of two pages is kept, and 0 is no error."""
    few, many, endless = (
        small.judge(page(*["cat"] * number, "fish"), frozenset({"b"})).relevance
        for number in (300, 500, 100_000)
    )
    assert 1e-165 < few < 1e-155
    assert 0 < many < few
    assert endless == 0


LEAVES = st.sets(
    st.lists(st.sampled_from("xyz"), min_size=1, max_size=4).map("/".join), min_size=1, max_size=8
)
TEXTS = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=8).map(" ".join), min_size=1, max_size=3)


@st.composite
def models(draw):
    """A tree of any shape with any examples, some of them in inner categories."""
    return learn({path: draw(TEXTS) for path in sorted(draw(LEAVES))})


COUNTS = st.dictionaries(st.sampled_from("abcdefghij"), st.integers(1, 500), max_size=8)


@settings(max_examples=60, deadline=None)
@given(models(), COUNTS)
def test_children_share_what_their_parent_has(model, counts):
    """Their probabilities sum to the parent's, the root's is 1."""
    found = model.probabilities(counts)
    assert found[""] == 1
    for path in model.tree.paths:
        if children := model.tree.children(path):
            assert sum(found[child] for child in children) == pytest.approx(found[path], rel=1e-9, abs=1e-300)


@settings(max_examples=60, deadline=None)
@given(models(), COUNTS, st.data())
def test_relevance_grows_with_the_marks(model, counts, data):
    """It is within [0, 1], is not lowered by another mark, and counts none twice; the root's is 1."""
    document, tree = page(*Counter(counts).elements()), model.tree
    marked = data.draw(st.sets(st.sampled_from(tree.paths)))
    more = marked | data.draw(st.sets(st.sampled_from(tree.paths)))
    few, many = (model.judge(document, tree.good_nodes(marks)) for marks in (marked, more))
    assert 0 <= few.relevance <= many.relevance + 1e-12 <= 1 + 1e-12
    assert few.category == many.category
    assert few.is_good == (not marked.isdisjoint(line_of(few.category)))
    doubled = marked | {below for path in marked for below in tree.below(path)}
    assert model.judge(document, tree.good_nodes(doubled)) == few
    assert model.judge(document, tree.good_nodes(["", *marked])).relevance == 1


@settings(max_examples=40, deadline=None)
@given(models(), COUNTS)
def test_the_best_leaf_is_the_most_probable(model, counts):
    """Of all leaves, not the end of the best branches."""
    found = model.probabilities(counts)
    assert found[model.best_leaf(counts)] == pytest.approx(max(found[leaf] for leaf in model.tree.leaves))


def test_a_saved_model_judges_as_before(small, tmp_path):
    """Titles and topics of its categories are kept with it; examples are not."""
    small.save(tmp_path)
    again = TaxonomyModel.load(tmp_path)
    assert again.tree == small.tree
    assert again.probabilities({"fish": 3, "bird": 1}) == small.probabilities({"fish": 3, "bird": 1})


@pytest.mark.parametrize("damage", ["gone", "half", "format", "sizes", "empty"])
def test_a_model_that_cannot_be_used_says_how_to_make_another(small, tmp_path, damage):
    """One line, whatever is wrong with the files."""
    small.save(tmp_path)
    header = json.loads((tmp_path / "taxonomy.json").read_text())
    if damage == "gone":
        shutil.rmtree(tmp_path)
    elif damage == "half":
        (tmp_path / "taxonomy.npz").write_bytes(b"PK")
    else:
        changed = {"format": 0} if damage == "format" else {"titles": {"": "", "a": "A"}}
        if damage == "empty":
            changed = {"examples": {**header["examples"], "a": 0}}
        (tmp_path / "taxonomy.json").write_text(json.dumps({**header, **changed}))
    with pytest.raises(ModelError, match=r"^[^\n]+; make it( again)? with: scrapy taxonomy train$"):
        TaxonomyModel.load(tmp_path)


def _model_file(change) -> tuple[dict, dict[str, np.ndarray]]:
    """Return the parts of a good model with one change to them."""
    header = {
        "language": "en",
        "examples": {"": 0, "a": 2, "b": 2},
        "titles": {"": "", "a": "A", "b": "B"},
        "topics": {"b": ["t"]},
    }
    arrays = {
        "terms": np.array(["cat", "dog", "fish"]),
        "data": np.array([2.0, 1.0, 3.0]),
        "indices": np.array([0, 1, 2]),
        "indptr": np.array([0, 0, 2, 3]),
    }
    change(header, arrays)
    return header, arrays


HOSTILE = {
    "indices far off": lambda h, a: a.update(indices=a["indices"] + 10**8),
    "indices below 0": lambda h, a: a.update(indices=a["indices"] - 10**6),
    "indptr out of the data": lambda h, a: a.update(indptr=np.array([0, 10**6, 0, 3])),
    "indptr of floats": lambda h, a: a.update(indptr=a["indptr"] + 0.5),
    "data not finite": lambda h, a: a.update(data=a["data"] * np.nan),
    "data below 0": lambda h, a: a.update(data=-a["data"]),
    "data of texts": lambda h, a: a.update(data=a["data"].astype(str)),
    "data missing": lambda h, a: a.pop("data"),
    "terms twice": lambda h, a: a.update(terms=np.array(["cat", "cat", "fish"])),
    "no list of terms": lambda h, a: a.update(terms=np.array("cat")),
    "titles a list": lambda h, a: h.update(titles=["a"]),
    "a title no text": lambda h, a: h["titles"].update(a=5),
    "paths with escapes": lambda h, a: h.update(titles={"": "", "a": "", "\x1b[31m": ""}),
    "endless path": lambda h, a: h["titles"].update({"/".join("z" * 9000): ""}),
    "topics a number": lambda h, a: h.update(topics={"b": 5}),
    "topics a text": lambda h, a: h.update(topics={"b": "tea"}),
    "topics a list": lambda h, a: h.update(topics=[]),
    "examples below 0": lambda h, a: h["examples"].update(a=-3),
    "examples in parts": lambda h, a: h["examples"].update(a=1.5),
    "too many examples": lambda h, a: h["examples"].update(a=10**30),
    "no language": lambda h, a: h.update(language="\x1b[2J"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_model_is_refused(tmp_path, name):
    """Also where its files are whole: it would judge wrongly, or end the process."""
    write_model(tmp_path, *_model_file(HOSTILE[name]), FILES)
    with pytest.raises(ModelError, match=r"^[^\n\x1b]+; make it again with: scrapy taxonomy train$"):
        TaxonomyModel.load(tmp_path)


def test_the_model_before_the_hostile_changes_is_a_good_one(tmp_path):
    """So that each of them is refused for what it says."""
    write_model(tmp_path, *_model_file(lambda header, arrays: None), FILES)
    assert TaxonomyModel.load(tmp_path).best_leaf({"fish": 1}) == "b"


def test_a_folder_with_too_long_a_name_holds_no_model(tmp_path):
    """It is said as of any other."""
    with pytest.raises(ModelError, match=r"^no taxonomy model in "):
        TaxonomyModel.load(tmp_path / ("x" * 300))


@given(st.integers(1, 3))
def test_a_category_without_examples_is_no_model(empty):
    """Its probability would be 0, whatever the page."""
    tree = Tree.of(map(Category, ("a", "b", "c")))
    own = np.array([0, *(number != empty for number in (1, 2, 3))])
    assume(own.sum() == 2)
    with pytest.raises(ValueError, match="no example"):
        TaxonomyModel(tree, ["t"], csr_array((4, 1)), own)
