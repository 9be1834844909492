"""Topic, a part of Home: what a topic is made of, its start pages by searches, and a crawl to start."""

from __future__ import annotations

from contextlib import closing

from starlette.requests import Request
from starlette.responses import Response

from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.process import start_crawl
from focused_crawler.crawl.profiles import profile_names
from focused_crawler.discovery.harvest import Harvest
from focused_crawler.discovery.search.base import SearchSettings
from focused_crawler.discovery.search.registry import open_provider
from focused_crawler.discovery.seed_search import SEARCHES, TOP, SeedSearch
from focused_crawler.link_scoring.registry import STRATEGIES
from focused_crawler.safety.errors import ConfigError, SearchError
from focused_crawler.safety.formats import plural
from focused_crawler.safety.settings import read
from focused_crawler.topic.topic import Topic
from focused_crawler.topic.writer import add_seeds
from focused_crawler.workbench.home import known_of, standing_now
from focused_crawler.workbench.rendering import path_to
from focused_crawler.workbench.request import answer, bench_of, done, form_of, get, is_part, post

SEEDS, PER_SITE = 30, 5
"""Start pages that a search proposes, in all and of a site."""


def show(request: Request) -> Response:
    """Show a topic; to htmx its crawls alone."""
    bench, topic = bench_of(request), _topic(request)
    rows = [standing_now(folder, run) for folder, run in bench.crawls_of(topic.name)]
    shown = [(standing, known_of(request, standing)) for standing in rows]
    if is_part(request):
        return answer(request, "crawls.html", rows=shown)
    return answer(
        request,
        "topic.html",
        about=topic,
        rows=shown,
        strategies=sorted(STRATEGIES),
        profiles=["", *profile_names()],
        is_trained=(bench.models_of(topic) / "model.json").exists(),
    )


def search(request: Request) -> Response:
    """Propose start pages, as `scrapy seeds` does without --write."""
    topic = _topic(request)
    settings = bench_of(request).settings_of(topic)
    config = CrawlConfig.from_settings(settings)
    asked = SeedSearch(topic, config, SEARCHES)
    provider = open_provider(read(SearchSettings, settings), topic, config.web)
    with closing(provider):
        found = Harvest.of([asked.ask(provider, TOP)])
    if not found.answers:
        raise SearchError(found.failures[0][1])
    choice = asked.choose(found, PER_SITE, SEEDS)
    return answer(request, "seeds.html", about=topic, seeds=choice.seeds, provider=provider.name)


def take(request: Request) -> Response:
    """Let chosen pages be start pages."""
    topic, urls = _topic(request), form_of(request).all("url")
    if not urls:
        raise ConfigError("no start page is chosen; choose one or more")
    now = add_seeds(topic, urls)
    said = f"{topic.title} has {plural(len(now.seeds), 'start page')} now."
    return done(request, said, path_to("topics", topic.name))


def start(request: Request) -> Response:
    """Start a new crawl in a process of its own, and go to its place."""
    bench, topic, form = bench_of(request), _topic(request), form_of(request)
    if bench.has_crawl(topic.name, job := form.get("job")):
        raise ConfigError(
            f"{topic.title} has a crawl {job}; give another name, or open that one and let it go on"
        )
    names = ("job", "strategy", "pages", "relevant", "minutes", "profile", "seed_set")
    given = {name: form.get(name) for name in names}
    crawl = start_crawl(str(topic.folder), bench.crawls, given, bench.given)
    crawl.wait_until_begun()
    return done(request, "The crawl has begun.", path_to("crawls", topic.name, crawl.folder.name))


def _topic(request: Request) -> Topic:
    return bench_of(request).topic(request.path_params["topic"])


ROUTES = (
    get("/topics/{topic}", show),
    post("/topics/{topic}/search", search),
    post("/topics/{topic}/seeds", take),
    post("/topics/{topic}/crawls", start),
)
