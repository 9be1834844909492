"""What budgets leave alone, and what they must never: traps as they stand on the web."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.steering import traps
from focused_crawler.steering.traps import (
    DOMAIN,
    MIRROR,
    MIRROR_PAGES,
    PATTERN,
    SITE,
    Budgets,
    TrapBudgets,
    Visit,
    domain_of,
    pattern_of,
)

SMALL = Budgets(chain=5, pattern=20, site=60, domain=100, domain_sites=30)
MANY = 1000


@pytest.fixture
def budgets():
    return TrapBudgets(SMALL)


def crawled(budgets, urls, *, parent=None, chained=False, is_gain=False, most=MANY):
    """Fetch what is not refused; return how many that were and the first rule that refused."""
    rule, fetched = None, 0
    for url, _ in zip(urls, range(most), strict=False):
        refused = budgets.refuses(url)
        rule = rule or refused
        if refused is None:
            budgets.record(Visit(url, parent, is_gain))
            fetched += 1
            parent = url if chained else parent
    return fetched, rule


TRAPS = {
    "calendar": (f"http://a.org/calendar/{n}" for n in count()),
    "calendar by query": (f"http://a.org/cal.php?y={2000 + n // 12}&m={n % 12}" for n in count()),
    "session ids": (f"http://a.org/s/{n:032x}/list" for n in count(16**30)),
    "session ids in the query": (f"http://a.org/list?token={n:x}" for n in count(10**9)),
    "facets": (f"http://a.org/shop?colour=c{n}&size=s{n % 7}" for n in count()),
    "a path that repeats itself": (f"http://a.org/{'en/about/' * (n % 3 + 1)}news{n}" for n in count()),
    "redirect to itself with another query": (f"http://a.org/?nocache={n}" for n in count()),
    "pages of a forum's search": (f"http://a.org/search/bees?start={n * 25}" for n in count()),
}


@pytest.mark.parametrize("name", TRAPS)
def test_chain_ends_soon(budgets, name):
    """Each page leads to the next of its kind, for ever: the small budget of a chain is all it gets."""
    assert crawled(budgets, TRAPS[name], chained=True) == (SMALL.chain + 1, PATTERN)


def test_many_pages_of_a_kind_without_gain(budgets):
    """They hang on one list, and none is relevant: the kind is left alone, the rest of the site is not."""
    items = (f"http://a.org/item/{number}" for number in count())
    assert crawled(budgets, items, parent="http://a.org/list") == (SMALL.pattern, PATTERN)
    assert budgets.refuses("http://a.org/about") is None


def test_site_without_gain(budgets):
    """No two of its URLs are of a kind: the site's budget ends it."""
    names = (f"http://a.org/{chr(97 + n // 26 % 26)}{chr(97 + n % 26)}" for n in count())
    assert crawled(budgets, names) == (SMALL.site, SITE)
    assert budgets.refuses("http://b.org/") is None


def test_wildcard_subdomains(budgets):
    """Every name before the domain is answered: all its hosts share one budget."""
    hosts = (f"http://{'abcdefghij'[n % 10] * (n // 10 + 1)}.spam.co.uk/" for n in count())
    assert crawled(budgets, hosts) == (SMALL.domain, DOMAIN)
    assert budgets.refuses("http://spam.co.uk/x") == DOMAIN
    assert budgets.refuses("http://honest.co.uk/") is None


def test_large_domain_of_few_sites(budgets):
    """Some sites of a university are dry: its others are asked all the same."""
    for site in range(SMALL.domain_sites - 1):
        pages = (
            f"http://faculty{'x' * site}.uni.edu/{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(MANY)
        )
        assert crawled(budgets, pages) == (SMALL.site, SITE)
    assert budgets.refuses("http://library.uni.edu/") is None


def test_users_of_one_provider_are_no_domain(budgets):
    """Sites of different people below one name have budgets of their own."""
    for number in range(2 * SMALL.domain):
        assert crawled(budgets, [f"http://user{number}.github.io/"]) == (1, None)


def test_mirror_is_left_alone(budgets):
    """A site that repeats another is left after a few pages, and the other is not."""
    for number in range(MIRROR_PAGES):
        page = f"/{chr(97 + number)}"
        assert budgets.refuses(f"http://mirror.b.org{page}") is None
        budgets.record(Visit(f"http://a.org{page}", None, True))
        budgets.record(Visit(f"http://mirror.b.org{page}", None, False, f"http://a.org{page}"))
    assert budgets.refuses("http://mirror.b.org/z") == MIRROR
    assert budgets.refuses("http://a.org/z") is None


def test_one_of_two_mirrors_is_kept(budgets):
    """Two sites with the same pages, found by turns: the one that came second more often is left alone."""
    fetched = {"http://a.org": 0, "http://b.org": 0}
    for number in range(MANY):
        page, copy_of = f"/{'abcdefghij'[number % 10]}{chr(97 + number // 10 % 26)}", None
        for site in sorted(fetched, reverse=number % 3 == 0):
            if budgets.refuses(site + page) is None:
                budgets.record(Visit(site + page, None, copy_of is None, copy_of))
                fetched[site] += 1
                copy_of = site + page
    assert fetched["http://a.org"] == MANY
    assert fetched["http://b.org"] <= MIRROR_PAGES + 1


def test_few_copies_make_no_mirror(budgets):
    """A site with a copied page among its own, or with many copies of its own pages, is no mirror."""
    for number in range(5 * MIRROR_PAGES):
        page = f"http://a.org/{chr(97 + number)}"
        copied = "http://b.org/licence" if number % 2 else "http://www.a.org/first"
        budgets.record(Visit(page, None, number % 3 == 0, copied))
    assert budgets.refuses("http://a.org/z") is None


def test_gain_fills_the_budget(budgets):
    """A kind of which one page in ten is relevant is never left alone."""
    for number in range(MANY):
        url = f"http://a.org/article/{number}"
        assert budgets.refuses(url) is None
        budgets.record(Visit(url, "http://a.org/", is_gain=number % 10 == 9))


def test_kind_that_has_dried_up(budgets):
    """However much it gave, what counts is what it gives now."""
    articles = (f"http://a.org/article/{number}" for number in count())
    assert crawled(budgets, articles, is_gain=True, most=MANY)[1] is None
    assert crawled(budgets, articles, parent="http://a.org/") == (SMALL.pattern, PATTERN)


def test_pages_that_lead_to_relevant_ones(budgets):
    """Lists of a list of lists: none is relevant, all lead to what is."""
    for number in range(MANY):
        url = f"http://a.org/list?page={number}"
        assert budgets.refuses(url) is None
        budgets.record(Visit(url, f"http://a.org/list?page={number - 1}", False))
        if number % 4 == 3:
            budgets.record(Visit(f"http://b{number}.org/", url, True))


def test_tunnel_through_many_sites(budgets):
    """One irrelevant page each on a thousand sites: nothing is left alone."""
    for number in range(MANY):
        assert crawled(budgets, [f"http://site{number}.org/links"], parent="http://hub.org/") == (1, None)


def test_opens_again(budgets):
    """A page that was under way when its kind was left alone, and is relevant, opens it again."""
    items = (f"http://a.org/item/{number}" for number in count())
    assert crawled(budgets, items)[1] == PATTERN
    budgets.record(Visit("http://a.org/item/7777", None, True))
    assert budgets.refuses("http://a.org/item/8888") is None


def test_what_is_left_alone_is_told(budgets):
    """The report names rule, kind and pages."""
    crawled(budgets, TRAPS["calendar"], chained=True)
    assert budgets.closed() == [(PATTERN, "a.org/calendar/#", SMALL.chain + 1)]


def test_memory_is_bounded(monkeypatch):
    """Those not met for longest are forgotten first, and begin anew."""
    monkeypatch.setattr(traps, "MOST_ACCOUNTS", 30)
    budgets = TrapBudgets(SMALL)
    crawled(budgets, TRAPS["facets"], chained=True)
    assert budgets.refuses("http://a.org/shop?colour=x&size=y") == PATTERN
    for number in range(100):
        budgets.record(Visit(f"http://site{number}.org/", None, False))
    assert len(budgets._accounts) == 30
    assert budgets.refuses("http://a.org/shop?colour=x&size=y") is None


URLS = st.builds(
    "http://{}.org/{}/{}".format, st.sampled_from("abc"), st.sampled_from(["x", "y"]), st.integers(0, 50)
)
VISITS = st.lists(
    st.builds(Visit, URLS, st.none() | URLS, st.booleans(), st.none() | URLS), max_size=80
)  # fmt: skip


@given(VISITS)
def test_a_gain_opens_all_but_mirrors(visits):
    """Right after a page was relevant nothing of its kind, site or domain is refused for want of gain."""
    budgets = TrapBudgets(Budgets(chain=1, pattern=1, site=1, domain=1, domain_sites=1))
    for visit in visits:
        budgets.record(visit)
    budgets.record(Visit("http://a.org/x/1", None, True))
    assert budgets.refuses("http://a.org/x/2") in (None, MIRROR)


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
