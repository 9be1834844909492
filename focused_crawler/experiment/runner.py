"""Makes all runs of an experiment's grid, except those that were made before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from focused_crawler.experiment.bench import Bench, judged_by, truth_of
from focused_crawler.experiment.folder import ExperimentFolder, Record
from focused_crawler.experiment.grid import MAX_PAGES, Subject
from focused_crawler.experiment.hosts import HostsFound
from focused_crawler.experiment.measures import Case, Run, Setting
from focused_crawler.experiment.origin import code_of
from focused_crawler.experiment.training import (
    TaxonomySummary,
    by_web,
    folder_of,
    prepare,
    summary_of,
    train_taxonomy_of,
)
from focused_crawler.experiment.variants import as_written
from focused_crawler.experiment.work import analyst_of, bound, crawl, read_bounds
from focused_crawler.link_scoring.registry import needs_focus, path_of
from focused_crawler.safety.errors import CrawlError, FocusedCrawlerError, TopicError
from focused_crawler.safety.workers import Pool, Task, WorkerDied
from focused_crawler.store.job import ordered_by
from focused_crawler.virtualweb.bounds import Bounds, met_first


class JudgedSubject(NamedTuple):
    """A subject, what is relevant there, on which hosts, and the pages that each of its runs may fetch."""

    subject: Subject
    target: Callable[[str], int]  # which relevant page a URL leads to; -1: none
    hosts: Mapping[str, int]  # with relevant pages, and how many
    budget: int


class Experiment:
    """All runs of a grid. `pages`: budget of each; 0: twice the relevant pages, `MAX_PAGES` at most.

    No budget is more than the web has pages.
    """

    def __init__(
        self, bench: Bench, folder: ExperimentFolder, subjects: Sequence[Subject], pages: int
    ) -> None:
        self._bench, self._folder, self._pages = bench, folder, pages
        self.subjects = list(subjects)
        self.judged: list[JudgedSubject] = []
        self.made: dict[Case, Run] = {}
        self._lacks_taxonomy: dict[str, FocusedCrawlerError] = {}  # web -> why it has no taxonomy
        self.untrained: dict[str, list[str]] = {}  # strategy with what it is, untrained -> where

    def check_seeds(self) -> list[str]:
        """Open the webs; return which seeds they lack. TopicError for a seed set without any."""
        notes = []
        for subject in self.subjects:
            web = self._bench.web(subject)
            for name, seeds in subject.seed_sets.items():
                missing = sum(web.number(seed) is None for seed in seeds)
                if missing == len(seeds):
                    raise TopicError(
                        f"{subject.name}: no start page of seed set {name} is in the web; leave the set out"
                        " with --seed-sets, or correct its URLs"
                    )
                if missing:
                    notes.append(
                        f"{subject.name}: {missing} of {len(seeds)} seeds of set {name} are not in it"
                    )
        return notes

    def prepare(self, pool: Pool) -> Iterator[str]:
        """Train a model for each subject; yield a line about each."""
        tasks = [partial(_prepared, self._bench, subject) for subject in self.subjects]
        yield from _work_off(pool, tasks)

    def prepare_taxonomies(self, pool: Pool, strategies: Sequence[str]) -> Iterator[str]:
        """Train the taxonomy of each web, if a strategy uses it; yield a line about each."""
        if not any(map(self._needs_taxonomy, strategies)):
            return
        webs = by_web(self.subjects)
        for web, summary in pool.work_off(
            [partial(_taxonomy_of, self._bench, subjects) for subjects in webs]
        ):
            if isinstance(summary, FocusedCrawlerError):
                self._lacks_taxonomy[web] = summary
            else:
                yield f"{web}: taxonomy of {summary}"

    def judge(self) -> None:
        """Read which pages are relevant, and set the budgets; raises TopicError where none is."""
        for subject in self.subjects:
            truth, web = truth_of(self._bench, subject), self._bench.web(subject)
            if not truth.among(web.urls).any():
                raise TopicError(
                    f"{subject.name}: no relevant page is in the web; leave it out with --topics"
                )
            budget = self._pages or min(2 * len(truth), MAX_PAGES)
            pages = min(budget, len(web))
            self.judged.append(JudgedSubject(subject, cache(truth.target), truth.hosts, pages))

    def obstacles(self, strategies: Sequence[str]) -> dict[str, FocusedCrawlerError]:
        """Return the strategies that cannot be used for all subjects, with the errors.

        Those that can, but are others where nothing was trained for them, are `untrained` from here on.
        """
        found: dict[str, FocusedCrawlerError] = {}
        for strategy in strategies:
            for subject in self.subjects:
                try:
                    self._check_taxonomy(subject, strategy)
                    analyst = analyst_of(self._bench, subject, strategy)
                except FocusedCrawlerError as error:
                    found.setdefault(strategy, error)
                else:
                    if analyst.order.acts_as:
                        name = ordered_by(strategy, analyst.order.acts_as)
                        self.untrained.setdefault(name, []).append(subject.name)
        return found

    def take_over(self, strategies: Sequence[str]) -> int:
        """Load the runs that were made before; return their number."""
        records = self._folder.records()
        for judged, case in self._cases(strategies):
            record = records.get(case)
            if record and record.code == code_of(path_of(case.strategy, self._bench.config.link_scorers)):
                run = self._read(judged, record)
                self.made |= {} if run is None else {case: run}
        return len(self.made)

    def run(self, pool: Pool, strategies: Sequence[str]) -> Iterator[Run | None]:
        """Make all other runs, those with the largest budgets first; None: a setting's bounds were found."""
        tasks: list[Task] = []
        by_name = {(j.subject.web_name, j.subject.topic.name): j for j in self.judged}
        for judged in sorted(self.judged, key=lambda judged: -judged.budget):
            tasks += self._tasks(judged, strategies)
        for done in _work_off(pool, tasks):
            if not isinstance(done, Record):
                yield None
                continue
            run = self._read(by_name[done.web, done.topic], done)
            assert run is not None
            self._folder.append(done._replace(relevant=int(run.hits.sum())))
            self.made[done.case] = run
            yield run

    def left(self, strategies: Sequence[str]) -> int:
        """Return the pages of the runs that have not been made."""
        return sum(judged.budget for judged, case in self._cases(strategies) if case not in self.made)

    def results(self, strategies: Sequence[str]) -> list[Run]:
        """Return all runs in the order of the grid."""
        return [self.made[case] for _, case in self._cases(strategies)]

    def bounds(self) -> Mapping[Setting, Bounds]:
        """Return the bounds of all settings."""
        found = {}
        for judged, setting in self._settings():
            limit = read_bounds(self._bench, setting, judged.budget)
            assert limit is not None
            found[setting] = limit
        return found

    def judged_by(self) -> Mapping[Setting, str]:
        """Return the judge of each setting."""
        return {setting: judged_by(judged.subject) for judged, setting in self._settings()}

    def about(self) -> dict[str, str]:
        """Return a description of the comparison for a report."""
        subjects = self.subjects
        budgets = sorted({judged.budget for judged in self.judged})
        return {
            "webs": ", ".join(sorted({subject.web_name for subject in subjects})),
            "topics": ", ".join(subject.name for subject in subjects),
            "seed sets": ", ".join(sorted({name for subject in subjects for name in subject.seed_sets})),
            "pages a run": f"{budgets[0]:,} to {budgets[-1]:,}" if budgets[1:] else f"{budgets[0]:,}",
            **{
                f"hosts left out of {subject.web.name}": ", ".join(subject.without)
                for subject in subjects
                if subject.without
            },
            "examples": as_written(subjects[0].examples),
            "random seed": str(self._bench.config.random_seed),
            "judged by": "; ".join(sorted({judged_by(subject) for subject in subjects})),
            **{name: f"on {', '.join(where)}" for name, where in self.untrained.items()},
            **dict(self._taxonomies()),
            **{f"model of {subject.name}": str(summary_of(self._bench, subject)) for subject in subjects},
        }

    def _taxonomies(self) -> Iterator[tuple[str, str]]:
        """Return the summaries of the trained taxonomies."""
        for subjects in by_web(self.subjects):
            if summary := TaxonomySummary.read(folder_of(self._bench, subjects[0])):
                yield f"taxonomy of {subjects[0].web_name}", str(summary)

    def _needs_taxonomy(self, strategy: str) -> bool:
        return needs_focus(strategy, self._bench.config.link_scorers)

    def _check_taxonomy(self, subject: Subject, strategy: str) -> None:
        error = self._lacks_taxonomy.get(subject.web_name)
        if error is not None and self._needs_taxonomy(strategy):
            raise error

    def _settings(self) -> Iterator[tuple[JudgedSubject, Setting]]:
        for judged in self.judged:
            for seed_set in judged.subject.seed_sets:
                yield judged, Setting(judged.subject.web_name, judged.subject.topic.name, seed_set)

    def _cases(self, strategies: Sequence[str]) -> Iterator[tuple[JudgedSubject, Case]]:
        for judged, setting in self._settings():
            for strategy in strategies:
                yield judged, Case(*setting, strategy)

    def _tasks(self, judged: JudgedSubject, strategies: Sequence[str]) -> Iterator[Task]:
        subject, budget = judged.subject, judged.budget
        for seed_set in subject.seed_sets:
            setting = Setting(subject.web_name, subject.topic.name, seed_set)
            if read_bounds(self._bench, setting, budget) is None:
                yield partial(bound, self._bench, subject, seed_set, budget)
            for strategy in strategies:
                if Case(*setting, strategy) not in self.made:
                    yield partial(crawl, self._bench, subject, seed_set, strategy, budget)

    def _read(self, judged: JudgedSubject, record: Record) -> Run | None:
        """Return a run as its files have it; None if they are not whole."""
        try:
            urls = self._bench.visits(record.case).read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            return None
        if len(urls) != record.pages:
            return None
        hits = met_first(np.array([judged.target(url) for url in urls], dtype=np.int64))
        hosts = HostsFound.of(judged.hosts, urls, hits)
        return Run(record.case, hits, judged.budget, record.cpu_seconds, record.reason, hosts)


def _work_off(pool: Pool, tasks: Sequence[Task]) -> Iterator[Any]:
    try:
        yield from pool.work_off(tasks)
    except WorkerDied as error:
        cure = "the same command goes on from here, with fewer --processes if need be"
        raise CrawlError(f"{error}; {cure}") from None


def _prepared(bench: Bench, subject: Subject) -> str:
    return f"{subject.name}: {prepare(bench, subject)}"


def _taxonomy_of(
    bench: Bench, subjects: Sequence[Subject]
) -> tuple[str, TaxonomySummary | FocusedCrawlerError]:
    return subjects[0].web_name, train_taxonomy_of(bench, subjects)
