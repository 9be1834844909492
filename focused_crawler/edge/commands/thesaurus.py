"""`scrapy thesaurus`: a topic's words shown, checked, made and grown, read from SKOS and written as it."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.discovery.search.base import SearchSettings
from focused_crawler.discovery.search.registry import open_provider
from focused_crawler.discovery.thesaurus_sources import (
    Texts,
    texts_of_crawl,
    texts_of_live_search,
    texts_of_web,
)
from focused_crawler.edge.command import FetchingCommand, Option
from focused_crawler.edge.examples import fetched_texts, texts_of_examples
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.text.wordnet import LANGUAGE, SET_UP, find_wordnet, open_wordnet
from focused_crawler.report.terminal.discovery import candidate_phrases, facets, outline
from focused_crawler.report.terminal.output import Terminal
from focused_crawler.safety.errors import ConfigError, TopicError
from focused_crawler.safety.formats import plural
from focused_crawler.safety.printable import place, say
from focused_crawler.safety.settings import read
from focused_crawler.topic.thesaurus.file import FILE_NAME, find_thesaurus
from focused_crawler.topic.thesaurus.grow import LEAST_WORDS, CandidatePhrase, candidates
from focused_crawler.topic.thesaurus.model import Thesaurus
from focused_crawler.topic.thesaurus.of_topic import first_thesaurus, thesaurus_of
from focused_crawler.topic.thesaurus.phrases import check_language
from focused_crawler.topic.thesaurus.scoring import HALF_POINT, ThesaurusScorer, relevance_of
from focused_crawler.topic.thesaurus.writer import (
    NewEntry,
    accepted,
    add_entries,
    deepened,
    save_candidates,
    write_thesaurus,
)
from focused_crawler.topic.topic import Topic, typed

CANDIDATES = 50
MOST_CANDIDATES = 1000
SHEET = "candidates.csv"


class Command(FetchingCommand):
    """Fetches examples and what live searches find through Scrapy, politely; nothing else."""

    usage = (
        "show TOPIC | check TOPIC | new TOPIC [--replace]"
        " | grow TOPIC (--crawl FOLDER | --examples | --search) [--web FILE] [--n N]"
        " [--csv FILE | --accept N] | accept TOPIC FILE.csv | import TOPIC FILE [--replace]"
        " | export TOPIC FILE"
    )
    options = (
        Option("--replace", "new, import: put it in the place of the one that is there"),
        Option("--examples", "grow: from the topic's example pages"),
        Option("--search", "grow: from the pages that its words find"),
        Option("--crawl FOLDER", "grow: from the pages of this crawl", Path),
        Option("--web FILE", "grow: search or fetch in this recorded web", Path),
        Option("--csv FILE", f"grow: the sheet to write (default: {SHEET} of the topic)", Path),
        Option("--n N", "grow: candidates", int, CANDIDATES, MOST_CANDIDATES),
        Option("--accept N", "grow: take the best N phrases at once, unseen", int, most=MOST_CANDIDATES),
    )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        methods: dict[str, tuple[Callable[..., None], int]] = {
            "show": (self._show, 1), "check": (self._check, 1), "new": (self._new, 1),
            "grow": (self._grow, 1), "accept": (self._accept, 2), "import": (self._import, 2),
            "export": (self._export, 2),
        }  # fmt: skip

        def of_topic(method: Callable[..., None], rest: list[str], opts: argparse.Namespace) -> None:
            method(self.topic(rest[0]), opts, *map(Path, rest[1:]))

        self.act(args, opts, {name: (partial(of_topic, how), n, n) for name, (how, n) in methods.items()})

    def _show(self, topic: Topic, _: argparse.Namespace) -> None:
        path = _path(topic)
        thesaurus = thesaurus_of(topic)
        Terminal().print(outline(thesaurus))
        if path.exists():
            say(f"Of {place(path)}")
        else:
            say(f"Made of the topic's words; scrapy thesaurus new {typed(topic)} writes it to edit.")

    def _check(self, topic: Topic, _: argparse.Namespace) -> None:
        thesaurus = _existing(topic)
        Terminal().print(facets(thesaurus))
        say(f"{place(_path(topic))} is fine.")
        _beware_of_few(topic, thesaurus)

    def _new(self, topic: Topic, opts: argparse.Namespace) -> None:
        _write(topic, first_thesaurus(topic), opts)
        if topic.language == LANGUAGE and find_wordnet() is None:
            say(f"Made without WordNet; {SET_UP} fetches it.")

    def _grow(self, topic: Topic, opts: argparse.Namespace) -> None:
        self.override("FOCUSED_WEB", opts.web)
        at_once = opts.accept or 0
        sheet = opts.csv or topic.folder / SHEET
        if not at_once and sheet.exists():
            raise ConfigError(f"{place(sheet)} exists, and may hold your marks; name another file with --csv")
        thesaurus = thesaurus_of(topic)
        check_language(thesaurus.language)
        texts = self._texts(topic, thesaurus, opts)
        with open_wordnet() as wordnet:
            words = LEAST_WORDS if at_once else 1
            found = candidates(thesaurus, *texts, at_once or opts.n, wordnet, least_words=words)
        kinds = (
            f"{plural(len(texts.relevant), 'page')} about the topic and {plural(len(texts.other), 'other')}"
        )
        if not found:
            raise TopicError(f"no phrase tells {kinds} apart; nothing is written, grow from more pages")
        Terminal().print(candidate_phrases(found))
        say(f"From {kinds}.")
        if at_once:
            _take(topic, found)
        else:
            save_candidates(found, sheet)
            say(f"Written: {place(sheet)}", "Put y into the first column of what you accept, then:")
            say(f"  scrapy thesaurus accept {typed(topic)} {shlex.quote(place(sheet))}")

    def _accept(self, topic: Topic, _: argparse.Namespace, sheet: Path) -> None:
        entries = accepted(sheet)
        if not entries:
            raise ConfigError(f"{place(sheet)} accepts nothing; put y into the first column of some rows")
        before = _grown_from(topic)
        added = add_entries(_path(topic), entries, topic.language)
        known = f"; there already: {len(entries) - len(added)}" if len(added) < len(entries) else ""
        say(f"{place(_path(topic))} has {plural(len(added), 'new entry')}{known}.")
        for warning in deepened(before, _existing(topic)):
            say(f"Beware: {warning}.")

    def _import(self, topic: Topic, opts: argparse.Namespace, file: Path) -> None:
        # It loads RDF, and Scrapy loads this module for each of its commands.
        from focused_crawler.topic.thesaurus.skos import read_graph, thesaurus_of_graph  # noqa: PLC0415

        graph = read_graph(file)
        try:
            thesaurus = thesaurus_of_graph(graph, topic.language)
        except TopicError as error:
            raise TopicError(f"{place(file)} {error}") from None
        _write(topic, thesaurus, opts)

    def _export(self, topic: Topic, _: argparse.Namespace, file: Path) -> None:
        from focused_crawler.topic.thesaurus.skos import graph_of_thesaurus, write_graph  # noqa: PLC0415

        thesaurus = thesaurus_of(topic)
        write_graph(graph_of_thesaurus(thesaurus), file)
        say(f"Written: {place(file)}, {plural(len(thesaurus), 'concept')}")

    def _texts(self, topic: Topic, thesaurus: Thesaurus, opts: argparse.Namespace) -> Texts:
        """Return the pages to grow from; raises ConfigError where it is not said which."""
        if [opts.crawl is not None, opts.examples, opts.search].count(True) != 1:
            raise ConfigError("say what to grow from: one of --crawl FOLDER, --examples and --search")
        if opts.crawl is not None:
            return texts_of_crawl(opts.crawl, topic.name)
        if opts.examples:
            return texts_of_examples(self.crawler_process, topic)
        web = CrawlConfig.from_settings(self.settings).web
        with closing(open_provider(read(SearchSettings, self.settings), topic, web)) as provider:
            if provider.name == "local" and web is not None:
                return texts_of_web(thesaurus, provider, web)
            fetch = partial(fetched_texts, self.crawler_process, topic=topic)
            return texts_of_live_search(thesaurus, provider, topic, fetch)


def _path(topic: Topic) -> Path:
    return topic.folder / FILE_NAME


def _existing(topic: Topic) -> Thesaurus:
    """Return the thesaurus in a topic's folder; raises TopicError."""
    thesaurus = find_thesaurus(topic)
    if thesaurus is None:
        cure = f"scrapy thesaurus new {typed(topic)} makes one"
        raise TopicError(f"{topic.name} has no thesaurus, {place(_path(topic))} is not there; {cure}")
    return thesaurus


def _write(topic: Topic, thesaurus: Thesaurus, opts: argparse.Namespace) -> None:
    """Write a topic's thesaurus, if there is none or it may be replaced, and say so."""
    path = _path(topic)
    if path.exists() and not opts.replace:
        raise TopicError(f"{place(path)} exists; --replace puts the new thesaurus in its place")
    if not len(thesaurus):
        raise TopicError(f"{topic.name} has no words to make a thesaurus of; add keywords to its topic.toml")
    write_thesaurus(path, thesaurus)
    Terminal().print(facets(thesaurus))
    say(f"Written: {place(path)}", f"Next: edit it, then scrapy thesaurus check {typed(topic)}")
    _beware_of_few(topic, thesaurus)


def _beware_of_few(topic: Topic, thesaurus: Thesaurus) -> None:
    """Warn of one by which hardly a page would be relevant."""
    score = ThesaurusScorer(thesaurus, Analyzer(thesaurus.language)).of_all()
    if score < HALF_POINT and topic.relevance_threshold is None:
        say(
            "Beware: by so few entries hardly a page is relevant; one that has them all has"
            f" {relevance_of(score):.2f} of the 0.50 that it takes.",
            "Three on a facet's deepest level are enough.",
        )


def _grown_from(topic: Topic) -> Thesaurus:
    """Return what candidates were found for; the topic's file is made of it if missing."""
    thesaurus = thesaurus_of(topic)
    if not _path(topic).exists():
        write_thesaurus(_path(topic), thesaurus)
    return thesaurus


def _take(topic: Topic, found: Sequence[CandidatePhrase]) -> None:
    """Put candidates on the top level of the topic's file."""
    _grown_from(topic)
    added = add_entries(_path(topic), [NewEntry(one.wording, one.facet) for one in found], topic.language)
    say(f"{place(_path(topic))} has {plural(len(added), 'new entry')}.")
