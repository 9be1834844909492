"""Webs of another kind, to learn on: many hosts under few domains, a third of the links across hosts.

There is no directory. A site links to a few others, again and again; some sites are linked once, by a link
that says nothing. By their seeds webs differ in domains and hosts, and in how large and hard each topic is.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from random import Random

from focused_crawler.virtualweb.demo.compose import BARE, NOTICE_NAMES, Composer, Writer
from focused_crawler.virtualweb.demo.grammar import THEMES, TOPICS, Grammar, words
from focused_crawler.virtualweb.demo.model import DemoBlock, DemoLink, DemoPage, Site, World
from focused_crawler.virtualweb.demo.plan import plan_pages

SIZES = (18, 13, 10, 8, 6)
"""Sites of a topic, hidden ones among them; which topic has how many hangs on the seed."""

CLARITIES = (0.75, 0.55, 0.4, 0.3, 0.2)
"""Of the sites of a topic, dealt out likewise."""

MENU = 4  # sites of a domain, on each page under it
ACQUAINTANCES = 5  # sites that a site links to
_DOMAINS = ("university", "county", "press", "network", "college", "society")
_ALONE = 0.25  # share of hosts that have a domain of their own
_NEAR = 0.6  # share of the acquaintances of a site that share a subject with it


def plan_wide_world(seed: int) -> World:
    """Return all sites with their pages."""
    world = World(seed, [])
    _draw_sites(world, world.random("sites"))
    plan_pages(world)
    return world


def _draw_sites(world: World, random: Random) -> None:
    owners = random.sample(words("general")["surname"], 7)
    kinds = random.sample(_DOMAINS, random.randrange(3, len(_DOMAINS) + 1))
    domains = [f"{owner.lower()}-{kind}.example" for owner, kind in zip(owners, kinds, strict=False)]
    clarities = dict(zip(random.sample(TOPICS, len(TOPICS)), CLARITIES, strict=True))

    def add(kind: str, subjects: list[str], articles: int) -> None:
        clarity = min(clarities.get(subject, 0.5) for subject in subjects) if len(subjects) < 3 else 0.5
        host = _host(world, random, domains, subjects[0], clarity)
        style = random.choice(("blog", "html", "query"))
        world.sites.append(Site(host, kind, subjects, articles, style, clarity=clarity))

    for topic, size in zip(random.sample(TOPICS, len(TOPICS)), SIZES, strict=True):
        hidden = max(1, size // 5)
        for number in range(size):
            other = [random.choice(THEMES)] if random.random() < 0.2 else []
            add("hidden" if number < hidden else "topical", [topic, *other], _size(random))
    for _ in range(random.randrange(7, 11)):
        add("mixed", random.sample((*TOPICS, *THEMES), random.randrange(4, 7)), random.randrange(30, 70))
    for theme in (*THEMES, "general"):
        for _ in range(random.randrange(3, 6)):
            add("general", [theme], _size(random))
    for _ in range(10):
        add("personal", [random.choice((*TOPICS, *THEMES))], random.randrange(3, 7))
    original = random.choice([site for site in world.sites if site.kind == "topical"])
    for kind, host in (("calendar", "whatson"), ("shortener", "go"), ("attic", "attic")):
        world.sites.append(Site(f"{host}.example", kind, [], 0, "html"))
    world.sites.append(Site(f"mirror.{original.host}", "mirror", [], 0, original.style))


def _size(random: Random) -> int:
    """Return the articles of a site: most are small, some large."""
    return round(min(max(random.lognormvariate(2.9, 0.7), 6), 90))


def _host(world: World, random: Random, domains: list[str], subject: str, clarity: float) -> str:
    """Return a new host; its name speaks of the subject, or of a person."""
    general = words("general")
    if random.random() < clarity:
        name = Grammar(subject, random).phrase()
    else:
        name = f"{random.choice(general['given_name'])} {random.choice(general['surname'])}"
    label = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    shared = random.choices(domains, [1 / rank for rank in range(1, len(domains) + 1)])[0]
    domain = "example" if random.random() < _ALONE else shared
    taken = {site.host for site in world.sites}
    hosts = [f"{label}.{domain}", *(f"{label}-{number}.{domain}" for number in range(2, 9))]
    return next(host for host in hosts if host not in taken)


def _acquaintances(world: World, random: Random) -> dict[Site, list[Site]]:
    """Return for each site the few that it links to; each one that is not hidden is known to another."""
    sites = [site for site in world.sites if site.pages]
    visible = [site for site in sites if not site.pages[0].is_hidden]
    found = {}
    for site in sites:
        others = [one for one in visible if one is not site]
        near = [one for one in others if set(one.subjects) & set(site.subjects)] or others
        known = [random.choice(near if random.random() < _NEAR else others) for _ in range(ACQUAINTANCES)]
        found[site] = list(dict.fromkeys(known))
    famous = {one for known in found.values() for one in known}
    for site in visible:
        if site not in famous:
            found[random.choice([one for one in visible if one is not site])].append(site)
    return found


def _domain(site: Site) -> str:
    return site.host.partition(".")[2]


class WideComposer(Composer):
    """Writes pages of such a web."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._known = _acquaintances(world, world.random("acquaintances"))
        self._menus = dict(self._menus_of_domains())

    def navigation(self, page: DemoPage) -> list[DemoLink]:
        """Return the site's own menu and that of its domain, the same on all pages under it."""
        menu = [home for home in self._menus.get(_domain(page.site), []) if home.site is not page.site]
        return [*super().navigation(page), *(self.link(page, home, home.site.name) for home in menu)]

    def side(self, page: DemoPage) -> list[DemoBlock]:
        """Return the side column: pages of this site, and three sites it knows, the same on all its pages."""
        return self.column(page, 8, "Friends", self._friends)

    def _friends(self, page: DemoPage, _: Random) -> list[DemoLink]:
        return [self.link(page, s.pages[0], s.name) for s in self._known[page.site][:3]]

    def footer(self, page: DemoPage) -> list[DemoLink]:
        """Return the links at the foot of a site's pages: two partners, a mirror, and with some a notice."""
        random = self.world.random(f"footer {page.site.host}")
        links = [self.link(page, home, home.site.name) for home in random.sample(self.homes, 2)]
        if copy := self.world.mirrored(page.site.pages[0]):
            links.append(DemoLink(copy, "Mirror"))
        if random.random() < 0.3:
            links.append(DemoLink(random.choice(self.notices), random.choice(NOTICE_NAMES)))
        return links

    def mentioned(self, page: DemoPage, random: Random) -> list[DemoPage]:
        """Return what an article's text links to: sites that its own one knows, most of them at home."""
        found = []
        for _ in range(random.randrange(1, 5)):
            site = random.choice(self._known[page.site])
            articles = [p for p in site.of_kind("article") if not p.is_hidden]
            found.append(random.choice(articles) if random.random() < 0.4 else site.pages[0])
        return found

    def listed(self, page: DemoPage, writer: Writer) -> list[DemoLink]:
        """Return the list on a page; a person links to another site by a word that says nothing."""
        if page.kind == "person":
            random = self.world.random(f"list {page.url}")
            return [self.link(page, p, random.choice(BARE)) for p in page.children]
        return super().listed(page, writer)

    def _menus_of_domains(self) -> Iterator[tuple[str, list[DemoPage]]]:
        homes = defaultdict[str, list[DemoPage]](list)
        for home in self.homes:
            homes[_domain(home.site)].append(home)
        del homes["example"]  # sites with domains of their own
        for domain, found in homes.items():
            yield domain, self.world.random(f"menu {domain}").sample(found, min(MENU, len(found)))
