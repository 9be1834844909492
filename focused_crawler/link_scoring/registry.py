"""The strategies by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from focused_crawler.classify.registry import import_named
from focused_crawler.link_scoring.base import LinkScorer
from focused_crawler.link_scoring.baselines import BreadthFirst, RandomOrder, Shuffled
from focused_crawler.link_scoring.best_first import BestFirstAnchor, BestFirstContent, BestFirstContentAnchor
from focused_crawler.link_scoring.content_link_sibling import ContentLinkSibling
from focused_crawler.link_scoring.focus import HardFocus, SoftFocus, Unfocused
from focused_crawler.link_scoring.hmm import HiddenMarkov, HiddenMarkovContent, HiddenMarkovContentAnchor
from focused_crawler.link_scoring.link_classifier import link_classifier
from focused_crawler.link_scoring.lpe import (
    ContentBlocks,
    LinkContext,
    LinkPriorityEvaluation,
    LinkPriorityEvaluationSoft,
)
from focused_crawler.link_scoring.semantic import SemanticHypernym, SemanticSynonym
from focused_crawler.link_scoring.shark_search import SharkSearch
from focused_crawler.link_scoring.strategy import StrategyOptions
from focused_crawler.link_scoring.thesaurus import ThesaurusStrategy
from focused_crawler.safety.errors import ConfigError, FocusedCrawlerError

if TYPE_CHECKING:
    from focused_crawler.classify.model import TopicModel

Factory: TypeAlias = "Callable[[TopicModel, Any], LinkScorer]"

STRATEGIES: Mapping[str, Factory] = {
    "breadth_first": BreadthFirst,
    "best_first_content": BestFirstContent,
    "best_first_anchor": BestFirstAnchor,
    "best_first_content_anchor": BestFirstContentAnchor,
    "link_context": LinkContext,
    "cbp": ContentBlocks,
    "lpe": LinkPriorityEvaluation,
    "lpe_soft": LinkPriorityEvaluationSoft,
    "semantic_synonym": SemanticSynonym,
    "semantic_hypernym": SemanticHypernym,
    "hmm": HiddenMarkov,
    "hmm_content": HiddenMarkovContent,
    "hmm_content_anchor": HiddenMarkovContentAnchor,
    "hard_focus": HardFocus,
    "soft_focus": SoftFocus,
    "unfocused": Unfocused,
    "content_link_sibling": ContentLinkSibling,
    "shark_search": SharkSearch,
    "thesaurus": ThesaurusStrategy,
    "link_classifier": link_classifier,
    "random": RandomOrder,
    "shuffled": Shuffled,
}

OPTIONS = tuple(
    dict.fromkeys(getattr(made, "options_class", StrategyOptions) for made in STRATEGIES.values())
)
"""The classes of their options."""


def options_of(
    name: str, given: Iterable[StrategyOptions], extra: Mapping[str, str] | None = None
) -> StrategyOptions:
    """Return of given options, one a class, those of a strategy; its defaults where there are none.

    ConfigError for a user's own strategy that cannot be imported.
    """
    kind: type[StrategyOptions] = getattr(_factory(name, extra), "options_class", StrategyOptions)
    return next((options for options in given if type(options) is kind), None) or kind()


def create(
    name: str,
    model: TopicModel,
    options: StrategyOptions | None = None,
    extra: Mapping[str, str] | None = None,
) -> LinkScorer:
    """Make the strategy of that name; `extra` (FOCUSED_LINK_SCORERS) maps a user's names to import paths.

    `options`: an instance of the strategy's `options_class`; None: its defaults. A user's class is made as
    ours are, of the topic's model and the options; its name wins over ours.
    ConfigError if there is no such strategy, its path leads nowhere, or its class cannot be made so.
    """
    extra = extra or {}
    factory = _factory(name, extra)
    if factory is None:
        known = ", ".join([*STRATEGIES, *sorted(extra)])
        raise ConfigError(f"no strategy is called {name!r}; use one of {known}")
    try:
        return factory(model, options_of(name, (), extra) if options is None else options)
    except Exception as error:
        if name not in extra or isinstance(error, FocusedCrawlerError):
            raise
        raise ConfigError(  # a user's code may raise anything
            f"FOCUSED_LINK_SCORERS names {extra[name]!r} for {name!r}, which cannot be made"
            f" ({type(error).__name__}: {error}); it is called with (model, settings)"
        ) from error


def needs_focus(name: str, extra: Mapping[str, str] | None = None) -> bool:
    """Tell whether a strategy goes by `Page.focus`, so that a taxonomy must judge each page first.

    ConfigError for a user's own that cannot be imported.
    """
    return bool(getattr(_factory(name, extra), "needs_focus", False))


def notes_windows(name: str, extra: Mapping[str, str] | None = None) -> bool:
    """Tell whether a strategy's paths are the scores of anchor windows, which a thesaurus counts for pages.

    ConfigError for a user's own that cannot be imported.
    """
    return bool(getattr(_factory(name, extra), "notes_windows", False))


def _factory(name: str, extra: Mapping[str, str] | None) -> Factory | None:
    if not extra or name not in extra:
        return STRATEGIES.get(name)
    factory: Factory = import_named("FOCUSED_LINK_SCORERS", name, extra[name])
    if not callable(getattr(factory, "score", None)):
        raise ConfigError(
            f"FOCUSED_LINK_SCORERS names {extra[name]!r} for {name!r}, which is no link scorer:"
            " it needs the methods score and learn"
        )
    return factory
