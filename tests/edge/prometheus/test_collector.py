from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.openmetrics import parser
from prometheus_client.openmetrics.exposition import generate_latest as generate_openmetrics

from focused_crawler.crawl.steps import Steps
from focused_crawler.edge.prometheus.catalogue import Facts, Resource
from focused_crawler.edge.prometheus.collector import MOST_VALUES, CrawlCollector
from focused_crawler.frontier.base import FrontierStats

FRONTIER = FrontierStats(7, 1, 2, 3, 4, 1, 13, 5)


def registry(stats: dict[str, Any], resource: Resource | None = None, **facts: Any) -> CollectorRegistry:
    given = {"frontier": FRONTIER, "bands": [1, 2, 0, 4], "in_flight": 1, "steps": Steps()} | facts
    made = CollectorRegistry()
    made.register(CrawlCollector(resource or Resource("bees", "1", "lpe"), lambda: Facts(stats, **given)))
    return made


def samples(made: CollectorRegistry) -> dict[str, list[tuple[dict[str, str], float]]]:
    found: dict[str, list[tuple[dict[str, str], float]]] = {}
    text = generate_openmetrics(made).decode()
    for family in parser.text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, []).append((sample.labels, sample.value))
    return found


def reasons(made: CollectorRegistry) -> dict[str, float]:
    return {labels["reason"]: value for labels, value in samples(made)["focused_crawler_failures_total"]}


def test_counters_are_there_before_anything_was_counted():
    """So that a rate begins at 0, not with the second page."""
    found = samples(registry({}))
    assert found["focused_crawler_pages_total"][0][1] == 0
    assert found["focused_crawler_received_bytes_total"][0][1] == 0
    assert "focused_crawler_target_recall_ratio" not in found
    assert "focused_crawler_workers" not in found


@settings(max_examples=25, deadline=None)
@given(st.dictionaries(st.text(min_size=1), st.integers(1, 1000), max_size=120))
def test_whatever_the_classes_are_their_number_is_bounded(failures):
    """A label has few values, none is long, and no failure is lost."""
    found = reasons_or_none(registry({f"focused/failures/{name}": n for name, n in failures.items()}))
    assert len(found) <= MOST_VALUES
    assert sum(found.values()) == sum(failures.values())
    assert all(len(name) <= 60 for name in found)


def reasons_or_none(made: CollectorRegistry) -> dict[str, float]:
    return reasons(made) if "focused_crawler_failures_total" in samples(made) else {}


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.text(st.characters(codec="ascii"), min_size=1, max_size=8), unique=True, max_size=80),
    st.data(),
)
def test_a_counter_never_falls(names, data):
    """However many classes come, each in the order in which it was first seen."""
    stats = {f"focused/failures/{name}": 1 for name in names[: data.draw(st.integers(0, len(names)))]}
    before = reasons_or_none(registry(stats))
    after = reasons_or_none(registry({**stats, **{f"focused/failures/{name}": 1 for name in names}}))
    assert all(after[name] >= count for name, count in before.items())


def test_labels_are_escaped():
    """No text, whoever wrote it, ends a line or a label."""
    made = registry({'focused/failures/a"} 1\n\x1b[31mfake_total': 3}, Resource('t"\n\\', "1", "lpe"))
    assert reasons(made) == {'a"} 1\\n\\x1b[31mfake_total': 3}
    assert b"\nfake_total" not in generate_latest(made)
    assert samples(made)["focused_crawler_pages_total"][0][0]["topic"] == 't"\n\\'


def test_bands_are_named_by_their_scores():
    """Lowest first."""
    found = samples(registry({}))["focused_crawler_frontier_pending_urls"]
    assert [(labels["score"], value) for labels, value in found] == [
        ("0.0-0.2", 1), ("0.2-0.5", 2), ("0.5-0.8", 0), ("0.8-1.0", 4)
    ]  # fmt: skip


def test_a_worker_of_a_fleet_has_its_name():
    """And says how many there are."""
    found = samples(registry({}, Resource("bees", "1", "lpe", "box-1"), workers=4))
    labels, workers = found["focused_crawler_workers"][0]
    assert (labels["worker"], workers) == ("box-1", 4)
    assert found["target_info"][0][0]["service_name"] == "focused_crawler"


def test_a_stat_of_another_family_is_not_counted_twice():
    """`focused/failures` is the sum, `focused/failures/<class>` are the parts; 304 is among the unchanged."""
    stats = {"focused/failures": 9, "focused/failures/dns": 2, "focused/revisits/unchanged": 3}
    made = registry({**stats, "focused/revisits/not_modified": 1})
    assert reasons(made) == {"dns": 2}
    (outcome,) = samples(made)["focused_crawler_revisits_total"]
    assert outcome[1] == 3
