"""A WARC file as a web: an answer for each URL it has recorded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Self

from focused_crawler.virtualweb.index_file import SELF_REDIRECT, Entry, open_index
from focused_crawler.virtualweb.record import Record, read_record
from focused_crawler.virtualweb.scan import open_warc
from focused_crawler.virtualweb.surt import surt

_ANSWER = """
SELECT * FROM record WHERE key = ? AND rank < ? ORDER BY rank, url <> ?, offset LIMIT 1
"""


class VirtualWeb:
    """A web in a file. Opening it builds its index if need be, about 10,000 records a second, once.

    WebError if the file is missing or no WARC. Not for several threads.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._index = open_index(self.path)
        self._file = open_warc(self.path)

    def get(self, url: str) -> Record | None:
        """Return what the web answers to `url`; None (a 404) if it has nothing.

        Of several records under one lookup key: the exact URL with status 200, any 200, a redirect, the
        rest. A redirect to its own key (http to https, a slash) is left out, as following it never ends.
        """
        entry = self.find(url)
        return None if entry is None else self.read(entry)

    def find(self, url: str) -> Entry | None:
        """Return the index entry of what `get` would read."""
        row = self._index.execute(_ANSWER, (surt(url), SELF_REDIRECT, url)).fetchone()
        return None if row is None else Entry._make(row)

    def read(self, entry: Entry) -> Record:
        """Return the record of an entry."""
        return read_record(self._file, entry.offset)

    def entries(self) -> Iterator[Entry]:
        """Yield every response record in file order, those `get` never answers with as well."""
        for row in self._index.execute("SELECT * FROM record ORDER BY offset"):
            yield Entry._make(row)

    def __contains__(self, url: str) -> bool:
        return self.find(url) is not None

    def __len__(self) -> int:
        """Number of response records."""
        return int(self._index.execute("SELECT count(*) FROM record").fetchone()[0])

    def close(self) -> None:
        self._index.close()
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()
