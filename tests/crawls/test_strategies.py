"""What strategies note on pages for others, and what they learn, through whole crawls."""

from __future__ import annotations

import json
import signal
import sqlite3
from contextlib import closing

import pytest

from tests.crawls import strategies
from tests.crawls.bees import PAGES, Bees
from tests.project import Done, Job, Scrapy, until

SCORERS = {
    name.lower(): f"{strategies.__name__}.{name}"
    for name in ("Trail", "Talkative", "Counting", "Forgetful", "Regretful", "Plain")
}


KEPT = "SELECT content, pages FROM memory"


def words(bees: Bees, strategy: str, *settings: str, processes: int = 0, **arguments: object) -> list[str]:
    scorers = f"FOCUSED_LINK_SCORERS={json.dumps(SCORERS)}"
    workers = f"FOCUSED_ANALYSIS_PROCESSES={processes}"
    alone = "FOCUSED_LISTS=off"  # by themselves: no other crawl counts
    return bees.words(scorers, workers, alone, *settings, strategy=strategy, job="1", **arguments)


def memory(job: Job) -> tuple[int, int]:
    """Return what was learnt, and how many pages were recorded when it was kept."""
    ((content, pages),) = job.rows(KEPT)
    return int(content), pages


def is_whole(bees: Bees, done: Done) -> bool:
    assert (done.code, "Traceback" in done.err) == (0, False), done.err
    return sorted(bees.job().pages) == sorted(bees.site.url(f"/{number}") for number in range(PAGES))


@pytest.mark.slow
@pytest.mark.parametrize(("frontier", "processes"), [("sqlite", 0), ("memory", 2)])
def test_a_path_reaches_the_pages_it_is_for(
    frontier: str, processes: int, bees: Bees, scrapy: Scrapy
) -> None:
    """Each page has that of the page which the crawl came from, through redirects and worker processes."""
    bees.redirect("/1", to="/moved")
    done = scrapy.run(*words(bees, "trail", f"FOCUSED_FRONTIER={frontier}", processes=processes))
    assert done.code == 0, done.err
    steps = {
        source: round(1000 * score)
        for source, score in bees.job().rows("SELECT source, min(score) FROM named_links GROUP BY source")
    }
    parents = dict(bees.job().rows("SELECT url, parent FROM pages"))
    assert len(parents) == PAGES
    assert steps == {url: 0 if parent is None else steps[parent] + 1 for url, parent in parents.items()}
    assert max(steps.values()) > 3


def test_a_path_that_is_too_long(bees: Bees, scrapy: Scrapy) -> None:
    """Ends the crawl with one line about the strategy."""
    done = scrapy.run(*words(bees, "talkative"))
    assert (done.code, "Traceback" in done.err) == (17, False), done.err
    assert done.err.endswith(
        "error: strategy talkative notes 1,025 bytes for a link; 1,024 may be kept: make its path shorter\n"
    )


def test_links_that_are_not_scored_again(bees: Bees, scrapy: Scrapy) -> None:
    """End the crawl with one line about the strategy; what is recorded stays."""
    done = scrapy.run(*words(bees, "regretful"))
    assert (done.code, "Traceback" in done.err) == (17, False), done.err
    last = done.err.splitlines()[-1]
    assert last.startswith("error: strategy regretful failed to score links again (ValueError: ")
    assert last.endswith(" links); fix it and run the same command again")


@pytest.mark.slow
@pytest.mark.parametrize("processes", [0, 2])
def test_what_was_learnt_outlives_the_run(processes: int, bees: Bees, scrapy: Scrapy) -> None:
    """A crawl that goes on, goes on from there."""
    scrapy.run(*words(bees, "counting", processes=processes, pages=20))
    assert memory(bees.job()) == (20, 20)
    done = scrapy.run(*words(bees, "counting", processes=processes, pages=PAGES))
    assert is_whole(bees, done)
    assert memory(bees.job()) == (PAGES, PAGES)
    scores = bees.job().rows("SELECT score FROM named_links")
    assert max(score for (score,) in scores) == PAGES / 1000


@pytest.mark.slow
def test_what_was_learnt_outlives_a_crash(bees: Bees, scrapy: Scrapy) -> None:
    """But for the pages after it was last kept, which was together with pages; no chosen URL is lost."""
    bees.slow_down(0.2)
    running = scrapy.start(
        *words(bees, "counting", "FOCUSED_N_BEST=20"), before="tests.crawls.faults.diligent"
    )
    until(lambda: bees.hits().total() > 25 and bees.job().rows(KEPT))
    running.signal(signal.SIGKILL)
    running.wait()
    recorded = len(bees.job().pages)
    learnt, pages = memory(bees.job())
    assert 0 < pages <= recorded < PAGES
    assert pages <= learnt <= pages + 8
    bees.slow_down(0.0)
    assert is_whole(bees, scrapy.run(*words(bees, "counting", "FOCUSED_N_BEST=20")))
    assert memory(bees.job()) == (learnt + PAGES - recorded, PAGES)


def test_what_was_learnt_is_of_no_use(bees: Bees, scrapy: Scrapy) -> None:
    """One line says so, and nothing is fetched or changed."""
    scrapy.run(*words(bees, "forgetful", pages=10))
    hits = bees.hits()
    done = scrapy.run(*words(bees, "forgetful", pages=20))
    assert done.err == (
        "error: strategy forgetful cannot use what it had learnt in this crawl (of an older version);"
        " begin another with -a job=NAME\n"
    )
    assert (done.code, bees.hits()) == (2, hits)


def test_what_was_learnt_without_a_part_is_not_the_whole_strategys(bees: Bees, scrapy: Scrapy) -> None:
    """Nor the other way round: the crawl goes on by the name it began with alone."""
    scrapy.run(*words(bees, "without:hosts", pages=10))
    learnt = bees.job().rows("SELECT content FROM learnt")
    assert len(learnt) == 10
    for other in ("adaptive", "without:places"):
        done = scrapy.run(*words(bees, other, pages=20))
        why = f"holds another crawl (its strategy is without:hosts, not {other}); choose another job"
        assert (done.code, why in done.err) == (2, True), done.err
    assert bees.job().rows("SELECT content FROM learnt") == learnt
    done = scrapy.run(*words(bees, "without:hosts", pages=20))
    assert (done.code, len(bees.job().rows("SELECT content FROM learnt"))) == (0, 20), done.err


def test_what_an_older_version_of_ours_had_learnt(bees: Bees, scrapy: Scrapy) -> None:
    """It learns anew from the recorded pages, which stay as they were judged, and the crawl goes on."""
    judged = "SELECT url, relevance FROM pages WHERE position <= 10 ORDER BY position"
    scrapy.run(*words(bees, "adaptive", pages=10))
    before = bees.job().rows(judged)
    with closing(sqlite3.connect(bees.job().folder / "crawl.db")) as database, database:
        assert database.execute("UPDATE learnt SET content = substr(content, 1, 8)").rowcount == 10
    done = scrapy.run(*words(bees, "adaptive", pages=20))
    assert "adaptive wrote what it had learnt in this crawl: it has learnt anew from the pages" in done.err
    assert (done.code, bees.job().rows(judged)) == (0, before)
    assert bees.job().rows("SELECT pages, length(content) > 0 FROM memory") == [(10, 1)]
    assert bees.job().rows("SELECT min(position), max(position) FROM learnt") == [(11, 20)]
    done = scrapy.run(*words(bees, "adaptive", pages=PAGES))
    assert "learnt anew" not in done.err
    assert is_whole(bees, done)


def test_nothing_of_this_is_asked_for(bees: Bees, scrapy: Scrapy) -> None:
    """A strategy that can only score and learn does, and keeps nothing."""
    assert is_whole(bees, scrapy.run(*words(bees, "plain")))
    assert bees.job().rows("SELECT * FROM memory") == []
