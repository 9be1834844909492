"""The classifiers of pages, measured on text sets and on the pages of recorded webs.

    .venv/bin/python benchmarks/study.py classifier --data ../shared/classify --webs ../shared/webs

Where only the sets are named, the webs are those of the folder `webs` beside theirs, if there is one.

On the sets: scikit-learn's simple classifiers beside their reference figures, then TFIDF against ITFIDF under
Naive Bayes (Lu et al. 2016). On the webs: every classifier that `scrapy train` can make, and scikit-learn's,
learn from a topic's examples and judge all other pages; then from examples drawn at random. The ground truth
judges, and draws examples here, where nothing is crawled. `--into docs/research/classifier.md` writes the
tables between the document's markers. F1 is a share in the figures, points of a hundred in the tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from rich.progress import track
from threadpoolctl import threadpool_limits

from benchmarks.harness import STDERR, Report
from benchmarks.studies.comparison import compared
from benchmarks.studies.crawls import subjects_of
from benchmarks.studies.text_sets import REFERENCE, TextSet
from benchmarks.studies.web_classifiers import DEFAULT, HIGH, Pages, Pupil, bins_of, judged
from benchmarks.tables import Rows
from focused_crawler.experiment.grid import web_name
from focused_crawler.virtualweb.analysed.web import AnalysedWeb

SIZES = ((10, 20), (30, 60), (100, 200))
"""Relevant and other examples that are drawn."""

DRAWS = 3
DRAWN_TEST = 3000  # pages that are judged after a draw


def measure(
    *,
    data: Annotated[Path | None, "the folder of the text sets"] = None,
    webs: Annotated[Path | None, "a folder of webs with their topics (webs beside --data)"] = None,
) -> Report:
    """Measure all on each text set and each topic of each web."""
    if data is not None and webs is None and (beside := data.resolve().parent / "webs").is_dir():
        webs = beside
    if data is None and webs is None:
        raise SystemExit("name what to measure on: --data SETS, --webs WEBS or both")
    rows: dict[str, Rows] = {}
    with threadpool_limits(1):
        for kind, row in [*_of_sets(data), *_of_webs(webs)]:
            rows.setdefault(kind, Rows()).append(row)
    return Report(rows | {"pooled": pooled(rows.get("bins", Rows()))})


def _of_sets(data: Path | None) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield rows by kind, with what others have published of the same sets."""
    folders = [data / name for name in REFERENCE["f1"] if (data / name).is_dir()] if data else []
    for folder in track(folders, "sets", console=STDERR, disable=not folders):
        known, paper = (REFERENCE[kind].get(folder.name) for kind in ("f1", "paper"))
        for kind, row in compared(TextSet.read(folder)):
            if kind == "methods" and row["method"] in known:
                reference = known[row["method"]]
                row |= {"reference": reference, "more": row["points"] - reference}
            yield kind, row | ({"paper": paper} if row.get("kind") == "tuned" else {})


def _of_webs(webs: Path | None) -> Iterator[tuple[str, dict[str, object]]]:
    for path in sorted(webs.glob("*.warc.gz")) if webs else []:
        with AnalysedWeb(path) as web:
            pages = Pages.of(web)
            for subject in track(subjects_of(path), web_name(path), console=STDERR):
                yield from trials(pages, Pupil.of(subject, web), web_name(path))


def trials(pages: Pages, subject: Pupil, web: str) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield what each method comes to on a topic: from its own examples, then from drawn ones."""
    tested = subject.tested()
    truth = subject.truth[tested]
    about = {"web": web, "topic": subject.topic.name}
    for method, answers in judged(pages, subject, tested):
        row = {**about, "method": method, **answers.measures(truth)}
        yield "own", row
        if method == DEFAULT and answers.relevances is not None:
            bins = list(bins_of(answers.relevances, truth))
            texts = {f"bin_{n}": _shares(one) for n, one in enumerate(bins)}
            below = float((answers.relevances < HIGH).mean())
            yield "default", {**row, "relevant": truth.mean(), "below": below, **texts}
            yield from (("bins", about | one) for one in bins)
    for size in SIZES:
        for draw in range(DRAWS):
            pupil = subject.drawn(*size, draw)
            drawn = pupil.tested(DRAWN_TEST)
            for method, answers in judged(pages, pupil, drawn):
                sizes = {"size": "{} and {}".format(*size), "method": method}
                yield "drawn", {**about, **sizes, **answers.measures(subject.truth[drawn])}


def _shares(one: dict[str, Any]) -> str:
    pages = one["pages"]
    return f"{pages:,}; {one['said'] / pages:.2f}; {one['true'] / pages:.2f}" if pages else "–"


def pooled(bins: Rows) -> Rows:
    """Return the bins of all topics of a web together."""
    found = Rows()
    for (web,), of_web in bins.by("web").items():
        every = of_web.measure("pages").sum
        for (relevance,), same in of_web.by("relevance").items():
            pages, said, true = (same.measure(name).sum for name in ("pages", "said", "true"))
            shares = {"share": pages / every, "said": said / pages, "true": true / pages} if pages else {}
            found.append({"web": web, "relevance": relevance, "pages": pages, **shares})
    return found
