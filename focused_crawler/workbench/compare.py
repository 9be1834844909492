"""Compare: crawls of a topic by one judge, and the strategies of an experiment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from focused_crawler.crawl.judging import TextJudge
from focused_crawler.experiment.outcome import ExperimentOutcome, is_experiment, read_outcome
from focused_crawler.report.compared import CrawlComparison, compare_crawls
from focused_crawler.report.hover import over_lines
from focused_crawler.report.panels import Line, Panel
from focused_crawler.report.plots import Plot
from focused_crawler.report.strokes import strokes_of
from focused_crawler.safety.errors import FocusedCrawlerError
from focused_crawler.safety.formats import percent
from focused_crawler.workbench.bench import NotFound, Workbench
from focused_crawler.workbench.home import standing_now
from focused_crawler.workbench.request import answer, bench_of, get

MOST_CRAWLS, MOST_LINES = 6, 8
EXPERIMENTS = Path("experiments")


def show(request: Request) -> Response:
    """Show the crawls that were chosen side by side, and an experiment if one is named."""
    bench, name = bench_of(request), request.path_params["topic"]
    topic = bench.topic(name)
    standings = [standing_now(folder, run) for folder, run in bench.crawls_of(name)]
    chosen = request.query_params.getlist("crawl")
    if not chosen:
        chosen = [one.folder.name for one in standings if one.pages and not one.fault][:2]
    folders = [bench.crawl(name, job) for job in dict.fromkeys(chosen)]
    found, problem = _compared(bench, folders)
    experiments = experiments_of(bench)
    named = request.query_params.get("experiment", "")
    if named and named not in experiments:
        raise NotFound(f"there is no experiment {named} that has ended in {EXPERIMENTS}")
    outcome = read_outcome(experiments[named]) if named else None
    values: dict[str, Any] = {"chart": _chart(found), "outcome": outcome, "outcome_chart": _curves(outcome)}
    return answer(
        request,
        "compare.html",
        400 if problem else 200,
        title=topic.title,
        standings=standings,
        chosen=[folder.name for folder in folders],
        found=found,
        problem=problem,
        names=_names(found),
        experiments=list(experiments),
        named=named,
        **values,
    )


def _compared(bench: Workbench, folders: list[Path]) -> tuple[CrawlComparison | None, str]:
    """Return the comparison, or why there is none: others can be chosen then."""
    if not folders:
        return None, ""
    if len(folders) > MOST_CRAWLS:
        return None, f"{len(folders)} crawls are chosen; choose {MOST_CRAWLS} at most"
    try:
        return compare_crawls(folders, lambda run: TextJudge.of_several(run, bench.settings)), ""
    except FocusedCrawlerError as error:
        return None, str(error)


def experiments_of(bench: Workbench) -> dict[str, Path]:
    """Return the experiments beside the crawls, and in the working folder, by name."""
    parents = {EXPERIMENTS.absolute(), bench.crawls.absolute().parent / EXPERIMENTS}
    folders = (folder for parent in sorted(parents) for folder in sorted(parent.glob("*")))
    return {folder.name: folder for folder in folders if is_experiment(folder)}


def _chart(found: CrawlComparison | None) -> Plot | None:
    if found is None:
        return None
    names = _names(found)
    curves = [(names[one.job], *one.curve) for one in found.crawls]
    return _plot("Harvest rate", curves, [one.strategy for one in found.crawls], "pages fetched")


def _names(found: CrawlComparison | None) -> dict[str, str]:
    """Return what each crawl is called: its strategy, or its job where another has that as well."""
    crawls = found.crawls if found else ()
    strategies = [one.strategy for one in crawls]
    return {one.job: one.strategy if strategies.count(one.strategy) == 1 else one.job for one in crawls}


def _curves(outcome: ExperimentOutcome | None) -> Plot | None:
    if outcome is None:
        return None
    shown = outcome.strategies[:MOST_LINES]
    curves = [(one.name, range(1, len(one.curve) + 1), one.curve) for one in shown]
    return _plot("Target recall", curves, [one.name for one in shown], "per cent of the budget")


def _plot(
    title: str,
    curves: Sequence[tuple[str, Sequence[float], Sequence[float]]],
    strategies: Sequence[str],
    x_label: str,
) -> Plot:
    lines = [
        Line(*curve, stroke.color, stroke.look.dashes, 2.0, marker=stroke.look.marker)
        for curve, stroke in zip(curves, strokes_of(strategies), strict=True)
    ]
    panel = Panel("", lines, over_lines(lines, x_label), x_label)
    ends = ", ".join(f"{line.name} ends at {percent(line.last)}" for line in lines)
    return Plot("", f"{title}: {ends}", "", [panel], pixels=(640, 300))


ROUTES = (get("/topics/{topic}/compare", show),)
