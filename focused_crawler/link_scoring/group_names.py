"""Which links a group holds, in words: groups have numbers, and are named by the stored links to a URL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from focused_crawler.link_scoring.evidence import LinkEvidence
from focused_crawler.link_scoring.groups import MIDDLING, SURE, Groups
from focused_crawler.link_scoring.rescoring import Holder
from focused_crawler.page.model import Link, place_of
from focused_crawler.page.url import host_of


def names_of(
    groups: Groups, evidence: LinkEvidence, url: str, holders: Sequence[Holder]
) -> Mapping[int, str]:
    """Return the names of those groups that a URL belongs to by some of the links to it."""
    return {number: name for holder in holders for number, name in _named(groups, evidence, url, holder)}


def folder_name(url: str) -> str:
    """Return what the pages of a URL's folder are called.

    >>> folder_name("http://www.a.example/b/c"), folder_name("http://a.example/b")
    ('pages of a.example/b/', 'pages of a.example outside of folders')
    """
    path = url.partition("://")[2].partition("/")[2].partition("?")[0]
    folder = path.partition("/")[0] if "/" in path else ""
    return f"pages of {_host(url)}/{folder}/" if folder else f"pages of {_host(url)} outside of folders"


def _named(groups: Groups, evidence: LinkEvidence, url: str, holder: Holder) -> Iterator[tuple[int, str]]:
    ((of_url, _, _, wording),) = evidence.of_links([Link(url, holder.anchor, [], [], 0)])
    own, elements = evidence.of_url(holder.page), holder.elements
    same = int(own.host == of_url.host)
    by_host, by_place = groups.find(own.host, holder.relevance, same, place_of(elements or ""))
    to, pages = "within the host" if same else "to other hosts", _pages(holder)
    yield by_host, f"links {to} on {pages}"
    if elements:
        yield by_place, f"links {to} at {elements} of {pages}"
    if holder.anchor:
        yield groups.find_wording(wording), f'links of the words "{holder.anchor}"'


def _pages(holder: Holder) -> str:
    """Return what the pages of a host are called that are of the class of one."""
    relevance = holder.relevance
    if relevance > SURE:
        bounds = f"above {SURE:g}"
    else:
        bounds = f"from {MIDDLING:g} to {SURE:g}" if relevance >= MIDDLING else f"below {MIDDLING:g}"
    return f"pages of {_host(holder.page)} with relevance {bounds}"


def _host(url: str) -> str:
    return host_of(url).removeprefix("www.")
