"""What is written on a page: its text, and its links in navigation, text, lists, side column and footer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from random import Random
from urllib.parse import quote
from zlib import crc32

import jinja2
from markupsafe import Markup, escape

from focused_crawler.virtualweb.demo.grammar import THEMES, TOPICS, Grammar
from focused_crawler.virtualweb.demo.model import DemoBlock, DemoLink, DemoPage, World

_LAYOUTS = ("modern.html", "divs.html", "tables.html")
BARE = ("click here", "here", "read more", "this page", "more", "website", "link")
NOTICE_NAMES = ("What's on", "Calendar", "Old stuff")
_STRAY = 0.06  # share of sentences about some other subject, anywhere
_LISTED_AT_HOME = 8
OLD_ADDRESS = "/old/1"
"""On each blog: redirects, by way of two more, to its first article."""


class Composer:
    """Writes pages of a planned world; the same page always comes out the same."""

    def __init__(self, world: World) -> None:
        self.world = world
        visible = [p for p in world.pages if not p.is_hidden and p.kind in ("article", "home")]
        self._everywhere = visible
        self._about = defaultdict[str, list[DemoPage]](list)
        for page in visible:
            self._about[page.subject].append(page)
        self.homes = [s.pages[0] for s in world.sites if s.pages and not s.pages[0].is_hidden]
        self.notices = [s.root + "/" for s in world.sites if s.kind in ("calendar", "attic")]
        self._templates = jinja2.Environment(
            loader=jinja2.PackageLoader(__package__ or "", "layouts"), autoescape=True, trim_blocks=True
        )

    def html(self, page: DemoPage) -> str:
        """Return the page as HTML, in the layout of its site."""
        layout = _LAYOUTS[crc32(page.site.host.removeprefix("mirror.").encode()) % len(_LAYOUTS)]
        blocks = self.blocks(page)
        return self._templates.get_template(layout).render(
            page=page,
            blocks=blocks,
            description=_description(blocks[0].paragraphs),
            keywords=", ".join(page.site.subjects),
            navigation=self.navigation(page),
            side=self.side(page),
            footer=self.footer(page),
            parts=_parts,
        )

    def blocks(self, page: DemoPage) -> list[DemoBlock]:
        """Return the page's own part, without what surrounds it."""
        random = self.world.random(page.url)
        writer = Writer(page, random)
        if page.kind == "article" or (page.kind == "private" and page.subject != "general"):
            return self._article(page, writer, random)
        if page.kind in ("home", "digest") and len(page.site.subjects) > 1:
            return self._portal(page, writer)
        return [DemoBlock(page.title, writer.text(random.randrange(1, 3)), self.listed(page, writer))]

    def navigation(self, page: DemoPage) -> list[DemoLink]:
        home = page.site.pages[0]
        links = [
            self.link(page, target, target.title) for target in [home, *home.children] if target is not page
        ]
        if page.site.style == "query":
            links.append(DemoLink(f"/login.php?return={quote(page.path, safe='')}", "Log in"))
        return links

    def side(self, page: DemoPage) -> list[DemoBlock]:
        """Return the side column: pages of this site, and pages of anybody."""
        if page.kind == "category":
            return []
        return self.column(page, 3, "Around the web", self._elsewhere)

    def column(
        self, page: DemoPage, popular: int, title: str, others: Callable[[DemoPage, Random], list[DemoLink]]
    ) -> list[DemoBlock]:
        """Return links to so many pages of this site, and to others, now and then one that has gone."""
        random = self.world.random(f"side {page.url}")
        own = articles_beside(page)
        first = [self.link(page, p, p.title) for p in random.sample(own, min(popular, len(own)))]
        then = others(page, random)
        if random.random() < 0.2:
            then.append(DemoLink(f"{random.choice(self.homes).url}{random.randrange(99)}/gone.html", "here"))
        return [DemoBlock("Popular", links=first), DemoBlock(title, links=then)]

    def _elsewhere(self, page: DemoPage, random: Random) -> list[DemoLink]:
        return [self.link(page, p, self.anchor(p, random)) for p in random.sample(self._everywhere, 6)]

    def footer(self, page: DemoPage) -> list[DemoLink]:
        """Return the same links on every page of a site: partners, most of them about something else."""
        random = self.world.random(f"footer {page.site.host}")
        partners = [self.link(page, p, p.site.name) for p in random.sample(self.homes, 6)]
        if copy := self.world.mirrored(page.site.pages[0]):
            partners.append(DemoLink(copy, "Mirror"))
        return [*partners, DemoLink(random.choice(self.notices), random.choice(NOTICE_NAMES))]

    def _article(self, page: DemoPage, writer: Writer, random: Random) -> list[DemoBlock]:
        parts = random.randrange(1, 4)
        blocks = [DemoBlock(page.title, writer.text(2))]
        blocks += [DemoBlock(writer.heading(), writer.text(random.randrange(1, 3))) for _ in range(parts)]
        for target in self.mentioned(page, random):
            paragraph = random.choice(random.choice(blocks).paragraphs)
            paragraph[1:1] = [" ", self.link(page, target, self.anchor(target, random)), " "]
        related = self._related(page, random)
        blocks.append(DemoBlock("Read next", links=[self.link(page, p, p.title) for p in related]))
        return blocks

    def mentioned(self, page: DemoPage, random: Random) -> list[DemoPage]:
        """Return what an article's text links to: mostly its own subject, on other sites."""
        about = self._about[page.subject] or self._everywhere
        return [
            random.choice(about if random.random() < 0.65 else self._everywhere)
            for _ in range(random.randrange(1, 5))
        ]

    def _related(self, page: DemoPage, random: Random) -> list[DemoPage]:
        same = [p for p in page.site.of_kind("article") if p.is_hidden == page.is_hidden and p is not page]
        near = [p for p in same if p.subject == page.subject] or same
        return random.sample(near, min(3, len(near)))

    def _portal(self, page: DemoPage, writer: Writer) -> list[DemoBlock]:
        """Return one block a subject: whatever the topic, at most one of them is about it."""
        blocks = [DemoBlock(page.title, writer.text(1))]
        shown = page.children if page.kind == "digest" else page.site.of_kind("hub", "article")
        for subject in page.site.subjects:
            own = [p for p in shown if p.subject == subject][:4]
            links = [self.link(page, p, p.title, writer.about(p)) for p in own]
            blocks.append(DemoBlock(subject.title(), links=links))
        return blocks

    def listed(self, page: DemoPage, writer: Writer) -> list[DemoLink]:
        """Return the list on a page, with a line about each; an archive has nothing but dates."""
        random = self.world.random(f"list {page.url}")
        if page.kind in ("archive", "month", "people"):
            return [self.link(page, p, _date(p, random)) for p in page.children]
        listed = [
            self.link(page, p, p.site.name if p.kind == "home" else p.title, writer.about(p))
            for p in self._targets(page, random)
        ]
        moved = page.kind == "links" and page.site.style == "blog"
        return [*listed, DemoLink(OLD_ADDRESS, "How it all began")] if moved else listed

    def _targets(self, page: DemoPage, random: Random) -> list[DemoPage]:
        if page.kind == "home" and page.site.kind != "directory":
            return articles_beside(page)[:_LISTED_AT_HOME]
        if page.kind == "links":
            near = [h for h in self.homes if set(h.site.subjects) & set(page.site.subjects)]
            return [*random.sample(near, min(5, len(near))), *random.sample(self.homes, 6)]
        return page.children

    def link(self, source: DemoPage, target: DemoPage, text: str, note: str = "") -> DemoLink:
        is_inner = target.site is source.site
        return DemoLink(target.path if is_inner else self._spelled(source, target), text, note)

    def _spelled(self, source: DemoPage, target: DemoPage) -> str:
        """Return a URL as people write it: some leave out the slash or www., or shorten the whole of it."""
        random = self.world.random(f"{source.url} to {target.url}")
        chance = random.random()
        if chance < 0.03:
            return target.url.replace("://www.", "://")
        if chance < 0.06 and target.path.endswith("/"):
            return target.url.rstrip("/")
        if chance < 0.3 and has_short_url(target):
            return short_url(self.world, target)
        return target.url

    def anchor(self, target: DemoPage, random: Random) -> str:
        is_bare = random.random() < 1 - 0.65 * target.site.clarity
        return random.choice(BARE) if is_bare else target.title


class Writer:
    """Sentences for one page."""

    def __init__(self, page: DemoPage, random: Random) -> None:
        self._random = random
        self._grammar = Grammar(page.subject, random)
        self._clarity = page.site.clarity
        share = random.uniform(0.35, 0.8) if page.kind in ("article", "hub", "home", "private") else 0.1
        self._share = share * self._clarity
        self._other = Grammar(random.choice((*TOPICS, *THEMES)), random)

    def text(self, paragraphs: int) -> list[list[str | DemoLink]]:
        return [self._paragraph() for _ in range(paragraphs)]

    def _paragraph(self) -> list[str | DemoLink]:
        """Return sentences in two pieces, so that a link can stand between them."""
        return [
            self._sentences(self._random.randrange(1, 3)),
            " " + self._sentences(self._random.randrange(2, 5)),
        ]

    def _sentences(self, count: int) -> str:
        return " ".join(
            self._other.sentence()
            if self._random.random() < _STRAY / self._clarity
            else self._grammar.paragraph(1, self._share)
            for _ in range(count)
        )

    def heading(self) -> str:
        phrase = self._grammar.phrase()
        return phrase[0].upper() + phrase[1:]

    def about(self, page: DemoPage) -> str:
        """Return a line about another page."""
        return Grammar(page.subject, self._random).paragraph(1, 0.7 * page.site.clarity)


def has_short_url(page: DemoPage) -> bool:
    """Whether the shortener knows the page: about one visible page in 20."""
    return not page.is_hidden and page.kind in ("article", "home") and crc32(page.url.encode()) % 20 == 0


def short_url(world: World, page: DemoPage) -> str:
    """Return the short URL of a page, which redirects to it."""
    code = world.random(f"short {page.url}").randrange(36**4, 36**5)
    return f"{world.site_of('shortener').root}/{code:x}"


def articles_beside(page: DemoPage) -> list[DemoPage]:
    """Return the articles that a page of the same site may link to."""
    return [p for p in page.site.of_kind("article") if not p.is_hidden or page.is_hidden]


def _date(page: DemoPage, random: Random) -> str:
    """Return what a bare list calls a page: a name or a date, nothing about its subject."""
    return (
        page.title
        if page.kind in ("person", "month")
        else f"{random.randrange(1, 29)} {random.choice('JFMASOND')}."
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
