"""The strategies by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from focused_crawler.classify.registry import import_named
from focused_crawler.link_scoring.ache import Ache
from focused_crawler.link_scoring.adaptive import Adaptive
from focused_crawler.link_scoring.anthelion import Anthelion
from focused_crawler.link_scoring.base import LinkScorer
from focused_crawler.link_scoring.baselines import BreadthFirst, LeastLoaded, RandomOrder
from focused_crawler.link_scoring.best_first import BestFirstAnchor, BestFirstContent, BestFirstContentAnchor
from focused_crawler.link_scoring.content_link_sibling import ContentLinkSibling
from focused_crawler.link_scoring.deep_deep import DeepDeep
from focused_crawler.link_scoring.focus import HardFocus, SoftFocus, Unfocused
from focused_crawler.link_scoring.hmm import HiddenMarkov, HiddenMarkovContent, HiddenMarkovContentAnchor
from focused_crawler.link_scoring.link_classifier import link_classifier
from focused_crawler.link_scoring.lpe import (
    ContentBlocks,
    LinkContext,
    LinkPriorityEvaluation,
    LinkPriorityEvaluationSoft,
)
from focused_crawler.link_scoring.mean_of_parents import MeanOfParents
from focused_crawler.link_scoring.sb_classifier import SbClassifier
from focused_crawler.link_scoring.semantic import SemanticHypernym, SemanticSynonym
from focused_crawler.link_scoring.shark_search import SharkSearch
from focused_crawler.link_scoring.shuffled import Shuffle
from focused_crawler.link_scoring.strategy import StrategyOptions
from focused_crawler.link_scoring.thesaurus import ThesaurusStrategy
from focused_crawler.link_scoring.tres import Tres
from focused_crawler.link_scoring.weights import LEFT_OUT
from focused_crawler.safety.errors import ConfigError, FocusedCrawlerError
from focused_crawler.safety.printable import did_you_mean

if TYPE_CHECKING:
    from focused_crawler.classify.model import TopicModel

Factory: TypeAlias = "Callable[[TopicModel, Any], LinkScorer]"

DEFAULT = "adaptive"
"""The strategy where none is named."""

SHUFFLED, OF = "shuffled", "link_classifier"
"""A control, and whose scores it shuffles where none is named."""

WITHOUT, ABLATED = "without", "adaptive"
"""An ablation, and of which strategy: `without:hosts` goes without one of its parts."""

STRATEGIES: Mapping[str, Factory] = {
    "breadth_first": BreadthFirst,
    "best_first_content": BestFirstContent,
    "best_first_anchor": BestFirstAnchor,
    "best_first_content_anchor": BestFirstContentAnchor,
    "mean_of_parents": MeanOfParents,
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
    "adaptive": Adaptive,
    "ache": Ache,
    "sb_classifier": SbClassifier,
    "anthelion": Anthelion,
    "deep_deep": DeepDeep,
    "tres": Tres,
    "least_loaded": LeastLoaded,
    "random": RandomOrder,
    SHUFFLED: Shuffle(link_classifier),
}

ABLATIONS: Mapping[str, Factory] = {
    f"{WITHOUT}:{part}": partial(Adaptive, weights=weights) for part, weights in LEFT_OUT.items()
}
"""No experiment runs them unless they are named."""

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
    factory = _factory(name, extra)
    made = factory.func if isinstance(factory, partial) else factory  # of an ablation
    kind: type[StrategyOptions] = getattr(made, "options_class", StrategyOptions)
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
        raise unknown(name, extra)
    try:
        return factory(model, options_of(name, (), extra) if options is None else options)
    except Exception as error:
        path = path_of(name, extra)
        if path is None or isinstance(error, FocusedCrawlerError):
            raise
        raise ConfigError(  # a user's code may raise anything
            f"FOCUSED_LINK_SCORERS names {path!r} for {scored_by(name)!r}, which cannot be made"
            f" ({type(error).__name__}: {error}); it is called with (model, settings)"
        ) from error


def scored_by(name: str) -> str:
    """Return the strategy whose scores a strategy goes by: its own name, unless it shuffles another's.

    >>> scored_by("lpe"), scored_by("shuffled:lpe"), scored_by("shuffled")
    ('lpe', 'lpe', 'link_classifier')
    """
    kind, colon, other = name.partition(":")
    if kind != SHUFFLED or other.partition(":")[0] == SHUFFLED:
        return name
    return other if colon else OF


def is_known(name: str, extra: Mapping[str, str]) -> bool:
    """Tell whether there is such a strategy, of ours or a user's, plain or shuffled."""
    return any(one in names for one in (name, scored_by(name)) for names in (STRATEGIES, ABLATIONS, extra))


def unknown(name: str, extra: Mapping[str, str]) -> ConfigError:
    """Return what to say of a name that no strategy has."""
    wanted = scored_by(name)
    kind, _, part = wanted.partition(":")
    if kind == WITHOUT:
        cure = _cure(part, list(LEFT_OUT))
        return ConfigError(f"{ABLATED} has no part {part!r}; {cure}, as in {WITHOUT}:hosts")
    cure = _cure(wanted, [*STRATEGIES, *sorted(extra)])
    return ConfigError(f"no strategy is called {wanted!r}; {cure}, or {SHUFFLED}: before one of these")


def _cure(wanted: str, names: Sequence[str]) -> str:
    near = did_you_mean(wanted.lower().replace("-", "_"), names)
    return f"{f'{near} Else ' if near else ''}use one of {', '.join(names)}"


def path_of(name: str, extra: Mapping[str, str]) -> str | None:
    """Return the import path of the user's code that a strategy goes by; None: it is all ours."""
    return extra.get(name) or extra.get(scored_by(name))


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
        scorer = scored_by(name)
        if scorer == name:
            return STRATEGIES.get(name) or ABLATIONS.get(name)
        shuffled = _factory(scorer, extra)
        return None if shuffled is None else Shuffle(shuffled)
    factory: Factory = import_named("FOCUSED_LINK_SCORERS", name, extra[name])
    if not callable(getattr(factory, "score", None)):
        raise ConfigError(
            f"FOCUSED_LINK_SCORERS names {extra[name]!r} for {name!r}, which is no link scorer:"
            " it needs the methods score and learn"
        )
    return factory
