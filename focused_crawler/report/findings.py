"""What a crawl found out about itself: alarms, hubs, traps, what steered it, and what is left to find."""

from __future__ import annotations

from focused_crawler.crawl.failure import label
from focused_crawler.crawl.hubs.listing import top_authorities, top_hosts, top_hubs
from focused_crawler.crawl.judged import Interval
from focused_crawler.crawl.steering.estimate import estimate
from focused_crawler.crawl.steering.inputs import read_tallies
from focused_crawler.report.alarms import standing_alarms
from focused_crawler.report.summary import Findings, TrapRow
from focused_crawler.store.database import CrawlDatabase

TOP = 10
MOST_ALARMS = 20

_RATED = "SELECT pages FROM distillations ORDER BY id DESC LIMIT 1"
_COPIES = """
SELECT CASE WHEN likeness < 1 THEN 'near-copies' ELSE 'verbatim copies' END AS kind, count(*)
FROM pages WHERE duplicate_of IS NOT NULL GROUP BY 1 ORDER BY 1 DESC
"""
# What is shown elsewhere is left out: failures are a table of their own, and so are copies and alarms.
_STEERED = """
SELECT decision, rule, count(*) FROM decisions
WHERE decision NOT IN ('alarm', 'duplicate', 'failed', 'redirected', 'retry') OR rule LIKE 'trap%'
GROUP BY decision, rule ORDER BY 3 DESC, 1, 2
"""
_TRAPS = """
SELECT rule, hosts.name, count(*) AS dropped, min(urls.url) FROM decisions
JOIN urls ON urls.id = decisions.url JOIN hosts ON hosts.id = urls.host
WHERE rule LIKE 'trap%' GROUP BY rule, hosts.name ORDER BY dropped DESC, 1, 2 LIMIT ?
"""
_REVISITS = "SELECT outcome, count(*) AS visits FROM revisits GROUP BY outcome ORDER BY visits DESC, outcome"
_WORDS = {
    "hub": "raised as neighbour of a hub",
    "host_limit": "host closed at its cap of pages",
    "refusals": "host closed after refusals",
    "domain_share": "domain with more hosts than its share: the rest comes last",
    "soft_404": "said that it was not found (soft 404)",
}


def read_findings(database: CrawlDatabase, relevant: Interval | None, *, knows_frontier: bool) -> Findings:
    """Read them. `relevant`: how many pages are, as far as it is known.

    `knows_frontier`: the database holds the frontier, so that what is left can be estimated.
    """
    rated = database.rows(_RATED)
    return Findings(
        estimate=estimate(read_tallies(database), relevant) if knows_frontier and relevant else None,
        knows_frontier=knows_frontier,
        alarms=tuple(standing_alarms(database)[-MOST_ALARMS:]),
        hubs=tuple(top_hubs(database, TOP)),
        authorities=tuple(top_authorities(database, TOP)),
        sites=tuple(top_hosts(database, TOP)),
        rated_pages=rated[0][0] if rated else 0,
        steered=_steered(database),
        traps=tuple(TrapRow(label(rule), *row) for rule, *row in database.rows(_TRAPS, (TOP,))),
        revisits=dict(database.rows(_REVISITS)),
    )


def _steered(database: CrawlDatabase) -> dict[str, int]:
    """Count copies and decisions, in words where we have any."""
    found = dict(database.rows(_COPIES))
    for decision, rule, number in database.rows(_STEERED):
        is_trap = rule.startswith("trap_")
        name = _WORDS.get(rule) or (label(rule) if is_trap else f"{decision}: {rule}")
        found[name] = found.get(name, 0) + number
    return found
