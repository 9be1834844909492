"""`scrapy taxonomy`: the category tree, its classifier, and which categories a topic marks as good."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from focused_crawler.classify.taxonomy.classifier import FILES, TaxonomyModel
from focused_crawler.classify.taxonomy.folder import (
    load_tree,
    merge,
    model_folder,
    skipped_text,
    taxonomy_folder,
    to_train,
)
from focused_crawler.classify.taxonomy.listing import read_listing
from focused_crawler.classify.taxonomy.marked import LEAST_SHARE, cover, match_pages
from focused_crawler.classify.taxonomy.marking import known_marks, mark, marked
from focused_crawler.classify.taxonomy.related import census, related
from focused_crawler.classify.taxonomy.tree import Tree, relevant_examples
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.edge.command import PROGRESS, Action, FetchingCommand, Option
from focused_crawler.edge.examples import named_pages
from focused_crawler.edge.taxonomy_edits import EDITS, edit, of_tree
from focused_crawler.page.model import Page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.report.terminal.categories import (
    around,
    by_category,
    category_quality,
    coverage,
    drawing,
    focus_in_words,
    focused,
    kin,
    matches,
)
from focused_crawler.report.terminal.output import Terminal, warning
from focused_crawler.safety.errors import ConfigError, TopicError
from focused_crawler.safety.formats import plural
from focused_crawler.safety.printable import place, say
from focused_crawler.safety.progress import note, write_to
from focused_crawler.safety.settings import read_one
from focused_crawler.store.job import read_run
from focused_crawler.store.opening import read_crawl
from focused_crawler.topic.rules import example_problem
from focused_crawler.topic.toml import quoted
from focused_crawler.topic.topic import Topic, load_topic, topic_names, typed


class Command(FetchingCommand):
    """Fetches examples through Scrapy: politely from the live web, or out of FOCUSED_WEB."""

    usage = (
        "show [CATEGORY] [--topic T] | train | map [URL|FILE]... [--topic T]"
        " | mark TOPIC CATEGORY... [--remove] | preview CRAWL [--good CATEGORY]... [--not-good CATEGORY]..."
        " | related CRAWL [--topic T] | near CATEGORY [--crawl FOLDER] | create CATEGORY [--title T]"
        " | rename CATEGORY NAME [--title T] | move CATEGORY PARENT | merge CATEGORY INTO | delete CATEGORY"
        " | add CATEGORY URL|FILE... [--from CATEGORY] | take CATEGORY URL|FILE... | undo"
        " | import FILE [--into DIR]"
    )
    options = (
        Option("--taxonomy DIR", "folder of the tree (taxonomy/)", Path),
        Option("--topic NAME", "the topic whose marks or examples are meant"),
        Option("--remove", "mark: take the marks away"),
        Option("--good CATEGORY", "preview: as if it was good, too", is_repeated=True),
        Option("--not-good CATEGORY", "preview: as if it was not good", is_repeated=True),
        Option("--crawl FOLDER", "near: the crawl whose links and pages are looked at", Path),
        Option("--title TITLE", "create, rename: what people call the category", default=""),
        Option(
            "--from CATEGORY",
            "add: of which they are examples until now",
            more={"dest": "source"},
        ),
        PROGRESS,
        Option("--into DIR", "import: folder to add to (taxonomy/)", Path),
    )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        actions: dict[str, tuple[Action, int, int]] = {
            "show": (self._show, 0, 1), "train": (self._train, 0, 0), "map": (self._map, 0, sys.maxsize),
            "mark": (self._mark, 2, sys.maxsize), "related": (self._related, 1, 1),
            "import": (self._import, 1, 1), "preview": (self._preview, 1, 1), "near": (self._near, 1, 1),
            **{name: (partial(self._edit, name), least, most) for name, (_, least, most) in EDITS.items()},
        }  # fmt: skip
        write_to(opts.progress)
        named = self.settings.get("FOCUSED_TAXONOMY")
        if named and not opts.taxonomy:
            opts.taxonomy = Path(named).expanduser()  # what is to be typed next has it, too
        self.act(args, opts, actions)

    def _edit(self, action: str, args: list[str], opts: argparse.Namespace) -> None:
        edit(self._folder(opts), action, args, opts)

    def _show(self, args: list[str], opts: argparse.Namespace) -> None:
        named = [self.topic(opts.topic)] if opts.topic else []
        tree = load_tree(self._folder(opts))
        if args:
            path = args[0].strip("/")
            tree.good_nodes([path])
            say(*(tree[path].examples or [f"{path} has no example of its own."]))
            return
        good: dict[str, list[str]] = {}
        for topic in named or readable_topics():
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
        note("training the model", 0, 1)
        model, report = train_taxonomy(tree, pages_of(tree, pages))
        target = self._model_folder(folder)
        model.save(target)
        console = Terminal()
        console.print(category_quality(report))
        say(f"{report.accuracy:.0%} of the pages held out have their own leaf as the best one.")
        for words in report.warnings:
            console.print(warning(words))
        say(f"Model in {place(target)}", f"Next: scrapy taxonomy map --topic TOPIC{of_tree(opts)}")

    def _map(self, names: list[str], opts: argparse.Namespace) -> None:
        topic = self.topic(opts.topic) if opts.topic else None
        names = [_example(name) for name in names] or list(relevant_examples(topic) if topic else ())
        if not names:
            raise ConfigError("name pages, as in scrapy taxonomy map https://..., or --topic with examples")
        model = self._model(self._folder(opts))
        pages = self._pages(names, model.tree.language)
        if not pages:
            raise TopicError(f"none of {plural(len(names), 'page')} could be fetched; name others")
        found = match_pages(model, pages)
        marks = cover(model.tree, [match.leaves[0][0] for match in found])
        console = Terminal()
        console.print(matches(found), coverage(marks, len(found)))
        wanted = [mark.path for mark in marks if mark.pages >= LEAST_SHARE * len(found)]
        say(*_what_to_mark(wanted, opts.topic, opts))

    def _mark(self, names: list[str], opts: argparse.Namespace) -> None:
        topic, wanted = self.topic(names[0]), [name.strip("/") for name in names[1:]]
        tree = load_tree(self._folder(opts))
        topic = mark(tree, topic, not_good=wanted) if opts.remove else mark(tree, topic, wanted)
        for path in topic.good_categories:
            if path not in tree:
                cure = f"scrapy taxonomy mark {typed(topic)} {path} --remove{of_tree(opts)}"
                _warn(f"the taxonomy has no category {path}, and no crawl can use the mark; type: {cure}")
        lines = [f"  {path}: {_leaves(tree, path)}" for path in topic.good_categories if path in tree]
        say(f"Good for {topic.name}:" if lines else f"No category is good for {topic.name}.", *lines)

    def _preview(self, args: list[str], opts: argparse.Namespace) -> None:
        from focused_crawler.classify.taxonomy.preview import FocusSample, changed  # noqa: PLC0415

        topic = self._topic_of(Path(args[0]), opts)
        model = self._model(self._folder(opts))
        with read_crawl(Path(args[0])) as database:
            sample = FocusSample.read(database, model)
        now = sample.by(known_marks(model.tree, topic))
        then = now
        if opts.good or opts.not_good:
            then = sample.by(marked(model.tree, topic, opts.good, opts.not_good))
        Terminal().print(focused(then))
        say(*focus_in_words(now, then, changed(now, then)))

    def _near(self, args: list[str], opts: argparse.Namespace) -> None:
        from focused_crawler.classify.taxonomy import kinship  # noqa: PLC0415

        folder, path = self._folder(opts), args[0].strip("/")
        tree = load_tree(folder)
        tree.good_nodes([path])
        target = self._model_folder(folder)
        found = kinship.alike(TaxonomyModel.load(target), path) if (target / FILES.header).exists() else []
        linked: list[kinship.Linked] = []
        pages: list[kinship.Neighbour] = []
        if opts.crawl is not None:
            with read_crawl(opts.crawl) as database:
                linked = kinship.linked(database, tree, path)
                pages = kinship.neighbours(database, tree[path].examples)
        if not (found or linked or pages):
            raise TopicError(
                f"nothing is known to be near {path}; scrapy taxonomy train compares words, --crawl FOLDER"
                " finds pages around its examples"
            )
        console = Terminal()
        if found or linked:
            console.print(kin(found, linked))
        if pages:
            console.print(around(pages))
            say(f"To take one over: scrapy taxonomy add {path} URL{of_tree(opts)}")

    def _topic_of(self, folder: Path, opts: argparse.Namespace) -> Topic:
        """Return the topic that is meant: the named one, or that of a crawl."""
        run = read_run(folder)
        name = opts.topic or (run.topic_name if run else "")
        if not name:
            raise ConfigError(f"{folder} does not say which topic it crawls; name it with --topic")
        return self.topic(name)

    def _related(self, args: list[str], opts: argparse.Namespace) -> None:
        folder = Path(args[0])
        counted = census(folder)
        topic = self._topic_of(folder, opts)
        tree = load_tree(self._folder(opts))
        found = related(tree, tree.good_for(topic), counted)
        Terminal().print(by_category(found))
        if found.marks:
            say(*_what_to_mark(found.marks, opts.topic or topic.name, opts))
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
        new = f"{plural(merged.categories, 'new category')}, {plural(merged.examples, 'new example')}"
        say(f"{place(folder)}: {new},")
        say(f"  {merged.known} known before; {skipped_text(listing.skipped)}")
        load_tree(folder)  # what cannot be read is reported now

    def _folder(self, opts: argparse.Namespace) -> Path:
        return opts.taxonomy or taxonomy_folder()

    def _model_folder(self, folder: Path) -> Path:
        return model_folder(folder, self._models())

    def _model(self, folder: Path) -> TaxonomyModel:
        return TaxonomyModel.load(self._model_folder(folder), to_train(folder, self._models()))

    def _models(self) -> Path | None:
        models: Path | None = read_one(CrawlConfig, "models", self.settings)
        return models

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
    if problem := example_problem(name):
        raise ConfigError(problem)
    return name


def _leaves(tree: Tree, path: str) -> str:
    below = len(tree.leaves_below(path))
    return f"{below} {'leaf' if below == 1 else 'leaves'}" if tree.children(path) else "a leaf"


def _what_to_mark(paths: Sequence[str], topic: str | None, opts: argparse.Namespace) -> list[str]:
    return [
        "For topic.toml:",
        "  [taxonomy]",
        f"  good = [{', '.join(map(quoted, paths))}]",
        f"or: scrapy taxonomy mark {shlex.quote(topic or 'TOPIC')} {' '.join(paths)}{of_tree(opts)}",
    ]
