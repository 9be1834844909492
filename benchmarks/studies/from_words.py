"""A topic from its title, description and keywords alone, beside one with examples: what is the difference?

    .venv/bin/python benchmarks/study.py from_words --web ../shared/webs/openweb.warc.gz --out FOLDER

For each topic of the web, without its seeds and examples, as a user would: `scrapy newtopic`, `scrapy
thesaurus grow --search` (WordNet and the local search), `scrapy seeds --write` (the same search), and a
crawl of 2|T| pages by `thesaurus`, simulated in the order of `scrapy crawl`; then the same with the thesaurus
of the topic's words and WordNet alone. Beside them `lpe`, `lpe_soft` and `link_classifier`, with the model
trained on the topic's examples, from its seed set a (`scrapy experiment`). Ground truth judges all, none
sees it. FOLDER keeps what was made; the same command goes on there.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.harness import Report, scrapy_aloud
from benchmarks.studies.crawls import experiment, subjects_of, truth_beside, visits_of
from benchmarks.tables import Rows
from focused_crawler.topic.thesaurus.file import FILE_NAME
from focused_crawler.topic.topic import Topic, load_topic
from focused_crawler.virtualweb.truth import GroundTruth

TRAINED = "lpe,lpe_soft,link_classifier"
WORDS = {"thesaurus": 20, "thesaurus, not grown": 0}
"""Entries that growing adds, at most."""

TIMES = (("at_t", 1), ("at_2t", 2))


def measure(*, web: Path, out: Path) -> Report:
    """Make what is missing, and count what each way found."""
    web, out, rows = web.resolve(), out.resolve(), Rows()
    topics = {subject.topic.name: subject.topic for subject in subjects_of(web)}
    truths = {subject.topic.name: truth_beside(subject) for subject in subjects_of(web)}
    for way, grown in WORDS.items():
        place = out / ("grown" if grown else "words")
        made = {name: _made_of_words(web, place, topic, grown) for name, topic in topics.items()}
        crawls = out / f"{place.name}-crawls"
        for run in experiment(crawls, str(web), topics=place, strategies="thesaurus"):
            name = run["topic"]
            rows.append(_row(way, run, made[name].seeds, visits_of(crawls, run), truths[name]))
    for run in experiment(out / "examples", str(web), seed_sets="a", strategies=TRAINED):
        name, urls = run["topic"], visits_of(out / "examples", run)
        rows.append(_row(run["strategy"], run, topics[name].seeds_of("a"), urls, truths[name]))
    return Report({"ways": rows})


def _row(
    way: str, run: Mapping[str, str], seeds: Sequence[str], urls: Sequence[str], truth: GroundTruth
) -> dict[str, object]:
    """Say what a crawl found among |T| pages and 2|T|; what is not fetched is not relevant."""
    at = {name: sum(map(truth.is_relevant, urls[: times * len(truth)])) / len(truth) for name, times in TIMES}
    counts = {"seeds": len(seeds), "relevant_seeds": sum(map(truth.is_relevant, seeds))}
    return {"topic": run["topic"], "way": way, **counts, **at}


def _made_of_words(web: Path, into: Path, topic: Topic, grown: int) -> Topic:
    """Make a topic of words, its thesaurus and its start pages, by the commands that a user types."""
    folder = into / topic.name
    if not (folder / FILE_NAME).exists():
        shutil.rmtree(folder, ignore_errors=True)  # of a run that was broken off
        keywords = [part for keyword in topic.keywords for part in ("--keyword", keyword)]
        about = ("--title", topic.title, "--description", topic.description, "--language", topic.language)
        scrapy_aloud("newtopic", topic.name, *keywords, *about, "--into", into)
        grow = ("grow", folder, "--search", "--web", web, "--accept", grown) if grown else ("new", folder)
        scrapy_aloud("thesaurus", *grow)
    made = load_topic(str(folder))
    if not made.seeds:
        scrapy_aloud("seeds", folder, "--write", settings={"FOCUSED_WEB": web})
        made = load_topic(str(folder))
    return made
