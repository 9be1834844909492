from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
from lxml import html

from benchmarks import webs
from focused_crawler.topic.topic import Topic, load_topic
from focused_crawler.virtualweb.demo.compose import BARE
from focused_crawler.virtualweb.demo.grammar import TOPICS
from focused_crawler.virtualweb.demo.wide import SIZES, plan_wide_world
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.stats import host_of
from focused_crawler.virtualweb.surt import surt
from focused_crawler.virtualweb.truth import GroundTruth, topics_folder

Links = dict[str, list[tuple[str, str]]]  # URL of a page -> where its links lead and what they say


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where generated webs lie; there is none at first."""
    return tmp_path_factory.mktemp("wide")


@pytest.fixture(scope="module")
def wide(home: Path) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(home))
        return webs.find_web("demo_1").path


@pytest.fixture(scope="module")
def web(wide: Path) -> Iterator[VirtualWeb]:
    with VirtualWeb(wide) as web:
        yield web


@pytest.fixture(scope="module")
def links(web: VirtualWeb) -> Links:
    """The links of all pages that lead to pages, redirects followed."""
    found: Links = {}
    page_at = cache(partial(_page, web))  # a page is linked from dozens
    for entry in web.entries():
        if entry.status == 200 and entry.content_type == "text/html" and "attic" not in entry.url:
            page = html.document_fromstring(web.read(entry).body)
            pairs = ((urljoin(entry.url, link.get("href")), link.text_content()) for link in page.iter("a"))
            found[entry.url] = [(to, text) for url, text in pairs if (to := page_at(url))]
    return found


def _page(web: VirtualWeb, url: str) -> str:
    entry = web.find(url)
    while entry is not None and entry.location:
        entry = web.find(entry.location)
    return entry.url if entry is not None and entry.status == 200 else ""


def topic_of(wide: Path, name: str) -> Topic:
    return load_topic(str(topics_folder(wide) / name))


def truth_of(wide: Path, name: str) -> GroundTruth:
    truth = GroundTruth.beside(wide, name)
    assert truth is not None
    return truth


@pytest.mark.parametrize("seed", webs.SEEDS)
def test_each_has_many_hosts_under_few_domains(seed: int) -> None:
    """2,000 to 4,000 pages; no page of it is a directory, and no two share an address."""
    world = plan_wide_world(seed)
    assert 2_000 < len(world.pages) + 421 < 4_000  # the calendar's
    assert len({surt(page.url) for page in world.pages}) == len(world.pages)
    domains = Counter(site.host.partition(".")[2] for site in world.sites)
    del domains["example"]
    assert max(domains.values()) >= 20
    assert 3 <= len([domain for domain, sites in domains.items() if sites > 3]) <= 6
    assert not [site for site in world.sites if site.kind == "directory"]


def test_seeds_make_different_webs() -> None:
    """Topics have their sizes and difficulties in another order, and hosts other names."""
    worlds = [plan_wide_world(seed) for seed in webs.SEEDS]
    hosts = [{site.host for site in world.sites} for world in worlds]
    assert all(len(first & second) < 10 for first in hosts for second in hosts if first is not second)
    ranks = [tuple(sorted(TOPICS, key=lambda t: sum(p.topic == t for p in w.pages))) for w in worlds]
    assert len(set(ranks)) > 3
    clarities = [tuple(next(s.clarity for s in w.sites if s.subjects == [t]) for t in TOPICS) for w in worlds]
    assert len(set(clarities)) > 3


def test_a_third_of_the_links_lead_to_other_hosts(links: Links) -> None:
    """Of distinct links from page to page."""
    pairs = {(source, to) for source, found in links.items() for to, _ in found if to != source}
    assert 0.31 < sum(host_of(source) != host_of(to) for source, to in pairs) / len(pairs) < 0.36


def test_hidden_sites_are_linked_once_by_a_word_that_says_nothing(links: Links) -> None:
    """From a person's page on another site."""
    hidden = {site.host for site in plan_wide_world(1).sites if site.kind == "hidden"}
    assert len(hidden) > len(SIZES)
    into = defaultdict[str, list[str]](list)
    for source, found in links.items():
        for to, text in found:
            if (host := urlsplit(to).hostname or "") in hidden and host != urlsplit(source).hostname:
                into[host].append(text)
    assert {host: len(texts) for host, texts in into.items()} == dict.fromkeys(hidden, 1)
    assert {text for texts in into.values() for text in texts} <= set(BARE)


def test_every_relevant_page_can_be_reached(wide: Path, links: Links) -> None:
    """From the start pages of each seed set, which are what they say."""
    for name in TOPICS:
        topic, truth = topic_of(wide, name), truth_of(wide, name)
        assert len(truth) > 100
        assert len({host_of(url) for url in topic.seed_sets["a"]}) == 5
        assert all(map(truth.is_relevant, (*topic.relevant_examples, *topic.seed_sets["a"])))
        assert not any(map(truth.is_relevant, (*topic.other_examples, *topic.seed_sets["c"])))
        assert (len(topic.relevant_examples), len(topic.other_examples)) == (30, 60)
        for seeds in topic.seed_sets.values():
            queue, seen = list(seeds), set(seeds)
            for url in queue:
                new = {to for to, _ in links.get(url, [])} - seen
                seen |= new
                queue += sorted(new)
            assert set(truth.urls) <= seen


def test_the_same_seed_gives_the_same_web(web: VirtualWeb) -> None:
    """On every machine. Figures of docs/research were measured on it: change it, and measure them anew."""
    pages = sha256()
    records = [web.read(entry) for entry in web.entries()]
    for record in records:
        pages.update(repr((record.url, record.status, record.headers, record.body)).encode())
    assert f"{len(records)} records {pages.hexdigest()[:16]}" == "3828 records fbed3e702f65e3d6"


def test_webs_are_found_by_name(
    wide: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A generated one is made where there is none, and not again."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    stamp = wide.stat().st_mtime_ns
    made = webs.find_web("demo_1")
    assert (made.path, made.path.is_relative_to(home)) == (wide, True)
    assert made.path.stat().st_mtime_ns == stamp
    assert made.options == ["--web", str(made.path)]
    openweb = tmp_path / "openweb.warc.gz"
    openweb.touch()
    assert webs.find_web("openweb", openweb).options == ["--web", str(openweb)]
    without = webs.find_web("openweb_no_directory", openweb)
    assert without.options[2:] == ["--without", "directory.example"]
    for name in ("demo_6", "nothing"):
        with pytest.raises(SystemExit, match=rf"no web '{name}'; use some of openweb, "):
            webs.find_web(name)


def test_nothing_is_both_chosen_on_and_reported() -> None:
    """Of openweb the topics, of generated webs the whole."""
    both = webs.CHOSEN_ON.keys() & webs.REPORTED_ON.keys()
    assert both == {"openweb"}
    chosen, reported = (part["openweb"].topics for part in (webs.CHOSEN_ON, webs.REPORTED_ON))
    assert not set(chosen) & set(reported)
    assert len(chosen) == len(reported) == 4
    assert {*webs.CHOSEN_ON, *webs.REPORTED_ON} == set(webs.NAMES)
