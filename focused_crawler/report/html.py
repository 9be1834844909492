"""All reports as HTML pages: one file each, whole without scripts and without network."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from focused_crawler.crawl.failure import label
from focused_crawler.report import words
from focused_crawler.safety import formats
from focused_crawler.safety.errors import FocusedCrawlerError
from focused_crawler.safety.whole_file import unfinished

Filters = Mapping[str, Callable[..., Any]]


_OWN = files("focused_crawler.report")  # of an egg as well
SHARED = _OWN / "shared"
"""What the pages of the workbench use, too."""

_HEADING = re.compile(r'<h2 id="([a-z0-9-]+)">(.*?)</h2>')
_LEAST_LISTED = 3


@cache
def style_sheet() -> str:
    """Return the style sheet of all reports."""
    own, shared = _OWN / "style.css", (SHARED / "series.css", SHARED / "tables.css")
    return "\n".join(file.read_text("utf-8").strip() for file in (own, *shared))


@cache
def tables_script() -> str:
    """Return what sorts and searches the tables of reports."""
    return (SHARED / "tables.js").read_text("utf-8").strip()


def hash_of(script: str) -> str:
    """Return a script as a Content-Security-Policy names it: no other is run."""
    return f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}"


def contents(body: str) -> list[tuple[str, Markup]]:
    """Return name and heading of each part of a page, in order; none of a page of few parts.

    Headings are escaped already, and only the templates' own have names.
    """
    found = [(name, Markup(heading)) for name, heading in _HEADING.findall(body)]  # noqa: S704 - see above
    return found if len(found) >= _LEAST_LISTED else []


def render_page(template: str, values: Mapping[str, Any], filters: Filters | None = None) -> str:
    """Return a page made of `template`, such as report/template.html. Equal input gives equal text.

    All is escaped but what the template marks as safe: plots, style sheet and script, which are our own.
    """
    shared = {"style": style_sheet(), "words": words, "formats": formats, "contents": contents}
    script = tables_script()
    tables = {"tables_script": script, "tables_hash": hash_of(script)}
    return page_template(template, **(filters or {})).render(values, **shared, **tables)


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
    own = ("percent", "count", "tidy", "duration", "web_link", "first_upper", "plural")
    environment.filters.update({name: getattr(formats, name) for name in own}, failure=label, **filters)
    return environment.get_template(name)


def save_page(page: str, path: Path, error: type[FocusedCrawlerError], cure: str) -> Path:
    """Write a page, whole or not at all, and return its path; raises `error` with what to do instead."""
    try:
        with unfinished(path) as file:
            file.write_text(page, "utf-8", errors="replace")
    except OSError as failure:
        raise error(f"cannot write {path} ({failure.strerror}); {cure}") from None
    return path
