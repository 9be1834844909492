"""Spiders of a project with a topic: with requests of their own, and with URLs that they hand over."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any, ClassVar

from scrapy import FormRequest, Request, Spider
from scrapy.http import Response


class EndlessSpider(Spider):
    """Never runs out of links."""

    name = "endless"

    def __init__(self, base: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.start_urls = [f"{base}/deep/1"]

    def parse(self, response: Response) -> Iterator[Any]:
        yield {"deep": response.url.rpartition("/")[2]}
        yield from response.follow_all(css="a")


class MixedSpider(Spider):
    """Hands a URL over, and asks for more of each page by itself; it has never heard of `PageItem`."""

    name = "mixed"
    allowed_domains = ("127.0.0.1",)
    custom_settings: ClassVar[dict[str, Any]] = {"RETRY_TIMES": 5}

    def __init__(self, base: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.base = base

    async def start(self) -> AsyncIterator[Any]:
        elsewhere = self.base.replace("127.0.0.1", "127.0.0.2")
        for url in (f"{self.base}/goods/1", f"{self.base}/moved", f"{elsewhere}/broken"):
            yield Request(url, meta={"focused_priority": 1.0}, dont_filter=True)
        yield Request(f"{elsewhere}/leaf/1")

    def parse(self, response: Response) -> Iterator[Any]:
        if "/goods/" in response.url:
            yield {"goods": response.css("h1::text").get()}
            yield Request(f"{self.base}/api/item?id=7", callback=self.detail, meta=response.meta)

    def detail(self, response: Response) -> Iterator[Any]:
        yield {"price": response.json()["price"], "keys": sorted(response.meta.keys() & {"focused_lease"})}


class AskingSpider(Spider):
    """Asks for what its arguments say, and sends a cookie or a form, or through a proxy, if it is to."""

    name = "asking"

    def __init__(self, url: str, cookie: str = "", form: str = "", proxy: str = "", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        cookies, data = {"sid": cookie} if cookie else None, {"user": form} if form else None
        meta = {"proxy": proxy} if proxy else {}
        self.request = FormRequest(url, cookies=cookies, formdata=data, meta=meta, dont_filter=True)

    async def start(self) -> AsyncIterator[Any]:
        yield self.request
        yield self.request.copy()

    def parse(self, response: Response) -> None:
        """Nothing comes of it."""


class FilesSpider(Spider):
    """Has what its argument names downloaded by Scrapy's pipeline."""

    name = "files"
    custom_settings: ClassVar[dict[str, Any]] = {
        "ITEM_PIPELINES": {"scrapy.pipelines.files.FilesPipeline": 1}
    }

    def __init__(self, url: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.url = url

    async def start(self) -> AsyncIterator[Any]:
        yield {"file_urls": [self.url]}
