"""Pages of a crawl whose label, or place among the examples, would teach its topic's model most."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from focused_crawler.classify.examples import with_labels
from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.suggestions import suggest
from focused_crawler.discovery.further_examples import (
    Offer,
    candidates,
    labelled_hosts,
    near_examples,
    pure_pages,
)
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.report.terminal import classifiers as terminal
from focused_crawler.report.terminal.output import Terminal
from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.formats import plural
from focused_crawler.safety.printable import place, say
from focused_crawler.store.job import read_run
from focused_crawler.store.opening import read_crawl
from focused_crawler.topic.labels import Labels, read_labels
from focused_crawler.topic.toml import quoted
from focused_crawler.topic.topic import FILE_NAME, Topic
from focused_crawler.topic.writer import add_examples

MOST_TELLING, NEAR, PURE = "most_telling", "near", "pure"
"""Pages that teach most, pages near the examples, and pages of the sites with most relevant ones."""


class Wanted(NamedTuple):
    """What is asked for."""

    number: int
    kind: str
    is_written: bool  # into topic.toml, as relevant examples


def labels_of(topic: Topic) -> Labels:
    """Return the topic's labels, and print which lines are none."""
    labels = read_labels(topic.folder)
    if labels.fault:
        say(labels.fault)
    return labels


def suggest_pages(
    topic: Topic,
    typed: str,
    folder: Path,
    wanted: Wanted,
    *,
    model_of: Callable[[Topic], TopicModel],
    models: Path | None,
) -> None:
    """Print pages of the crawl in a folder, and what to do with them; `model_of`: the topic's model.

    `typed`: the topic as commands take it. `models`: where models are. Raises CrawlError for a crawl of
    another topic, and where there are none.
    """
    labels = labels_of(topic)
    hosts, topic = labelled_hosts(topic, labels), with_labels(topic, labels)
    number, kind, is_written = wanted
    run = read_run(folder)
    if run is None or run.topic != topic.name:
        raise CrawlError(f"{folder} is no crawl of {topic.name}; name one such as crawls/{topic.name}/1")
    if kind == PURE:
        offers = pure_pages(folder, topic, models, number)
        shown = terminal.to_label(offers, "Pages of the purest sites", "site, relevant pages")
    elif kind == NEAR:
        model, analyzer = model_of(topic), Analyzer(topic.language)
        offers = near_examples(folder, topic, model.vector, analyzer, number)
        shown = terminal.to_label(offers, "Pages near the examples", "shares")
    else:
        with read_crawl(folder) as database:
            threshold = model_of(topic).threshold
            pages = suggest(candidates(database, topic), threshold, number, hosts)
        if not pages:
            raise CrawlError(f"{folder} has no page that is not an example already; crawl more first")
        offers = [Offer(page, "") for page in pages]
        shown = terminal.to_label(offers, "Pages whose label would teach most")
    Terminal().print(shown)
    if is_written:
        now = add_examples(topic, [offer.page.url for offer in offers]).relevant_examples
        say(f"{place(topic.folder / FILE_NAME)} has {plural(len(now), 'relevant example')} now.")
        say(f"Next: scrapy train {typed}")
        return
    if kind != PURE:
        queue = " --queue near" if kind == NEAR else ""
        say(f"To label such pages by single keys: scrapy label {typed}{queue}")
    say(f"Of {place(folder)}. Look at them, and put each under [examples] in topic.toml, in the list")
    say(f"relevant or other; then: scrapy train {typed}")
    if kind == PURE:
        say(f"--write adds all to relevant; scrapy lists {typed} --ban SITE leaves a site out.")
    say(*(f"    {quoted(offer.page.url)}," for offer in offers))
