"""Strategies by name."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from focused_crawler.classify.midpoints import Midpoints
from focused_crawler.link_scoring.lpe import LinkPriorityEvaluation, LpeOptions
from focused_crawler.link_scoring.registry import OPTIONS as OPTIONS_CLASSES
from focused_crawler.link_scoring.registry import STRATEGIES, create, options_of
from focused_crawler.link_scoring.strategy import StrategyOptions
from focused_crawler.page.model import Outline, Page, Sections
from focused_crawler.page.text.similarity import TopicVector
from focused_crawler.safety.errors import ConfigError

MODEL = SimpleNamespace(vector=TopicVector({"robot": 1.0}, {}, 1.0), midpoints=Midpoints(*[0.1] * 3))
OPTIONS = StrategyOptions()

SCORER = """
from focused_crawler.link_scoring.lpe import LinkPriorityEvaluation
class Shortest:
    def __init__(self, model, options):
        self.options = options

    def score(self, page, links):
        return [1 / len(link.url) for link in links]

    def learn(self, page):
        pass

class Greedy(Shortest):
    def __init__(self, model):
        pass

class Untrained(Shortest):
    def __init__(self, model, options):
        self.words = model.no_such_thing

class Near(LinkPriorityEvaluation):
    pass

nothing = None
"""


@pytest.fixture
def user_module(tmp_path, monkeypatch):
    """A module of the user's on the import path."""
    (tmp_path / "my_scorers.py").write_text(SCORER)
    monkeypatch.syspath_prepend(tmp_path)
    return "my_scorers"


def test_names_are_the_papers():
    """The names that a user types."""
    assert list(STRATEGIES) == [
        "breadth_first",
        "best_first_content",
        "best_first_anchor",
        "best_first_content_anchor",
        "mean_of_parents",
        "link_context",
        "cbp",
        "lpe",
        "lpe_soft",
        "semantic_synonym",
        "semantic_hypernym",
        "hmm",
        "hmm_content",
        "hmm_content_anchor",
        "hard_focus",
        "soft_focus",
        "unfocused",
        "content_link_sibling",
        "shark_search",
        "thesaurus",
        "link_classifier",
        "adaptive",
        "ache",
        "sb_classifier",
        "anthelion",
        "deep_deep",
        "tres",
        "least_loaded",
        "random",
        "shuffled",
    ]


def test_users_own_strategy(user_module):
    """A line in FOCUSED_LINK_SCORERS adds one, made as ours are."""
    scorer = create("shortest", MODEL, OPTIONS, {"shortest": f"{user_module}.Shortest"})
    assert scorer.options is OPTIONS
    assert scorer.score(Page("", "", "", Sections(), Outline(False)), []) == []


def test_each_strategy_gets_its_own_options(user_module):
    """By their class; a user's own strategy has those that all share, or those of the one it is made from."""
    given = [cls() for cls in OPTIONS_CLASSES]
    assert {type(options_of(name, given)) for name in STRATEGIES} == set(OPTIONS_CLASSES)
    assert options_of("lpe_soft", [StrategyOptions(), LpeOptions(beta=0.25)]) == LpeOptions(beta=0.25)
    assert options_of("lpe", []) == LpeOptions()
    mine = {"mine": f"{user_module}.Shortest", "near": f"{user_module}.Near"}
    assert type(options_of("mine", given, mine)) is StrategyOptions
    assert type(options_of("near", given, mine)) is LinkPriorityEvaluation.options_class


def test_users_name_wins(user_module):
    """A user may replace one of ours."""
    assert type(create("lpe", MODEL, OPTIONS, {"lpe": f"{user_module}.Shortest"})).__name__ == "Shortest"


def test_unknown_name_lists_the_right_ones():
    """The message holds every name that would do, the user's too."""
    with pytest.raises(
        ConfigError,
        match=r"'lep'; did you mean lpe\? Else use one of breadth_first, .*, mine, or shuffled: before",
    ):
        create("lep", MODEL, OPTIONS, {"mine": "my.Scorer"})


@pytest.mark.parametrize(
    "path", ["no_such_module.Class", "my_scorers.Missing", "Class", "", ".", "my_scorers."]
)
def test_bad_import_path(user_module, path):
    """It is named, with what would be right, in one line."""
    with pytest.raises(
        ConfigError, match=r"^FOCUSED_LINK_SCORERS names '.*' for 'mine'.* use package.module.Class$"
    ):
        create("mine", MODEL, OPTIONS, {"mine": path})


@pytest.mark.parametrize("path", ["my_scorers.nothing", "os.path.join"])
def test_what_is_no_scorer(user_module, path):
    """Anything can be imported; only a scorer is taken."""
    with pytest.raises(ConfigError, match="is no link scorer"):
        create("mine", MODEL, OPTIONS, {"mine": path})


@pytest.mark.parametrize(
    ("name", "error"), [("Greedy", "TypeError: .* takes 2 .*"), ("Untrained", "AttributeError: .*")]
)
def test_a_class_that_cannot_be_made(user_module, name, error):
    """Whatever it raises; the line says how it is called."""
    message = f"^FOCUSED_LINK_SCORERS names 'my_scorers.{name}' for 'mine', which cannot be made \\({error}"
    with pytest.raises(ConfigError, match=f"{message}\\); it is called with \\(model, settings\\)$"):
        create("mine", MODEL, OPTIONS, {"mine": f"my_scorers.{name}"})


def test_a_module_that_cannot_be_imported(tmp_path, user_module):
    """Importing runs it, and it may fail in any way."""
    (tmp_path / "torn.py").write_text("class Mine\n")
    with pytest.raises(ConfigError, match=r"names 'torn\.Mine' for 'mine', which cannot be imported"):
        create("mine", MODEL, OPTIONS, {"mine": "torn.Mine"})
