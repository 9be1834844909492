"""A frontier as the last commit left it: its queues filled from the database, and what is odd there found."""

from __future__ import annotations

import logging
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from focused_crawler.frontier.host import Host
from focused_crawler.frontier.hosts import HostQueues
from focused_crawler.frontier.sql import statements as sql
from focused_crawler.frontier.urls import UrlTable
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.foreign import changed
from focused_crawler.store.schema import State

logger = logging.getLogger(__name__)

_LONGEST = 31 * 24 * 3600.0
"""Seconds; no host and no URL waits for longer."""


def restore(urls: UrlTable, database: CrawlDatabase, queues: HostQueues) -> float:
    """Fill the queues, and return the latest time the last run knew.

    Raises CrawlError where another program has written what could not be given out.
    """
    hosts = {row[0]: _host(row, database) for row in database.rows(sql.HOSTS)}
    with_pending = _check(hosts, database)
    latest = max((host.asked_at for host in hosts.values()), default=0.0)
    for host in hosts.values():
        if latest + _LONGEST < host.ready_at < math.inf:  # no crawl writes so
            host.ready_at = host.asked_at + host.delay
    for host in hosts.values():
        queues.load(host)
    queues.known = len(hosts)
    reopened = {host.id for host in hosts.values() if queues.politeness.reopen(host)}
    _revive(reopened, urls, database)
    given_back = _give_back(hosts, urls, database)
    with_pending |= given_back
    waiting = database.rows(sql.WAITING)
    for key, id, retry_at in waiting:
        queues.wait(hosts[id], key, retry_at if retry_at <= latest + _LONGEST else latest)
    bands = database.rows(sql.BANDS_OF_PENDING)
    queues.ranks.load(bands)
    _recount(sum(pending for _, pending in bands), len(waiting), urls, database)
    now = max((host.asked_at for host in hosts.values()), default=0.0)
    closed = set()
    for host in hosts.values():
        host.has_more = True
        if queues.is_over(host) and (not host.is_closed or host.id in with_pending):
            queues.close(host)
            closed.add(host.id)
        host.has_more = not host.is_closed
        queues.reposition(host, now)
    urls.save(hosts[id] for id in reopened | given_back | closed)
    queues.forget_idle()
    return now


def _host(row: Sequence[Any], database: CrawlDatabase) -> Host:
    """Return a host of the database; CrawlError if another program has written there what is none."""
    if not isinstance(row[1], str) or not all(isinstance(value, int | float) for value in row[2:]):
        raise _changed(f"host {row[0]}", database)
    host = Host(*row)
    if not (0 <= host.delay < math.inf and math.isfinite(host.asked_at)):
        raise _changed(f"host {row[0]}", database)
    return host


def _check(hosts: Collection[int], database: CrawlDatabase) -> set[int]:
    """Return the hosts with anything pending.

    Raises CrawlError if what is pending or waiting could not be given out, or only with an error.
    """
    with_pending = {host for (host,) in database.rows(sql.HOSTS_OF_PENDING)}
    for host in with_pending.difference(hosts):
        raise _changed(f"host {host}, which URLs name", database)
    for statement, what in ((sql.ODD_PENDING, "pending"), (sql.ODD_WAITING, "waiting")):
        ((odd,),) = database.rows(statement)
        if odd:
            raise _changed(f"{odd} of the URLs that are {what}", database)
    return with_pending


def _give_back(hosts: Mapping[int, Host], urls: UrlTable, database: CrawlDatabase) -> set[int]:
    """Make pending what an earlier version, which wrote its leases, had out when it was killed."""
    given_back = [id for (id,) in database.rows(sql.GIVE_BACK)]
    for id in given_back:
        hosts[id].load -= 1
    if given_back:
        urls.totals[State.LEASED] -= len(given_back)
        urls.totals[State.PENDING] += len(given_back)
    return set(given_back)


def _revive(hosts: Collection[int], urls: UrlTable, database: CrawlDatabase) -> None:
    """Make pending what was dropped of hosts that may be asked again."""
    if hosts and urls.totals[State.DROPPED]:
        statement = sql.REVIVE.format(among=database.among)
        revived = database.execute(statement, (database.many(hosts),)).rowcount
        urls.totals[State.DROPPED] -= revived
        urls.totals[State.PENDING] += revived


def _recount(pending: int, waiting: int, urls: UrlTable, database: CrawlDatabase) -> None:
    """Correct the numbers of URLs if they are not those of the URLs: the crawl would wait for ever."""
    totals = urls.totals
    is_sound = all(isinstance(number, int) and number >= 0 for number in totals.values())
    if is_sound and (pending, waiting) == (totals[State.PENDING], totals[State.WAITING]):
        return
    counted = dict(database.rows("SELECT state, count(*) FROM urls GROUP BY state"))
    if unknown := [state for state in counted if state not in totals]:
        raise _changed(f"{sum(counted[state] for state in unknown)} URLs of no known state", database)
    logger.warning("%s had wrong numbers of URLs by state; they are counted anew", database.location)
    totals.update({state: counted.get(int(state), 0) for state in totals})


def _changed(what: str, database: CrawlDatabase) -> CrawlError:
    return changed(database.location, what)
