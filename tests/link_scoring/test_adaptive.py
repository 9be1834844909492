"""What links of a kind have brought counts for those of the kind that wait; all survives a crawl's end."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from focused_crawler.classify.calibration import sigmoid
from focused_crawler.classify.link_model import LinkModel
from focused_crawler.classify.midpoints import Midpoints
from focused_crawler.crawl.link_order import AT_A_TIME, LinkOrder
from focused_crawler.link_scoring import groups, head, rescoring
from focused_crawler.link_scoring.adaptive import (
    BY_PLACE,
    BY_WORDING,
    FIRST_WAY,
    Adaptive,
    AdaptiveOptions,
)
from focused_crawler.link_scoring.evidence import LinkEvidence
from focused_crawler.link_scoring.head import LAST
from focused_crawler.link_scoring.link_features import LinkFeatures
from focused_crawler.link_scoring.registry import create
from focused_crawler.link_scoring.rescoring import MOST_PAGES, PUBLISHED, RESCORED, Holder
from focused_crawler.page.model import Link, Outline, Page, Sections, place_of
from focused_crawler.page.text.similarity import TopicVector
from focused_crawler.page.url import url_key

TOPIC = SimpleNamespace(
    vector=TopicVector({"robot": 1.0}, {}, 1.0),
    midpoints=Midpoints(*[0.25] * 3),
    links=LinkModel(),
    meaning=None,
    language="en",
)
MENU, LIST = 1, 2  # places
HUB = "http://hub.example/"


@pytest.fixture
def scorer() -> Adaptive:
    return create("adaptive", TOPIC)


def link(url, place=LIST, words=()):
    return Link(url, " ".join(words), list(words), [], 0, place=place)


def page(url, links=(), relevance=0.5, depth=1, path=None):
    outline = Outline(is_heading=False)
    made = Page(
        url, "", "", Sections(), outline, links=list(links), relevance=relevance, depth=depth, path=path
    )
    made.is_relevant = relevance >= 0.5
    return made


def visit(scorer, made):
    """Do with a page what a crawl does; return its links' priorities, and all that is rescored after it."""
    scorer.learn(made)
    scores = dict(zip((one.url for one in made.links), scorer.score(made, made.links), strict=True))
    moved = {}
    for keys, priorities in scorer.rescored():
        moved |= dict(zip(keys.tolist(), priorities.tolist(), strict=True))
    return scores, moved


def target(place, number):
    return f"http://site.example/{place}-{number}/page"


def hub(numbers):
    return page(HUB, [link(target(place, number), place) for place in (MENU, LIST) for number in numbers])


def test_a_place_that_brings_much_rises_and_one_that_brings_nothing_sinks(scorer):
    """Of links that say the same, on one page: those beside what was good come first."""
    first, _ = visit(scorer, hub(range(20)))
    assert len(set(first.values())) == 1
    moved = {}
    for number in range(8):
        moved |= visit(scorer, page(target(LIST, number), relevance=1.0))[1]
        moved |= visit(scorer, page(target(MENU, number), relevance=0.0))[1]
    good, bad = moved[url_key(target(LIST, 15))], moved[url_key(target(MENU, 15))]
    assert bad < first[target(LIST, 15)] < good
    assert url_key(target(LIST, 3)) not in visit(scorer, page("http://other.example/"))[1]  # it was fetched


def test_a_redirected_page_counts_for_the_link_that_led_to_it(scorer):
    """And what was asked for does not wait any more; nor does the page, which later links lead to at once."""
    visit(scorer, hub(range(20)))
    moved, ends = {}, [f"http://moved.example/{number}" for number in range(8)]
    for number, end in enumerate(ends):
        made = page(end, relevance=1.0)
        made.asked = target(LIST, number)
        moved |= visit(scorer, made)[1]
    assert moved[url_key(target(LIST, 15))] > moved[url_key(target(MENU, 15))]
    asked = [target(LIST, number) for number in range(8)]
    assert [scorer.standing(url_key(url)) for url in [*asked, *ends]] == [None] * 16


@pytest.mark.parametrize("asked", ["", target(LIST, 1), HUB])
def test_features_come_back_as_they_were(asked, scorer):
    made = hub(range(3))
    made.asked = asked
    features = scorer.features(made, made.links)
    read = LinkFeatures.from_bytes(features)
    assert read.to_bytes() == features
    assert (read.key, read.way, len(read.links)) == (url_key(HUB), url_key(asked or HUB), 6)


def test_a_query_is_no_folder():
    """Pages of one script are of one group, whatever slashes their queries have."""
    urls = [
        f"http://a.example/{rest}" for rest in ("read.php?u=x/1", "read.php?u=y/", "?/z", "b/?u=x/1", "b/c")
    ]
    folders = [LinkEvidence(TOPIC).of_url(url).folder for url in urls]
    assert folders[0] == folders[1] == folders[2] != folders[3] == folders[4]


def test_a_link_to_what_was_fetched_counts_at_once(scorer):
    """The place of a link on another page of the host is known by what it leads to."""
    for number in range(8):
        visit(scorer, page(f"http://good.example/{number}/a", relevance=1.0))
    known = [link(f"http://good.example/{number}/a", LIST) for number in range(8)]
    new = [link(target(place, 1), place) for place in (LIST, MENU)]
    scores, _ = visit(scorer, page(HUB, known + new))
    assert scores[target(LIST, 1)] > scores[target(MENU, 1)]


def test_a_link_of_a_page_to_itself_says_nothing(scorer):
    """Of its place: a good page's menu that names the page is no good menu."""
    other = f"{HUB}other/page"
    visit(scorer, page(HUB, [link(HUB, MENU), link(other, MENU)], relevance=1.0))
    places = [found for found in scorer.outcomes(other) if found.group == BY_PLACE]
    assert [found.pages for found in places] == [0]


def test_a_group_is_named_by_a_link_of_it(scorer):
    """By the page that holds the link and its place there; by its words, whatever their case."""
    menu, url = "ul.menu li a", "http://hub.example/a/b"
    holding = [link(url, place_of(menu), ["More"])]
    visit(scorer, page(HUB, holding, relevance=0.9))
    visit(scorer, page("http://www.poor.example/x", holding, relevance=0.1))
    holders = [Holder(HUB, 0.9, menu, "more"), Holder("http://www.poor.example/x", 0.1, None, "More")]
    relevant, poor = "of hub.example with relevance above 0.8", "of poor.example with relevance below 0.2"
    assert [one.name for one in scorer.outcomes(url, holders)] == [
        f"links within the host at {menu} of pages {relevant}",
        "",
        f"links within the host on pages {relevant}",
        f"links to other hosts on pages {poor}",
        "pages of hub.example/a/",
        'links of the words "More"',
    ]
    assert [one.name for one in scorer.outcomes(url)] == ["", "", "", "", "pages of hub.example/a/", ""]


def test_an_anchor_and_its_page_count_before_anything_is_known(scorer):
    """As in best-first by page and anchor."""
    links = [link(target(LIST, 1), words=["robot"]), link(target(LIST, 2), words=["cake"])]
    named, other = visit(scorer, page(HUB, links, relevance=0.9))[0].values()
    assert named > other
    worse = [link(target(MENU, 3), words=["cake"])]
    assert other > visit(scorer, page("http://poor.example/", worse, relevance=0.2))[0][target(MENU, 3)]


def test_links_of_a_long_page_are_read_ahead_in_parts(scorer, monkeypatch):
    """Then its scores need no further reading, and are what they are without."""
    made = hub(range(AT_A_TIME))
    known, _ = visit(create("adaptive", TOPIC), made)
    parts = sum(1 for _ in LinkOrder("adaptive", scorer).reading(made))
    assert parts == len(made.links) / AT_A_TIME == 2
    scorer.features(page(HUB), [])  # the page's own URL
    read: list[str] = []
    monkeypatch.setattr(LinkEvidence, "_read", lambda _, url: read.append(url))
    assert visit(scorer, made)[0] == known
    assert not read


def test_words_of_a_url_are_read_without_their_escapes(scorer):
    made = page(HUB, [link(f"http://site.example/{name}") for name in ("%72obot", "cake", "robot")])
    scores, _ = visit(scorer, made)
    escaped, other, plain = scores.values()
    assert other < escaped == plain


def test_more_links_to_a_url_move_it(scorer):
    """Up at once, for the frontier keeps the highest; down with the next round."""
    first, _ = visit(scorer, page(HUB, [link(target(LIST, 1))], relevance=0.9))
    scores, moved = visit(scorer, page("http://poor.example/", [link(target(LIST, 1))], relevance=0.0))
    again = scores[target(LIST, 1)]
    assert again < first[target(LIST, 1)]
    assert moved[url_key(target(LIST, 1))] == pytest.approx(again, abs=1e-6)


def test_words_that_led_nowhere_count_on_sites_that_nobody_has_seen(scorer):
    """As "Privacy" does; words behind which pages are as good as expected change nothing."""

    def site(number):
        url = f"http://site{number}.example"
        return [link(f"{url}/{word}", words=[word]) for word in ("privacy", "story", "never seen")]

    def privacy_and_others():
        return tuple(visit(scorer, page("http://fresh.example/", site(99), relevance=0.9))[0].values())

    for number in range(8):
        visit(scorer, page(f"http://site{number}.example/", site(number), relevance=0.9))
        visit(scorer, page(f"http://site{number}.example/privacy", relevance=0.0))
    found = scorer.outcomes("http://site0.example/privacy")
    assert [(one.pages, one.relevance) for one in found if one.group == BY_WORDING] == [(8, 0.0)]
    (less,) = [one.more for one in found if one.more is not None]
    assert less == pytest.approx(scorer.parts_of(url_key("http://site0.example/privacy")).values["wording"])
    assert less < 0
    private, story, new = privacy_and_others()
    assert private < story == new
    row = scorer.seen.find(np.array([url_key("http://site0.example/story")], np.int64))
    expected = float(scorer.seen["expected"][row][0])
    before = scorer.memory()
    visit(scorer, page("http://site0.example/story", relevance=expected))
    assert privacy_and_others()[1:] == (story, new)
    scorer.remember(before)
    visit(scorer, page("http://site0.example/story", relevance=1.0))
    assert privacy_and_others()[1] > new


def test_words_that_led_nowhere_are_shown_as_what_makes_a_link_poor(scorer):
    """Its worth is 0, and no way through a directory: none of these pages is one."""
    for number in range(8):
        url = f"http://site{number}.example/"
        visit(scorer, page(url, [link(f"{url}privacy", words=["privacy"])], relevance=0.9))
        visit(scorer, page(f"{url}privacy", relevance=0.0))
    poor = page("http://fresh.example/", [link("http://other.example/privacy", words=["privacy"])], 0.0)
    (score,) = visit(scorer, poor)[0].values()
    parts = scorer.parts(poor, poor.links[0])
    assert parts.values["wording"] < -parts.values["pages"] - parts.values["link"]
    assert score == sigmoid(-2) == eval(parts.formula, {"max": max, "sigmoid": sigmoid}, dict(parts.values))


def test_ways_through_a_directory_are_graded(scorer):
    """The best first, as good as a link from a good page; what is no directory has none."""
    inside = [link(f"http://list.example/{number}", words=["robot"] * (number == 7)) for number in range(20)]
    scores, _ = visit(scorer, page("http://list.example/", inside, relevance=0.0, depth=0))
    ranked = sorted(scores, key=scores.__getitem__, reverse=True)
    assert ranked[0] == "http://list.example/7"
    steps = [scores[url] for url in ranked[:10]]
    assert steps == sorted(set(steps), reverse=True)
    assert scores[ranked[0]] >= 1 / (1 + np.exp(-2 * (FIRST_WAY - 1))) - 1e-6
    plain = [link(f"http://page.example/{number}") for number in range(20)]
    poor, _ = visit(scorer, page("http://page.example/", plain, relevance=0.0, depth=2))
    assert max(poor.values()) < scores[ranked[9]]


def test_much_is_rescored_in_parts(scorer):
    """A page is followed by so many at most, and all have their turn."""
    many = range(2 * RESCORED)
    visit(scorer, hub(many))
    moved, most = {}, 0
    for number in range(10 * MOST_PAGES):
        more = visit(scorer, page(target(LIST, number), relevance=1.0))[1]
        most, moved = max(most, len(more)), moved | more
    assert 0 < most <= PUBLISHED
    assert moved.keys() >= {url_key(target(LIST, number)) for number in many[10 * MOST_PAGES :]}


def test_the_more_are_known_the_less_often_all_are_looked_at(scorer, monkeypatch):
    """In the mean no page pays for a look at more than `A_PAGE` URLs."""
    visit(scorer, hub(range(100)))
    known, looked = len(scorer.seen), []
    stale = scorer._stale
    monkeypatch.setattr(scorer, "_stale", lambda rows: looked.append(rows.stop - rows.start) or stale(rows))
    for a_page, pages in ((known, 40), (10, 80)):
        monkeypatch.setattr(rescoring, "A_PAGE", a_page)
        looked.clear()
        for number in range(pages):
            visit(scorer, page(target(LIST, number + pages), relevance=number % 2))
        assert 0 < sum(looked) <= pages * min(a_page, known)
    assert sum(looked) > pages * 5


def test_the_frontier_is_sent_what_may_be_taken_soon(scorer, monkeypatch):
    """What changes far below waits in memory, and is sent when the head has come down to it."""
    monkeypatch.setattr(head, "HEAD", 10)
    good = [link(target(LIST, number), words=["robot"]) for number in range(100)]
    poor = [link(target(MENU, number), MENU, ["cake"]) for number in range(100)]
    visit(scorer, page(HUB, good + poor, relevance=0.9))
    for number in range(80):
        visit(scorer, page(target(LIST, number), relevance=0.9))
    far, sent = url_key(target(MENU, 50)), {}
    (row,) = scorer.seen.find(np.array([far], np.int64)).tolist()
    before = float(scorer.seen["priority"][row])
    for number in range(4):  # that others lead to
        sent |= visit(scorer, page(target(MENU, number), relevance=0.0))[1]
    assert far not in sent
    assert scorer.seen["deserved"][row] < scorer.seen["priority"][row] == np.float32(before)
    for number in range(4, 4 + LAST):  # nothing better is left
        sent |= visit(scorer, page(target(MENU, number), relevance=0.0))[1]
    assert sent[far] < before


def test_what_is_doubted_is_sent_once_more(scorer):
    """As it is deserved, and once."""
    scores, _ = visit(scorer, hub(range(20)))
    sent = visit(scorer, page("http://other.example/"))[1]
    assert not sent
    scorer.doubt()
    sent = visit(scorer, page("http://another.example/"))[1]
    assert sent == pytest.approx({url_key(url): score for url, score in scores.items()})
    assert not visit(scorer, page("http://third.example/"))[1]


def test_a_doubt_changes_nothing_that_is_known(scorer):
    """Of links that got no scores, as they lie too deep, of pages that no link led to, of what is sent."""
    visit(scorer, hub(range(20)))
    scorer.learn(page("http://deep.example/", [link(f"http://deep.example/{n}") for n in range(5)]))
    before = scorer.seen.content()["priority"].copy()
    scorer.doubt()
    assert scorer.seen.content()["priority"].tolist() == before.tolist()
    for number in range(LAST):
        visit(scorer, page(f"http://start{number}.example/"))
    assert scorer._head.content()["head"].tolist() == [0.0]  # and no priority that was taken
    assert scorer.seen.content()["priority"].min() >= 0


def test_the_poorest_are_forgotten(scorer, monkeypatch):
    """Of more URLs than are known at once; the best go on to be scored again, and all may come again."""
    monkeypatch.setattr(rescoring, "MOST", 40)
    monkeypatch.setattr(rescoring, "MOST_FETCHED", 4)
    good = [link(target(LIST, number), LIST, ["robot"]) for number in range(20)]
    poor = [link(target(MENU, number), MENU, ["cake"]) for number in range(30)]
    visit(scorer, page(HUB, good + poor, relevance=0.9))
    for number in range(8):
        visit(scorer, page(target(LIST, number), relevance=0.8))
        assert len(scorer.seen) <= 41
    for one in good[8:]:
        assert scorer.standing(url_key(one.url)) is not None
    known = [one.url for one in poor if scorer.standing(url_key(one.url))]
    assert 0 < len(known) < 10
    gone = next(one for one in poor if one.url not in known)
    moved = {}
    for number in range(8, 16):
        moved |= visit(scorer, page(target(LIST, number), relevance=0.0))[1]
    assert url_key(good[18].url) in moved
    scores, _ = visit(scorer, page("http://again.example/", [gone], relevance=0.9))
    assert 0 < scores[gone.url] < 1
    assert scorer.standing(url_key(gone.url)) is not None


def test_groups_that_nobody_needs_are_forgotten(scorer, monkeypatch):
    """With the URLs that belonged to them; what is needed has brought what it had."""
    monkeypatch.setattr(rescoring, "MOST", 40)
    monkeypatch.setattr(rescoring, "MOST_FETCHED", 4)
    monkeypatch.setattr(groups, "MOST", 60)
    visit(scorer, hub(range(10)))
    for number in range(4):
        visit(scorer, page(target(LIST, number), relevance=1.0))
    last = target(LIST, 9)
    before = {(one.group, one.pages, one.relevance) for one in scorer.outcomes(last)}
    most = 0
    for number in range(40):
        url = f"http://poor{number}.example/"
        links = [link(f"{url}{n}/", n, [f"word{number}-{n}"]) for n in range(9)]
        visit(scorer, page(url, links, relevance=0.0, depth=2))
        most = max(most, len(scorer.memory()))
        if number == 19:
            half = most
    assert most < 1.3 * half
    assert {(one.group, one.pages, one.relevance) for one in scorer.outcomes(last)} == before


@pytest.mark.parametrize("most", [rescoring.MOST, 40])
@pytest.mark.parametrize("cut", [1, 7, 20, 33])
@pytest.mark.parametrize("discount", [0.0, 0.2])
def test_it_goes_on_where_it_was(discount, cut, most, monkeypatch):
    """From its memory, in the middle of a round too, or from the pages: the same to the last bit."""
    monkeypatch.setattr(rescoring, "RESCORED", 5)  # rounds last for many pages
    monkeypatch.setattr(rescoring, "MOST", most)
    monkeypatch.setattr(rescoring, "MOST_FETCHED", most // 8)
    monkeypatch.setattr(groups, "MOST", most)
    pages = [hub(range(40))]
    for number in range(20):
        pages += [page(target(LIST, number), [link(target(LIST, 100 + number))], relevance=1.0)]
        pages += [page(target(MENU, number), relevance=number / 20)]
    options = AdaptiveOptions(site_discount=discount)
    whole, first, by_memory, by_pages = (create("adaptive", TOPIC, options) for _ in range(4))
    whole = [visit(whole, made) for made in pages]
    kept = []
    for made in pages[:cut]:
        kept.append(first.features(made, made.links))
        visit(first, made)
    by_memory.remember(first.memory())
    for features in kept:
        by_pages.learn_from(features)
        by_pages.score_from(features)
        list(by_pages.rescored())
    for resumed in (by_memory, by_pages):
        assert [visit(resumed, made) for made in pages[cut:]] == whole[cut:]
