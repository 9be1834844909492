"""What a user can do about the way a crawl went: commands to type."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import replace

from focused_crawler.crawl.config import DEFAULTS, OF_SCRAPY
from focused_crawler.crawl.fetching import FETCHING
from focused_crawler.safety.errors import ConfigError
from focused_crawler.store.address import shown
from focused_crawler.store.job import RunInfo
from focused_crawler.store.judges import UNLEARNT

_ORDER = (
    "FOCUSED_CLASSIFIER",
    "FOCUSED_LISTS",
    "FOCUSED_LIST_PRIOR",
    "FOCUSED_SKIP_URLS",
    "FOCUSED_NOFOLLOW",
)
"""What judges pages and orders links beside topic and strategy."""

ADDRESSES = ("FOCUSED_DATABASE", "FOCUSED_FRONTIER")
"""What says where a crawl's database and frontier are."""
_ARGUMENTS = ("FOCUSED_TOPIC", "FOCUSED_STRATEGY", "FOCUSED_SEED_SET", "FOCUSED_JOB", "FOCUSED_PAGES")
"""Settings that a command has as -a name=value."""
_SPENT = {"relevant_budget": "FOCUSED_RELEVANT", "time_budget": "FOCUSED_MINUTES"}
"""Reason of an end -> the budget with which the crawl would end at once again."""

_ANOTHER_DAY = "try another day: {new}"
_ASK_OWNER = "ask the owner of the site, who alone can allow it"
_MORE_BYTES = "allow more bytes: {new} -s FOCUSED_MAX_PAGE_BYTES={larger}"
_TRAPS_TOO = "fetch such pages all the same: {new} -s FOCUSED_TRAP_BUDGETS=False"

CURES = {
    "robots": _ASK_OWNER,
    "robots_unreachable": _ANOTHER_DAY,
    "timeout": "give it more seconds: {new} -s DOWNLOAD_TIMEOUT={larger}",
    "dns": "see whether the host is written as it should be",
    "connection_refused": _ANOTHER_DAY,
    "connection": _ANOTHER_DAY,
    "data_loss": _ANOTHER_DAY,
    "content_type": "if you want its type: {new} -s FOCUSED_CONTENT_TYPES={more}TYPE",
    "page_bytes": _MORE_BYTES,
    "too_large": _MORE_BYTES,
    "decompressed_bytes": _MORE_BYTES,
    "refused_address": "if that is yours, allow it: {new} -s FOCUSED_ALLOWED_NETWORKS={more}NETWORK",
    "redirect_hops": "follow more: {new} -s REDIRECT_MAX_TIMES={larger}",
    "host_limit": "allow more pages a host: {again} -s FOCUSED_HOST_PAGES=0",
    "out_of_scope": "if you want such pages, widen the topic's [scope]",
    "trap_pattern": _TRAPS_TOO,
    "trap_query": _TRAPS_TOO,
    "canonical": _TRAPS_TOO,
    "trap_site": _TRAPS_TOO,
    "trap_domain": _TRAPS_TOO,
    "trap_mirror": _TRAPS_TOO,
    "domain_share": _TRAPS_TOO,
    "http_403": _ASK_OWNER,
    "http_429": "ask more slowly: {new} -s DOWNLOAD_DELAY={larger}",
}
"""Class of a failure -> what can be done. Its crawl asks for a FAILED URL no more."""

IN_VAIN = frozenset(
    {"no_listing", "not_html", "disguised", "analysis_timeout", "unparsable"}
    | {"redirect_to_known", "redirect_refused", "redirect_location", "redirect_scheme"}
)
"""Classes where nothing can be done, as for most statuses."""

_NOT_ASKED = ("robots", "robots_unreachable", "refused_address")

_STATUS = re.compile(r"http_(\d+)")
_SETTING = re.compile(r"-s (\w+)=")


def was_asked(reason: str) -> bool:
    """Tell whether a URL of a class of failures was asked for.

    >>> was_asked("http_404"), was_asked("robots"), was_asked("trap_mirror")
    (True, False, False)
    """
    return reason not in _NOT_ASKED and not reason.startswith("trap_")


def cure_of(reason: str, run: RunInfo) -> str:
    """Return what to do about a class of failures; empty where nothing helps."""
    if reason in CURES or reason in IN_VAIN:
        return _filled(CURES.get(reason, ""), run)
    status = _STATUS.fullmatch(reason)
    if status is None or status[1].startswith("5"):
        return f"try another day: {command(run, job='NAME')}"
    return ""


def _filled(cure: str, run: RunInfo) -> str:
    """Return a cure with its command, in which a setting stands once; a list keeps what it has."""
    found = _SETTING.search(cure)
    name = found[1] if found else ""
    has = _as_set(run, name)
    return cure.format(
        new=command(run, job="NAME", without=name),
        again=command(run, without=name),
        more=shlex.quote(f"{has},") if has else "",
        larger=_larger(has),
    )


def _larger(has: str) -> str:
    """Return twice a number, at least 5; empty for what is no number."""
    try:
        return f"{max(5, 2 * float(has)):.12g}"
    except ValueError:
        return ""


def as_typed_here(run: RunInfo, given: Mapping[str, str]) -> RunInfo:
    """Return a run without the addresses that whoever types a command has given already.

    `given`: settings of this process, with their passwords, which a command that named an address would lose.
    """
    same = [name for name in ADDRESSES if _shown(name, given.get(name, "")) == run.settings.get(name)]
    return replace(run, settings={name: run.settings[name] for name in run.settings if name not in same})


def _shown(name: str, address: str) -> str:
    if name == "FOCUSED_FRONTIER":
        return address
    try:
        return shown(address)
    except ConfigError:  # it is another's, as this crawl's was taken
        return ""


def command(
    run: RunInfo,
    job: str | None = None,
    pages: int | None = None,
    strategy: str | None = None,
    without: str = "",
) -> str:
    """Return what to type to go on with a crawl, or to begin another like it under the name `job`.

    `without`: a setting that the other is not to have. The record of a crawl is no place for another.
    """
    topic = run.topic_name
    words = ["scrapy", "crawl", "topic", "-a", f"topic={topic}", "-a", f"job={job or run.job}"]
    if strategy or run.settings.get("FOCUSED_STRATEGY"):
        words += ["-a", f"strategy={strategy or run.strategy}"]
    if run.seed_set:
        words += ["-a", f"seed_set={run.seed_set}"]
    budget = pages or run.settings.get("FOCUSED_PAGES")
    if budget and int(budget):
        words += ["-a", f"pages={budget}"]
    left_out = {*_ARGUMENTS, without, "FOCUSED_RECORD" if job else _SPENT.get(run.reason, "")}
    if not run.is_shared:
        left_out.add("FOCUSED_FRONTIER")  # one in memory cannot be gone on with
    names = (name for name in (*DEFAULTS, *OF_SCRAPY) if name not in left_out)
    return shlex.join([*words, *_settings(run, *names)])


def explain(url: str, run: RunInfo) -> str:
    """Return what to type to see the words of a page, out of the crawl's web if it has one."""
    topic = run.topic_name
    words = ["scrapy", "explain", url, "--topic", topic]
    if run.settings.get("FOCUSED_STRATEGY"):
        words += ["--strategy", run.strategy]
    return shlex.join([*words, *_settings(run, "FOCUSED_WEB", "FOCUSED_MODELS", *_ORDER)])


def _settings(run: RunInfo, *names: str) -> list[str]:
    """Return the options that give a command the same settings, of those that are not as they would be."""
    options = []
    for name in names:
        value = _as_set(run, name)
        is_idle = name == "FOCUSED_CLASSIFIER" and value not in UNLEARNT  # only says what to train
        if not _is_same(value, _typed(_default(run, name))) and not is_idle:
            options += ["-s", f"{name}={value}"]
    return options


def _as_set(run: RunInfo, name: str) -> str:
    value = run.settings.get(name)
    return _typed(_default(run, name) if value is None else value)


def _is_same(one: str, other: str) -> bool:
    try:
        return float(one) == float(other)  # 30 and 30.0
    except ValueError:
        return one == other


def _default(run: RunInfo, name: str) -> object:
    if name == "DOWNLOAD_DELAY" and run.web:
        return 0
    return DEFAULTS.get(name, FETCHING.get(name, 0 if name in OF_SCRAPY else None))


def _typed(value: object) -> str:
    """Return a setting as it is typed; empty for none."""
    if value is None:
        return ""
    if isinstance(value, Mapping):
        return json.dumps(dict(value)) if value else ""
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value).strip()
