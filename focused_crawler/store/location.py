"""What differs between the kinds of databases: where one is, how it is opened, locked and written."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from focused_crawler.safety.errors import CrawlError


@contextmanager
def closed_on_error(connection: Any) -> Iterator[None]:
    """Close a connection that turns out to be of no use in here."""
    try:
        yield
    except BaseException:
        connection.close()
        raise


class Location:
    """Where a crawl's database is, and what is particular about that kind of database."""

    errors: tuple[type[Exception], ...]
    """What its connections raise."""
    is_shared = False
    """Whether others may write as well, one at a time."""
    has_arrays: bool
    """Whether a value of a statement may be a list."""
    among: str
    """The SQL for "is one of `?`", where `many` made the value."""

    begin_snapshot = "BEGIN"
    """Begins a transaction whose reads are all of one moment."""

    def many(self, values: Collection[Any]) -> Any:
        """Return the value of one `?` that stands for many."""
        raise NotImplementedError

    def open(self, *, read_only: bool) -> Any:
        """Return a connection; open or create, and lock against a second writer. Raises CrawlError."""
        raise NotImplementedError

    def bring_up_to_date(self) -> None:
        """Give a database of an older version what it lacks; raises CrawlError where nobody may write now."""
        try:
            self.open(read_only=False).close()
        except CrawlError as error:
            raise CrawlError(
                f"{self} is of an older version and has to be brought up to date: {error}"
            ) from None
        finally:
            self.close()

    def begin_locked(self, connection: Any) -> None:
        """Wait for the write lock and begin a transaction; nothing to do where nobody else may write."""

    def maintain(self, connection: Any) -> None:
        """Do what has to be done now and then as the database grows."""

    def explained(self, error: Any) -> CrawlError | None:
        """Return what to tell the user; None: the fault is the caller's."""
        raise NotImplementedError

    def write_beside(self, sql: str, values: Sequence[Any]) -> None:
        """Run one statement and commit it, also while somebody crawls; raises CrawlError."""
        raise NotImplementedError

    def is_locked(self) -> bool:
        """Tell whether somebody has it open for writing: a crawl, alive or hanging. Raises CrawlError."""
        raise NotImplementedError

    def close(self) -> None:
        """Let other processes write."""
