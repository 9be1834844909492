"""What a training came to, as a file beside its model: for a page that shows it, and for other programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

from focused_crawler.classify.comparison import StrongTerm, TermChanges
from focused_crawler.classify.paired import Measured, Paired
from focused_crawler.crawl.model_preview import ChangedPage, ComingUrl, ModelPreview
from focused_crawler.report.training import Training
from focused_crawler.safety.errors import ModelError
from focused_crawler.safety.formats import plural
from focused_crawler.safety.whole_file import replace_file


class Suspicion(NamedTuple):
    """An example that may be mislabelled."""

    url: str
    is_relevant: bool  # as it is labelled
    doubt: float


@dataclass(frozen=True, slots=True)
class TrainingRecord:
    """A training, as plain values."""

    made_at: float  # seconds since the epoch
    judge: str  # name of the new model: see `store.judges`
    before: str  # what judged before, in words
    threshold: float
    examples: dict[str, int]  # kind -> number
    warnings: list[str]
    doubts: list[Suspicion]
    paired: Paired | None  # old and new on the same examples, held out; None: too few
    terms: TermChanges
    crawl: ModelPreview | None  # what it would change in the topic's last crawl; None: nothing known
    words: Paired | None = (
        None  # the topic's words alone and the new model on these examples; None: not known
    )

    @classmethod
    def of(cls, training: Training, made_at: float, crawl: ModelPreview | None, judge: str) -> Self:
        """Sum a training up; terms are as people write them."""
        report = training.report
        suspects = report.suspects if report else ()
        return cls(
            made_at=made_at,
            judge=judge,
            before=training.before,
            threshold=training.model.threshold,
            examples={kind: number for kind, number in training.model.examples.items() if number},
            warnings=list(report.warnings) if report else [],
            doubts=[Suspicion(one.url, one.is_relevant, one.doubt) for one in suspects],
            paired=training.paired,
            terms=TermChanges(*(_spelled(training, terms) for terms in training.terms)),
            crawl=crawl,
            words=training.words,
        )

    @property
    def objection(self) -> str:
        """Say that the topic's words alone judge better than the new model; empty: they do not."""
        words = self.words
        if words is None or words.is_better:
            return ""
        found = f"F1 {words.f1.old:.2f}, the new model {words.f1.new:.2f}"
        chance = "" if words.is_certain else "; that may be chance"
        pages = plural(words.relevant + words.other, "example")
        return f"the topic's words alone judge these {pages} better: {found}{chance}"

    def save(self, path: Path) -> None:
        """Write it, whole or not at all; raises ModelError."""
        record = {name: _plain(value) for name, value in _shallow(self).items()}
        try:
            replace_file(path, json.dumps(record, indent=1, ensure_ascii=False).encode("utf-8", "replace"))
        except OSError as error:
            raise ModelError(
                f"{path} cannot be written ({error.strerror}); choose a folder you may write to"
            ) from None

    @classmethod
    def load(cls, path: Path) -> Self | None:
        """Read one back; None: there is none that can be read."""
        try:
            record: dict[str, Any] = json.loads(path.read_bytes())
            record["doubts"] = [Suspicion(**one) for one in record["doubts"]]
            for name in ("paired", "words"):
                record[name] = record.get(name) and _paired(record[name])
            record["terms"] = TermChanges(
                **{name: [StrongTerm(**one) for one in terms] for name, terms in record["terms"].items()}
            )
            record["crawl"] = record["crawl"] and _preview(record["crawl"])
            return cls(**record)
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None


def _spelled(training: Training, terms: Sequence[StrongTerm]) -> list[StrongTerm]:
    return [StrongTerm(training.spell(one.term), one.value) for one in terms]


def _shallow(record: TrainingRecord) -> dict[str, Any]:
    return {name: getattr(record, name) for name in TrainingRecord.__dataclass_fields__}


def _plain(value: Any) -> Any:
    """Return what JSON holds, named tuples with their names."""
    if hasattr(value, "_asdict"):
        return {name: _plain(part) for name, part in value._asdict().items()}
    return [_plain(part) for part in value] if isinstance(value, list) else value


def _paired(record: dict[str, Any]) -> Paired:
    values: dict[str, Any] = {
        name: Measured(**one) if isinstance(one, dict) else one for name, one in record.items()
    }
    return Paired(**values)


def _preview(record: dict[str, Any]) -> ModelPreview:
    pages = {name: [ChangedPage(**one) for one in record[name]] for name in ("now_relevant", "no_longer")}
    values: dict[str, Any] = {**record, **pages, "coming": [ComingUrl(**one) for one in record["coming"]]}
    return ModelPreview(**values)
