"""The answer names what became of a URL, the rule, and what to type."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from focused_crawler.crawl.config import DEFAULTS, CrawlConfig
from focused_crawler.crawl.failure import sentence
from focused_crawler.crawl.fetching import FETCHING
from focused_crawler.crawl.journal import Journal
from focused_crawler.crawl.steering.lowered import LoweredTable
from focused_crawler.crawl.steering.terms import Refusal
from focused_crawler.crawl.steps import Steps
from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.report.why.cures import CURES, IN_VAIN, as_typed_here, command, cure_of, explain
from focused_crawler.report.why.facts import at, host_state
from focused_crawler.safety.address import parse_networks
from focused_crawler.safety.settings import read_one
from focused_crawler.store.database import CrawlDatabase
from tests.report.why.conftest import START, SmallCrawl


@pytest.fixture
def database(tmp_path: Path) -> Iterator[CrawlDatabase]:
    """A file: reading is tested on the other kind."""
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        yield database


A, B, C = "http://a.org/", "http://b.org/x", "http://c.org/y"


def test_a_fetched_page(crawl: SmallCrawl) -> None:
    """Which one it was, and what it is worth."""
    crawl.seed(A)
    crawl.fetch(A)
    said = crawl.answer(A)
    assert said.verdict == "fetched, relevant"
    assert (
        said.reason == "It was fetched as page 1 of 12 on 2023-11-14 22:13:20 UTC, and is relevant (0.750)."
    )
    assert "scrapy explain http://a.org/ --topic stars" in said.cure


def test_a_copy_and_a_page_that_is_gone(crawl: SmallCrawl) -> None:
    """Of what it is a copy, and how like; since when it is gone."""
    crawl.seed(A, B)
    crawl.fetch(A, is_relevant=False, duplicate_of=B, likeness=0.93)
    crawl.database.execute("UPDATE pages SET gone_at = ?", (START + 5,))
    said = crawl.answer(A)
    assert said.verdict == "fetched, not relevant, copy, gone"
    assert "its text is much (0.93) like that of http://b.org/x; it was found gone on 2023-" in said.reason


def test_a_page_that_was_looked_at_again(crawl: SmallCrawl) -> None:
    """When, and what was found."""
    crawl.seed(A)
    crawl.fetch(A)
    crawl.look_again(1, "changed", START + 5)
    crawl.look_again(1, "unchanged", START + 9)
    assert "; last revisited on 2023-11-14 22:13:29 UTC: unchanged." in crawl.answer(A).reason


def test_a_page_that_is_to_be_looked_at_again(crawl: SmallCrawl) -> None:
    """It is fetched all the same: pending, perhaps out, or waiting for another try."""
    crawl.seed(A)
    crawl.fetch(A)
    crawl.frontier.again([Candidate(A, 1.0)])
    said = crawl.answer(A)
    assert said.verdict == "fetched, relevant, to be revisited"
    assert said.reason.endswith("(0.750). It is to be revisited: 0 URLs come before it.")
    crawl.frontier.take(1, START + 50)
    crawl.run.state = "running"
    assert "It is to be revisited, or is being: 0 URLs come before it." in crawl.answer(A).reason
    crawl.fail(A, "timeout", retry_at=START + 60)
    assert crawl.answer(A).reason.endswith(
        "It waits to be revisited, on 2023-11-14 22:14:20 UTC at the soonest."
    )


def test_a_host_that_was_asked_again(crawl: SmallCrawl) -> None:
    """Its pages are those recorded; its share is of fetches."""
    crawl.seed(A)
    crawl.fetch(A)
    host = crawl.facts(A).host
    assert host is not None
    assert host_state(host, crawl.run, START) == "1 page fetched, 0 pending."
    crawl.run.settings["FOCUSED_HOST_PAGES"] = 50
    host = host._replace(fetches=46)
    told = host_state(host, crawl.run, START)
    assert told == "1 page fetched (46 with revisits, sitemaps and feeds) of the 50 it may give, 0 pending."


def test_its_words_come_from_the_crawls_web(crawl: SmallCrawl) -> None:
    """And its model from where the crawl had it."""
    crawl.run.settings.update(FOCUSED_WEB="my web.gz", FOCUSED_MODELS="models", FOCUSED_CRAWLS="elsewhere")
    crawl.seed(A)
    crawl.fetch(A)
    assert crawl.answer(A).cure.endswith(
        "scrapy explain http://a.org/ --topic stars -s 'FOCUSED_WEB=my web.gz' -s FOCUSED_MODELS=models"
    )


def test_a_redirect(crawl: SmallCrawl) -> None:
    """Both ends name the other."""
    crawl.seed(B)
    crawl.fetch(B, at=C)
    assert "(redirects led to http://c.org/y)" in crawl.answer(B).reason
    assert crawl.answer(B).verdict == "redirected, relevant"
    assert "(it was asked for as http://b.org/x, which redirects to it)" in crawl.answer(C).reason


def test_a_pending_url(crawl: SmallCrawl) -> None:
    """What is before it, and a budget that would reach it."""
    crawl.run.settings.update(FOCUSED_TOPIC="my topics/stars", FOCUSED_PAGES="12")
    crawl.seed(A)
    crawl.fetch(A, [(B, "", 0, 0.5), (C, "", 0, 0.25)])
    said = crawl.answer(C)
    assert (said.verdict, said.reason) == ("pending", "It is pending: 1 URL comes before it.")
    assert said.cure.endswith("scrapy crawl topic -a 'topic=my topics/stars' -a job=1 -a pages=15")
    crawl.run.state = "running"
    assert crawl.answer(C).cure.startswith("wait")


def test_a_pending_url_whose_host_has_to_wait(crawl: SmallCrawl) -> None:
    """For how long."""
    crawl.seed(A, "http://a.org/2")
    crawl.fetch(A)
    crawl.frontier.refused("http://a.org/3", "a.org", START + 90, 70)
    assert crawl.answer("http://a.org/2").reason.endswith("its host may not be asked for 1 min 00 s.")


def test_a_waiting_url(crawl: SmallCrawl) -> None:
    """How often it failed, by what, and until when it waits."""
    crawl.seed(A)
    crawl.frontier.take(1, START)
    crawl.fail(A, "http_503", retry_at=START + 60)
    said = crawl.answer(A)
    assert said.verdict == "waiting"
    assert "failed 1 time (its server answered 503) and waits" in said.reason
    assert "2023-11-14 22:14:20 UTC" in said.reason
    assert said.cure.startswith("to try it again, go on then: ")
    crawl.run.state = "running"
    assert crawl.answer(A).cure.startswith("wait, or if the crawl was killed go on with it: ")


@pytest.mark.parametrize("state", ["running", "stopped"])
def test_a_leased_url(crawl: SmallCrawl, state: str) -> None:
    """It is pending for all but the process that fetches it."""
    crawl.run.state = state
    crawl.seed(A)
    crawl.frontier.take(1, START)
    said = crawl.answer(A)
    assert said.verdict == "pending"
    assert said.reason.startswith(
        "It is pending, or being fetched: " if state == "running" else "It is pending: "
    )


FAILED = [
    ("http_404", "", "It was asked for and gave no page: there is no such page (404).", ""),
    ("robots", "", "It was not asked for: its site's robots.txt forbids it.", "ask the owner"),
    ("trap_pattern", "", "It was not asked for: too many pages whose URLs", "FOCUSED_TRAP_BUDGETS=False"),
    ("trap_site", "a.org", "too many pages of its site gave nothing (a.org).", "FOCUSED_TRAP_BUDGETS=False"),
    ("redirect_to_known", C, f"gave no page: it redirects to a page that is fetched already ({C}).", ""),
    ("out_of_scope", C, f"it redirects to what the topic's [scope] leaves out ({C}).", "widen the topic's"),
    ("http_500", "", "gave no page: its server answered 500.", "-a job=NAME"),
    ("SomeError", "", "gave no page: it ended in SomeError.", "-a job=NAME"),
    ("page_bytes", "", "gave no page: it is too large.", "FOCUSED_MAX_PAGE_BYTES="),
]


@pytest.mark.parametrize(("reason", "detail", "sentence", "cure"), FAILED, ids=[row[0] for row in FAILED])
def test_a_failed_url(crawl: SmallCrawl, reason: str, detail: str, sentence: str, cure: str) -> None:
    """In words, and what to do, where anything helps."""
    crawl.seed(A)
    crawl.frontier.take(1, START)
    crawl.fail(A, reason, detail)
    said = crawl.answer(A)
    assert said.verdict == reason
    assert sentence in said.reason
    assert cure in said.cure
    assert bool(cure) == bool(said.cure)


def test_a_url_that_was_lowered(crawl: SmallCrawl) -> None:
    """By which rule; it fails no crawl, and once it has come back it is pending."""
    crawl.seed(A)
    crawl.frontier.take(1, START)
    crawl.frontier.failed(A, None)
    crawl.store.record_decision("lowered", "trap_pattern", url=A, detail="a.org/#")
    said = crawl.answer(A)
    assert said.verdict == "lowered"
    assert (
        "waits until nothing better is left: too many pages whose URLs are like it gave nothing"
        in said.reason
    )
    assert "(a.org/#)" in said.reason
    assert said.cure.startswith("to fetch it then, go on: ")
    crawl.frontier.again([Candidate(A, 0.0005)])
    assert crawl.answer(A).verdict == "pending"


def test_a_link_to_a_host_that_waits(crawl: SmallCrawl) -> None:
    """One decision speaks for all new hosts of a domain; a link that was not followed is none of them."""
    crawl.seed(A)
    farm, other = "http://h7.farm.org/", "http://h8.farm.org/"
    crawl.fetch(A)
    crawl.store.record_links(A, [(farm, "honey", 0, 0.5), (other, "x", 0, None)])
    crawl.store.record_decision("held", "domain_share", host="farm.org")
    said = crawl.answer(farm)
    assert (said.verdict, "too many hosts for what it brought (farm.org)" in said.reason) == ("lowered", True)
    assert crawl.answer(other).verdict == "not followed"


@pytest.mark.parametrize("is_asked", [False, True])
def test_a_host_that_waited_and_was_fetched(crawl: SmallCrawl, *, is_asked: bool) -> None:
    """It was lowered by the share of its domain, by a link or when its turn came; then it had a page."""
    crawl.seed(A)
    farm, other = "http://h7.farm.org/", "http://h8.farm.org/"
    links = [(url, "honey", number, 0.5) for number, url in enumerate((farm, other))]
    crawl.fetch(A, links if is_asked else ())
    crawl.store.record_links(A, links)
    if is_asked:
        crawl.frontier.failed(farm, None)
    waiting = LoweredTable(crawl.database, Journal(crawl.database, Steps(), int), crawl.store.record_decision)
    waiting.put(Candidate(farm, 0.5, 1, A), Refusal("domain_share", "farm.org"))
    why = "its domain has too many hosts for what it brought (farm.org)"
    said = crawl.answer(farm)
    assert (said.verdict, said.reason) == ("lowered", f"It waits until nothing better is left: {why}.")
    crawl.frontier.again([Candidate(farm, 0.0005)])
    crawl.fetch(farm)
    said = crawl.answer(farm)
    assert said.verdict == "fetched, relevant"
    assert said.reason.startswith("It was fetched as page 2 of 12 ")
    assert said.reason.endswith(f"; before, it was lowered: {why}.")
    crawl.fetch(other)
    assert "lowered" not in crawl.answer(other).reason


def test_dropped_at_the_cap_of_its_host(database: CrawlDatabase) -> None:
    """With the setting that would let it in."""
    crawl = SmallCrawl(database, Rules(host_pages=1))
    crawl.run.settings["FOCUSED_HOST_PAGES"] = "1"
    crawl.seed(A, "http://a.org/1")
    crawl.fetch(A)
    for host, rule in crawl.frontier.closed_hosts():
        crawl.store.record_decision("closed", rule, host=host)
    said = crawl.answer("http://a.org/1")
    assert said.verdict == "host_limit"
    assert said.cure.endswith(
        "allow more: scrapy crawl topic -a topic=stars -a job=1 -s FOCUSED_HOST_PAGES=10"
    )


def test_dropped_with_a_host_that_refuses(database: CrawlDatabase) -> None:
    """The next run asks it once more."""
    crawl = SmallCrawl(database)
    crawl.seed(A, "http://a.org/1")
    for _ in range(8):
        crawl.frontier.refused(A, "a.org", START)
    for host, rule in crawl.frontier.closed_hosts():
        crawl.store.record_decision("closed", rule, host=host)
    assert crawl.answer("http://a.org/1").verdict == "refusals"


def test_dropped_as_the_frontier_was_full(database: CrawlDatabase) -> None:
    """With the bound."""
    crawl = SmallCrawl(database, Rules(max_pending=1))
    crawl.run.settings["FOCUSED_MAX_PENDING"] = 1
    crawl.seed(A)
    crawl.fetch(A, [(B, "", 0, 0.5), (C, "", 0, 0.25)])
    said = crawl.answer(C)
    assert said.verdict == "frontier full"
    assert "the frontier of 1 URL was full" in said.reason
    assert said.cure.endswith(
        "keep more: scrapy crawl topic -a topic=stars -a job=1 -s FOCUSED_MAX_PENDING=10"
    )


def test_links_that_were_not_followed(crawl: SmallCrawl) -> None:
    """By which strategy."""
    crawl.seed(A)
    crawl.fetch(A, [(B, "", 0, None), (B, "", 1, None)])
    said = crawl.answer(B)
    assert said.verdict == "not followed"
    assert "lpe followed none of the 2 links to it" in said.reason


def test_a_frontier_in_memory_forgets(crawl: SmallCrawl) -> None:
    """What was queued is known no more; that it was to be tried again is."""
    crawl.run.frontier = "memory"
    crawl.store.record_links(A, [(B, "", 0, 0.5), (C, "", 0, None)])
    assert crawl.answer(B).verdict == "unknown"
    assert crawl.answer(B).reason.startswith("It was queued; what became of it ended with the process")
    crawl.store.record_decision("retry", "timeout", url=C)
    assert crawl.answer(C).reason.startswith("It failed (its server took too long), to be tried again; what")


@pytest.mark.parametrize("reason", ["http_404", "trap_mirror", "redirect_to_known"])
def test_a_failure_is_known_without_a_frontier(crawl: SmallCrawl, reason: str) -> None:
    """Of a linked URL with its decision; of a seed, which has no row but this."""
    crawl.run.frontier = "memory"
    crawl.store.record_links(A, [(B, "", 0, 0.5)])
    crawl.store.record_decision("failed", reason, url=B, detail="somewhere")
    for url in (B, C):
        crawl.store.record_failure(url, reason)
        assert crawl.answer(url).verdict == reason
    assert crawl.answer(B).reason.endswith("(somewhere).")


def test_a_url_that_is_queued_after_it_failed(crawl: SmallCrawl) -> None:
    """Where it stands counts, not what was."""
    crawl.seed(A)
    crawl.frontier.take(1, START)
    crawl.fail(A, "http_404")
    crawl.frontier.again([Candidate(A, 1.0)])
    assert crawl.answer(A).verdict == "pending"


def test_a_url_that_was_never_seen(crawl: SmallCrawl) -> None:
    """No page links to it."""
    said = crawl.answer(A)
    assert said.verdict == "never seen"
    assert "links to it without nofollow, nor is any other page of a.org" in said.reason
    crawl.run.settings["FOCUSED_NOFOLLOW"] = "off"
    assert "links to it, nor is any other page of a.org" in crawl.answer(A).reason
    assert str(said).endswith("To have it fetched, add it to seeds in the topic's topic.toml")


def test_a_url_that_was_never_seen_on_a_host_that_was(crawl: SmallCrawl) -> None:
    """Although nothing of it is there to be named."""
    crawl.seed(A)
    crawl.fail(A, "http_404")
    said = crawl.answer("http://a.org/other")
    assert said.verdict == "never seen"
    assert "nor is any other page" not in said.reason


def test_a_page_recorded_elsewhere(crawl: SmallCrawl) -> None:
    """A URL that is done, and whose page was another's before."""
    crawl.seed(A, B)
    crawl.fetch(A)
    crawl.frontier.done(B)
    assert "another URL" in crawl.answer(B).reason


@pytest.mark.parametrize("reason", [*CURES, *IN_VAIN, "http_502", "http_418", "OddError", ""])
def test_every_class_of_failures_has_words(crawl: SmallCrawl, reason: str) -> None:
    """And nothing is left to be filled in."""
    assert sentence(reason)
    assert not re.search(r"[{}]", cure_of(reason, crawl.run))


def test_a_command_is_what_was_typed(crawl: SmallCrawl) -> None:
    """Topic, job, strategy, seeds, budget, web and folder, quoted for a shell."""
    crawl.run.seed_set = "a"
    crawl.run.settings.update(
        FOCUSED_DATABASE="postgresql://me@host/crawls",
        FOCUSED_TOPIC="stars",
        FOCUSED_STRATEGY="lpe",
        FOCUSED_PAGES="30",
        FOCUSED_WEB="w;b.gz",
        FOCUSED_CRAWLS="crawls",
    )
    assert command(crawl.run) == (
        "scrapy crawl topic -a topic=stars -a job=1 -a strategy=lpe -a seed_set=a"
        " -a pages=30 -s FOCUSED_DATABASE=postgresql://me@host/crawls -s 'FOCUSED_WEB=w;b.gz'"
    )


def test_a_command_has_all_that_was_set(crawl: SmallCrawl) -> None:
    """As it is typed: a crawl that goes on otherwise fails what is left of it for good."""
    crawl.run.settings.update({**DEFAULTS, **FETCHING})
    crawl.run.settings.update(
        DEPTH_LIMIT=3,
        DOWNLOAD_DELAY=0.0,
        DOWNLOAD_TIMEOUT=30.0,
        REDIRECT_MAX_TIMES=30,
        FOCUSED_TOPIC="stars",
        FOCUSED_SEED_SET="",
        FOCUSED_JOB="1",
        FOCUSED_ALLOWED_NETWORKS=["127.0.0.0/8", "::1/128"],
        FOCUSED_CLASSIFIERS={"mine": "my.Own"},
        FOCUSED_CONTACT="Ann (ann@example.org)",
        FOCUSED_KEEP_TEXTS=False,
        FOCUSED_LISTS=None,
        FOCUSED_MAX_PENDING=16,
        FOCUSED_RECORD="web.warc.gz",
    )
    typed = dict(word.split("=", 1) for word in shlex.split(command(crawl.run)) if "=" in word)
    assert typed == {
        "topic": "stars",
        "job": "1",
        "FOCUSED_ALLOWED_NETWORKS": "127.0.0.0/8,::1/128",
        "FOCUSED_CLASSIFIERS": '{"mine": "my.Own"}',
        "FOCUSED_CONTACT": "Ann (ann@example.org)",
        "FOCUSED_KEEP_TEXTS": "False",
        "FOCUSED_MAX_PENDING": "16",
        "FOCUSED_RECORD": "web.warc.gz",
        "DEPTH_LIMIT": "3",
        "DOWNLOAD_DELAY": "0.0",
        "REDIRECT_MAX_TIMES": "30",
    }
    assert read_one(CrawlConfig, "classifiers", typed) == {"mine": "my.Own"}
    assert len(parse_networks(typed["FOCUSED_ALLOWED_NETWORKS"])) == 2
    assert "FOCUSED_RECORD" not in command(crawl.run, job="NAME")


def test_a_command_without_a_budget_that_is_spent(crawl: SmallCrawl) -> None:
    """With it the crawl would end at once again; another crawl has it."""
    crawl.run.settings.update(FOCUSED_MINUTES="5", FOCUSED_RELEVANT="9")
    crawl.run.reason = "time_budget"
    assert command(crawl.run).endswith("-a job=1 -s FOCUSED_RELEVANT=9")
    assert command(crawl.run, job="2").endswith("-a job=2 -s FOCUSED_MINUTES=5 -s FOCUSED_RELEVANT=9")


def test_a_cure_has_its_setting_once(crawl: SmallCrawl) -> None:
    """A list keeps what it has."""
    crawl.run.settings.update(FOCUSED_ALLOWED_NETWORKS=["127.0.0.0/8"], FOCUSED_HOST_PAGES=5)
    assert cure_of("refused_address", crawl.run).endswith(
        "job=NAME -s FOCUSED_HOST_PAGES=5 -s FOCUSED_ALLOWED_NETWORKS=127.0.0.0/8,NETWORK"
    )
    assert cure_of("host_limit", crawl.run).endswith(
        "job=1 -s FOCUSED_ALLOWED_NETWORKS=127.0.0.0/8 -s FOCUSED_HOST_PAGES=0"
    )
    assert cure_of("content_type", crawl.run).endswith("=text/html,application/xhtml+xml,TYPE")


@pytest.mark.parametrize(
    ("reason", "name", "had", "cured"),
    [
        ("timeout", "DOWNLOAD_TIMEOUT", 60.0, "120"),
        ("too_large", "FOCUSED_MAX_PAGE_BYTES", 1048576, "2097152"),
        ("decompressed_bytes", "FOCUSED_MAX_PAGE_BYTES", "4194304", "8388608"),
        ("redirect_hops", "REDIRECT_MAX_TIMES", 30, "60"),
        ("http_429", "DOWNLOAD_DELAY", 0.0, "5"),
    ],
)
def test_a_cure_is_more_than_the_crawl_had(
    crawl: SmallCrawl, reason: str, name: str, had: object, cured: str
) -> None:
    """Of the setting that set the bound, which stands there once."""
    crawl.run.settings[name] = had
    assert cure_of(reason, crawl.run).endswith(f"-a job=NAME -s {name}={cured}")


DATABASE, FRONTIER = "postgresql://ann@db.example/crawls", "postgresql"


@pytest.mark.parametrize(
    ("given_database", "given_frontier", "typed"),
    [
        (DATABASE, FRONTIER, ""),
        (DATABASE.replace("ann", "ann:secret"), FRONTIER, ""),
        (DATABASE, "sqlite", f" -s FOCUSED_FRONTIER={FRONTIER}"),
        ("no address", FRONTIER, f" -s FOCUSED_DATABASE={DATABASE}"),
        ("", "sqlite", f" -s FOCUSED_DATABASE={DATABASE} -s FOCUSED_FRONTIER={FRONTIER}"),
    ],
)
def test_a_command_without_addresses_that_are_known_here(
    crawl: SmallCrawl, given_database: str, given_frontier: str, typed: str
) -> None:
    """They may have passwords, which one that is typed would hide."""
    crawl.run.frontier = FRONTIER
    crawl.run.settings.update(FOCUSED_DATABASE=DATABASE, FOCUSED_FRONTIER=FRONTIER)
    given = {"FOCUSED_DATABASE": given_database, "FOCUSED_FRONTIER": given_frontier}
    run = as_typed_here(crawl.run, given)
    assert command(run) == f"scrapy crawl topic -a topic=stars -a job=1{typed}"


@pytest.mark.parametrize(
    ("settings", "crawls", "explains"),
    [
        ({"FOCUSED_CLASSIFIER": "thesaurus"}, True, True),
        ({"FOCUSED_CLASSIFIER": "naive_bayes"}, False, False),  # a model knows how it was trained
        ({"FOCUSED_LISTS": "on"}, True, True),
        ({"FOCUSED_LISTS": "auto", "FOCUSED_LIST_PRIOR": "0.25", "FOCUSED_SKIP_URLS": []}, False, False),
        ({"FOCUSED_LIST_PRIOR": 0.0}, True, True),
        ({"FOCUSED_SKIP_URLS": "forum,blog"}, True, True),
        ({"FOCUSED_KNOWN": "crawls/stars/1"}, True, False),
    ],
)
def test_a_command_has_what_judges_and_orders(
    crawl: SmallCrawl, settings: dict[str, object], crawls: bool, explains: bool
) -> None:
    """Only what is not as it would be without being said."""
    crawl.run.settings.update(settings)
    typed = "".join(f" -s {name}={value}" for name, value in settings.items())
    assert command(crawl.run) == f"scrapy crawl topic -a topic=stars -a job=1{typed if crawls else ''}"
    assert explain(A, crawl.run) == f"scrapy explain {A} --topic stars{typed if explains else ''}"


def test_lists_of_words_are_typed_with_commas(crawl: SmallCrawl) -> None:
    """As a file of settings may have them; a strategy that was named is part of what judges."""
    crawl.run.settings.update(FOCUSED_SKIP_URLS=["forum", "blog"], FOCUSED_STRATEGY="lpe")
    assert explain(A, crawl.run).endswith("--topic stars --strategy lpe -s FOCUSED_SKIP_URLS=forum,blog")


def test_a_page_that_an_earlier_crawl_has(crawl: SmallCrawl) -> None:
    """Where it was asked for, and where redirects led to."""
    crawl.seed(A)
    crawl.run.settings["FOCUSED_KNOWN"] = "crawls/stars/0"
    crawl.frontier.take(1, START)
    crawl.frontier.done(A, B)
    crawl.store.record_decision("skipped", "known", url=A, detail=B)
    crawl.store.record_decision("skipped", "known", url=B)
    said = crawl.answer(A)
    assert said.verdict == "known"
    assert said.cure == "to have it once more: scrapy crawl topic -a topic=stars -a job=NAME"
    assert "(redirects led to http://b.org/x), and is as an earlier crawl has it" in said.reason
    assert crawl.answer(B).reason.startswith("It was asked for, and is as an earlier crawl has it")


@pytest.mark.parametrize("setting", ["forum,/X", ["/x"]])
def test_a_url_with_a_word_that_is_skipped(crawl: SmallCrawl, setting: object) -> None:
    """The setting is the reason, not the score."""
    crawl.run.settings["FOCUSED_SKIP_URLS"] = setting
    crawl.seed(A)
    crawl.fetch(A, [(B, "b", 0, None), (C, "c", 0, None)])
    assert crawl.answer(B).verdict == "out of scope"
    assert "it has a word of FOCUSED_SKIP_URLS: /x" in crawl.answer(B).reason
    assert crawl.answer(B).cure.endswith("too: scrapy crawl topic -a topic=stars -a job=NAME")
    assert crawl.answer(C).verdict == "not followed"


def test_a_url_outside_the_scope(crawl: SmallCrawl) -> None:
    """By the scope that the crawl had, whatever its topic says by now; a broken one says nothing."""
    crawl.run.scope = {"hosts": ["a.org"], "deny": ["/print/", "("], "depth": 3}
    crawl.seed(A)
    crawl.fetch(A, [(B, "b", 0, None), (C, "c", 0, None)])
    assert crawl.answer(B).verdict == "out of scope"
    assert "outside the scope: no host of [scope] has it" in crawl.answer(B).reason
    assert "change [scope] of its topic.toml" in crawl.answer(B).cure


@pytest.mark.parametrize("moment", [1e17, -1e17, 1e300])
def test_a_time_that_is_none(moment: float) -> None:
    """It is the database's fault, not that of a file which cannot be read."""
    with pytest.raises((ValueError, OverflowError)):
        at(moment)
