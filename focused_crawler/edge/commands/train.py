"""`scrapy train TOPIC`: example pages -> the topic's model, with a report of how far to trust it."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from focused_crawler.classify.examples import with_labels
from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.model_file import check_writable
from focused_crawler.classify.model_versions import (
    CANDIDATE,
    PREVIOUS,
    RECORD,
    REPORT,
    accept,
    before_replacing,
    forget_candidate,
    forget_previous,
    has,
    is_model,
    loses_candidate,
    roll_back,
)
from focused_crawler.classify.settings import ClassifierName, ClassifierSettings, HmmSettings
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.judges import load_model, model_folder
from focused_crawler.crawl.model_preview import ModelPreview, preview
from focused_crawler.discovery.sessions import SessionSource
from focused_crawler.edge.command import PROGRESS, FetchingCommand, Option
from focused_crawler.edge.examples import collect_examples, example_names
from focused_crawler.edge.handing_over import analyst_of, check_can_change, crawl_to_change, hand_over
from focused_crawler.edge.suggesting import MOST_TELLING, NEAR, PURE, Wanted, labels_of, suggest_pages
from focused_crawler.edge.training_lines import object_to, show_back, show_next, show_training, show_waiting
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.report.terminal import classifiers as terminal
from focused_crawler.safety.errors import ConfigError, CrawlError, FocusedCrawlerError, ModelError
from focused_crawler.safety.formats import plural
from focused_crawler.safety.package_folder import check_lasts
from focused_crawler.safety.printable import place, printable, say
from focused_crawler.safety.progress import write_to
from focused_crawler.safety.settings import read, read_one
from focused_crawler.store.job import run_of
from focused_crawler.store.job_folder import last_crawl
from focused_crawler.topic.topic import Topic

# ruff: noqa: PLC0415 - what trains and draws loads slowly, and a mistake is reported before.


class Command(FetchingCommand):
    """Fetches the examples through Scrapy: politely from the live web, or out of FOCUSED_WEB."""

    usage = (
        "<topic> [--replace] [--sessions-from PATH]"
        " | <topic> --show"
        " | <topic> --accept|--back [--crawl FOLDER]"
        " | <topic> --suggest N [--near | --pure [--write]] [--crawl FOLDER]"
    )
    options = (
        Option("--replace", "take the new model at once, unseen"),
        Option("--show", "train nothing; say where training stands, and what the last one was worth"),
        Option("--accept", "take the candidate, and let the topic's last crawl judge and order by it"),
        Option(
            "--back",
            "the same with what judged before, a model or words; the one that is there becomes the candidate",
        ),
        Option("--suggest N", "train nothing; name N pages whose label would teach most", int),
        Option("--near", "with --suggest: pages near the examples that share their most telling words"),
        Option("--pure", "with --suggest: pages of the sites with the largest share of relevant pages"),
        Option("--write", "with --pure: add them to the relevant examples in topic.toml"),
        PROGRESS,
        Option("--crawl FOLDER", "the crawl that they come from, or that takes the model (the last)", Path),
        Option(
            "--sessions-from PATH",
            "derive browsing records for the hmm strategies from a crawl's folder or a virtual web",
            Path,
        ),
    )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        write_to(opts.progress)
        topic = self.topic(self.only(args, "topic", "asthma (scrapy list shows the names)"))
        if (opts.near and opts.pure) or (opts.write and not opts.pure):
            raise ConfigError("give one of --near and --pure; --write adds the pages of --pure")
        if opts.show:
            self._say_state(topic, self.to_type(topic))
        elif opts.accept or opts.back:
            self._change(topic, self.to_type(topic), opts)
        elif opts.suggest is not None:
            folder = opts.crawl or last_crawl(self._crawls(), topic)
            kind = PURE if opts.pure else NEAR if opts.near else MOST_TELLING
            wanted = Wanted(opts.suggest, kind, is_written=opts.write)
            typed = self.to_type(topic)
            suggest_pages(topic, typed, folder, wanted, model_of=self._model, models=self._models())
        elif opts.crawl is not None or opts.near or opts.pure:
            option = "--near" if opts.near else "--pure" if opts.pure else "--crawl"
            also = " and --accept" if option == "--crawl" else ""
            raise ConfigError(
                f"{option} is for --suggest N{also}, as in --suggest 20 --crawl crawls/asthma/1"
            )
        else:
            self._train(topic, self.to_type(topic), opts)

    def _train(self, topic: Topic, typed: str, opts: argparse.Namespace) -> None:
        from focused_crawler.report.training import save_training, train_beside
        from focused_crawler.report.training_record import TrainingRecord

        folder = model_folder(topic, self._models())
        check_lasts(folder)
        check_writable(folder)
        settings = read(ClassifierSettings, self.settings)
        is_first, old = not is_model(folder), _old_model(folder, settings.classifiers)
        keeps_old = old is not None and not opts.replace
        labels = labels_of(topic)
        say(*terminal.taken_of_labels(topic, labels))
        topic = with_labels(topic, labels)
        source = SessionSource(topic, read(HmmSettings, self.settings), opts.sessions_from)
        names = example_names(topic, settings, self.settings)
        analyzer = Analyzer(topic.language)
        found = collect_examples(self.crawler_process, topic, names, source.wanted, analyzer)
        answers = ((one.url, one.answer) for one in labels.by_key.values() if one.answer is not None)
        labelled = {url: answer for url, answer in answers if url in found.pages}
        said = {found.pages[url].url: answer for url, answer in labelled.items()}
        trained, training = train_beside(old, topic, found.examples.as_said(said), settings, labelled)
        is_same = has(folder, trained.model.packed)
        must_choose = keeps_old or (is_first and not opts.replace and training.is_worse_than_words)
        waits = must_choose and not is_same
        place_of_new = _put(trained.model, folder, waits=waits, is_same=is_same)
        new = TopicModel.load(place_of_new, settings.classifiers)
        record = TrainingRecord.of(training, time.time(), None, new.judge_name)
        known = TrainingRecord.load(place_of_new / RECORD) if is_same else None
        if known is None or known.judge != record.judge:  # else it says more than that they are the same
            save_training(training, place_of_new / REPORT)
            record.save(place_of_new / RECORD)
        show_training(training)
        if paired := training.paired:
            say(*terminal.worth(paired, training.before, must_choose=waits))
        object_to(record)
        if record.objection and not waits and not is_model(folder / PREVIOUS):
            say(f"To judge by the topic's words again: scrapy train {typed} --back")
        crawl = crawl_to_change(topic, self._crawls())
        is_shown = waits or (is_first and not opts.replace)
        if is_shown and crawl and (changes := self._preview(crawl, new)):
            say(*terminal.of_crawl(changes))
            replace(record, crawl=changes).save(place_of_new / RECORD)
        judge = old if old is not None and keeps_old else trained.model
        if (opts.sessions_from or not keeps_old) and (hmm := source.train(judge, found.pages, names.other)):
            hmm.save(folder)
            learnt = f"{plural(hmm.sessions, 'session')} and {plural(hmm.pages, 'page')}"
            say(f"The hmm strategies were trained from {learnt}.")
        if waits:
            show_waiting(folder, typed, crawl)
        else:
            show_next(folder, typed, crawl, self.to_crawl(topic), is_same=is_same)

    def _say_state(self, topic: Topic, typed: str) -> None:
        from focused_crawler.report.training_state import TrainingState

        state = TrainingState.read(topic, self._models(), read(ClassifierName, self.settings).classifiers)
        say(*terminal.standing(topic, state))
        record = state.record
        if record is not None and record.paired is not None:
            say(*terminal.worth(record.paired, record.before, must_choose=state.waits))
        object_to(record)
        if record is not None and record.crawl is not None and state.waits:
            say(*terminal.of_crawl(record.crawl))
        say(f"To take it: scrapy train {typed} --accept" if state.waits else f"Next: scrapy train {typed}")

    def _preview(self, crawl: Path, model: TopicModel) -> ModelPreview | None:
        """Return what a model would change in a crawl, None where nobody can say."""
        run = run_of(crawl)
        try:
            return preview(crawl, run, analyst_of(self.settings, run, model))
        except CrawlError:
            return None
        except FocusedCrawlerError as error:  # its settings may name what is not there any more
            say(f"{place(crawl)} cannot go on as it was: {printable(str(error))}")
            return None

    def _change(self, topic: Topic, typed: str, opts: argparse.Namespace) -> None:
        """Put another model in the place of the one that is there, and hand it to a crawl."""
        if opts.accept and opts.back:
            raise ConfigError("give one of --accept and --back")
        from focused_crawler.report.training_record import TrainingRecord

        folder = model_folder(topic, self._models())
        waiting = TrainingRecord.load(folder / CANDIDATE / RECORD)
        if opts.crawl is not None:  # before anything is changed
            check_can_change(opts.crawl, topic)
        if opts.back:
            is_lost, has_model = loses_candidate(folder), roll_back(folder)
            show_back(
                folder, topic, typed, "" if has_model else self._model(topic).judge_name, is_lost=is_lost
            )
        elif accept(folder):
            say(f"The new model is in {place(folder)}; to take that back: scrapy train {typed} --back")
            object_to(waiting)
        elif not is_model(folder):
            raise ModelError(f"{topic.name} has no model yet; scrapy train {typed} makes one")
        else:
            say("No other model waits: it is the one that is there.")
        crawl = opts.crawl or crawl_to_change(topic, self._crawls())
        if crawl is None:
            say(f"Next: {self.to_crawl(topic)}")
        else:
            try:
                hand_over(crawl, self.settings, topic, self._model(topic))
            except ModelError as error:  # its strategy goes by what the model has not, such as an HMM
                if opts.crawl is not None:
                    raise
                say(f"{place(crawl)} stays as it was: {printable(str(error))}")
        if opts.back:
            forget_previous(folder)

    def _crawls(self) -> Path:
        return CrawlConfig.from_settings(self.settings).crawls

    def _model(self, topic: Topic) -> TopicModel:
        classifiers = read(ClassifierName, self.settings).classifiers
        return load_model(topic, self._models(), Analyzer(topic.language), classifiers)

    def _models(self) -> Path | None:
        models: Path | None = read_one(CrawlConfig, "models", self.settings)
        return models


def _old_model(folder: Path, classifiers: Mapping[str, str]) -> TopicModel | None:
    """Return the model in a folder, None if there is none that can be used."""
    if not is_model(folder):
        return None
    try:
        return TopicModel.load(folder, classifiers)
    except ModelError as error:
        say(f"{str(error).rpartition(';')[0]}; it is replaced.")
        return None


def _put(model: TopicModel, folder: Path, *, waits: bool, is_same: bool) -> Path:
    """Write a new model where it belongs; return that folder. What was there before stays one step away."""
    if is_same:
        forget_candidate(folder)
        return folder
    if not waits:
        before_replacing(folder)
    place_of_new = folder / CANDIDATE if waits else folder
    model.save(place_of_new)
    return place_of_new
