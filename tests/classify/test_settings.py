import pytest

from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.safety.errors import ConfigError


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mi_terms", 0),
        ("mi_min_df", 0),
        ("folds", 1),
        ("topic_terms", -1),
        ("information_gain", "term"),
        ("exponent", "two"),
        ("section_weights", (1.0, 2.0, 3.0)),
        ("section_weights", (4.0, 3.0, float("nan"), 1.0)),
    ],
)
def test_a_wrong_value_is_named(name, value):
    """The error says which setting, what it is, and what would be right."""
    with pytest.raises(ConfigError, match=rf"^{name} is .*use .+$"):
        ClassifierSettings(**{name: value})


def test_the_paper_is_the_default():
    """Who sets nothing gets Lu et al. 2016 as formulas name it."""
    settings = ClassifierSettings()
    assert (settings.information_gain, settings.ig_in_norm, settings.exponent) == (
        "document",
        False,
        "weight",
    )
    assert (settings.section_weights, settings.mi_min_df) == ((4, 3, 2, 1), 3)
