"""What budgets leave alone, and what they must never: traps as they stand on the web."""

from __future__ import annotations

import random
import time
import tracemalloc
from itertools import count, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.crawl.steering import echoes, traps
from focused_crawler.crawl.steering.accounts import MIRROR_PAGES, MIRROR_PAGES_A_GAIN
from focused_crawler.crawl.steering.terms import FetchedPage, Refusal
from focused_crawler.crawl.steering.traps import (
    CHAIN_PROBED,
    COPIES_PROBED,
    DOMAIN,
    MIRROR,
    PATTERN,
    PROBED,
    QUERY,
    SITE,
    Budgets,
    TrapBudgets,
)
from focused_crawler.crawl.steering.url_kinds import domain_of, pattern_of

SMALL = Budgets(chain=5, pattern=20, site=60, domain=100, domain_sites=30, mirror=5)
MANY = 1000


@pytest.fixture
def budgets():
    return TrapBudgets(SMALL)


def crawled(budgets, urls, *, parent=None, chained=False, is_gain=False, most=MANY):
    """Fetch until a URL is refused; return how many that were and the rule that refused."""
    for fetched, url in zip(range(most), urls, strict=False):
        refusal = budgets.refuses(url)
        if refusal is not None:
            return fetched, refusal.rule
        budgets.record(FetchedPage(url, parent, is_gain))
        parent = url if chained else parent
    return most, None


def is_open(budgets, url):
    return budgets.refuses(url) is None


def is_fetched(budgets, url):
    refusal = budgets.refuses(url)
    return refusal is None or refusal.is_probe


TRAPS = {
    "calendar": lambda n: f"http://a.org/calendar/{n}",
    "calendar by query": lambda n: f"http://a.org/cal.php?y={2000 + n // 12}&m={n % 12}",
    "session ids": lambda n: f"http://a.org/s/{16**30 + n:032x}/list",
    "session ids in the query": lambda n: f"http://a.org/list?token={10**9 + n:x}",
    "facets": lambda n: f"http://a.org/shop?colour=c{n}&size=s{n % 7}",
    "a path that repeats itself": lambda n: f"http://a.org/{'en/about/' * (n % 3 + 1)}news{n}",
    "redirect to itself with another query": lambda n: f"http://a.org/?nocache={n}",
    "pages of a forum's search": lambda n: f"http://a.org/search/bees?start={n * 25}",
}
"""What it is -> its URLs, by number."""


def urls_of(name):
    return map(TRAPS[name], count())


@pytest.mark.parametrize("name", TRAPS)
def test_chain_ends_soon(budgets, name):
    """Each page leads to the next of its kind, for ever: the small budget of a chain is all it gets."""
    assert crawled(budgets, urls_of(name), chained=True) == (SMALL.chain + 1, PATTERN)


def test_many_pages_of_a_kind_without_gain(budgets):
    """They hang on one list, and none is relevant: the kind is left alone, the rest of the site is not."""
    items = (f"http://a.org/item/{number}" for number in count())
    assert crawled(budgets, items, parent="http://a.org/list") == (SMALL.pattern, PATTERN)
    assert is_open(budgets, "http://a.org/about")


def test_site_without_gain(budgets):
    """No two of its URLs are of a kind: the site's budget ends it."""
    names = (f"http://a.org/{chr(97 + n // 26 % 26)}{chr(97 + n % 26)}" for n in count())
    assert crawled(budgets, names) == (SMALL.site, SITE)
    assert is_open(budgets, "http://b.org/")


def test_wildcard_subdomains(budgets):
    """Every name before the domain is answered: all its hosts share one budget."""
    hosts = (f"http://{'abcdefghij'[n % 10] * (n // 10 + 1)}.spam.co.uk/" for n in count())
    assert crawled(budgets, hosts) == (SMALL.domain, DOMAIN)
    assert budgets.refuses("http://spam.co.uk/x") == Refusal(DOMAIN, "spam.co.uk")
    assert is_open(budgets, "http://honest.co.uk/")


def test_what_is_certain(budgets):
    """A pattern without end, and none of its pages ever brought anything; one gain, and it is not certain."""
    calendar = [f"http://a.org/calendar/{n}" for n in range(SMALL.endless + 1)]
    for url in calendar[:-1]:
        refusal = budgets.refuses("http://a.org/calendar/99999")
        assert refusal is None or refusal[:3] == (PATTERN, "a.org/calendar/#", False)
        budgets.record(FetchedPage(url, None, False))
    assert budgets.refuses(calendar[-1]) == Refusal(PATTERN, "a.org/calendar/#", is_certain=True)
    budgets.record(FetchedPage("http://b.org/", calendar[0], True))
    for url in calendar:
        budgets.record(FetchedPage(url, None, False))
    asked = [budgets.refuses(f"http://a.org/calendar/{n}") for n in range(MANY * PROBED)]
    last = Refusal(PATTERN, "a.org/calendar/#")
    assert {*asked} == {last, last._replace(is_probe=True)}


HOME = "http://a.org/"


@pytest.mark.parametrize(
    ("last", "is_certain"),
    [
        (FetchedPage("http://a.org/last", HOME, False, HOME), True),
        (FetchedPage("http://a.org/last", HOME, False, HOME, likeness=0.95), False),
        (FetchedPage("http://a.org/last", HOME, False), False),
        (FetchedPage("http://a.org/last", "http://b.org/", False, HOME), False),
    ],
    ids=["copy", "changed", "of its own", "by others"],
)
def test_a_site_that_answers_everything_with_its_home_page(budgets, last, is_certain):
    """It is left alone for good: nothing but the same page comes; others can make up as many addresses."""
    budgets.record(FetchedPage(HOME, None, True))
    for word in map("-".join, permutations("abcdefg")):
        if budgets._accounts[traps._of_site("a.org")].copied == SMALL.endless - 1:
            break
        budgets.record(FetchedPage(f"http://a.org/{word}", HOME, False, HOME))
    budgets.record(last)
    assert budgets.refuses("http://a.org/next") == Refusal(SITE, "a.org", is_certain)


@pytest.mark.parametrize(("likeness", "is_certain"), [(1.0, True), (0.95, False)])
def test_a_mirror_is_certain_word_for_word(budgets, likeness, is_certain):
    """With one page that is not, it only comes last."""
    for page in "abcde":
        budgets.record(FetchedPage(f"http://a.org/{page}", None, True))
        found = FetchedPage(f"http://b.org/{page}", None, False, f"http://a.org/{page}")
        budgets.record(found._replace(likeness=likeness) if page == "c" else found)
    assert budgets.refuses("http://b.org/z")[:3] == (MIRROR, "b.org", is_certain)


def test_sites_of_a_spent_domain_that_brought_something(budgets):
    """They are places of their own; new ones, and those that brought nothing, are not."""
    budgets.record(FetchedPage("http://good.spam.co.uk/1", None, True))
    hosts = (f"http://{'abcdefghij'[n % 10] * (n // 10 + 1)}.spam.co.uk/" for n in count())
    assert crawled(budgets, hosts) == (SMALL.domain, DOMAIN)
    assert is_open(budgets, "http://good.spam.co.uk/2")
    assert not is_open(budgets, "http://new.spam.co.uk/")
    assert not is_open(budgets, "http://aa.spam.co.uk/")


def test_filters_of_a_shop(budgets):
    """Each set of filters is a pattern of its own, all of one path: together they have a chain's budget."""
    names = ["colour", "size", "brand", "sort", "stock"]
    sets = [[name for bit, name in enumerate(names) if n >> bit & 1] for n in range(1, 32)]
    shop = (f"http://a.org/shop?{'&'.join(f'{name}=x{n}' for name in sets[n % 31])}" for n in count())
    assert crawled(budgets, shop, chained=True) == (SMALL.chain + 1, PATTERN)
    assert budgets.refuses("http://a.org/shop?other=1") == Refusal(PATTERN, "a.org/shop?")
    assert is_open(budgets, "http://a.org/shop")
    assert is_open(budgets, "http://a.org/blog?page=1")


def visited(budgets, path, visit, *, is_copy):
    url = f"http://a.org/{path}?visit={visit}"
    budgets.record(FetchedPage(url, None, not is_copy, f"http://a.org/{path}?visit=0" if is_copy else None))


def test_queries_that_say_nothing(budgets):
    """Each page of a site is there by any visit: once by one, a page is not fetched by another."""
    for number in range(MIRROR_PAGES):
        visited(budgets, f"p{number}", 0, is_copy=False)
        assert is_open(budgets, f"http://a.org/p{number}?visit=1")
        visited(budgets, f"p{number}", 1, is_copy=True)
    assert budgets.refuses("http://a.org/p0?visit=2") == Refusal(QUERY, "a.org/p#?visit")
    assert is_open(budgets, "http://a.org/p99?visit=2")
    assert is_open(budgets, "http://a.org/p0?print=yes")
    for number in range(2):  # other words, at paths that were fetched
        budgets.record(FetchedPage(f"http://a.org/p{number}?visit=3", None, True))
    assert is_open(budgets, "http://a.org/p0?visit=2")


@pytest.mark.parametrize(
    "name",
    [
        "http://a.org/v/{}/p{}",
        "http://a.org/(S({}))/p{}",
        "http://a.org/s-{}/x/p{}",
        "http://a.org/p{1};visit={0}",
    ],
)
def test_parts_of_paths_that_say_nothing(budgets, name):
    """Each page of a site is there by any visit, whose id is a folder, or a parameter of the last part."""
    visits = ["k3x", "m9z", "q7w", "b2b", "p0p", "zzz", "xyz"]
    at = [[name.format(visit, number) for visit in visits] for number in range(20)]
    for number in range(echoes.PARTS + 1):
        first, again = at[number][0], at[number][1 + number % echoes.PARTS]
        budgets.record(FetchedPage(first, None, True))
        assert is_open(budgets, at[number][6])
        budgets.record(FetchedPage(again, first, False, first))
    assert not is_open(budgets, at[0][6])
    assert not is_open(budgets, at[1][6])
    assert is_open(budgets, at[10][0])
    assert is_open(budgets, at[10][6])
    assert is_open(budgets, "http://b.org/v/q7w/p0")


def test_versions_of_a_manual_say_something(budgets):
    """However much they are alike: a reader asks for the one or the other."""
    for number in range(20):
        for version in ("1.x", "2.x", "3.x", "4.x"):
            first, url = (f"http://a.org/docs/{name}/p{number}" for name in ("1.x", version))
            assert is_open(budgets, url)
            copy = None if version == "1.x" else first
            budgets.record(FetchedPage(url, None, not copy, copy))


@pytest.mark.parametrize("host", ["http://{}.a.org/p{}", "http://{}.shop.a.org:8080/x/p{}?lang=en"])
def test_hosts_that_say_nothing(budgets, host):
    """Each page of a domain is there by any visit, whose id stands in front of the host's name."""
    visits = ["www", "k3x", "m9z", "q7w", "b2b", "p0p", "zzz", "xyz"]
    at = [[host.format(visit, number) for visit in visits] for number in range(30)]
    for number in range(20):
        first, again = at[number][0 if number % 2 else 6], at[number][1 + number % 5]
        budgets.record(FetchedPage(first, None, True))
        if number < echoes.PARTS:
            assert is_open(budgets, again)
            budgets.record(FetchedPage(again, first, False, first))
    for number in range(20):
        assert budgets.refuses(at[number][7])[:2] == (QUERY, "a.org")
        assert is_open(budgets, at[number][7].replace("/p", "/q"))
    assert is_open(budgets, at[29][7])
    assert is_open(budgets, at[9][7].replace("a.org", "b.org"))


MOBILE = ["http://www.a.org/p{}", "http://m.a.org/p{}"]
OTHERS = [f"http://{name}.a.org/p{{}}" for name in ("en", "de", "fr", "sv", "ann", "bob", "u1", "u2")]


@pytest.mark.parametrize("hosts", [[*MOBILE, *OTHERS], [*OTHERS, *MOBILE]], ids=["first", "last"])
def test_hosts_that_say_something(budgets, hosts):
    """Languages and users of one domain have other texts at the same paths, though one host is a mirror."""
    for number in range(2 * MIRROR_PAGES):
        for host in MOBILE:
            copy = MOBILE[0].format(number) if host == MOBILE[1] else None
            budgets.record(FetchedPage(host.format(number), None, not copy, copy))
    assert not is_open(budgets, MOBILE[1].format("x"))
    for number in range(60):
        for url in (host.format(number) for host in hosts if host != MOBILE[1]):
            assert is_open(budgets, url)
            budgets.record(FetchedPage(url, None, True))


def test_folders_that_say_something(budgets):
    """Pages of one name in two folders are two pages, where few are copies."""
    for number in range(20):
        for folder in ("bees", "wasps"):
            is_copy = folder == "wasps" and number % 4 == 0
            copy = f"http://a.org/bees/{number}x" if is_copy else None
            budgets.record(FetchedPage(f"http://a.org/{folder}/{number}x", None, not is_copy, copy))
    assert is_open(budgets, "http://a.org/hornets/8x")


def test_paths_are_forgotten(monkeypatch):
    """Those fetched last are known."""
    monkeypatch.setattr(echoes, "MOST_NAMES", 3)
    budgets = TrapBudgets(SMALL)
    for number in range(20):
        visited(budgets, f"p{number}", 0, is_copy=False)
        visited(budgets, f"p{number}", 1, is_copy=True)
    assert len(budgets._echoes._pages) == 3
    assert is_open(budgets, "http://a.org/p16?visit=2")
    assert not is_open(budgets, "http://a.org/p17?visit=2")


def test_large_domain_of_few_sites(budgets):
    """Some sites of a university are dry: its others are asked all the same."""
    for site in range(SMALL.domain_sites - 1):
        pages = (
            f"http://faculty{'x' * site}.uni.edu/{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(MANY)
        )
        assert crawled(budgets, pages) == (SMALL.site, SITE)
    assert is_open(budgets, "http://library.uni.edu/")


def test_users_of_one_provider_are_no_domain(budgets):
    """Sites of different people below one name have budgets of their own."""
    for number in range(2 * SMALL.domain):
        assert crawled(budgets, [f"http://user{number}.github.io/"], most=1) == (1, None)


def copied(budgets, site, original, pages, *, elsewhere=""):
    """Fetch pages of a site that stand on another one, there at another place if need be."""
    for page in pages:
        budgets.record(FetchedPage(f"{site}/{page}", None, False, f"{original}/{page}{elsewhere}"))


def test_mirror_is_left_alone(budgets):
    """A site that repeats another, page by page, is left after a few pages, and the other is not."""
    for page in "abcde":
        assert is_open(budgets, f"http://mirror.b.org/{page}")
        budgets.record(FetchedPage(f"http://a.org/{page}", None, True))
        copied(budgets, "http://mirror.b.org", "http://a.org", page)
    assert budgets.refuses("http://mirror.b.org/z") == Refusal(MIRROR, "mirror.b.org", is_certain=True)
    assert is_open(budgets, "http://a.org/z")


@pytest.mark.parametrize(("copy", "original"), [("/copy/", "/"), ("/", "/old/2024/"), ("/a/b/", "/b/")])
@pytest.mark.parametrize("likeness", [1.0, 0.95])
def test_mirror_below_other_folders(budgets, copy, original, likeness):
    """Its paths begin otherwise, all in one way: it is left alone as one at the same paths is."""
    for page in map("x{}?y".format, range(MIRROR_PAGES)):
        found = f"http://b.org:81{copy}{page}"
        assert is_open(budgets, found)
        budgets.record(FetchedPage(f"http://a.org{original}{page}", None, True))
        budgets.record(FetchedPage(found, None, False, f"http://a.org{original}{page}", likeness=likeness))
    refusal = Refusal(MIRROR, "b.org:81", is_certain=likeness == 1.0)
    assert budgets.refuses(f"http://b.org:81{copy}z") == refusal
    assert is_open(budgets, f"http://a.org{original}z")


def test_copies_below_ever_other_folders(budgets):
    """Somebody posts what others have written, each time elsewhere: no mirror."""
    for number in range(5 * MIRROR_PAGES):
        post = f"http://b.org/{chr(97 + number)}/x{number}"
        budgets.record(FetchedPage(post, None, False, f"http://a.org/x{number}"))
    assert is_open(budgets, "http://b.org/z")


@pytest.mark.parametrize("folder", ["", "copy/"])
def test_originals_that_a_mirror_ran_ahead_of(folder):
    """Hundreds of its pages are copies of a mirror's: the original's pattern is not spent by them."""
    budgets, fetched = TrapBudgets(), 0
    for number in range(300):
        there, here = f"http://b.org/{folder}x{number}", f"http://a.org/x{number}"
        budgets.record(FetchedPage(there, None, number % 5 == 0))
        if is_open(budgets, here):
            budgets.record(FetchedPage(here, None, False, there))
            fetched += 1
        refusal = budgets.refuses(here)
        assert refusal is None or refusal.rule == MIRROR
    assert fetched <= 10


def test_one_of_two_mirrors_is_kept(budgets):
    """Two sites with the same pages, found by turns: the one that came second more often is left alone."""
    fetched = {"http://a.org": 0, "http://b.org": 0}
    for number in range(MANY):
        page, copy_of = f"/{'abcdefghij'[number % 10]}{chr(97 + number // 10 % 26)}", None
        for site in sorted(fetched, reverse=number % 3 == 0):
            if is_fetched(budgets, site + page):
                budgets.record(FetchedPage(site + page, None, copy_of is None, copy_of))
                fetched[site] += 1
                copy_of = site + page
    assert fetched["http://a.org"] == MANY
    assert fetched["http://b.org"] < 3 * MIRROR_PAGES + MANY / PROBED


@pytest.mark.parametrize("mirrors", [2, 3, 8])
@pytest.mark.parametrize("seed", range(3))
def test_several_mirrors_of_one_site(mirrors, seed):
    """Which of them has a page first is chance, and all are each other's twins: one of them is kept."""
    chance, budgets = random.Random(seed), TrapBudgets()
    sites = [f"http://mirror{'x' * number}.org" for number in range(mirrors + 1)]
    fetched, texts = dict.fromkeys(sites, 0), 0
    for number in range(MANY):
        path, first = f"/{chr(97 + number % 26)}{'y' * (number // 26)}", None
        for site in chance.sample(sites, len(sites)):
            if is_fetched(budgets, site + path):
                is_gain = first is None and chance.random() < 0.2
                budgets.record(FetchedPage(site + path, None, is_gain, first, likeness=0.9))
                fetched[site] += 1
                first = first or site + path
        texts += first is not None
    *few, most = sorted(fetched.values())
    assert texts == MANY
    assert sum(few) / len(few) < 0.25 * MANY < 0.8 * MANY < most


@pytest.mark.parametrize("rest", [30, 200])
def test_an_original_whose_copier_was_found_first(rest):
    """Some of its pages are copied word for word: it comes last, and what is its own is not lost."""
    budgets = TrapBudgets()
    copied(budgets, "http://good.org", "http://evil.org", "abcdefgh")
    own = [f"http://good.org/hives/{number}" for number in range(rest)]
    refusals = [budgets.refuses(url) for url in own]
    assert all(refusal.rule == MIRROR and not refusal.is_certain for refusal in refusals)
    budgets.record(FetchedPage(own[0], None, True))
    assert is_open(budgets, own[1])
    copied(budgets, "http://good.org/more", "http://evil.org/more", map(str, range(Budgets().mirror)))
    assert not budgets.refuses(own[1]).is_certain  # one of its own is relevant


def test_mirror_that_came_first_once(budgets):
    """A relevant page that its original has as well is no page of its own."""
    budgets.record(FetchedPage("http://b.org/first", None, True))
    copied(budgets, "http://b.org", "http://a.org", "abcde")
    assert is_open(budgets, "http://b.org/z")
    copied(budgets, "http://a.org", "http://b.org", ["first"])
    assert budgets.refuses("http://b.org/z") == Refusal(MIRROR, "b.org", is_certain=True)
    budgets.record(FetchedPage("http://b.org/other", None, True))
    assert is_open(budgets, "http://b.org/z")


def test_mirror_with_some_pages_of_others(budgets):
    """Whoever is repeated most, and most of the time, is the original."""
    copied(budgets, "http://b.org", "http://licence.org", "x")
    copied(budgets, "http://b.org", "http://www.a.org", "abcdefghijkl")
    assert budgets.refuses("http://b.org/z") == Refusal(MIRROR, "b.org", is_certain=True)


@pytest.mark.parametrize(
    ("site", "original", "pages", "elsewhere"),
    [
        ("b.org", "a.org", "abcd", ""),
        ("b.org", "a.org", "abcdefgh", ".html"),
        ("b.org", "a.org", "abcdefgh", "?from=b"),
        ("b.org", "www.b.org", "abcdefgh", ""),
    ],
)
def test_copies_that_make_no_mirror(budgets, site, original, pages, elsewhere):
    """Too few, at other places of the original, or of the site's own pages."""
    copied(budgets, f"http://{site}", f"http://{original}", pages, elsewhere=elsewhere)
    assert is_open(budgets, f"http://{site}/z")


def test_pages_that_stand_on_many_sites(budgets):
    """A new wiki has the rules that all wikis have, one from here and one from there: no mirror."""
    for number in range(5 * MIRROR_PAGES):
        copied(budgets, "http://new.org", f"http://wiki{number % 3}.org", [chr(97 + number)])
    assert is_open(budgets, "http://new.org/z")


def test_original_that_came_second(budgets):
    """Its copier was fetched first, and all its pages seemed to be copies: each of its own opens it.

    For a few copies more, however many there were before: a mirror's own ones are repeated later.
    """
    letters = "abcdefghijklmnopqrstuvwxyz"
    copied(budgets, "http://good.org", "http://evil.org", letters)
    assert budgets.refuses("http://good.org/z") == Refusal(MIRROR, "good.org", is_certain=True)
    budgets.record(FetchedPage("http://good.org/bees", None, True))
    for number, letter in enumerate(letters):
        assert is_open(budgets, "http://good.org/z")
        copied(budgets, "http://good.org/more", "http://evil.org/more", letter)
        if number % MIRROR_PAGES_A_GAIN == 1:
            budgets.record(FetchedPage(f"http://good.org/hives/{letter}", None, True))
    copied(budgets, "http://good.org/last", "http://evil.org/last", letters)
    assert not is_open(budgets, "http://good.org/z")


@pytest.mark.parametrize("gains", range(4))
def test_original_with_pages_of_its_own(budgets, gains):
    """Each relevant page that its copier has not shown keeps it open for some more copies."""
    for number in range(gains):
        budgets.record(FetchedPage(f"http://good.org/hives{chr(97 + number)}", None, True))
    enough = MIRROR_PAGES + MIRROR_PAGES_A_GAIN * gains
    pages = [f"{chr(97 + number)}" for number in range(enough)]
    copied(budgets, "http://good.org", "http://evil.org", pages[:-1])
    assert is_open(budgets, "http://good.org/z")
    copied(budgets, "http://good.org", "http://evil.org", pages[-1:])
    assert budgets.refuses("http://good.org/z") == Refusal(MIRROR, "good.org", is_certain=not gains)


def test_addresses_that_others_make_up(budgets):
    """A hostile page links to hundreds of addresses of a good page: the site stays open."""
    for number in range(MANY):
        name = f"{'abcdefghij'[number // 100]}{'klmnopqrst'[number // 10 % 10]}{'uvwxyz'[number % 6]}"
        url = f"http://good.org/?{name}=bee"
        budgets.record(FetchedPage(url, "http://evil.org/", False, "http://good.org/"))
        budgets.record(FetchedPage(url, None, False, "http://www.good.org/"))
    assert is_open(budgets, "http://good.org/article")
    numbers = (f"http://good.org/?bee={number}" for number in count())
    for url, _ in zip(numbers, range(SMALL.pattern), strict=False):
        budgets.record(FetchedPage(url, "http://evil.org/", False, "http://good.org/"))
    assert budgets.refuses("http://good.org/?bee=x") == Refusal(PATTERN, "good.org/?bee")


def test_site_that_says_the_same_everywhere(budgets):
    """It leads to ever new addresses of its own page itself: its budget is spent."""
    names = (f"http://a.org/{chr(97 + n // 26 % 26)}{chr(97 + n % 26)}" for n in count())
    for url, _ in zip(names, range(SMALL.site), strict=False):
        budgets.record(FetchedPage(url, "http://a.org/", False, "http://a.org/"))
    assert budgets.refuses("http://a.org/other") == Refusal(SITE, "a.org")


def test_gain_fills_the_budget(budgets):
    """A kind of which one page in ten is relevant is never left alone."""
    for number in range(MANY):
        url = f"http://a.org/article/{number}"
        assert is_open(budgets, url)
        budgets.record(FetchedPage(url, "http://a.org/", is_gain=number % 10 == 9))


def test_kind_that_has_dried_up(budgets):
    """However much it gave, what counts is what it gives now."""
    articles = (f"http://a.org/article/{number}" for number in count())
    assert crawled(budgets, articles, is_gain=True, most=MANY)[1] is None
    assert crawled(budgets, articles, parent="http://a.org/") == (SMALL.pattern, PATTERN)


def test_pages_that_lead_to_relevant_ones(budgets):
    """Lists of a list of lists: none is relevant, all lead to what is."""
    for number in range(MANY):
        url = f"http://a.org/list?page={number}"
        assert is_open(budgets, url)
        budgets.record(FetchedPage(url, f"http://a.org/list?page={number - 1}", False))
        if number % 4 == 3:
            budgets.record(FetchedPage(f"http://b{number}.org/", url, True))


def test_tunnel_through_many_sites(budgets):
    """One irrelevant page each on a thousand sites: nothing is left alone."""
    for number in range(MANY):
        assert crawled(budgets, [f"http://site{number}.org/links"], parent="http://hub.org/", most=1) == (
            1,
            None,
        )


def test_opens_again(budgets):
    """A page that was under way when its kind was left alone, and is relevant, opens it again."""
    items = (f"http://a.org/item/{number}" for number in count())
    assert crawled(budgets, items)[1] == PATTERN
    budgets.record(FetchedPage("http://a.org/item/7777", None, True))
    assert is_open(budgets, "http://a.org/item/8888")


def test_good_forum(budgets):
    """Each thread links to others at random, three in ten are relevant: it is fetched to its end."""
    chance = random.Random(3)
    for number in range(MANY):
        url = f"http://forum.org/viewtopic.php?t={number}"
        assert number < SMALL.chain or is_open(budgets, url)
        parent = f"http://forum.org/viewtopic.php?t={chance.randrange(number + 1)}"
        budgets.record(FetchedPage(url, parent, chance.random() < 0.3))


def test_chain_after_a_gain(budgets):
    """One gain, and a chain is a kind like others."""
    budgets.record(FetchedPage("http://a.org/list/1", None, False))
    budgets.record(FetchedPage("http://b.org/", "http://a.org/list/1", True))
    urls = (f"http://a.org/list/{number}" for number in count())
    assert crawled(budgets, urls, chained=True) == (SMALL.pattern, PATTERN)


@pytest.mark.parametrize("asked", ["http://a.org/goto?day={}", "http://go.to/?a={}"])
def test_chain_of_redirects(budgets, asked):
    """What is asked for leads into a trap each time: it is left alone as soon as the trap is."""
    for day in range(SMALL.chain + 1):
        assert is_open(budgets, asked.format(day))
        parent = f"http://a.org/calendar/{day - 1}"
        budgets.record(
            FetchedPage(f"http://a.org/calendar/{day}", parent, False, requested=asked.format(day))
        )
    assert budgets.refuses(asked.format(99)).rule == PATTERN
    assert budgets.refuses("http://a.org/calendar/99").rule == PATTERN


@pytest.mark.parametrize("leads", [True, False])
def test_redirects_to_what_is_good(budgets, leads):
    """What leads to a gain by a redirect, or to pages that lead to one, brought it."""
    for number in range(MANY):
        asked, page = f"http://go.to/?a={number}", f"http://a.org/{number}"
        assert is_open(budgets, asked)
        is_good = number % 10 == 9
        budgets.record(FetchedPage(page, None, is_good and not leads, requested=asked))
        if is_good and leads:
            budgets.record(FetchedPage(f"http://b{number}.org/", page, True))


@pytest.mark.parametrize("name", TRAPS)
def test_what_is_left_alone_is_tried_now_and_then(name):
    """More and more rarely: of 100 one, of 200 one more, and so on; whoever asks twice hears the same."""
    tried = []
    for crawl in range(10):
        budgets, urls = TrapBudgets(SMALL), urls_of(name)
        budgets.record(FetchedPage(f"http://seed{crawl}.org/", None, False))
        crawled(budgets, urls, chained=True)
        for number, url in zip(range(20 * CHAIN_PROBED), urls, strict=False):
            refusal = budgets.refuses(url)
            assert refusal == budgets.refuses(url)
            if refusal.is_probe:
                tried.append(number)
                budgets.record(FetchedPage(url, None, False))
    assert 40 <= len(tried) <= 75  # 57 on average
    assert sum(number < 10 * CHAIN_PROBED for number in tried) > len(tried) / 2


@pytest.mark.parametrize(
    ("kind", "step"), [("item", PROBED), ("calendar", CHAIN_PROBED), ("mirror", COPIES_PROBED)]
)
def test_what_was_told_by_few_pages_is_tried_more_rarely(budgets, kind, step):
    """A pattern that was dry for long, one whose pages lead to each other, a site that repeats another."""
    pages = [f"http://b.org/{kind}/{n}" for n in range(50 * COPIES_PROBED)]
    for page in pages[: MIRROR_PAGES if kind == "mirror" else SMALL.pattern]:
        copy_of = page.replace("b.org", "a.org") if kind == "mirror" else None
        budgets.record(
            FetchedPage(page, pages[0] if kind == "calendar" else None, False, copy_of, likeness=0.9)
        )
    tried = [page for page in pages if budgets.refuses(page).is_probe]
    times = 1 + budgets._accounts[traps._patterns(pages[0])[kind == "mirror"]].tried
    assert 0.6 < len(tried) * step * times / len(pages) < 1.4


def test_no_trap_knows_what_is_tried():
    """Addresses that one crawl tries, all of them, are tried by another one no more often than any."""
    urls, tried = [TRAPS["calendar"](n) for n in range(20 * CHAIN_PROBED)], []
    for first in ("http://b.org/", "http://c.org/"):
        budgets = TrapBudgets(SMALL)
        budgets.record(FetchedPage(first, None, True))
        crawled(budgets, urls, chained=True)
        tried.append({url for url in urls if budgets.refuses(url).is_probe})
    one, other = tried
    assert min(map(len, tried)) > 10
    assert len(one & other) < len(one) / 4


def test_tries_that_are_under_way(budgets):
    """As long as none of them is over they count as if they were in vain."""
    days = [f"http://a.org/calendar/{n}" for n in range(MANY)]
    crawled(budgets, days, chained=True)
    first, *others = tried = [url for url in days if budgets.refuses(url).is_probe]
    refusal = budgets.refuses(first)
    budgets.begin_probe(refusal)
    rarer = [url for url in days if budgets.refuses(url).is_probe]
    assert {*rarer} < {*tried}
    budgets.record(FetchedPage(first, None, False))
    budgets.end_probe(refusal)
    assert [url for url in days if budgets.refuses(url).is_probe] == rarer
    budgets.begin_probe(refusal)
    budgets.end_probe(refusal)
    assert [url for url in days if budgets.refuses(url).is_probe] == rarer
    budgets.record(FetchedPage(others[0], None, True))
    assert budgets._trying == {}


@pytest.mark.parametrize("name", TRAPS)
def test_a_crawl_that_goes_on_tries_the_same(name):
    """What is asked for but not fetched leaves no trace: the recorded pages say all."""
    urls = [*map(TRAPS[name], range(MANY))]
    whole, pages, parent = TrapBudgets(SMALL), [], None
    for url in urls:
        if is_fetched(whole, url):
            pages.append(FetchedPage(url, parent, False))
            whole.record(pages[-1])
            parent = url
    again = TrapBudgets(SMALL)
    for page in pages:
        again.record(page)
    assert [*map(again.refuses, urls)] == [*map(whole.refuses, urls)]
    assert len(pages) > SMALL.chain + 2


def test_wrong_verdict_is_undone(budgets):
    """A kind gave nothing at first, then one page in three is relevant: it opens again, and stays open."""
    urls = (f"http://a.org/item/{number}" for number in count())
    crawled(budgets, urls)
    chance, fetched = random.Random(3), 0
    for _, url in zip(range(MANY), urls, strict=False):
        if is_fetched(budgets, url):
            fetched += 1
            budgets.record(FetchedPage(url, None, chance.random() < 1 / 3))
    assert fetched > MANY - 7 * PROBED


@pytest.mark.parametrize("links", [30, 100, 300])
def test_endless_trap_full_of_links_ends(budgets, links):
    """Each of its pages leads to many more of them: what is tried now and then does not keep it going."""
    urls, numbers, fetched = ["http://a.org/shop?item=0"], count(1), 0
    while urls:
        url = urls.pop()
        if is_fetched(budgets, url):
            budgets.record(FetchedPage(url, "http://a.org/shop?item=0", False))
            urls += [f"http://a.org/shop?item={next(numbers)}" for _ in range(links)]
            fetched += 1
    assert fetched <= SMALL.pattern + 2 * links / PROBED + 10


def test_memory_is_bounded(monkeypatch):
    """Those not met for longest are forgotten first, what is left alone last."""
    monkeypatch.setattr(traps, "MOST_ACCOUNTS", 30)
    budgets = TrapBudgets(SMALL)
    crawled(budgets, urls_of("facets"), chained=True)
    for number in range(100):
        budgets.record(FetchedPage(f"http://site{number}.org/", None, False))
    assert len(budgets._accounts) == 30
    assert not {*traps._patterns("http://site0.org/")} & {*budgets._accounts}
    assert {*traps._patterns("http://site99.org/")} <= {*budgets._accounts}
    assert budgets.refuses("http://a.org/shop?colour=x&size=y").rule == PATTERN


def test_a_host_of_one_page_takes_little():
    """Its three accounts together: without end they are met, and fifty thousand are remembered."""
    budgets, hosts = TrapBudgets(), 10_000
    tracemalloc.start()
    try:
        for number in range(hosts):
            budgets.record(FetchedPage(f"http://site{number}.org/", "http://a.net/", False))
        assert tracemalloc.get_traced_memory()[0] / hosts <= 1000  # half of it is caches of URLs
    finally:
        tracemalloc.stop()


def test_accounts_that_were_alike_part(budgets):
    """Hosts of one page have one account in common until a second page, a gain or a probe."""
    small = TrapBudgets(Budgets(chain=9, pattern=2, site=1, domain=9, domain_sites=9))
    for host in "abc":
        small.record(FetchedPage(f"http://{host}.org/", None, False))
    small.record(FetchedPage("http://a.org/x", None, True))
    pages = {host: [f"http://{host}.org/{n}" for n in range(MANY)] for host in "abc"}
    tried = {host: [url for url in urls if is_fetched(small, url)] for host, urls in pages.items()}
    assert tried["a"] == pages["a"]
    small.record(FetchedPage(tried["b"][0], None, False))
    again = {host: [url for url in urls if is_fetched(small, url)] for host, urls in pages.items()}
    assert {*again["b"]} < {*tried["b"]}
    assert (again["a"], again["c"]) == (tried["a"], tried["c"])


def test_memory_is_bounded_where_all_is_left_alone(monkeypatch):
    """Then they go as well, and begin anew."""
    monkeypatch.setattr(traps, "MOST_ACCOUNTS", 30)
    budgets = TrapBudgets(Budgets(chain=1, pattern=1, site=1, domain=1, domain_sites=1))
    for number in range(100):
        budgets.record(FetchedPage(f"http://site{'x' * number}.org/", None, False))
    assert len(budgets._accounts) == 30
    refused = [budgets.refuses(f"http://site{'x' * number}.org/") for number in range(100)]
    assert 0 < sum(refusal is not None for refusal in refused) <= 30


URLS = st.builds(
    "http://{}.org/{}/{}".format, st.sampled_from("abc"), st.sampled_from(["x", "y"]), st.integers(0, 50)
)
VISITS = st.lists(
    st.builds(FetchedPage, URLS, st.none() | URLS, st.booleans(), st.none() | URLS), max_size=80
)  # fmt: skip


@given(VISITS)
def test_a_gain_opens_all(visits):
    """Right after a page was relevant nothing of its kind, site or domain is refused."""
    budgets = TrapBudgets(Budgets(chain=1, pattern=1, site=1, domain=1, domain_sites=1))
    for visit in visits:
        budgets.record(visit)
    budgets.record(FetchedPage("http://a.org/x/1", None, True))
    assert is_open(budgets, "http://a.org/x/2")


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=60))
def test_never_both_of_two_mirrors(shared):
    """Whoever came first, and whatever was relevant: they are not left alone because of each other."""
    budgets = TrapBudgets()
    for number, (is_a_first, is_gain) in enumerate(shared):
        first, second = (f"http://{site}.org/{number}" for site in ("ab" if is_a_first else "ba"))
        budgets.record(FetchedPage(first, None, is_gain))
        budgets.record(FetchedPage(second, None, False, first))
    assert is_open(budgets, "http://a.org/z") or is_open(budgets, "http://b.org/z")


@pytest.mark.parametrize(
    ("url", "pattern"),
    [
        ("http://www.a.org/", "a.org/"),
        ("https://a.org:8080/x", "a.org:8080/x"),
        ("http://a.org/2024/05/17/bees", "a.org/#/bees"),
        ("http://a.org/2024-05-17.html", "a.org/#-#-#.html"),
        ("http://a.org/user/0f8fad5b-d9cb-469f-a165-70867728950e/edit", "a.org/user/#/edit"),
        ("http://a.org/commit/9fceb02d0ae598e95dc970b74767f19372d61af8", "a.org/commit/#"),
        ("http://a.org/facade/decade", "a.org/facade/decade"),
        ("http://a.org/deadbeefface/x", "a.org/deadbeefface/x"),
        ("http://a.org/deadbeeffac3/ab12", "a.org/#/ab#"),
        ("http://a.org/a/b/a/b/a/c", "a.org/a/b/c"),
        ("http://a.org/?b=2&a=1&b=3", "a.org/?b&a"),
        ("http://a.org/?12345", "a.org/?#"),
        ("http://a.org/x?", "a.org/x"),
        ("http://[::1]:80/9", "[::1]:80/#"),
    ],
)
def test_patterns(url, pattern):
    """What may be another page of the same kind is taken out: numbers, dates, hashes, values."""
    assert pattern_of(url) == pattern


@given(st.text(max_size=300))
def test_any_url_has_a_place(rest):
    """Nothing a URL may hold breaks its pattern or makes it long."""
    assert len(pattern_of(f"http://a.org/{rest}")) <= 200
    assert domain_of("a.org") == "a.org"


@pytest.mark.parametrize("part", ["a", "1", "a1", "af-", "a/", "a&", "1e-", "abcdefab-abcd-"])
def test_long_urls_take_no_time(part):
    """What a URL may be made of: none takes more than a moment."""
    begun = time.thread_time()
    for mark in "/?":
        pattern_of(f"http://a.org{mark}{part * 100_000}")
    assert time.thread_time() - begun < 0.1


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.example.org", "example.org"),
        ("a.b.example.co.uk:8080", "example.co.uk"),
        ("jane.blogspot.com", "jane.blogspot.com"),
        ("127.0.0.1:8000", "127.0.0.1"),
        ("[::1]:80", "[::1]:80"),
        ("localhost", "localhost"),
        ("co.uk", "co.uk"),
        ("x.nosuchtld", "x.nosuchtld"),
    ],
)
def test_domains(host, domain):
    """The name somebody registered; addresses, and names without one, are their own."""
    assert domain_of(host) == domain
