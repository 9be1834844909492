"""Pages: what a crawl has fetched as a table, filtered, sorted, searched, and written into a file."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from focused_crawler.crawl.labelled import labels_in
from focused_crawler.discovery.page_views import MOST_FOUND, PageView
from focused_crawler.discovery.search.local import bring_up_to_date, search_crawl
from focused_crawler.report.explain.short import ShortReason, short_reason
from focused_crawler.report.export.export import export
from focused_crawler.report.export.rows import Chosen
from focused_crawler.report.page_list import label_word, view_words
from focused_crawler.safety.errors import ConfigError, CrawlError, FocusedCrawlerError, SearchError
from focused_crawler.safety.formats import plural
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.job import RUNNING, RunInfo, run_of
from focused_crawler.store.opening import crawl_at_once, read_crawl
from focused_crawler.store.page_table import ListedPage, PageScreen, largest_hosts
from focused_crawler.store.page_texts import PageTexts
from focused_crawler.workbench.bench import NotFound
from focused_crawler.workbench.errands import PATIENCE_SECONDS, Errands
from focused_crawler.workbench.readers import readers_of
from focused_crawler.workbench.request import answer, crawl_folder, get, position_in

MOST_HOSTS = 100
"""That are offered to choose from."""
MOST_INDEXED = 100
"""Pages that a search adds to the index itself; more are added beside it."""
SAVE_SECONDS = 60.0
"""So long a file waits for the index: unlike a table, it cannot say that something is missing."""

SAVED = {"csv": "csv", "urls": "txt", "jsonl": "jsonl", "parquet": "parquet", "warc": "warc.gz"}
"""What a view is saved as: kind of `scrapy export` -> end of the file's name."""

_NOTHING = PageScreen((), 0, 0)


class WordsFound(NamedTuple):
    """What a search found."""

    positions: Sequence[int] | None = None  # None: nothing was searched for
    missing: int = 0  # pages whose words are not in the index yet
    problem: str = ""


def show(request: Request) -> Response:
    """Show a screen of the pages."""
    folder = crawl_folder(request)
    run = run_of(folder)
    view, problem = _view(request)
    with crawl_at_once(folder) as database:
        found = _found(request, folder, view)
        labels = labels_in(database, readers_of(request).labels(run))
        problem = problem or found.problem
        screen = _NOTHING
        if not problem:
            table = view.table(database, labels, found.positions)
            screen = table.screen(**{name: position_in(request, name) for name in ("after", "before")})
        values = {
            "run": run,
            "view": view,
            "about": view_words(view),
            "problem": problem,
            "screen": screen,
            "found": found,
            "most_found": MOST_FOUND,
            "reasons": _reasons(request, folder, run, database, screen.rows),
            "labelled": {row.position: label_word(labels.by_key.get(row.key)) for row in screen.rows},
            "kinds": SAVED,
            "hosts": largest_hosts(database, MOST_HOSTS),
            "is_running": run.state == RUNNING,
            "judge": CrawlHistory(database).judge() or run.judge,
        }
    return answer(request, "pages.html", 400 if problem else 200, **values)


def _view(request: Request) -> tuple[PageView, str]:
    """Return the view that the address asks for, and what is wrong with it."""
    try:
        return PageView.read(request.query_params), ""
    except ConfigError as error:
        return PageView(), str(error)


def _found(request: Request, folder: Path, view: PageView, seconds: float = PATIENCE_SECONDS) -> WordsFound:
    if not view.words:
        return WordsFound()
    try:
        found = _search(folder, view)
        if found.missing:
            errands: Errands = request.app.state.index_errands
            if errands.wait_for(folder, partial(bring_up_to_date, folder), seconds) is not None:
                found = _search(folder, view)
    except (SearchError, CrawlError) as error:
        return WordsFound((), problem=str(error))
    return found


def _search(folder: Path, view: PageView) -> WordsFound:
    with closing(search_crawl(folder, most=MOST_INDEXED)) as search:
        return WordsFound(search.positions(view.words, MOST_FOUND), search.missing)


def _reasons(
    request: Request, folder: Path, run: RunInfo, database: CrawlDatabase, rows: Sequence[ListedPage]
) -> dict[int, ShortReason]:
    """Return why each page has its relevance, as far as its words are stored and its judge can be loaded."""
    try:
        judge = readers_of(request).judge(folder, run)
    except FocusedCrawlerError:
        return {}
    texts = PageTexts(database).of([row.position for row in rows])
    return {text.position: short_reason(judge, text) for text in texts}


def save(request: Request) -> Response:
    """Send all pages of a view as a file, as `scrapy export` writes it."""
    folder, kind = crawl_folder(request), request.path_params["kind"]
    if kind not in SAVED:
        raise NotFound(f"there is no file of the kind {kind}; choose one of {', '.join(SAVED)}")
    view = PageView.read(request.query_params)
    found = _found(request, folder, view, SAVE_SECONDS)
    if found.problem:
        raise CrawlError(found.problem)
    if found.missing:
        raise CrawlError(
            f"{plural(found.missing, 'page')} more are not in the index of words yet; save again in a moment"
        )
    with read_crawl(folder) as database:
        labels = labels_in(database, readers_of(request).labels(run_of(folder)))
    chosen = Chosen(view.pages(labels, found.positions))
    place = TemporaryDirectory(prefix="workbench-")
    names = request.path_params
    file = Path(place.name) / f"{names['topic']}-{names['job']}-pages.{SAVED[kind]}"
    try:
        export(folder, kind, file, chosen)
    except BaseException:
        place.cleanup()
        raise
    return FileResponse(file, filename=file.name, background=BackgroundTask(place.cleanup))


_PATH = "/crawls/{topic}/{job}/pages"
ROUTES = (get(_PATH, show), get(f"{_PATH}/save/{{kind}}", save))
