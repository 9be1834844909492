"""Pages of a crawl as a WARC: their responses where the crawl has them, else their texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from focused_crawler.safety.closing import Closing
from focused_crawler.safety.content import PAGE_STATUSES
from focused_crawler.safety.errors import CrawlError, WebError
from focused_crawler.safety.formats import plural
from focused_crawler.safety.whole_file import unfinished
from focused_crawler.store.job import RunInfo, run_of
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.scan import DAMAGE, Records, records_at
from focused_crawler.virtualweb.warc_file import open_warc
from focused_crawler.virtualweb.writer import WebWriter

_ID = "WARC-Record-ID"


class PageToWrite(NamedTuple):
    """A page as the crawl's database has it."""

    url: str
    fetched_at: float  # seconds since the epoch
    text: str = ""  # what a reader sees; empty: it was not stored


class WarcExport(NamedTuple):
    """What became of the pages."""

    responses: int = 0
    texts: int = 0  # pages of which only the text is at hand
    missing: int = 0  # pages of which neither is


def webs_of(folder: Path, run: RunInfo) -> Iterator[Path]:
    """Yield the archives that hold responses of a crawl: its virtual web, and what it was recorded into."""
    record = run.settings.get("FOCUSED_RECORD")
    named = [run.web, record, folder / "pages.warc.gz"]
    for path in (Path(name).expanduser() for name in named if name):
        if path.is_file():
            yield path


def write_warc(folder: Path, pages: Iterable[PageToWrite], path: Path) -> WarcExport:
    """Write pages of the crawl in `folder` into a new WARC at `path`, which appears when it is whole.

    A response is copied with its own id and date, byte for byte; a text becomes a conversion record. The
    same pages give the same bytes. WebError or CrawlError where nothing can be written.
    """
    run = run_of(folder)
    sources = list(webs_of(folder, run))
    if any(path.resolve() == source.resolve() for source in sources):
        raise WebError(f"{path} is what the pages are read from; write to another file")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            file = stack.enter_context(unfinished(path))
            opened = [stack.enter_context(_Source(source)) for source in sources]
            with WebWriter(file, path.name) as writer:
                writer.describe(_about(run), _when(run.started))
                counts = Counter(_write_page(writer, opened, page) for page in pages)
            done = WarcExport(**counts)
            if not done.responses and not done.texts:
                raise CrawlError(_nothing(folder, done))
    except BrokenPipeError:
        raise
    except OSError as error:
        why = f"{path} cannot be written ({error.strerror})"
        raise WebError(f"{why}; give a file in a writable folder") from None
    return done


class _Source(Closing):
    """An archive that pages are copied from, each record once."""

    def __init__(self, path: Path) -> None:
        self._web, self._file = VirtualWeb(path), open_warc(path)
        self._copied: set[int] = set()

    def copy(self, url: str, writer: WebWriter) -> bool:
        """Copy the page of a URL, and what it refers to; tell whether it is there."""
        entry = self._web.find(url)
        if entry is None or entry.status not in PAGE_STATUSES:
            return False
        for offset in sorted({entry.payload, entry.offset} - self._copied):
            self._copied.add(offset)
            for record in _with_request(records_at(self._file, offset, with_heads=False)):
                writer.copy(record)
        return True

    def close(self) -> None:
        self._web.close()
        self._file.close()


def _with_request(records: Records) -> Iterator[Any]:
    """Yield a response, and its request where that stands behind it."""
    response = next(records)
    yield response
    with suppress(*DAMAGE):
        request = next(records, None)
        if request is None or request.rec_type != "request":
            return
        id = response.rec_headers.get_header(_ID)
        if id and id == request.rec_headers.get_header("WARC-Concurrent-To"):
            yield request


def _write_page(writer: WebWriter, sources: Sequence[_Source], page: PageToWrite) -> str:
    """Write one page and return as what."""
    if any(source.copy(page.url, writer) for source in sources):
        return "responses"
    if not page.text:
        return "missing"
    writer.text(page.url, page.text, _when(page.fetched_at))
    return "texts"


def _about(run: RunInfo) -> dict[str, str]:
    return {"isPartOf": f"{run.topic}/{run.job}", "description": run.title}


def _when(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _nothing(folder: Path, done: WarcExport) -> str:
    if not done.missing:
        return f"no page of {folder} was chosen, so there is none to write"
    return (
        f"{folder} has neither responses nor texts of its {plural(done.missing, 'page')}; "
        "crawl with -s FOCUSED_RECORD=FILE.warc.gz to have them"
    )
