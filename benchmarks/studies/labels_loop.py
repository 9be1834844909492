"""Labels in a loop: a topic of words alone is crawled, a person labels, training learns, a crawl begins anew.

Four rounds of 15 labels, a seed set at a time: by a mixture of the queues of `scrapy label`, and by chance.
The person goes by the ground truth, and errs on 5 % of the pages. Each model is asked about all relevant
pages that no arm learnt from, and about each fourth of the others, which counts for four; each crawl is
counted by the ground truth.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.harness import temporary_folder
from benchmarks.judged_crawls import group_of
from benchmarks.studies.crawls import Mask, Numbers, bench_of, truth_beside
from focused_crawler.classify.examples import ExampleNames, Examples, needs_pseudo_examples, with_labels
from focused_crawler.classify.training import train_topic
from focused_crawler.crawl.analysis import Analyst, checksum
from focused_crawler.crawl.steering.copies import Copies, Copy, SketchesInMemory, mark_copy, own_words, sketch
from focused_crawler.discovery.label_queues import LabelQueues, second_judge
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.grid import Subject
from focused_crawler.experiment.simulator import simulate
from focused_crawler.experiment.training import ExamplesInWeb
from focused_crawler.experiment.work import analyst_of
from focused_crawler.page.model import Outline, Page
from focused_crawler.page.stored_text import stored_text
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.whole_file import replace_file
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.opening import FILE
from focused_crawler.store.pages import PageStore
from focused_crawler.topic.label import Label
from focused_crawler.topic.labels import Labels
from focused_crawler.virtualweb.bounds import area_share, one_each, target_costs, upper

ROUNDS = 4
ARMS: Mapping[str, Mapping[str, int]] = {
    "loop": {"uncertain": 5, "spread": 10},
    "random": {"random": 15},
}
"""How many pages of a round are asked for in which queue."""
NONE = "none"
WRONG = 0.05
PAGES = 500
"""That a crawl fetches; it is counted up to as many as the topic has relevant ones."""
SHARE = 4
"""One of so many other pages is asked about."""
_BY = "person"


class Rounds(NamedTuple):
    """What an arm came to, an entry a round; the first is of words alone."""

    called: Mask  # rounds x pages asked about: whether the model calls them relevant
    found: Numbers  # rounds x reach + 1: relevant pages among the first n of the crawl
    yes: Numbers  # labels so far
    no: Numbers
    learnt: Numbers  # pages of the web that any of the models learnt from


class Task(NamedTuple):
    """Where a loop takes place."""

    web: str  # what rows call it
    subject: Subject
    seed_set: str


def rows_of(task: Task, folder: Path) -> list[dict[str, object]]:
    """Make the arms that `folder` lacks; return a row an arm and round, and a row a difference of arms."""
    subject = task.subject
    names = (subject.web_name, subject.topic.name, task.seed_set)
    about = {"web": task.web, "topic": names[1], "seed_set": names[2], "group": group_of(*names[:2])}
    setting, arms = Setting(subject, task.seed_set), {}
    for name, queues in ARMS.items():
        file = folder / f"{'.'.join(names)}.{name}.npz"
        if not file.is_file():
            buffer = io.BytesIO()
            np.savez_compressed(buffer, **setting.rounds(queues)._asdict())
            folder.mkdir(parents=True, exist_ok=True)
            replace_file(file, buffer.getvalue())
        with np.load(file) as found:
            arms[name] = Rounds(**found)
    found = measured(setting, arms)
    rows = [{**about, "arm": arm, "round": number, **row} for (arm, number), row in found.items()]
    for number in range(1, ROUNDS + 1):
        ours = found["loop", number]
        for other, row in (("random", found["random", number]), (NONE, found[NONE, 0])):
            gains = {f"{name}_gain": ours[name] - row[name] for name in ("f1", "area")}
            rows.append({**about, "against": other, "round": number, **gains})
    return rows


def measured(setting: Setting, arms: Mapping[str, Rounds]) -> dict[tuple[str, int], dict[str, float]]:
    """Return F1, area and labels, all arms on the same pages: those that none of them learnt from."""
    tested = ~np.isin(setting.asked, np.concatenate([arm.learnt for arm in arms.values()]))
    truth, found = setting.truth[setting.asked][tested], {}
    counts = np.where(truth, 1, SHARE)
    for name, arm in arms.items():
        for number in range(ROUNDS + 1):
            called = arm.called[number][tested]
            f1 = 2 * (called & truth).sum() / max(counts[called].sum() + truth.sum(), 1)
            area = area_share(arm.found[number], setting.best, setting.reach)
            row = {"f1": float(f1), "area": area, "yes": arm.yes[number], "no": arm.no[number]}
            found[name if number else NONE, number] = row
    return found


class Setting:
    """A topic without its examples, and what its crawls begin with.

    `mark`: errors and the order of chance follow from it; another one for each seed set, unless it is given.
    """

    def __init__(self, subject: Subject, seed_set: str, mark: str = "") -> None:
        self._topic = replace(subject.topic, relevant_examples=(), other_examples=())
        self._subject, self._seeds = replace(subject, topic=self._topic), subject.seed_sets[seed_set]
        self._analyzer = Analyzer(self._topic.language)
        self._mark = mark or f"{self._topic.name} {seed_set}"
        self._web = bench_of(Path()).web(subject)
        self._first: _Crawled | None = None  # by words alone, which all arms begin with
        self.truth = truth_beside(subject).among(self._web.urls)
        self.reach = min(int(self.truth.sum()), PAGES)
        self.asked = np.flatnonzero(self.truth | (np.arange(len(self.truth)) % SHARE == 0))

    @cached_property
    def best(self) -> Numbers:
        """The most relevant pages that n pages can hold."""
        known = {number for url in self._seeds if (number := self._web.number(url)) is not None}
        seeds = np.array(sorted(known), dtype=np.int64)
        return upper(target_costs(self._web.graph, seeds, one_each(self.truth)), self.reach)

    @cached_property
    def pages(self) -> list[Page]:
        """The pages asked about, as far as a classifier reads them."""
        pages = map(self._web.page, self.asked.tolist())
        return [Page(one.url, one.title, "", one.sections, Outline(is_heading=False)) for one in pages]

    def rounds(self, queues: Mapping[str, int]) -> Rounds:
        """Crawl, label and train, round after round."""
        labels: list[Label] = []
        made = []
        with threadpool_limits(1):
            for number in range(ROUNDS + 1):
                with temporary_folder() as folder:
                    bench = bench_of(folder)
                    if number:
                        self._train(bench, labels)
                    made.append(self._crawled(bench, labels))
                    if number < ROUNDS:
                        labels += self._labelled(bench, queues, made[-1], labels, str(number + 1))
        learnt = {page for one in made for page in one.learnt}
        columns = ([one.called for one in made], [one.found for one in made])
        counts = ([one.said[answer] for one in made] for answer in (True, False))
        return Rounds(*map(np.array, (*columns, *counts, sorted(learnt))))

    def _train(self, bench: Bench, labels: Sequence[Label]) -> None:
        """Train as `scrapy train` does; of fewer than two yes's nothing, and the words go on judging."""
        topic = with_labels(self._topic, Labels(tuple(labels)))
        if needs_pseudo_examples(topic):
            return
        names = ExampleNames.of(topic, bench.classifier)
        kinds = (names.relevant, names.other, names.background)
        pages = [ExamplesInWeb.find(self._web, kind, topic.folder, self._analyzer).pages for kind in kinds]
        examples = Examples(*pages, asked=frozenset(label.url for label in labels))
        trained = train_topic(topic, examples, bench.classifier, self._analyzer)
        trained.model.save(bench.models(self._subject) / topic.name)

    def _crawled(self, bench: Bench, labels: Sequence[Label]) -> _Crawled:
        if not labels and self._first is not None:
            return self._first
        analyst = analyst_of(bench, self._subject, bench.config.default_strategy)
        relevance = [analyst.model.classifier.relevance(page) for page in self.pages]
        rules = replace(bench.config.rules(), delay=0.0, per_host=None)
        known = dict(zip(self.asked.tolist(), relevance, strict=True))
        visits = simulate(analyst, self._web, self._seeds, PAGES, rules, relevance=known).visits
        found = np.zeros(self.reach + 1, dtype=np.int64)
        hits = self.truth[visits][: self.reach]
        found[1 : len(hits) + 1] = hits
        said = Labels(tuple(labels)).by_key.values()
        made = _Crawled(
            analyst,
            known,
            visits,
            np.array(relevance) >= analyst.model.threshold,
            np.cumsum(found),
            [number for url in analyst.model.learnt_from if (number := self._web.number(url)) is not None],
            {answer: sum(one.answer is answer for one in said) for answer in (True, False)},
        )
        self._first = self._first or made
        return made

    def _labelled(
        self, bench: Bench, queues: Mapping[str, int], made: _Crawled, labels: Sequence[Label], crawl: str
    ) -> list[Label]:
        """Return what the person says of the pages that the queues show, one queue after the other."""
        given: list[Label] = []
        judge, name = made.analyst.model, made.analyst.model.judge_name
        with CrawlDatabase(bench.folder / FILE) as database:
            self._record(database, made, with_links=bool({"near", "hubs"} & queues.keys()))
            second = second_judge(name, judge, self._topic, self._analyzer)
            for queue, count in queues.items():
                offered = LabelQueues(
                    folder=bench.folder,
                    crawl=crawl,
                    database=database,
                    topic=replace(self._topic, name=self._mark),  # another random order for each seed set
                    judge_name=name,
                    judge=judge,
                    second=second,
                    analyzer=self._analyzer,
                    labels=Labels((*labels, *given)),
                    by=_BY,
                )
                given += self._said(offered, queue, count, crawl)
        return given

    def _said(self, offered: LabelQueues, queue: str, count: int, crawl: str) -> Iterator[Label]:
        try:
            pages = offered.pages(queue, count)
        except CrawlError:  # it has none, and the person is asked less
            return
        for page in pages:
            answer = page.known.label if page.known else self.answer(page.url)
            yield Label(url=page.url, label=answer, by=_BY, queue=queue, crawl=crawl)

    def answer(self, url: str) -> str:
        """Return what the person says of a page."""
        number = self.number(url)
        assert number is not None
        errs = crc32(f"{self._mark} {url}".encode()) < WRONG * 2**32
        return "yes" if self.truth[number] != errs else "no"

    def number(self, url: str) -> int | None:
        """Return the number of a page of the web."""
        return self._web.number(url)

    def _record(self, database: CrawlDatabase, made: _Crawled, *, with_links: bool) -> None:
        """Write the crawl down as far as the queues read it."""
        store, copies = PageStore(database), Copies(SketchesInMemory())
        for number in made.visits:
            page = self._web.page(number)
            text, words = checksum(page.text), sketch(own_words(page))
            item = PageItem(
                url=page.url,
                title=page.title,
                relevance=made.relevance[number],
                is_relevant=made.relevance[number] >= made.analyst.model.threshold,
                fetched_at=0.0,
                checksum=text,
                text=stored_text(page),
            )
            first = store.seen_checksum(text) if text else None
            copy = copies.find(words) if first is None else Copy(first, 1.0)
            if copy is None:
                copies.add(page.url, words)
            else:
                mark_copy(item, copy)
            store.record_page(item)
            if with_links:
                store.record_links(page.url, [(link.url, "", 0, 0.5) for link in page.links])
        store.commit()


class _Crawled(NamedTuple):
    """A round's crawl, and the model that it was made with."""

    analyst: Analyst
    relevance: Mapping[int, float]  # of pages of the web, all visited ones among them
    visits: list[int]
    called: Mask
    found: Numbers
    learnt: list[int]
    said: Mapping[bool, int]
