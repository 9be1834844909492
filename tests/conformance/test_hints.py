"""One line of the log says which default of ours makes a spider's own request fail."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.conformance.shop import open_shop
from tests.hostile.certificates import make_certificates
from tests.project import Scrapy

HINT = re.compile(r"WARNING: (\w+) .*\(a default of the add-on: docs/how-to/addon\.md\)")
LOOPBACK = "FOCUSED_ALLOWED_NETWORKS=127.0.0.0/8"


def hints(scrapy: Scrapy, url: str, *settings: str, spider: str = "asking", **arguments: str) -> list[str]:
    """Return the settings that are named when a spider asks twice for a URL."""
    words = ["-s", "SPIDER_MODULES=tests.conformance.mixed", "-s", "DOWNLOAD_DELAY=0"]
    words += [word for setting in settings for word in ("-s", setting)]
    words += [word for name, value in arguments.items() for word in ("-a", f"{name}={value}")]
    done = scrapy.run("crawl", spider, "-a", f"url={url}", *words)
    assert done.code == 0, done.err
    return HINT.findall(done.err)


@pytest.mark.parametrize(
    ("path", "arguments", "settings", "setting"),
    [
        ("/private/page", {}, (LOOPBACK,), "ROBOTSTXT_OBEY"),
        ("/about", {"cookie": "7"}, (LOOPBACK,), "COOKIES_ENABLED"),
        ("/login", {"form": "ann"}, (LOOPBACK,), "COOKIES_ENABLED"),
        ("/large", {}, (LOOPBACK,), "FOCUSED_MAX_PAGE_BYTES"),
        ("/about", {}, (), "FOCUSED_ALLOWED_NETWORKS"),
    ],
    ids=["robots", "cookie", "form", "size", "address"],
)
def test_a_default_that_makes_a_request_fail_is_named_once(
    path: str, arguments: dict[str, str], settings: tuple[str, ...], setting: str, scrapy: Scrapy
) -> None:
    """And not at all where the user has set it."""
    with open_shop() as shop:
        assert hints(scrapy, f"{shop.url}{path}", *settings, **arguments) == [setting]
        if settings:
            value = {"ROBOTSTXT_OBEY": "True", "COOKIES_ENABLED": "False"}.get(setting, "1048576")
            assert hints(scrapy, f"{shop.url}{path}", *settings, f"{setting}={value}", **arguments) == []


@pytest.mark.parametrize(
    ("path", "settings", "setting"),
    [
        ("/private/page", (LOOPBACK,), "ROBOTSTXT_OBEY"),
        ("/large", (LOOPBACK,), "FOCUSED_MAX_PAGE_BYTES"),
        ("/about", (), "FOCUSED_ALLOWED_NETWORKS"),
    ],
    ids=["robots", "size", "address"],
)
def test_so_is_one_that_makes_a_file_fail(
    path: str, settings: tuple[str, ...], setting: str, scrapy: Scrapy, tmp_path: Path
) -> None:
    """Of FilesPipeline, which itself tells so at DEBUG only."""
    with open_shop() as shop:
        store = f"FILES_STORE={tmp_path}"
        assert hints(scrapy, f"{shop.url}{path}", *settings, store, spider="files") == [setting]


def test_a_certificate_that_nobody_vouches_for(scrapy: Scrapy, tmp_path: Path) -> None:
    """Scrapy itself would not look at it."""
    self_signed = make_certificates(tmp_path)["self_signed"]
    with open_shop(self_signed) as shop:
        url = shop.url.replace("http:", "https:")
        assert hints(scrapy, f"{url}/about", LOOPBACK) == ["DOWNLOAD_VERIFY_CERTIFICATES"]
        assert hints(scrapy, f"{url}/about", LOOPBACK, "DOWNLOAD_VERIFY_CERTIFICATES=False") == []
        assert shop.times("/about") > 0


SCRAPYS = "scrapy.core.downloader.handlers"


def test_a_request_that_only_scrapys_handlers_take(scrapy: Scrapy, tmp_path: Path) -> None:
    """Of a file, or through a proxy: the guarded handler takes neither; with Scrapy's there is no hint."""
    (tmp_path / "page.html").write_text("<p>bees")
    file = f"{tmp_path.as_uri()}/page.html"
    assert hints(scrapy, file) == ["DOWNLOAD_HANDLERS"]
    handlers = json.dumps({"file": f"{SCRAPYS}.file.FileDownloadHandler"})
    assert hints(scrapy, file, f"DOWNLOAD_HANDLERS={handlers}") == []
    with open_shop() as shop:
        url = f"{shop.url}/about"
        assert hints(scrapy, url, LOOPBACK, "ROBOTSTXT_OBEY=False", proxy=shop.url) == ["DOWNLOAD_HANDLERS"]
        handlers = json.dumps({"http": f"{SCRAPYS}.http11.HTTP11DownloadHandler"})
        settings = (LOOPBACK, "ROBOTSTXT_OBEY=False", f"DOWNLOAD_HANDLERS={handlers}")
        assert hints(scrapy, url, *settings, proxy=shop.url) == []
        assert shop.times(url) == 2


def test_a_request_that_fails_for_nobodys_default_has_no_hint(scrapy: Scrapy) -> None:
    """A page that is not there; a form whose answer sets no cookie."""
    with open_shop() as shop:
        assert hints(scrapy, f"{shop.url}/missing", LOOPBACK) == []
        assert hints(scrapy, f"{shop.url}/api/item?id=1", LOOPBACK, form="ann") == []
