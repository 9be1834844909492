"""Templates of the workbench: everything is escaped, and no character can hide or turn what is shown."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from focused_crawler.crawl.failure import label
from focused_crawler.report import words
from focused_crawler.report.html import SHARED
from focused_crawler.safety import formats
from focused_crawler.safety.printable import one_line

STATIC = Path(__file__).parent / "static"
SHARED_FILES = ("focused_crawler.report", SHARED.name)
"""Package and folder of what reports have, too: hues of strategies, tables."""
_FILTERS = (
    "count",
    "duration",
    "first_upper",
    "folded",
    "moment",
    "period",
    "plural",
    "tidy",
    "web_link",
)


def render(template: str, **values: Any) -> str:
    """Return a page, or a part of one."""
    return _environment().get_template(template).render(values)


def shown(value: Any) -> Any:
    r"""Return what a template prints: text of others with its control and direction marks visible.

    >>> shown("a\u202eb"), shown(7)
    ('a\\u202eb', 7)
    """
    return one_line(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def path_to(*names: str, **query: str) -> str:
    """Return the path of a place here.

    >>> path_to("crawls", "asthma", "1", "page", url="http://a/?b=1&c")
    '/crawls/asthma/1/page?url=http%3A%2F%2Fa%2F%3Fb%3D1%26c'
    """
    path = "/" + "/".join(quote(name, safe="") for name in names)
    return f"{path}?{urlencode(query, errors='replace')}" if query else path


@cache
def static(name: str) -> str:
    """Return the path of a file of ours; another one for each content: no browser keeps an old one."""
    return f"/static/{name}?{blake2b(_file(name).read_bytes(), digest_size=6).hexdigest()}"


def _file(name: str) -> Traversable:
    own = STATIC / name
    return own if own.exists() else SHARED / name


@pass_context
def _csrf(context: Context) -> Markup:
    return Markup('<input type="hidden" name="csrf" value="{}">').format(context["session"].csrf)


@pass_context
def _page_path(context: Context, url: str) -> str:
    """Return where a page of the crawl that is shown has its place."""
    return path_to("crawls", context["topic"], context["job"], "page", url=url)


def _percent(share: float) -> str:
    """Return a share that no line is broken in."""
    return formats.percent(share).replace(" ", "\N{NO-BREAK SPACE}")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("focused_crawler.workbench"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=shown,
    )
    environment.filters.update({name: getattr(formats, name) for name in _FILTERS}, failure=label)
    environment.filters["percent"] = _percent
    environment.globals.update(
        csrf=_csrf, page_path=_page_path, path_to=path_to, static=static, words=words, formats=formats
    )
    return environment
