"""What the demo web is planned from: sites and pages, before any text is written."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from focused_crawler.virtualweb.demo.grammar import TOPICS


@dataclass(eq=False)
class Site:
    """A host and its style."""

    host: str
    kind: str
    subjects: list[str]
    articles: int  # to be planned
    style: str  # of its URLs: blog, html or query
    scheme: str = "http"
    latency: float = 0.0  # seconds
    crawl_delay: int = 0  # seconds, in its robots.txt
    clarity: float = (
        1.0  # how much of what its titles, links and sentences could say of a subject they do say
    )
    pages: list[DemoPage] = field(default_factory=list)

    @property
    def root(self) -> str:
        return f"{self.scheme}://{self.host}"

    @property
    def name(self) -> str:
        """What the site calls itself: its host's first label in words."""
        return self.host.removeprefix("www.").partition(".")[0].replace("-", " ").title()

    def of_kind(self, *kinds: str) -> list[DemoPage]:
        return [page for page in self.pages if page.kind in kinds]


@dataclass(eq=False)
class DemoPage:
    """A page to be written. Its kind decides what goes on it, its subject what that is about."""

    site: Site
    path: str
    title: str
    kind: str  # home, hub, article, digest, about, links, people, person, archive, month, private
    subject: str
    children: list[DemoPage] = field(default_factory=list)  # what it lists
    is_hidden: bool = False  # linked only from the page that lists it

    @property
    def url(self) -> str:
        return self.site.root + self.path

    @property
    def topic(self) -> str | None:
        """The topic that the page is about. Truth by construction; None for a page about several or none."""
        about_one = self.kind in ("article", "hub") or (self.kind == "home" and len(self.site.subjects) == 1)
        return self.subject if about_one and self.subject in TOPICS else None


@dataclass
class DemoLink:
    """A link as written on a page."""

    href: str
    text: str
    note: str = ""  # a line about it, in a list


@dataclass
class DemoBlock:
    """A part of a page: a heading, text (with links in it), a list of links with a line about each."""

    heading: str = ""
    paragraphs: list[list[str | DemoLink]] = field(default_factory=list)
    links: list[DemoLink] = field(default_factory=list)


@dataclass
class World:
    """All that is planned."""

    seed: int
    sites: list[Site]

    def random(self, purpose: str) -> Random:
        """Return numbers that hang on the seed and the purpose alone, not on what was drawn before."""
        return Random(f"{self.seed}/{purpose}")

    @property
    def pages(self) -> list[DemoPage]:
        return [page for site in self.sites for page in site.pages]

    def site_of(self, kind: str) -> Site:
        return next(site for site in self.sites if site.kind == kind)

    def mirrored(self, page: DemoPage) -> str | None:
        """Return where a verbatim copy of the page is, if anywhere."""
        mirror = self.site_of("mirror")
        return mirror.root + page.path if mirror.host == f"mirror.{page.site.host}" else None
