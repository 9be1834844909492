from __future__ import annotations

from focused_crawler.crawl.steering.monitor import FrontierFacts, Monitor, Seen
from focused_crawler.crawl.steering.watch import advised_marks, watch
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore

FELL = [True] * 200 + [False] * 400


def record(store: PageStore, gains: list[bool]) -> None:
    """Record pages, and an alarm where a monitor beside them raises it."""
    monitor = Monitor()
    for number, gain in enumerate(gains):
        relevance = 0.9 if gain else 0.1
        page = PageItem(
            url=f"http://a.example/{number}", fetched_at=float(number), relevance=relevance, is_relevant=gain
        )
        store.record_page(page)
        monitor.record(Seen(relevance, gain, "a.example"))
        if monitor.due():
            monitor.look(FrontierFacts(100))
            store.record_decision("alarm", "diffusion")
    store.commit()


def test_a_new_crawl_has_a_new_monitor(database):
    """Nothing recorded: nothing known."""
    assert watch(database, 0.5).pages == 0


def test_a_resumed_crawl_does_not_tell_again(database):
    """Pages and alarms of the runs before are read back: the same fall is told once."""
    record(PageStore(database), FELL)
    monitor = watch(database, 0.5)
    assert (monitor.pages, monitor.relevant) == (600, 200)
    assert not monitor.due()


def test_an_alarm_that_was_lost_is_told(database):
    """Killed between page and alarm: it is due as soon as the crawl goes on."""
    record(PageStore(database), FELL)
    database.execute("DELETE FROM decisions")
    assert watch(database, 0.5).due()


def test_copies_are_no_gain(database):
    """A crawl that finds the same relevant page again and again stagnates."""
    store = PageStore(database)
    for number in range(20):
        copy = {"duplicate_of": "http://a.example/0"} if number else {}
        page = PageItem(
            url=f"http://a.example/{number}", fetched_at=0.0, relevance=0.9, is_relevant=True, **copy
        )
        store.record_page(page)
    assert watch(database, 0.5).relevant == 1


def test_without_a_taxonomy_there_is_no_mark_to_advise(tmp_path):
    """Nor an error: most crawls have none."""
    assert advised_marks(tmp_path, None) == ()
