"""What a crawl knows of a URL as plain values, for JSON."""

from __future__ import annotations

import math
from typing import Any

from focused_crawler.report.why.facts import HostFact, UrlFacts
from focused_crawler.report.why.parts import LinkParts
from focused_crawler.report.why.sentences import Conclusion
from focused_crawler.store.job import RunInfo


def as_record(facts: UrlFacts, run: RunInfo, parts: LinkParts | None, answer: Conclusion) -> dict[str, Any]:
    """Return what `story` shows, under the names of the facts; times in seconds since the epoch."""
    return {
        "url": facts.url,
        "crawl": {"topic": run.topic, "job": run.job, "strategy": run.strategy},
        "answer": answer._asdict(),
        "state": None if facts.state is None else facts.state.name.lower(),
        "again": None if facts.again is None else facts.again.name.lower(),
        "queue": None if facts.queue is None else facts.queue._asdict(),
        "pending_before_it": facts.ahead,
        "linked": facts.counted._asdict(),
        "links": [link._asdict() for link in facts.links],
        "parts": None if parts is None else _parts(parts),
        "page": None if facts.page is None else facts.page._asdict(),
        "failure": None if facts.failure is None else facts.failure._asdict(),
        "host": None if facts.host is None else _host(facts.host),
        "events": [event._asdict() for event in facts.events],
        "near": [near._asdict() for near in facts.near],
        "remarks": list(facts.remarks),
    }


def _parts(found: LinkParts) -> dict[str, Any]:
    parts = found.parts
    known = {} if parts is None else {"formula": parts.formula, "values": dict(parts.values)}
    sums = {} if parts is None else {"sums": {name: dict(addends) for name, addends in parts.sums.items()}}
    return {"source": found.link.source, "score": found.score, "note": found.note, **known, **sums}


def _host(host: HostFact) -> dict[str, Any]:
    """Return a host without an infinite number, which JSON has none for."""
    ready_at = host.ready_at if math.isfinite(host.ready_at) else None
    return {**host._asdict(), "ready_at": ready_at, "is_closed": host.is_closed}
