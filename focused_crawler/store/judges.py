"""Who says what is relevant: every relevance, count and rate has a judge, and a judge has a name.

`keywords`, `thesaurus` and `vsm` are the topic's own words, `rules` its own query; `model` is a trained
model, `taxonomy` a trained tree of categories. Digits after them, as in `keywords:3fa9c2d1`, stand for these
words, or for what is in these files. `labels` are people, `ground truth` is what a recorded web brings along.
Figures by two judges do not compare.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, NamedTuple

KEYWORDS, MODEL, TAXONOMY = "keywords", "model", "taxonomy"
LABELS, GROUND_TRUTH = "labels", "ground truth"
THESAURUS, VSM, RULES = UNLEARNT = "thesaurus", "vsm", "rules"
"""What FOCUSED_CLASSIFIER and run.json call the judges that learn nothing: they are named, not trained."""

_DIGITS = 8
_AND = " and "
_FORMER = {"words": KEYWORDS, "the crawler's own classifier": ""}
"""What earlier versions wrote."""


class Hits(NamedTuple):
    """Where a crawl's database has what counts as relevant in its figures."""

    column: str  # of pages, as SQL: 1 or 0
    counter: str


def hits_by(judge: str) -> Hits:
    """Return what counts where totals are by that judge: targets, or what the crawl said of its pages.

    >>> hits_by("ground truth").counter, hits_by("model:3fa9c2d1").counter
    ('targets', 'relevant')
    """
    if judge == GROUND_TRUTH:
        return Hits("coalesce(is_target, 0)", "targets")
    return Hits("is_relevant", "relevant")


def judge_named(kind: str, content: bytes = b"") -> str:
    """Return the name of a judge; `content`: what tells it from others of its kind, empty if nobody knows.

    >>> judge_named(MODEL), judge_named(MODEL, b"weights")
    ('model', 'model:9a129038')
    """
    return f"{kind}:{sha256(content).hexdigest()[:_DIGITS]}" if content else kind


def kind_of(judge: str) -> str:
    """Return what a judge is, whichever one.

    >>> kind_of("model:3fa9c2d1"), kind_of("ground truth"), kind_of("words")
    ('model', 'ground truth', 'keywords')
    """
    return named_now(judge.partition(":")[0])


def named_now(judge: str) -> str:
    """Return the name of a judge that an earlier version wrote down; empty where it is not known."""
    return _FORMER.get(judge, judge)


def is_certain(judge: str) -> bool:
    """Tell whether a name is that of one judge, and which one is known.

    What an earlier version wrote down may have no digits; pages of a crawl may have several judges.

    >>> [is_certain(judge) for judge in ("keywords:3fa9c2d1", "ground truth", "keywords", "")]
    [True, True, False, False]
    """
    return bool(judge) and judge not in (KEYWORDS, MODEL, *UNLEARNT) and not is_mixed(judge)


def is_mixed(judge: str) -> bool:
    """Tell whether a name is that of several judges."""
    return _AND in judge


def several(*judges: str) -> str:
    """Return the name of all of them, each once: of pages that some judged, and some another.

    >>> several("keywords:3fa9c2d1 and model:9a129038", "", "model:9a129038")
    'keywords:3fa9c2d1 and model:9a129038'
    """
    return _AND.join(dict.fromkeys(one for judge in judges for one in judge.split(_AND) if one))


def named_judge(settings: Mapping[str, Any]) -> str:
    """Return the judge that settings name, empty if it is what was trained, or the topic's words."""
    name = str(settings.get("FOCUSED_CLASSIFIER") or "").strip()
    return name if name in UNLEARNT else ""
