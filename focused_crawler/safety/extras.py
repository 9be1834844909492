"""What a first install leaves out: libraries of an extra, and the line that names it where one is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec

from focused_crawler.safety.errors import ConfigError

EXTRAS: Mapping[str, tuple[str, ...]] = {
    "data": ("pyarrow",),
    "fleet": ("psycopg", "sqlalchemy"),
    "plots": ("matplotlib",),
    "render": ("scrapy_playwright", "playwright"),
    "search": ("ddgs",),
    "thesaurus": ("rdflib", "nltk"),
    "ui": ("starlette", "uvicorn"),
}
"""Extra of the package -> the modules that come with it alone."""

_FOR: Mapping[str, str] = {
    "data": "Parquet and data frames need",
    "fleet": "PostgreSQL needs",
    "plots": "plots need",
    "render": "pages in a browser need",
    "search": "searches by ddgs need",
    "thesaurus": "SKOS files, and fetching WordNet, need",
    "ui": "the workbench needs",
}


def missing(extra: str) -> ConfigError:
    """Return what to say where an extra is needed and not installed.

    >>> print(missing("search"))
    searches by ddgs need an extra; type pip install 'focused-crawler[search]'
    """
    return ConfigError(f"{_FOR[extra]} an extra; type pip install 'focused-crawler[{extra}]'")


@contextmanager
def explaining_extras() -> Iterator[None]:
    """Raise ConfigError where an import fails that an extra would have served."""
    try:
        yield
    except ImportError as error:
        extra = _extra_of(error)
        if extra is None:
            raise
        raise missing(extra) from error


def _extra_of(error: ImportError) -> str | None:
    module = (error.name or "").partition(".")[0]
    return next((extra for extra, modules in EXTRAS.items() if module in modules), None)


def is_here(extra: str) -> bool:
    """Tell whether all modules of an extra are installed; none is loaded."""
    return all(find_spec(module) is not None for module in EXTRAS[extra])
