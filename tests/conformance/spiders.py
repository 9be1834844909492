"""Ten kinds of spiders as people publish them: none knows of this project. `base` is the site."""

from __future__ import annotations

import json
import warnings
from collections.abc import AsyncIterator, Iterator
from typing import Any, ClassVar

from scrapy import FormRequest, Request, Spider
from scrapy.exceptions import IgnoreRequest, ScrapyDeprecationWarning
from scrapy.http import JsonRequest, Response
from scrapy.linkextractors import LinkExtractor
from scrapy.selector import Selector
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.spiders import CrawlSpider, Rule, SitemapSpider


class QuotesSpider(Spider):
    """The tutorial's: pages by "Next", authors by their links, each author once."""

    name = "quotes"

    def __init__(self, base: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.start_urls = [f"{base}/"]

    def parse(self, response: Response) -> Iterator[Any]:
        for quote in response.css("div.quote"):
            yield {"text": quote.css("span.text::text").get(), "author": quote.css("a.author::text").get()}
        yield from response.follow_all(css="a.author", callback=self.parse_author)
        yield from response.follow_all(css="li.next a")

    def parse_author(self, response: Response) -> Iterator[Any]:
        yield {"name": response.css("h3::text").get()}
        yield response.follow("/", callback=self.parse)  # asked for before


class GoodsSpider(CrawlSpider):
    """Follows links by rules, and stays on its host: the site is a circle."""

    name = "goods"
    allowed_domains = ("127.0.0.1",)
    custom_settings: ClassVar[dict[str, Any]] = {"DEPTH_LIMIT": 5}
    rules = (
        Rule(LinkExtractor(allow=r"/goods/\d+$"), callback="parse_goods", follow=True),
        Rule(LinkExtractor(allow="elsewhere"), callback="parse_goods"),
    )

    def __init__(self, base: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.start_urls = [f"{base}/goods/1"]

    def parse_goods(self, response: Response) -> Iterator[Any]:
        yield {"title": response.css("h1::text").get(), "link": response.meta["link_text"]}


class MapSpider(SitemapSpider):
    """Starts at robots.txt, reads an index and what it lists, one of them packed."""

    name = "map"
    sitemap_rules = (("/goods/", "parse_goods"), ("/author/", "parse_author"))

    def __init__(self, base: str, **kwargs: Any) -> None:
        self.sitemap_urls = [f"{base}/robots.txt"]
        super().__init__(**kwargs)

    def parse_goods(self, response: Response) -> Iterator[Any]:
        yield {"goods": response.css("h1::text").get()}

    def parse_author(self, response: Response) -> Iterator[Any]:
        yield {"author": response.css("h3::text").get()}


class LoginSpider(Spider):
    """Fills in a form, and is known by its cookie from then on."""

    name = "login"
    custom_settings: ClassVar[dict[str, Any]] = {"COOKIES_ENABLED": True}

    def __init__(self, base: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.start_urls = [f"{base}/login"]

    def parse(self, response: Response) -> Any:
        form = {"user": "ann", "password": "secret"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ScrapyDeprecationWarning)  # of a call that most spiders have
            return FormRequest.from_response(response, formdata=form, callback=self.logged_in)

    def logged_in(self, response: Response) -> Iterator[Any]:
        yield {"user": response.css("b::text").get(), "at": response.url.rpartition("/")[2]}
        yield response.follow("/account", callback=self.again, dont_filter=True)

    def again(self, response: Response) -> Iterator[Any]:
        yield {"again": response.css("b::text").get()}


class ApiSpider(Spider):
    """Posts JSON and gets JSON; details come to the default callback."""

    name = "api"

    def __init__(self, base: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.base = base

    async def start(self) -> AsyncIterator[Any]:
        yield self.search(0)

    def search(self, start: int) -> Request:
        return JsonRequest(f"{self.base}/api/search", data={"start": start}, callback=self.parse_rows)

    def parse_rows(self, response: Response) -> Iterator[Any]:
        found = response.json()
        for row in found["rows"]:
            yield Request(f"{self.base}/api/item?id={row['id']}", headers={"X-Token": f"t{row['id']}"})
        if found["next"] is not None:
            yield self.search(found["next"])

    def parse(self, response: Response) -> Any:
        yield response.json()


class ScrollSpider(Spider):
    """Asks for more as a browser would that scrolls down; the state is its own."""

    name = "scroll"
    page = 1

    def __init__(self, base: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.address = f"{base}/scroll?page="
        self.start_urls = [f"{self.address}1"]

    def parse(self, response: Response) -> Iterator[Any]:
        data = json.loads(response.text)
        for card in Selector(text=data["html"]).css("p.card::text").getall():
            yield {"card": card}
        if data["next"]:
            self.page += 1
            yield Request(f"{self.address}{self.page}")


class KeywordsSpider(Spider):
    """Hands values on: in cb_kwargs, meta, flags and headers; a redirect keeps them."""

    name = "keywords"

    def __init__(self, base: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.base = base

    async def start(self) -> AsyncIterator[Any]:
        for path in ("/author/1", "/moved"):
            yield Request(
                f"{self.base}{path}", meta={"asked": path}, flags=["mine"], headers={"X-Token": "s"}
            )

    def parse(self, response: Response) -> Iterator[Any]:
        mine = {"asked": response.meta["asked"], "flags": response.request.flags}  # type: ignore[union-attr]
        yield mine
        yield Request(
            f"{self.base}/about", self.parse_about, cb_kwargs=mine, meta=response.meta, dont_filter=True
        )

    def parse_about(self, response: Response, asked: str, flags: list[str]) -> Iterator[Any]:
        depth = response.meta["depth"]
        yield {"about": asked, "flags": flags, "meta": response.meta["asked"], "depth": depth}


class ErrbackSpider(Spider):
    """Hears of what goes wrong: statuses, a refused connection, its own errors."""

    name = "errback"
    custom_settings: ClassVar[dict[str, Any]] = {"RETRY_TIMES": 2, "RETRY_PRIORITY_ADJUST": 5}

    def __init__(self, base: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.base = base

    async def start(self) -> AsyncIterator[Any]:
        for path in ("/about", "/missing", "/flaky", "/broken"):
            yield Request(f"{self.base}{path}", errback=self.failed, cb_kwargs={"path": path})
        yield Request(
            f"{self.base}/teapot", cb_kwargs={"path": "/teapot"}, meta={"handle_httpstatus_list": [418]}
        )
        yield Request("http://127.0.0.1:1/", errback=self.failed, cb_kwargs={"path": "closed"})
        yield Request(f"{self.base}/author/1?missing", self.asks_again, errback=self.failed)

    def parse(self, response: Response, path: str) -> Iterator[Any]:
        yield {"path": path, "status": response.status}

    def failed(self, failure: Any) -> Iterator[Any]:
        path = failure.request.cb_kwargs["path"]
        if failure.check(HttpError):
            yield {"path": path, "failed": failure.value.response.status}
        elif failure.check(IgnoreRequest):
            yield {"path": path, "failed": "ignored"}
        else:
            yield {"path": path, "failed": type(failure.value).__name__}

    def asks_again(self, response: Response) -> Iterator[Any]:
        yield {"retries": response.meta.get("asked_again", 0)}
        if not response.meta.get("asked_again"):
            again = response.request.replace(dont_filter=True)  # type: ignore[union-attr]
            again.meta["asked_again"] = 1
            yield again


class PrioritySpider(Spider):
    """What matters comes first; of equals, the latest."""

    name = "priority"
    custom_settings: ClassVar[dict[str, Any]] = {"CONCURRENT_REQUESTS": 1, "DEPTH_PRIORITY": 1}

    def __init__(self, base: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.base = base

    async def start(self) -> AsyncIterator[Any]:
        yield Request(f"{self.base}/leaf/0", callback=self.branch)

    def branch(self, response: Response) -> Iterator[Any]:
        for number, priority in enumerate((0, 10, -10, 10, 5), 1):
            yield Request(f"{self.base}/leaf/{number}", priority=priority)
        yield Request(f"{self.base}/deep/1", callback=self.deeper)

    def deeper(self, response: Response) -> Iterator[Any]:
        yield {"deep": response.url.rpartition("/")[2]}
        if not response.url.endswith("/4"):
            yield from response.follow_all(css="a", callback=self.deeper)

    def parse(self, response: Response) -> Iterator[Any]:
        yield {"leaf": response.url.rpartition("/")[2]}


class FeedSpider(Spider):
    """Names its own feeds, and yields items while it starts."""

    name = "feed"
    custom_settings: ClassVar[dict[str, Any]] = {
        "FEEDS": {
            "%(folder)s/own.csv": {"format": "csv", "fields": ["name", "url"]},
            "%(folder)s/own.xml": {"format": "xml", "item_export_kwargs": {"item_element": "page"}},
        }
    }

    def __init__(self, base: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.base = base

    async def start(self) -> AsyncIterator[Any]:
        yield {"name": "start", "url": ""}
        yield Request(f"{self.base}/author/2")

    def parse(self, response: Response) -> Iterator[Any]:
        yield {"name": response.css("h3::text").get(), "url": "/author/2", "more": [1, 2]}
