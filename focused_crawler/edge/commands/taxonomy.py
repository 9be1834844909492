"""`scrapy taxonomy`: the category tree, its classifier, and which categories a topic marks as good."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from focused_crawler.classify.taxonomy.classifier import TaxonomyModel
from focused_crawler.classify.taxonomy.folder import (
    load_tree,
    merge,
    model_folder,
    skipped_text,
    taxonomy_folder,
)
from focused_crawler.classify.taxonomy.listing import read_listing
from focused_crawler.classify.taxonomy.marked import LEAST_SHARE, cover, match_pages
from focused_crawler.classify.taxonomy.related import census, related
from focused_crawler.classify.taxonomy.tree import Tree, relevant_examples
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.edge.command import Action, FetchingCommand, Option
from focused_crawler.edge.examples import named_pages
from focused_crawler.page.model import Page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.report.terminal.classifiers import (
    by_category,
    category_quality,
    coverage,
    drawing,
    matches,
)
from focused_crawler.report.terminal.output import Terminal, warning
from focused_crawler.safety.errors import ConfigError, TopicError
from focused_crawler.safety.printable import place, say
from focused_crawler.safety.settings import read_one
from focused_crawler.store.job import read_run
from focused_crawler.topic.rules import is_page_file, page_file_problem, url_problem
from focused_crawler.topic.toml import quoted
from focused_crawler.topic.topic import Topic, load_topic, topic_names
from focused_crawler.topic.writer import mark_categories


class Command(FetchingCommand):
    """Fetches examples through Scrapy: politely from the live web, or out of FOCUSED_WEB."""

    usage = (
        "show [--topic T] | train | map [URL|FILE]... [--topic T] | mark TOPIC CATEGORY... [--remove]"
        " | related CRAWL [--topic T] | import FILE [--into DIR]; all: [--taxonomy DIR]"
    )
    options = (
        Option("--taxonomy DIR", "folder of the tree (taxonomy/)", Path),
        Option("--topic NAME", "the topic whose marks or examples are meant"),
        Option("--remove", "mark: take the marks away"),
        Option("--into DIR", "import: folder to add to (taxonomy/)", Path),
    )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        actions: dict[str, tuple[Action, int, int]] = {
            "show": (self._show, 0, 0), "train": (self._train, 0, 0), "map": (self._map, 0, sys.maxsize),
            "mark": (self._mark, 2, sys.maxsize), "related": (self._related, 1, 1),
            "import": (self._import, 1, 1),
        }  # fmt: skip
        self.act(args, opts, actions)

    def _show(self, _: list[str], opts: argparse.Namespace) -> None:
        tree = load_tree(self._folder(opts))
        good: dict[str, list[str]] = {}
        for topic in [load_topic(opts.topic)] if opts.topic else readable_topics():
            here = topic.good_categories if opts.topic else filter(tree.__contains__, topic.good_categories)
            for path in tree.good_nodes(here):
                good.setdefault(path, []).append(topic.name)
        Terminal().print(drawing(tree, good))

    def _train(self, _: list[str], opts: argparse.Namespace) -> None:
        # What trains loads slowly, and Scrapy loads this module for each of its commands.
        from focused_crawler.classify.taxonomy.training import pages_of, train_taxonomy  # noqa: PLC0415

        folder = self._folder(opts)
        tree = load_tree(folder)
        names = [name for category in tree.categories for name in category.examples]
        pages = self._pages(list(dict.fromkeys(names)), tree.language)
        model, report = train_taxonomy(tree, pages_of(tree, pages))
        target = self._model_folder(folder)
        model.save(target)
        console = Terminal()
        console.print(category_quality(report))
        say(f"{report.accuracy:.0%} of the pages held out have their own leaf as the best one.")
        for words in report.warnings:
            console.print(warning(words))
        say(f"Model in {place(target)}", "Next: scrapy taxonomy map --topic TOPIC")

    def _map(self, names: list[str], opts: argparse.Namespace) -> None:
        topic = load_topic(opts.topic) if opts.topic else None
        names = [_example(name) for name in names] or list(relevant_examples(topic) if topic else ())
        if not names:
            raise ConfigError("name pages, as in scrapy taxonomy map https://..., or --topic with examples")
        model = TaxonomyModel.load(self._model_folder(self._folder(opts)))
        pages = self._pages(names, model.tree.language)
        if not pages:
            raise TopicError(f"none of the {len(names)} pages could be fetched; name others")
        found = match_pages(model, pages)
        marks = cover(model.tree, [match.leaves[0][0] for match in found])
        console = Terminal()
        console.print(matches(found), coverage(marks, len(found)))
        wanted = [mark.path for mark in marks if mark.pages >= LEAST_SHARE * len(found)]
        say(*_what_to_mark(wanted, opts.topic))

    def _mark(self, names: list[str], opts: argparse.Namespace) -> None:
        topic, wanted = load_topic(names[0]), [name.strip("/") for name in names[1:]]
        tree = load_tree(self._folder(opts))
        if opts.remove:
            _check_marked(topic, wanted)
            topic = mark_categories(topic, (), wanted)
        else:
            tree.good_nodes(wanted)
            topic = mark_categories(topic, wanted)
        for path in topic.good_categories:
            if path not in tree:
                cure = f"scrapy taxonomy mark {names[0]} {path} --remove"
                _warn(f"the taxonomy has no category {path}, and no crawl can use the mark; type: {cure}")
        lines = [f"  {path}: {_leaves(tree, path)}" for path in topic.good_categories if path in tree]
        say(f"Good for {topic.name}:" if lines else f"No category is good for {topic.name}.", *lines)

    def _related(self, args: list[str], opts: argparse.Namespace) -> None:
        folder = Path(args[0])
        counted = census(folder)
        run = read_run(folder)
        name = opts.topic or (run.topic if run else "")
        if not name:
            raise ConfigError(f"{folder} does not say which topic it crawls; name it with --topic")
        tree = load_tree(self._folder(opts))
        found = related(tree, tree.good_for(load_topic(name)), counted)
        Terminal().print(by_category(found))
        if found.marks:
            say(*_what_to_mark(found.marks, name))
        else:
            say("No other category is frequent and near enough to be worth a mark.")

    def _import(self, args: list[str], opts: argparse.Namespace) -> None:
        listing = read_listing(Path(args[0]))
        if not listing.urls:
            raise TopicError(
                f"{args[0]} lists no category ({skipped_text(listing.skipped)}); write category/path, a tab"
                " and a URL a line"
            )
        folder = opts.into or self._folder(opts)
        merged = merge(listing, folder)
        say(f"{place(folder)}: {merged.categories} new categories, {merged.examples} new examples,")
        say(f"  {merged.known} known before; {skipped_text(listing.skipped)}")
        load_tree(folder)  # what cannot be read is reported now

    def _folder(self, opts: argparse.Namespace) -> Path:
        named = self.settings.get("FOCUSED_TAXONOMY")
        return opts.taxonomy or (Path(named).expanduser() if named else taxonomy_folder())

    def _model_folder(self, folder: Path) -> Path:
        return model_folder(folder, read_one(CrawlConfig, "models", self.settings))

    def _pages(self, names: list[str], language: str) -> dict[str, Page]:
        return named_pages(self.crawler_process, names, Analyzer(language), Path())


def readable_topics() -> Iterator[Topic]:
    """Yield the project's topics; one that is broken hides none of the others."""
    for name in topic_names():
        try:
            yield load_topic(name)
        except TopicError as error:
            _warn(str(error))


def _warn(message: str) -> None:
    say(f"warning: {message}", to=sys.stderr)


def _example(name: str) -> str:
    problem = page_file_problem(Path(name)) if is_page_file(name) else url_problem(name)
    if problem:
        raise ConfigError(problem)
    return name


def _check_marked(topic: Topic, wanted: list[str]) -> None:
    for path in wanted:
        if path not in topic.good_categories:
            marked = ", ".join(topic.good_categories) or "none"
            raise TopicError(f"{topic.name} does not mark {path}; its good categories: {marked}")


def _leaves(tree: Tree, path: str) -> str:
    return f"{len(tree.leaves_below(path))} leaves" if tree.children(path) else "a leaf"


def _what_to_mark(paths: Sequence[str], topic: str | None) -> list[str]:
    return [
        "For topic.toml:",
        "  [taxonomy]",
        f"  good = [{', '.join(map(quoted, paths))}]",
        f"or: scrapy taxonomy mark {shlex.quote(topic or 'TOPIC')} {' '.join(paths)}",
    ]
