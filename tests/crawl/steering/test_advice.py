from __future__ import annotations

from dataclasses import replace

import pytest

from focused_crawler.crawl.steering.advice import MOST_HINTS, Situation, hints, message
from focused_crawler.crawl.steering.estimate import Estimate
from focused_crawler.crawl.steering.monitor import Alarm, FrontierFacts

MUCH, FEW = Estimate(50.0, 200.0, 700.0), Estimate(0.0, 3.0, 10.0)
ALARM = Alarm(
    kind="diffusion",
    pages=1500,
    relevant=400,
    since_pages=500,
    since_relevant=4,
    uncertain=0.02,
    top_host="big.example",
    top_share=0.1,
    facts=FrontierFacts(9000, MUCH, "at least 50 relevant pages in all", hosts=80),
)
DRY = replace(ALARM, kind="stagnation", facts=FrontierFacts(0, Estimate(0, 0, 3)))
CRAWL = Situation(topic="asthma", strategy="link_classifier", is_trained=True)


def facts(**changes) -> FrontierFacts:
    return replace(ALARM.facts, **changes)


def test_an_alarm_in_words():
    """What was seen, in figures, then what to do."""
    assert message(ALARM, CRAWL) == (
        "after 1,500 pages, 400 of them relevant, 4 of the last 500 (39.6% before); 9,000 URLs are left on 80"
        " hosts; left to find: at least 50 relevant pages in all. Stop, or broaden the topic: more seeds, and"
        " examples of what else is wanted."
    )


def test_an_empty_frontier_in_words():
    """No estimate where nothing is left, and no rate where there is no before."""
    assert message(replace(DRY, since_pages=0, since_relevant=0), CRAWL) == (
        "after 1,500 pages, 400 of them relevant; nothing is left to fetch. Add seeds on other sites."
    )
    assert "left on 80 hosts. Stop" in message(replace(ALARM, facts=facts(left="")), CRAWL)


@pytest.mark.parametrize(
    ("alarm", "situation", "said"),
    [
        (replace(ALARM, facts=facts(estimate=FEW)), CRAWL, "nearly complete"),
        (ALARM, replace(CRAWL, marks=("data/databases",)), "mark data/databases"),
        (replace(DRY, facts=FrontierFacts(0, dropped=70)), CRAWL, "70 URLs dropped by limits"),
        (
            replace(DRY, facts=FrontierFacts(0, dropped=70)),
            replace(CRAWL, host_pages=50),
            "raise FOCUSED_HOST_PAGES",
        ),
        (
            replace(DRY, facts=FrontierFacts(0, not_followed=2000)),
            replace(CRAWL, strategy="hard_focus"),
            "2,000 links were not followed: -a strategy=soft_focus",
        ),
        (ALARM, replace(CRAWL, strategy="breadth_first"), "does not look for the topic"),
        (ALARM, replace(CRAWL, is_trained=False), "scrapy train asthma"),
        (replace(ALARM, uncertain=0.4), CRAWL, "40% of these are near the threshold"),
        (replace(ALARM, top_share=0.8), CRAWL, "80% of these are on big.example"),
    ],
)
def test_each_cause_has_its_cure(alarm, situation, said):
    """A hint names what was found and what to type."""
    assert any(said in hint for hint in hints(alarm, situation))
    assert not any(said in hint for hint in [*hints(ALARM, CRAWL), *hints(DRY, CRAWL)])


def test_there_are_never_many_hints():
    """All causes at once: the surest first, and no more than three."""
    worst = replace(ALARM, uncertain=1.0, top_share=1.0, facts=facts(estimate=FEW, not_followed=10**6))
    situation = replace(CRAWL, strategy="unfocused", marks=("a", "b"), is_trained=False)
    assert len(hints(worst, situation)) == MOST_HINTS
    assert "nearly complete" in hints(worst, situation)[0]
