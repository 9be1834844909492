"""Which sites and pages there are, and which page lists which."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from itertools import cycle
from random import Random

from focused_crawler.virtualweb.demo.grammar import THEMES, TOPICS, Grammar, words
from focused_crawler.virtualweb.demo.model import DemoPage, Site, World

HUB_SIZE = 12  # articles a listing page
DIGESTS = 5
PERSONS = 6
MONTHS = 6
_PLAIN = ("about", "contact", "privacy")


def plan_world(seed: int) -> World:
    """Return all sites with their pages."""
    table = tomllib.loads(files(__package__).joinpath("sites.toml").read_text(encoding="utf-8"))
    world = World(seed, [Site(**site) for site in table["site"]])
    plan_pages(world)
    _plan_directory(world)
    return world


def plan_pages(world: World) -> None:
    """Give the sites their pages."""
    for site in world.sites:
        if site.articles:
            _plan_site(site, world.random(site.host))
    _hide_sites(world)


def _plan_site(site: Site, random: Random) -> None:
    home = DemoPage(site, "/", site.name, "home", site.subjects[0])
    site.pages.append(home)
    articles = _articles(site, random)
    archived = articles[-len(articles) // 3 :] if site.kind == "mixed" else []
    for subject in site.subjects:
        home.children += _hubs(
            site, subject, [a for a in articles if a.subject == subject and a not in archived]
        )
    if site.kind == "mixed":
        home.children += _digests(site, articles, random)
        home.children += [_people(site, random), _archive(site, archived, random)]
    if site.kind != "personal":
        home.children.append(_add(site, "links", "Links", "links"))
    home.children += [_add(site, name, name.title(), "about") for name in _PLAIN]
    if site.kind in ("topical", "general") and random.random() < 0.4:
        home.children.append(_private(site))
    site.pages += articles


def _articles(site: Site, random: Random) -> list[DemoPage]:
    articles, taken = [], set[str]()
    grammars = {subject: Grammar(subject, random) for subject in site.subjects}
    for number in range(site.articles):
        subject = site.subjects[number % len(site.subjects)]
        is_clear = site.clarity == 1 or random.random() < site.clarity
        title = (grammars[subject] if is_clear else Grammar("general", random)).title()
        path = _path(site, title, number, random)
        if path in taken:
            path = _path(site, f"{title} {number}", number, random)
        taken.add(path)
        articles.append(DemoPage(site, path, title, "article", subject))
    return articles


def _path(site: Site, title: str, number: int, random: Random) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    if site.style == "blog":
        return f"/{random.randrange(2012, 2025)}/{random.randrange(1, 13):02}/{slug}/"
    return f"/articles/{slug}.html" if site.style == "html" else f"/index.php?page={number + 10}"


def _add(site: Site, name: str, title: str, kind: str, subject: str = "general") -> DemoPage:
    path = {
        "blog": f"/{name}/",
        "html": f"/{name}.html",
        "query": f"/index.php?view={name.replace('/', '-')}",
    }
    page = DemoPage(site, path[site.style], title, kind, subject)
    site.pages.append(page)
    return page


def _hubs(site: Site, subject: str, articles: list[DemoPage]) -> list[DemoPage]:
    """Add the listing pages of a subject; only the first is on the home page, each leads to the next."""
    label = words(subject).get("title", subject.title())
    label = label if len(site.subjects) > 1 or subject in TOPICS else "Articles"
    hubs: list[DemoPage] = []
    for number, start in enumerate(range(0, len(articles), HUB_SIZE), start=1):
        name = f"topics/{subject}" + (f"-{number}" if number > 1 else "")
        title = label if number == 1 else f"{label}, page {number}"
        hub = _add(site, name, title, "hub", subject)
        hub.children = articles[start : start + HUB_SIZE]
        if hubs:
            hubs[-1].children = [*hubs[-1].children, hub]
        hubs.append(hub)
    return hubs[:1]


def _digests(site: Site, articles: list[DemoPage], random: Random) -> list[DemoPage]:
    """Add pages with one block a subject: each is relevant in one block at most."""
    digests = []
    for number in range(1, DIGESTS + 1):
        digest = _add(site, f"digest-{number}", f"The week in brief, no. {number}", "digest")
        digest.children = [
            random.choice([a for a in articles if a.subject == subject])
            for subject in site.subjects
            for _ in range(2)
        ]
        digests.append(digest)
    return digests


def _people(site: Site, random: Random) -> DemoPage:
    people, general = _add(site, "people", "People", "people"), words("general")
    for number in range(PERSONS):
        name = f"{random.choice(general['given_name'])} {random.choice(general['surname'])}"
        person = _add(site, f"people/{number}-{name.lower().replace(' ', '-')}", name, "person")
        person.is_hidden = True
        people.children.append(person)
    return people


def _archive(site: Site, articles: list[DemoPage], random: Random) -> DemoPage:
    """Add an archive: the only way to its articles leads over lists of bare dates."""
    archive = _add(site, "archive", "Archive", "archive")
    for number in range(MONTHS):
        month = f"{random.choice(words('general')['month'])} {2004 + number}"
        page = _add(site, f"archive/{2004 + number}", month, "month")
        page.is_hidden = True
        page.children = articles[number::MONTHS]
        archive.children.append(page)
    for article in articles:
        article.is_hidden = True
    return archive


def _private(site: Site) -> DemoPage:
    """Add members' pages, which robots.txt asks crawlers to leave alone."""
    door = DemoPage(site, "/private/", "Members", "private", "general")
    door.children = [
        DemoPage(site, f"/private/{n}.html", f"Members' page {n}", "private", site.subjects[0])
        for n in (1, 2)
    ]
    site.pages += [door, *door.children]
    return door


def _hide_sites(world: World) -> None:
    """Link each hidden site from one person's page on a mixed site, and from nowhere else."""
    hidden = [site for site in world.sites if site.kind == "hidden"]
    mixed = [site for site in world.sites if site.kind == "mixed"]
    for site, host in zip(hidden, cycle(mixed), strict=False):
        for page in site.pages:
            page.is_hidden = True
        world.random(site.host).choice(host.of_kind("person")).children.append(site.pages[0])


def _plan_directory(world: World) -> None:
    """Fill the directory: a root, a page a subject, and on it sites that claim to be about it."""
    site = world.site_of("directory")
    root = DemoPage(site, "/", site.name, "home", "general")
    site.pages.append(root)
    for subject in (*TOPICS, *THEMES, "general"):
        page = _add(
            site, f"category/{subject}", words(subject).get("title", subject.title()), "category", subject
        )
        page.children = [
            s.pages[0]
            for s in world.sites
            if s.kind not in ("hidden", "directory") and s.pages and subject in s.subjects
        ]
        root.children.append(page)
