"""All reports as HTML pages: one file each, without script and without network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from focused_crawler.crawl.failure import label
from focused_crawler.report import words
from focused_crawler.safety import formats
from focused_crawler.safety.errors import FocusedCrawlerError

Filters = Mapping[str, Callable[..., Any]]


@cache
def style_sheet() -> str:
    """Return the style sheet of all reports."""
    return files("focused_crawler.report").joinpath("style.css").read_text("utf-8").strip()


def render_page(template: str, values: Mapping[str, Any], filters: Filters | None = None) -> str:
    """Return a page made of `template`, such as report/template.html. Equal input gives equal text.

    All is escaped but what the template marks as safe: plots and style sheet, which are our own.
    """
    shared = {"style": style_sheet(), "words": words, "formats": formats}
    return page_template(template, **(filters or {})).render(values, **shared)


@cache
def page_template(name: str, **filters: Callable[..., Any]) -> Template:
    """Return a template, which a process compiles once."""
    environment = Environment(
        loader=PackageLoader("focused_crawler", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    own = ("percent", "count", "tidy", "duration", "web_link", "first_upper")
    environment.filters.update({name: getattr(formats, name) for name in own}, failure=label, **filters)
    return environment.get_template(name)


def save_page(page: str, path: Path, error: type[FocusedCrawlerError], cure: str) -> Path:
    """Write a page and return its path; raises `error` with what to do instead."""
    try:
        path.write_text(page, "utf-8", errors="replace")
    except OSError as failure:
        raise error(f"cannot write {path} ({failure.strerror}); {cure}") from None
    return path
