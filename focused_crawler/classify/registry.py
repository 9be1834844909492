"""The classification methods by name."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from focused_crawler.classify.base import Method
from focused_crawler.classify.linear import LogisticText, NaiveBayesByWord, SvmText
from focused_crawler.classify.naive_bayes import LuClassifier
from focused_crawler.classify.ratio_regression import RatioText
from focused_crawler.safety.errors import ConfigError
from focused_crawler.store.judges import UNLEARNT

METHODS: Mapping[str, type[Method]] = {
    "ratio_regression": RatioText,
    "logistic_regression": LogisticText,
    "linear_svm": SvmText,
    "naive_bayes": LuClassifier,
    "naive_bayes_by_word": NaiveBayesByWord,
}

_PARTS = ("fit", "restore", "state", "log_odds", "evidence")


def find_method(name: str, extra: Mapping[str, str] | None = None) -> type[Method]:
    """Return the method of that name; `extra` (FOCUSED_CLASSIFIERS) maps a user's names to import paths.

    A user's name wins over ours. ConfigError if there is no such method, or its path leads to none.
    """
    extra = extra or {}
    if name in extra:
        method: type[Method] = import_named("FOCUSED_CLASSIFIERS", name, extra[name])
        if missing := [part for part in _PARTS if not callable(getattr(method, part, None))]:
            raise ConfigError(
                f"FOCUSED_CLASSIFIERS names {extra[name]!r} for {name!r}, which is no classification method:"
                f" it lacks {', '.join(missing)}"
            )
        return method
    if name in UNLEARNT:
        raise ConfigError(
            f"FOCUSED_CLASSIFIER is {name}, which learns nothing: a crawl with that setting needs no"
            " training; to train a model, give another, as in -s FOCUSED_CLASSIFIER=ratio_regression"
        )
    if name not in METHODS:
        known = ", ".join([*METHODS, *sorted(extra)])
        raise ConfigError(f"no classifier is called {name!r}; use one of {known}")
    return METHODS[name]


def import_named(setting: str, name: str, path: str) -> Any:
    """Return what a user's setting maps a name to by its import path; raises ConfigError."""
    module, _, attribute = path.rpartition(".")
    try:
        return getattr(import_module(module), attribute)
    except Exception as error:  # importing runs a user's code
        raise ConfigError(
            f"{setting} names {path!r} for {name!r}, which cannot be imported ({error});"
            " use package.module.Class"
        ) from error
