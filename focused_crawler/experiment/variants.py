"""The same webs and topics with less: without some hosts, or with fewer examples to learn from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

from focused_crawler.classify.examples import ExampleNames
from focused_crawler.experiment.grid import Subject
from focused_crawler.safety.errors import ConfigError, TopicError
from focused_crawler.topic.topic import Topic
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.surt import host_key, surt

_COUNTS = re.compile(r"([0-9]{1,9})\+([0-9]{1,9})", re.ASCII)


def without_hosts(subjects: Sequence[Subject], hosts: Sequence[str]) -> tuple[list[Subject], list[str]]:
    """Return the subjects in webs without some hosts, and a line on the start pages of each that went.

    A web that has none of the hosts stays what it is. Seed sets without a start page are left out, and
    subjects without a seed set. Raises ConfigError for a host that no web has, TopicError if nothing is left.
    """
    wanted = {host_key(host): host.lower() for host in hosts}
    had = {web: _had(web, wanted) for web in {subject.web for subject in subjects}} if wanted else {}
    for key, host in wanted.items():
        if not any(key in keys for keys in had.values()):
            raise ConfigError(
                f"--without {host}: no web has a page of that host; give one as the URLs of pages have it"
            )
    found, notes = [], []
    for subject in subjects:
        keys = had.get(subject.web, ())
        left = replace(subject, without=tuple(wanted[key] for key in keys))
        sets, gone = _sets_without(left, tuple(keys))
        if gone:
            notes.append(f"{left.name}: start pages on hosts left out: {', '.join(gone)}")
        if sets:
            found.append(replace(left, seed_sets=sets))
    if not found:
        raise TopicError(f"no start page is left without {', '.join(hosts)}; name other --seed-sets")
    return found, notes


def with_examples(subjects: Sequence[Subject], wanted: str) -> list[Subject]:
    """Return the subjects with so many relevant and other examples at most ("5+10"); "" means all.

    Raises ConfigError.
    """
    if not wanted:
        return list(subjects)
    counts = _COUNTS.fullmatch(wanted)
    if counts is None:
        raise ConfigError(
            f"--examples is {wanted!r}; give the number of relevant and of other ones, as in --examples 5+10"
        )
    most = int(counts[1]), int(counts[2])
    return [replace(one, topic=fewer(one.topic, most), examples=most) for one in subjects]


def fewer(topic: Topic, most: tuple[int, int] | None) -> Topic:
    """Return the topic with so many relevant and other examples at most.

    Chosen by a digest of their names: the same ones whatever else the topic has, and 5 are among 30.
    """
    if most is None:
        return topic
    relevant, other = most
    return replace(
        topic,
        relevant_examples=_chosen(topic.relevant_examples, relevant),
        other_examples=_chosen(topic.other_examples, other),
    )


def at_most(names: ExampleNames, most: tuple[int, int] | None) -> ExampleNames:
    """Return the examples of such a topic: what stands in for other ones that it names is bounded, too."""
    return names if most is None else replace(names, other=_chosen(names.other, most[1]))


def as_written(examples: tuple[int, int] | None) -> str:
    """Return the most examples of a topic as --examples takes them.

    >>> as_written((5, 10)), as_written(None)
    ('5+10', 'all')
    """
    return "all" if examples is None else "+".join(map(str, examples))


def _had(web: Path, keys: Iterable[str]) -> list[str]:
    """Return which hosts, by their keys, a web has pages of."""
    with VirtualWeb(web) as records:
        known = {f"{entry.key.partition('/')[0]}/" for entry in records.answering()}
    return [key for key in keys if key in known]


def _sets_without(subject: Subject, keys: tuple[str, ...]) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    sets, lost = {}, []
    for name, seeds in subject.seed_sets.items():
        left = tuple(seed for seed in seeds if not surt(seed).startswith(keys))
        if left:
            sets[name] = left
        if gone := len(seeds) - len(left):
            lost.append(f"{gone} of {len(seeds)} in set {name}{'' if left else ', which is left out'}")
    return sets, lost


def _chosen(names: Sequence[str], most: int) -> tuple[str, ...]:
    first = sorted(names, key=lambda name: blake2b(name.encode(), digest_size=8).digest())[:most]
    return tuple(name for name in names if name in first)
