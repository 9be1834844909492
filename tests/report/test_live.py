from __future__ import annotations

import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from focused_crawler.report.live import Speed
from focused_crawler.report.terminal.progress import Snapshot, closing, closing_facts, log_line, view

STATS = {
    "focused/pages": 1204,
    "focused/relevant": 702,
    "focused/harvest_rate": 0.583,
    "focused/harvest_rate_100": 0.61,
    "focused/harvest_rate_1000": 0.6,
    "focused/target_recall": 0.231,
    "focused/frontier/pending": 12040,
    "focused/frontier/hosts": 137,
    "focused/failures": 12,
    "focused/last_relevant_title": "Inhalers",
}
NOW = Snapshot.from_stats(STATS, budget=3000, speed=4.2, elapsed=123)
TROUBLED = Snapshot.from_stats(
    STATS
    | {"focused/failures/http_404": 9, "focused/failures/timeout": 3, "focused/failures/robots": 2}
    | {"focused/failures/dns": 1, "focused/retries": 4, "focused/retries/dns": 4},
    budget=3000,
    speed=4.2,
    elapsed=123,
    busiest=("www.example.org", 412),
    bands=(7000, 5000, 0, 30, 10),
)


def shown(renderable, width=100) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    console.print(renderable)
    return console.file.getvalue()


def test_the_display_says_how_it_goes():
    """Every figure that was asked for is on the screen."""
    screen = shown(view(Text("asthma by lpe"), NOW))
    for words in (
        "asthma by lpe",
        "1,204 of 3,000 pages",
        "relevant 702",
        "harvest rate 58.3 %",
        "last 100 61.0 %",
        "target recall 23.1 %",
        "frontier 12,040 URLs on 137 hosts",
        "4.2 pages/s",
        "failures 12",
        "Inhalers",
        "2 min 03 s gone, about 7 min 08 s left",
    ):
        assert words in screen


def test_the_display_names_failures_hosts_and_scores():
    """The worst classes in words, what waits to be tried again, and scores, the best first."""
    screen = " ".join(shown(view(Text("asthma"), TROUBLED)).split())
    for words in (
        "busiest host www.example.org 412 pages",
        "scores 0.8-1.0 10 0.6-0.8 30 0.2-0.4 5,000 0.0-0.2 7,000",
        "failures 15 404 Not Found 9 no answer in time 3 forbidden by robots.txt 2 others 1 tried",
        "tried again 4 no DNS answer 4",
    ):
        assert words in screen
    assert (
        ", 15 failures (404 Not Found 9, no answer in time 3, forbidden by robots.txt 2, others 1),"
        " 4 tried again (no DNS answer 4), 2 min 03 s gone"
    ) in log_line(TROUBLED)


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_no_line_is_wider_than_the_terminal(width):
    """A narrow terminal breaks lines between figures; it is never torn."""
    title = Snapshot.from_stats(STATS | {"focused/last_relevant_title": "long " * 90}, 0, 0.0, 1)
    for screen in (view(Text("asthma"), NOW), view(Text("asthma"), TROUBLED), view(Text("asthma"), title)):
        assert max(map(len, shown(screen, width).splitlines())) <= width


@pytest.mark.parametrize("width", [30, 46, 80])
def test_a_line_ends_between_facts_only(width):
    """A name stays with its value, and words of a value stay together."""
    lines = shown(view(Text("asthma"), TROUBLED), width).splitlines()
    for fact in ("harvest rate 58.3 %", "last 100 61.0 %", "no answer in time 3", "speed 4.2 pages/s"):
        assert any(fact in line for line in lines)


@given(
    st.text(alphabet=st.characters())
    | st.sampled_from(["[red]x[/]", "[/]", ":smile:", "\x1b[2J\x1b[1A", "a\nb"])
)
def test_a_title_cannot_move_the_cursor(title):
    """Crawled text is neither markup nor an escape sequence, and stays on its line."""
    harmless = view(Text("x"), Snapshot())
    screen = view(Text("x"), Snapshot(last_title=title))
    assert shown(screen).count("\x1b") == shown(harmless).count("\x1b")
    assert len(shown(screen).splitlines()) == len(shown(harmless).splitlines())


def test_markup_in_a_title_is_shown_as_it_is():
    """Square brackets and colons are part of the title."""
    assert "[red]x[/] :smile:" in shown(view(Text("x"), Snapshot(last_title="[red]x[/] :smile:")))


def test_before_the_first_page_nothing_fails():
    """Empty stats are zeros, and no time left is made up."""
    now = Snapshot.from_stats({}, budget=100, speed=0.0, elapsed=0.0)
    assert "0 of 100 pages" in shown(view(Text("x"), now))
    assert "left" not in log_line(now)
    assert "target recall" not in log_line(now)


def test_a_log_line_says_the_same():
    """Without a terminal, one line carries the figures."""
    assert log_line(NOW) == (
        "1,204 of 3,000 pages, 702 relevant, harvest rate 58.3 % (last 100: 61.0 %), target recall 23.1 %, "
        "frontier 12,040 URLs on 137 hosts, 4.2 pages/s, 12 failures, 2 min 03 s gone, about 7 min 08 s left"
    )


def test_a_slow_crawl_says_what_it_waits_for():
    """Where slots stay free for the sake of better pages, on the screen and in the log."""
    now = replace(NOW, is_held_back=True)
    for text in (shown(view(Text("x"), now)), log_line(now)):
        assert "4.2 pages/s, waits for the best hosts" in text


def test_the_last_words_say_why_and_what_is_left():
    """Figures, the reason in words, the rest of the frontier, the path of the report in one piece."""
    path = "crawls/asthma/1/report.html"
    panel = shown(closing(Text("asthma by lpe"), closing_facts(NOW, "pages_budget", path)))
    for words in ("58.3 %", "23.1 %", "It reached its budget of pages.", "12,040 URLs in the frontier", path):
        assert words in panel


def test_a_harvest_rate_has_its_judge():
    """On the display and beside the last figures, where it is known; not in each line of a log."""
    now = replace(NOW, judged_by="keywords:3fa9c2d1")
    assert "judged by keywords:3fa9c2d1" in shown(view(Text("x"), now))
    names = [name for name, _ in closing_facts(now, "finished", None)]
    assert names.index("judged by") == names.index("harvest rate") + 1
    assert log_line(now) == log_line(NOW)
    assert "judged by" not in shown(view(Text("x"), NOW)) + str(closing_facts(NOW, "finished", None))


def test_failures_of_all_runs_are_not_called_those_of_this_run():
    """They stand beside the pages, which are of all runs, too; by class those of this run are known."""
    now = replace(NOW, failures=112, by_class={"http_404": 3})
    facts = dict(closing_facts(now, "finished", None))
    assert facts["failures"] == "112 (404 Not Found 3, others 109)"
    assert facts["this run"] == "2 min 03 s"


@given(st.lists(st.tuples(st.floats(0.1, 10), st.integers(0, 50)), min_size=2, max_size=40))
def test_speed_is_pages_over_seconds(steps):
    """While the window holds all looks, the speed is a plain quotient."""
    speed, now, pages = Speed(window=1000), 0.0, 7
    speed.record(now, pages)
    for seconds, more in steps:
        now, pages = now + seconds, pages + more
        speed.record(now, pages)
    assert speed.value == pytest.approx((pages - 7) / now)


def test_speed_forgets():
    """A burst an hour ago is not the speed of now."""
    speed = Speed(window=10)
    for second in range(100):
        speed.record(second, 1000 if second > 5 else 0)
    assert speed.value == 0
