"""A composed page as HTML, in the layout of its site."""

from __future__ import annotations

from zlib import crc32

import jinja2
from markupsafe import Markup, escape

from focused_crawler.virtualweb.demo.compose import Composer
from focused_crawler.virtualweb.demo.model import DemoLink, DemoPage

_LAYOUTS = ("modern.html", "divs.html", "tables.html")


class DemoRenderer:
    """Turns planned pages into HTML."""

    def __init__(self, composer: Composer) -> None:
        self._composer = composer
        self._templates = jinja2.Environment(
            loader=jinja2.PackageLoader(__package__ or "", "layouts"), autoescape=True, trim_blocks=True
        )

    def html(self, page: DemoPage) -> str:
        layout = _LAYOUTS[crc32(page.site.host.removeprefix("mirror.").encode()) % len(_LAYOUTS)]
        blocks = self._composer.blocks(page)
        return self._templates.get_template(layout).render(
            page=page,
            blocks=blocks,
            description=_description(blocks[0].paragraphs),
            keywords=", ".join(page.site.subjects),
            navigation=self._composer.navigation(page),
            side=self._composer.side(page),
            footer=self._composer.footer(page),
            parts=_parts,
        )


def _parts(paragraph: list[str | DemoLink]) -> Markup:
    return Markup("").join(
        Markup('<a href="{}">{}</a>').format(part.href, part.text)
        if isinstance(part, DemoLink)
        else escape(part)
        for part in paragraph
    )


def _description(paragraphs: list[list[str | DemoLink]]) -> str:
    first = paragraphs[0][0] if paragraphs else ""
    return first if isinstance(first, str) else first.text
