"""`scrapy train TOPIC`: example pages -> the topic's model, with a report of how far to trust it."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from focused_crawler.classify.examples import ExampleNames, with_labels
from focused_crawler.classify.model import TopicModel
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
    roll_back,
)
from focused_crawler.classify.settings import ClassifierName, ClassifierSettings, HmmSettings
from focused_crawler.classify.suggestions import suggest
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.judges import load_model, model_folder
from focused_crawler.crawl.model_preview import ModelPreview, preview
from focused_crawler.discovery.further_examples import (
    Offer,
    candidates,
    labelled_hosts,
    near_examples,
    pure_pages,
)
from focused_crawler.discovery.sessions import SessionSource
from focused_crawler.edge.command import PROGRESS, FetchingCommand, Option, command_to_crawl
from focused_crawler.edge.examples import collect_examples
from focused_crawler.edge.handing_over import analyst_of, check_can_change, crawl_to_change, hand_over
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.report.terminal import classifiers as terminal
from focused_crawler.report.terminal.output import Terminal, warning
from focused_crawler.safety.errors import ConfigError, CrawlError, FocusedCrawlerError, ModelError
from focused_crawler.safety.formats import plural
from focused_crawler.safety.package_folder import check_lasts
from focused_crawler.safety.printable import place, printable, say
from focused_crawler.safety.progress import write_to
from focused_crawler.safety.settings import read, read_one
from focused_crawler.store.job import last_crawl, read_run, run_of
from focused_crawler.store.opening import read_crawl
from focused_crawler.topic.labels import Labels, read_labels
from focused_crawler.topic.toml import quoted
from focused_crawler.topic.topic import FILE_NAME, Topic, typed
from focused_crawler.topic.writer import add_examples

if TYPE_CHECKING:
    from focused_crawler.report.training import Training
    from focused_crawler.report.training_record import TrainingRecord

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
        Option("--replace", "put the new model in the place of one that is there, unseen"),
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
            self._say_state(topic, typed(topic))
        elif opts.accept or opts.back:
            self._change(topic, typed(topic), opts)
        elif opts.suggest is not None:
            self._suggest(topic, typed(topic), opts)
        elif opts.crawl is not None or opts.near or opts.pure:
            option = "--near" if opts.near else "--pure" if opts.pure else "--crawl"
            also = " and --accept" if option == "--crawl" else ""
            raise ConfigError(
                f"{option} is for --suggest N{also}, as in --suggest 20 --crawl crawls/asthma/1"
            )
        else:
            self._train(topic, typed(topic), opts)

    def _train(self, topic: Topic, typed: str, opts: argparse.Namespace) -> None:
        from focused_crawler.report.training import save_training, train_beside
        from focused_crawler.report.training_record import TrainingRecord

        folder = model_folder(topic, self._models())
        check_lasts(folder)
        settings = read(ClassifierSettings, self.settings)
        old = _old_model(folder, settings.classifiers)
        keeps_old = old is not None and not opts.replace
        labels = _labels(topic)
        say(*terminal.taken_of_labels(topic, labels))
        topic = with_labels(topic, labels)
        source = SessionSource(topic, read(HmmSettings, self.settings), opts.sessions_from)
        names = ExampleNames.of(topic, settings)
        analyzer = Analyzer(topic.language)
        found = collect_examples(self.crawler_process, topic, names, source.wanted, analyzer)
        answers = ((one.url, one.answer) for one in labels.by_key.values() if one.answer is not None)
        labelled = {url: answer for url, answer in answers if url in found.pages}
        said = {found.pages[url].url: answer for url, answer in labelled.items()}
        trained, training = train_beside(old, topic, found.examples.as_said(said), settings, labelled)
        is_same = has(folder, trained.model.packed)
        waits = keeps_old and not is_same
        place_of_new = _put(trained.model, folder, waits=waits, is_same=is_same)
        new = TopicModel.load(place_of_new, settings.classifiers)
        record = TrainingRecord.of(training, time.time(), None, new.judge_name)
        known = TrainingRecord.load(place_of_new / RECORD) if is_same else None
        if known is None or known.judge != record.judge:  # else it says more than that they are the same
            save_training(training, place_of_new / REPORT)
            record.save(place_of_new / RECORD)
        _show(training)
        if paired := training.paired:
            say(*terminal.worth(paired, training.before, must_choose=waits))
        _object(record)
        if record.objection and not is_model(folder / PREVIOUS) and not keeps_old:
            say(f"To judge by the topic's words again: scrapy train {typed} --back")
        crawl = crawl_to_change(topic, self._crawls())
        if waits and crawl and (changes := self._preview(crawl, new)):
            say(*terminal.of_crawl(changes))
            replace(record, crawl=changes).save(place_of_new / RECORD)
        judge = old if old is not None and keeps_old else trained.model
        if (opts.sessions_from or not keeps_old) and (hmm := source.train(judge, found.pages, names.other)):
            hmm.save(folder)
            learnt = f"{plural(hmm.sessions, 'session')} and {plural(hmm.pages, 'page')}"
            say(f"The hmm strategies were trained from {learnt}.")
        if waits:
            _show_waiting(folder, typed, crawl)
        else:
            _show_next(folder, typed, crawl, self.settings.get("FOCUSED_WEB"), is_same=is_same)

    def _say_state(self, topic: Topic, typed: str) -> None:
        from focused_crawler.report.training_state import TrainingState

        state = TrainingState.read(topic, self._models(), read(ClassifierName, self.settings).classifiers)
        say(*terminal.standing(topic, state))
        record = state.record
        if record is not None and record.paired is not None:
            say(*terminal.worth(record.paired, record.before, must_choose=state.waits))
        _object(record)
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
            is_first = not roll_back(folder)
            before = (
                f"{topic.name} is judged by {self._model(topic).judge_name} again, as before its first model"
            )
            say(before if is_first else f"The model before is back in {place(folder)}")
            say(f"The other one waits: scrapy train {typed} --accept")
        elif accept(folder):
            say(f"The new model is in {place(folder)}; to take that back: scrapy train {typed} --back")
            _object(waiting)
        elif not is_model(folder):
            raise ModelError(f"{topic.name} has no model yet; scrapy train {typed} makes one")
        else:
            say("No other model waits: it is the one that is there.")
        crawl = opts.crawl or crawl_to_change(topic, self._crawls())
        if crawl is None:
            say(f"Next: {command_to_crawl(typed, self.settings.get('FOCUSED_WEB'))}")
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

    def _suggest(self, topic: Topic, typed: str, opts: argparse.Namespace) -> None:
        labels = _labels(topic)
        hosts, topic = labelled_hosts(topic, labels), with_labels(topic, labels)
        folder = opts.crawl or last_crawl(self._crawls(), topic.name)
        run = read_run(folder)
        if run is None or run.topic != topic.name:
            raise CrawlError(f"{folder} is no crawl of {topic.name}; name one such as crawls/{topic.name}/1")
        if opts.pure:
            offers = pure_pages(folder, topic, self._models(), opts.suggest)
            shown = terminal.to_label(offers, "Pages of the purest sites", "site, relevant pages")
        elif opts.near:
            model, analyzer = self._model(topic), Analyzer(topic.language)
            offers = near_examples(folder, topic, model.vector, analyzer, opts.suggest)
            shown = terminal.to_label(offers, "Pages near the examples", "shares")
        else:
            with read_crawl(folder) as database:
                threshold = self._model(topic).threshold
                pages = suggest(candidates(database, topic), threshold, opts.suggest, hosts)
            if not pages:
                raise CrawlError(f"{folder} has no page that is not an example already; crawl more first")
            offers = [Offer(page, "") for page in pages]
            shown = terminal.to_label(offers, "Pages whose label would teach most")
        Terminal().print(shown)
        if opts.write:
            now = add_examples(topic, [offer.page.url for offer in offers]).relevant_examples
            say(f"{place(topic.folder / FILE_NAME)} has {plural(len(now), 'relevant example')} now.")
            say(f"Next: scrapy train {typed}")
            return
        if not opts.pure:
            queue = " --queue near" if opts.near else ""
            say(f"To label such pages by single keys: scrapy label {typed}{queue}")
        say(f"Of {place(folder)}. Look at them, and put each under [examples] in topic.toml, in the list")
        say(f"relevant or other; then: scrapy train {typed}")
        if opts.pure:
            say(f"--write adds all to relevant; scrapy lists {typed} --ban SITE leaves a site out.")
        say(*(f"    {quoted(offer.page.url)}," for offer in offers))

    def _model(self, topic: Topic) -> TopicModel:
        classifiers = read(ClassifierName, self.settings).classifiers
        return load_model(topic, self._models(), Analyzer(topic.language), classifiers)

    def _models(self) -> Path | None:
        models: Path | None = read_one(CrawlConfig, "models", self.settings)
        return models


def _labels(topic: Topic) -> Labels:
    """Return the topic's labels, and print which lines are none."""
    labels = read_labels(topic.folder)
    if labels.fault:
        say(labels.fault)
    return labels


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


def _show(training: Training) -> None:
    console, model, report = Terminal(), training.model, training.report
    if report is None:
        say(f"{training.topic.name} has too few examples. Pages near its seeds that contain its words were")
        say("used instead. Nobody has labelled them, so the quality of the model is unknown.")
    else:
        console.print(terminal.topic_quality(report, training.topic))
        say(f"Figures are for a web where {report.relevant_share:.0%} of the pages are relevant.")
        say(f"A page is relevant from {report.threshold:.2f} on ({report.threshold_source}).")
    say(f"Training examples: {terminal.examples_of(model)}.")
    if doubts := terminal.doubts(training):
        console.print(doubts)
    for words in report.warnings if report else ():
        console.print(warning(words))
    if training.comparison:
        console.print(terminal.side_by_side(training.comparison))
        say(terminal.what_compares(training.comparison))


def _object(record: TrainingRecord | None) -> None:
    """Warn of a model that is worse than none."""
    if record is not None and record.objection:
        Terminal().print(warning(record.objection))


def _show_waiting(folder: Path, typed: str, crawl: Path | None) -> None:
    """Print where both models are, and how to take the new one; `crawl`: the topic's last one."""
    say(f"The old model stays in {place(folder)}; the new one waits in {place(folder / CANDIDATE)}")
    say(f"Report in {place(folder / CANDIDATE / REPORT)}")
    by_it = f", and let {place(crawl)} go by it" if crawl else ""
    say(f"To take it{by_it}: scrapy train {typed} --accept")


def _show_next(folder: Path, typed: str, crawl: Path | None, web: object, *, is_same: bool) -> None:
    """Print where the model is that judges from now on, and the next command."""
    same = f"The old model stays in {place(folder)}: the new one is the same, and none waits."
    say(same if is_same else f"Model in {place(folder)}", f"Report in {place(folder / REPORT)}")
    if crawl:
        say(f"To let {place(crawl)} go by it: scrapy train {typed} --accept")
    say(f"Next: {command_to_crawl(typed, web)}")
