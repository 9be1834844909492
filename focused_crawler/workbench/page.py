"""Page: one page of a crawl, with what spoke for it and against it, its links, and the way to it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from focused_crawler.crawl.labelled import labels_in
from focused_crawler.page.url import normalise
from focused_crawler.report.explain.html import sentences, word_runs
from focused_crawler.report.explain.page import SECTIONS, telling_terms
from focused_crawler.report.why.cures import as_typed_here
from focused_crawler.report.why.facts import UrlFacts
from focused_crawler.report.why.reading import as_it_is, read_facts
from focused_crawler.report.why.reasons import RecordedReasons, recorded_reasons
from focused_crawler.report.why.sentences import answer as answer_of
from focused_crawler.safety.errors import ConfigError, FocusedCrawlerError
from focused_crawler.safety.formats import tidy
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RunInfo, run_of
from focused_crawler.store.opening import crawl_at_once
from focused_crawler.store.page_links import links_of
from focused_crawler.topic.label import LONGEST_NAME, Label, Undo, key_of
from focused_crawler.topic.labels import add_answer, append
from focused_crawler.topic.topic import load_topic
from focused_crawler.workbench.answers import ELSEWHERE, answer_in, labelling
from focused_crawler.workbench.readers import readers_of
from focused_crawler.workbench.request import (
    answer,
    crawl_folder,
    done,
    form_of,
    get,
    place_of,
    post,
    session_of,
)

MOST_LINKS = 100
ALL_LINKS = 5_000
MOST_TERMS = 10


def show(request: Request) -> Response:
    """Show all that a crawl knows of a URL."""
    folder = crawl_folder(request)
    url = _url(request.query_params.get("url", ""))
    run = run_of(folder)
    with crawl_at_once(folder) as database:
        facts, run = read_facts(database, url), as_it_is(database, run)
        page = facts.page
        links = None
        if page is not None:
            most = ALL_LINKS if request.query_params.get("links") == "all" else MOST_LINKS
            links = links_of(database, page.key, most)
        found, problem = _reasons(request, folder, run, database, facts)
        labels, key = readers_of(request).labels(run), key_of(page.url if page else url)
        people = labels_in(database, labels).newest.get(key, {})
    reasons = found.reasons if found else None
    values: dict[str, Any] = {
        "run": run,
        "url": url,
        "facts": facts,
        "page": page,
        "conclusion": answer_of(facts, as_typed_here(run, {}), time.time()),
        "links": links,
        "reasons": reasons,
        "problem": problem,
        "has_blocks": found is not None and found.has_blocks,
        "sentences": sentences(reasons) if reasons else [],
        "blocks": word_runs(reasons) if reasons else [],
        "terms": telling_terms(reasons, MOST_TERMS) if reasons else ([], []),
        "sections": SECTIONS,
        "people": people,
        "checksum": (page.checksum if page else None) or "",
        "own": labels.newest.get(key, {}).get(session_of(request).by),
        "by": session_of(request).by,
    }
    return answer(request, "one_page.html", **values)


def _url(typed: str) -> str:
    url = normalise(typed)
    if url is None:
        raise ConfigError(
            f"{tidy(typed) or 'nothing'} is no URL that a crawl could fetch; choose a page in Pages"
        )
    return url


def _reasons(
    request: Request, folder: Path, run: RunInfo, database: CrawlDatabase, facts: UrlFacts
) -> tuple[RecordedReasons | None, str]:
    """Return why a page is relevant or not, or why nobody can say."""
    if facts.page is None:
        return None, ""
    try:
        judge = readers_of(request).judge(folder, run)
    except FocusedCrawlerError as error:
        return None, str(error)
    found = recorded_reasons(folder, run, database, judge, facts.page)
    return found, "" if found else "the crawl stored no words of this page"


def label(request: Request) -> Response:
    """Store what the person says of a page."""
    folder, form = crawl_folder(request), form_of(request)
    run, by = run_of(folder), session_of(request).by
    url, said = _url(form.get("url")), answer_in(form)
    with labelling():
        given = Label(
            url=url, label=said, by=by, queue="page", crawl=tidy(run.job, LONGEST_NAME), text=form.get("text")
        )
    is_new = add_answer(load_topic(run.topic_name).folder, given, form.get("before"))
    return done(request, f"Labelled: {said}." if is_new else ELSEWHERE, place_of(request, "page", url=url))


def take_back(request: Request) -> Response:
    """Take back what the person has said of a page last."""
    folder, url = crawl_folder(request), _url(form_of(request).get("url"))
    run, by = run_of(folder), session_of(request).by
    own = readers_of(request).labels(run).newest.get(key_of(url), {}).get(by)
    if own is None:
        return done(request, f"{by} has no label here to take back.", place_of(request, "page", url=url))
    append(load_topic(run.topic_name).folder, [Undo(undoes=own.id, by=by)])
    return done(request, f"Taken back: {own.label}.", place_of(request, "page", url=url))


_PATH = "/crawls/{topic}/{job}/page"
ROUTES = (get(_PATH, show), post(f"{_PATH}/label", label), post(f"{_PATH}/undo", take_back))
