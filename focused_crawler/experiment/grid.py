"""What an experiment compares: webs x topics x seed sets x strategies, all checked before anything runs."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

from focused_crawler.link_scoring.registry import ABLATIONS, STRATEGIES, is_known, scored_by, unknown
from focused_crawler.safety.errors import ConfigError, TopicError, WebError
from focused_crawler.topic.rules import overlap_problem
from focused_crawler.topic.topic import DEFAULT_SEED_SET, FILE_NAME, Topic, load_topic, topic_names
from focused_crawler.virtualweb.truth import RELEVANT, name_of
from focused_crawler.virtualweb.truth import topics_folder as folder_beside

MAX_PAGES = 5000
"""Pages of a run where no budget is given: twice the relevant ones, but no more than this."""

_FILE_NAME = re.compile(r"[\w-]+")
_NO_FILE_NAME = re.compile(r"[^\w.-]")


@dataclass(frozen=True, slots=True)
class Subject:
    """A topic in a web."""

    web: Path
    topic: Topic
    judge: Topic | None  # whose examples the judge learns from, where the web has no ground truth
    seed_sets: Mapping[str, tuple[str, ...]]  # the start pages of each set to crawl from
    without: tuple[str, ...] = ()  # hosts of the web that are as if they did not exist
    examples: tuple[int, int] | None = None  # most relevant and other ones of a topic to learn from

    @property
    def web_name(self) -> str:
        """Return what the web is called in all tables and files: another name where hosts are left out."""
        return web_name(self.web, self.without)

    @property
    def name(self) -> str:
        """Return what people call it."""
        return f"{self.web_name}/{self.topic.name}"


def web_name(path: Path, without: Sequence[str] = ()) -> str:
    """Return the name of a web's file without its endings, and what is left out of the web.

    >>> web_name(Path("webs/demo.warc.gz")), web_name(Path("demo.warc"), ["whatson.example"])
    ('demo', 'demo-without-whatson.example')
    >>> web_name(Path("demo.warc"), ["whatson.example", "attic.example"])
    'demo-without-2-hosts-f14b33'
    """
    name = name_of(path)
    if len(without) > 1:
        digest = blake2b(json.dumps(sorted(without)).encode(), digest_size=3).hexdigest()
        return f"{name}-without-{len(without)}-hosts-{digest}"
    return "-without-".join([name, *(_NO_FILE_NAME.sub("-", host) for host in without)])


def find_subjects(webs: Sequence[Path], topics: str, judges: Path | None) -> list[Subject]:
    """Return the topics of each web that can be judged there, with all their seed sets.

    `topics` is a comma list of names, topic folders and folders of topic folders; "" means all that lie
    beside a web. Raises WebError, TopicError or ConfigError.
    """
    _check_webs(webs)
    if judges is not None and not judges.is_dir():
        raise TopicError(f"no folder {judges}; give --judge a folder that holds topic folders")
    words = _listed("--topics", topics) if topics else []
    for word in words:
        if not any(_topics_of_word(word, folder_beside(web)) for web in webs):
            _refuse(word, webs)
    subjects = [_subject(web, topic, judges) for web in webs for topic in _topics(web, words)]
    able = [subject for subject in subjects if subject.judge or has_truth(subject)]
    for subject in subjects:
        if not any(one.topic.name == subject.topic.name for one in able):
            raise TopicError(
                f"nobody can judge {subject.name}: {truth_folder(subject) / RELEVANT} is missing; leave the"
                " topic out with --topics, or name examples to judge by with --judge FOLDER"
            )
    for web in webs:
        if not any(subject.web == web for subject in able):
            raise TopicError(f"no topic to crawl {web} for; put topic folders into {folder_beside(web)}")
    return able


def truth_folder(subject: Subject) -> Path:
    """Return where the ground truth of a topic lies, if there is any."""
    return folder_beside(subject.web) / subject.topic.name


def has_truth(subject: Subject) -> bool:
    """Tell whether the web's own ground truth knows the topic."""
    return (truth_folder(subject) / RELEVANT).is_file()


def choose_seed_sets(subjects: Sequence[Subject], wanted: str) -> list[Subject]:
    """Return the subjects with those seed sets of a comma list that they have; with all of them for ""."""
    every = sorted({name for subject in subjects for name in subject.seed_sets})
    names = _listed("--seed-sets", wanted) if wanted else every
    for name in names:
        if name not in every:
            raise TopicError(f"no topic has a seed set {name!r}; use some of {','.join(every)}")
        _check_file_name("seed set", name)
    chosen = [{n: s.seed_sets[n] for n in names if n in s.seed_sets} for s in subjects]
    return [replace(subject, seed_sets=sets) for subject, sets in zip(subjects, chosen, strict=True) if sets]


def choose_strategies(wanted: str, extra: Mapping[str, str]) -> tuple[str, ...]:
    """Return the strategies of a comma list, in its order; all of ours and a user's for ""."""
    known = list(dict.fromkeys([*STRATEGIES, *extra]))
    names = _listed("--strategies", wanted) if wanted else known
    for name in names:
        if not is_known(name, extra):
            raise unknown(name, extra)
        if (scorer := scored_by(name)) not in ABLATIONS:
            _check_file_name("strategy", scorer)
    return tuple(names)


def _check_webs(webs: Sequence[Path]) -> None:
    if not webs:
        raise ConfigError("no web given; type scrapy experiment --web WEB.warc.gz --out FOLDER")
    for web in webs:
        if not web.is_file():
            raise WebError(f"no web at {web}; give --web a WARC file, as in --web webs/demo.warc.gz")
    names = [web_name(web) for web in webs]
    for name in names:
        _check_file_name("web", name, dots=True)
        if names.count(name) > 1:
            raise WebError(f"two webs are called {name}; rename one of the files, tables tell them by name")


def _topics(web: Path, words: Sequence[str]) -> list[Topic]:
    beside = folder_beside(web)
    if not words:
        return [load_topic(name, beside) for name in topic_names(beside)]
    found = [topic for word in words for topic in _topics_of_word(word, beside)]
    return list({topic.name: topic for topic in found}.values())


def _topics_of_word(word: str, beside: Path) -> list[Topic]:
    """Return what a word of --topics means: a name beside the web, a topic's folder, or a folder of those."""
    if word in topic_names(beside):
        return [load_topic(word, beside)]
    if (Path(word) / FILE_NAME).is_file():
        return [load_topic(word)]
    return [load_topic(name, Path(word)) for name in topic_names(Path(word))]


def _refuse(word: str, webs: Sequence[Path]) -> None:
    """Raise what is wrong with a word of --topics that means nothing."""
    if os.sep in word or Path(word).is_dir():
        load_topic(word)
    known = sorted({name for web in webs for name in topic_names(folder_beside(web))})
    places = ", ".join(sorted({str(folder_beside(web)) for web in webs}))
    raise TopicError(
        f"no topic {word!r} in {places}; use some of {','.join(known)}, or give the path of a topic's folder"
        if known
        else f"no topic {word!r}: there is none in {places}; give the path of a topic's folder"
    )


def _subject(web: Path, topic: Topic, judges: Path | None) -> Subject:
    """Return a topic with its judge, who must not have learnt from the crawler's examples."""
    subject = Subject(web, topic, None, topic.starts or {DEFAULT_SEED_SET: topic.seeds_of(None)})
    if judges is None or has_truth(subject):
        return subject
    judge = load_topic(topic.name, judges)
    mine = [*topic.relevant_examples, *topic.other_examples]
    if clash := overlap_problem(mine, [*judge.relevant_examples, *judge.other_examples]):
        raise TopicError(
            f"{topic.name}: {clash[0]} is an example of the crawler and of its judge in {judges};"
            " take it from one of them, nobody may judge himself"
        )
    return replace(subject, judge=judge)


def _listed(option: str, text: str) -> list[str]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words:
        raise ConfigError(f"{option} is {text!r}; give names with commas between them, or leave it out")
    return list(dict.fromkeys(words))


def _check_file_name(kind: str, name: str, *, dots: bool = False) -> None:
    """Refuse what cannot be part of a file's name."""
    if not _FILE_NAME.fullmatch(name.replace(".", "_") if dots else name):
        raise ConfigError(
            f"the {kind} {name!r} cannot be part of a file's name; rename it with letters, digits, - and _"
        )
