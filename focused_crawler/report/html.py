"""What all reports have in common as HTML pages: one file each, without script and without network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from focused_crawler.report import words
from focused_crawler.report.look import style_sheet

Filters = Mapping[str, Callable[..., Any]]


def render_page(template: str, filters: Filters, values: Mapping[str, Any]) -> str:
    """Return a page made of `template`, such as report/template.html. Equal input gives equal text.

    All is escaped but what the template marks as safe: plots and style sheet, which are our own.
    """
    environment = Environment(
        loader=PackageLoader("focused_crawler", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(percent=words.percent, count=words.count, tidy=words.tidy, **filters)
    return environment.get_template(template).render(values, style=style_sheet(), words=words)
