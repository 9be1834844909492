from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.report.sampling.menus import CUT, without_menus

MENU = "Home News Archive About Contact Log in Search"
FOOTER = "All rights reserved by the example company since 1999"


def story(name: str) -> str:
    return " ".join(f"{name}{number}" for number in range(40))


def test_what_pages_of_a_host_share_is_left_out():
    """Menus and footers: a judge would read nothing else."""
    texts = {f"http://a.org/{name}": f"{MENU} {story(name)} {FOOTER}" for name in "xyz"}
    assert without_menus(texts) == {f"http://a.org/{name}": f"{CUT} {story(name)} {CUT}" for name in "xyz"}


def test_hosts_share_nothing():
    """What two sites say in the same words is no menu."""
    texts = {f"http://{name}.org/": f"{MENU} {story(name)}" for name in "xy"}
    assert without_menus(texts) == texts


def test_words_said_twice_on_one_page_stay():
    """Another page has to have them."""
    texts = {"http://a.org/": f"{MENU} {story('x')} {MENU}", "http://a.org/y": story("y")}
    assert without_menus(texts) == texts


def test_copies_keep_their_words():
    """Nothing would be left of them; short runs that two pages share by chance stay, too."""
    texts = {
        "http://a.org/": story("x"),
        "http://a.org/2": story("x"),
        "http://a.org/3": f"{story('y')} x1 x2 x3",
    }
    assert without_menus(texts) == texts


words = st.lists(st.sampled_from(["a", "b", "c"]), max_size=60).map(" ".join)


@given(st.dictionaries(st.sampled_from(["http://a.org/1", "http://a.org/2", "http://b.org/", ""]), words))
def test_nothing_is_added(texts):
    """What is left are the page's words in their order, with marks between them."""
    found = without_menus(texts)
    assert [*found] == [*texts]
    for url, text in found.items():
        rest = iter(texts[url].split())
        assert all(word == CUT or word in rest for word in text.split())
