"""What a person writes down for a site or a hub, as the lists know it."""

from __future__ import annotations

from focused_crawler.page.url import normalise, site_of


def site_name(text: str) -> str | None:
    """Return the site of a host or a URL, None if it is neither.

    >>> site_name("WWW.Example.org"), site_name("https://example.org:8080/a"), site_name("no host")
    ('example.org', 'example.org:8080', None)
    """
    if not text or " " in text:
        return None
    url = normalise(text if "://" in text else f"http://{text}")
    return None if url is None else site_of(url)


def hub_name(text: str) -> str | None:
    """Return a URL as crawls write it, None if it is none.

    >>> hub_name("HTTPS://Example.org/links#top"), hub_name("example.org")
    ('https://example.org/links', None)
    """
    return normalise(text) if "://" in text else None


def is_hub(text: str) -> bool:
    """Tell whether a name is that of a page, and not of a site.

    >>> is_hub("https://example.org/links"), is_hub("https://example.org/"), is_hub("example.org")
    (True, False, False)
    """
    url = hub_name(text)
    return url is not None and url.rstrip("/").count("/") > 2
