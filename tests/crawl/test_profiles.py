"""Settings as a topic's crawls have them, for those who run no crawl."""

from __future__ import annotations

from dataclasses import replace

from focused_crawler.crawl.profiles import as_crawled
from focused_crawler.topic.topic import load_topic


def test_who_says_which_profile_it_is() -> None:
    """What stands after -s, else the topic, else the user's own settings; and -s wins over each profile."""
    topic, user = load_topic("asthma"), {"FOCUSED_PROFILE": "maintain", "DOWNLOAD_DELAY": 3}
    polite = replace(topic, profile="polite")
    assert as_crawled(topic, user, {}).get("FOCUSED_REVISIT_SHARE") == 0.5
    assert as_crawled(polite, user, {}).get("DOWNLOAD_DELAY") == 5.0
    assert as_crawled(polite, user, {"FOCUSED_PROFILE": "offline"}).get("DOWNLOAD_DELAY") == 0.0
    assert as_crawled(polite, user, {"FOCUSED_PROFILE": ""}).get("DOWNLOAD_DELAY") == 3
    assert as_crawled(polite, user, {"DOWNLOAD_DELAY": "9"}).get("DOWNLOAD_DELAY") == "9"
