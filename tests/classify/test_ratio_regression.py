"""The default method: what divides the examples counts for more, what names their sites for nothing."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

from focused_crawler.classify.base import ExamplePages, MethodState
from focused_crawler.classify.held_out import TELLING, HeldOut
from focused_crawler.classify.linear import REGULARISATION
from focused_crawler.classify.ratio_regression import RatioText, log_count_ratio
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.site_words import Usual
from focused_crawler.page.model import Outline, Page, Sections

SETTINGS = ClassifierSettings()


@pytest.fixture(scope="module")
def examples(relevant, other):
    """Pages of both kinds; the last ten others are background."""
    truth = [True] * len(relevant) + [False] * len(other)
    weights = [1.0] * (len(truth) - 10) + [0.3] * 10
    return ExamplePages.of([*relevant, *other], truth, SETTINGS.section_weights, weights)


@pytest.fixture(scope="module")
def fitted(examples):
    return RatioText.fit(examples, SETTINGS)


def test_it_is_a_regression_on_values_times_the_ratio(examples, fitted):
    """Page by page in plain Python the log odds are scikit-learn's, of ln(1 + tf) of unit length."""
    assert not fitted.sites  # no word stands in the titles of all pages of a site
    text = ExamplePages.of(
        [_without_anchors(page) for page in examples.pages], examples.is_relevant.tolist(), (4, 3, 2, 1)
    )
    anchors = [page.sections.anchor for page in examples.pages]
    column = {term: number for number, term in enumerate(examples.terms.tolist())}
    tf = np.zeros((2, len(examples), len(column)))
    tf[0][:, [column[term] for term in text.terms.tolist()]] = text.tf.toarray()
    for row, terms in enumerate(anchors):
        for term in filter(None, terms):
            tf[1, row, column[term]] += 1
    rows = np.hstack([normalize(np.log1p(tf[0])), 0.5 * normalize(np.log1p(tf[1]))])
    ratio = log_count_ratio(csr_array(rows), examples.is_relevant, examples.weights)
    theirs = LogisticRegression(C=REGULARISATION, max_iter=5000)
    theirs.fit(rows * ratio, examples.is_relevant, sample_weight=examples.weights)
    odds = [fitted.log_odds(page) for page in examples.pages]
    assert odds == pytest.approx(theirs.decision_function(rows * ratio), rel=0.02, abs=0.05)


def _without_anchors(page):
    return replace(page, sections=replace(page.sections, anchor=[]))


def test_the_ratio_by_hand():
    """Of three relevant pages and one other: held by all relevant, by one of each, by all, by none."""
    rows = csr_array(np.array([[1, 0, 1, 0], [2, 0, 1, 0], [1, 3, 1, 0], [0, 1, 1, 0]], dtype=float))
    truth = np.array([True, True, True, False])
    found = log_count_ratio(rows, truth, np.ones(4))
    expected = np.abs(np.log([(4 / 5) / (1 / 3), (2 / 5) / (2 / 3), (4 / 5) / (2 / 3)]))
    assert found[:3] == pytest.approx(expected / np.sqrt((expected**2).mean()))
    assert found[3] == 0


def test_many_examples_need_it_less():
    """Of 120 relevant pages half as much, by its logarithm: each page stands there forty times."""
    rows = np.array([[1, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]], dtype=float)
    truth = np.array([True, True, True, False])
    found = log_count_ratio(csr_array(np.tile(rows, (40, 1))), np.tile(truth, 40), np.ones(160))
    expected = np.sqrt(
        np.abs(np.log([(121 / 122) / (1 / 42), (41 / 122) / (41 / 42), (121 / 122) / (41 / 42)]))
    )
    assert found == pytest.approx(expected / np.sqrt((expected**2).mean()))


@given(st.integers(1, 9), st.integers(0, 8), st.integers(0, 20))
def test_a_term_of_more_relevant_pages_weighs_more(more, fewer, others):
    """Whatever else is there, and the mean square is 1."""
    fewer = min(fewer, more - 1)
    rows = np.zeros((40, 3))
    rows[:more, 0], rows[:fewer, 1], rows[20 : 20 + others, 2] = 1, 1, 1
    ratio = log_count_ratio(csr_array(rows), np.arange(40) < 20, np.ones(40))
    assert ratio[0] > ratio[1]
    assert (ratio[ratio > 0] ** 2).mean() == pytest.approx(1.0)


def _page(url, headline, body, keywords=()):
    return Page(url, "", "", Sections(headline, list(keywords), [], body), Outline(is_heading=False))


def test_the_name_of_a_site_does_not_make_its_pages_relevant():
    """Neither its title nor its keywords, repeated on each page; the same words in a text still count."""
    name = ["health", "base"]
    about = [
        _page(f"https://www.a.example/{n}", [*name, f"t{n}"], ["clinic", f"r{n}"], name) for n in range(6)
    ]
    apart = [_page(f"https://s{n}.example/", ["news"], ["goal", f"o{n}"]) for n in range(9)]
    labels = [True] * len(about) + [False] * len(apart)
    method = RatioText.fit(ExamplePages.of([*about, *apart], labels, (4, 3, 2, 1)), SETTINGS)
    # with and without www
    own, elsewhere = (
        _page(f"https://{host}/new", name, ["tennis"], name) for host in ("a.example", "b.example")
    )
    assert method.log_odds(own) is None
    assert method.log_odds(elsewhere) is None  # no example shows what these words mean
    twice = _page("https://a.example/new", [*name, *name], ["clinic"], name)
    assert "clinic" in method.evidence(twice).terms
    again = RatioText.restore(method.state(), SETTINGS)
    assert again.sites == method.sites
    assert list(method.sites) == ["a.example"]  # a page alone says nothing of its site
    assert [again.log_odds(page) for page in about] == [method.log_odds(page) for page in about]


MENU = ["home", "imprint", "clinic"]


def _on_a_site():
    """Return clinic pages of a site with a menu, other pages elsewhere, and which are relevant."""
    about = [
        _page(f"https://a.example/{n}", [f"t{n}"], [*MENU, "doctor", "nurse", f"r{n % 3}"]) for n in range(8)
    ]
    more = [_page(f"https://b{n}.example/", ["visit"], ["doctor", "nurse", f"b{n}"]) for n in range(4)]
    other = [_page(f"https://s{n}.example/", ["news"], ["goal", "match", f"o{n}"]) for n in range(24)]
    return ExamplePages.of([*about, *more, *other], [True] * 12 + [False] * 24, (4, 3, 2, 1))


NEAR = _page("https://a.example/near", ["new"], [*MENU, "doctor", "nurse", "goal"])
FAR = _page("https://a.example/far", ["new"], [*MENU, "match", "goal"])


def test_what_all_pages_of_a_site_say_tells_none_of_them_from_another():
    """The menu makes its pages relevant, and what else they say counts for more between them."""
    examples = _on_a_site()
    plain = RatioText.fit(examples, SETTINGS)
    assert (
        set(MENU) | {"doctor", "nurse"} <= plain.usual["a.example"].text
    )  # most of the site's pages hold them
    held_out = HeldOut.judge(examples, RatioText, SETTINGS)
    method = plain.knowing(held_out.typical)
    assert list(method.usual) == list(method.typical.of_site) == ["a.example"]
    trust = method.typical.trust
    assert 0.3 < trust <= 1
    gap = plain.log_odds(NEAR) - plain.log_odds(FAR)
    assert method.log_odds(NEAR) - method.log_odds(FAR) == pytest.approx(
        gap + trust * (plain.particular(NEAR) - plain.particular(FAR))
    )
    assert plain.particular(FAR) < plain.particular(NEAR) < 0  # of goals and matches, neither usual
    elsewhere = replace(FAR, url="https://unknown.example/")
    assert plain.particular(elsewhere) is None
    assert method.log_odds(elsewhere) == plain.log_odds(elsewhere)
    for page in (NEAR, FAR, elsewhere):
        assert method.evidence(page).total == pytest.approx(method.log_odds(page))
    for one in (method, replace(method, usual={"a.example": Usual(frozenset(), frozenset())})):
        again = RatioText.restore(one.state(), SETTINGS)
        assert [again.log_odds(page) for page in (NEAR, FAR)] == [one.log_odds(page) for page in (NEAR, FAR)]


def test_an_example_is_compared_with_the_others_of_its_site():
    """Held-out scores are as a crawl would have them: an example is no part of what is typical for it."""
    examples = _on_a_site()
    held_out = HeldOut.judge(examples, RatioText, SETTINGS)
    trust = held_out.typical.trust
    own = dict.fromkeys(range(8), 0.0)
    for rows, method in zip(held_out.folds, held_out.methods, strict=True):
        for row in rows.tolist():
            page = examples.pages[row]
            if row in own:
                own[row] = method.particular(page)
            else:
                assert held_out.scores[row] == method.log_odds(page)  # of a site of which nothing is known
    for rows, method in zip(held_out.folds, held_out.methods, strict=True):
        for row in set(rows.tolist()) & own.keys():
            others = [said for other, said in own.items() if other != row]
            expected = method.log_odds(examples.pages[row]) + trust * (own[row] - np.mean(others))
            assert held_out.scores[row] == pytest.approx(expected)
    assert held_out.typical.of_site == {"a.example": pytest.approx(np.mean(list(own.values())))}
    assert trust == pytest.approx(TELLING / (TELLING + np.var(list(own.values()), ddof=1)))


def test_a_model_of_before_knows_no_usual_words(fitted):
    """It judges as it did."""
    values, arrays = fitted.state()
    arrays = {name: array for name, array in arrays.items() if not name.startswith("usual")}
    before = MethodState({"intercept": values["intercept"]}, arrays)
    restored = RatioText.restore(before, SETTINGS)
    assert (restored.usual, restored.typical.of_site) == ({}, {})


@pytest.mark.parametrize("name", ["terms", "text", "site_keywords"])
def test_a_damaged_state_is_refused(fitted, name):
    """What is not as long as it should be, or no numbers, is none of this method's."""
    state = fitted.state()
    broken = {**state.arrays, name: np.append(state.arrays[name], state.arrays["text"][:1].astype(str))}
    with pytest.raises(ValueError, match=r"terms|numbers"):
        RatioText.restore(state._replace(arrays=broken), SETTINGS)
