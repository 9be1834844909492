"""What the first answers of the start pages say of network, names, proxies and robots.txt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from focused_crawler.crawl.doctor.finding import ERROR, OK, WARNING, Finding
from focused_crawler.crawl.failure import UNREACHED, label
from focused_crawler.page.url import host_of
from focused_crawler.safety.formats import plural

PROXIES = ("http_proxy", "https_proxy", "all_proxy")
_CURES = {
    "dns": "see that this machine reaches a name server, or name some: -s FOCUSED_NAME_SERVERS=9.9.9.9",
    "refused_address": "allow an intranet by its network: -s FOCUSED_ALLOWED_NETWORKS=10.0.0.0/8",
}
NETWORK_FIRST = "fix the network first: no site was reached"
_CURE = "see that this machine may open connections to ports 80 and 443, and that no firewall is between"


def check_proxy(environ: Mapping[str, str], *, is_used: bool) -> Finding:
    """Tell whether a proxy is named, and that requests pass it by.

    `is_used`: HTTPPROXY_ENABLED. A value is not shown: it may hold a password.

    >>> check_proxy({"HTTPS_PROXY": "http://ann:secret@proxy:3128"}, is_used=False).text
    'HTTPS_PROXY names a proxy, which the crawler passes by: it connects to sites itself'
    """
    named = sorted(name for name, value in environ.items() if name.lower() in PROXIES and value)
    if not named:
        return Finding("proxy", OK, "none is named; the crawler connects to sites itself")
    names = ", ".join(named)
    if is_used:
        text = f"{names} names a proxy, and HTTPPROXY_ENABLED is on: every request through it is refused"
        return Finding("proxy", ERROR, text, "leave HTTPPROXY_ENABLED off; the crawler vets addresses itself")
    text = f"{names} names a proxy, which the crawler passes by: it connects to sites itself"
    return Finding("proxy", WARNING, text, "crawl from a machine that reaches sites without a proxy")


def check_names(urls: Sequence[str], missing: Mapping[str, str]) -> Iterator[Finding]:
    """Tell of how many hosts an address was found; `missing`: URL -> reason."""
    hosts = {host_of(url) for url in urls}
    unknown = {host_of(url) for url, reason in missing.items() if reason == "dns"}
    if not hosts:
        return
    if unknown == hosts:
        yield Finding("DNS", ERROR, "no DNS answer for any host of the start pages", _CURES["dns"])
    elif unknown:
        text = f"no DNS answer for {len(unknown)} of {plural(len(hosts), 'host')}: {_some(unknown)}"
        yield Finding("DNS", WARNING, text, "see how these are spelt in topic.toml, or take them out")
    else:
        yield Finding("DNS", OK, f"addresses of {plural(len(hosts), 'host')} found")


def check_network(urls: Sequence[str], missing: Mapping[str, str]) -> Iterator[Finding]:
    """Tell whether any site has answered at all, with whatever answer; not where no name was found."""
    reasons = Counter(reason for reason in missing.values() if reason in UNREACHED)
    if not urls or reasons["dns"] == len(urls):
        return
    if reasons.total() < len(urls):
        reached = {host_of(url) for url in urls if missing.get(url) not in UNREACHED}
        yield Finding("network", OK, f"{plural(len(reached), 'host')} answered")
        return
    reason = reasons.most_common(1)[0][0]
    text = f"no start page could be reached: {_counted(reasons)}"
    yield Finding("network", ERROR, text, _CURES.get(reason, _CURE))


def is_cut_off(urls: Sequence[str], missing: Mapping[str, str]) -> bool:
    """Tell whether no server has answered: then nothing is known of robots.txt and of clocks."""
    return bool(urls) and all(missing.get(url) in UNREACHED for url in urls)


def check_robots(urls: Sequence[str], missing: Mapping[str, str], *, is_obeyed: bool) -> Iterator[Finding]:
    """Tell which start pages robots.txt keeps us from."""
    if not is_obeyed:
        cure = "leave ROBOTSTXT_OBEY on, unless all sites are yours"
        yield Finding("robots.txt", WARNING, "is not obeyed", cure)
        return
    forbidden = [url for url in urls if missing.get(url) == "robots"]
    if not urls:
        return
    if not forbidden:
        yield Finding("robots.txt", OK, "forbids no start page that answered")
        return
    text = f"forbids {len(forbidden)} of {plural(len(urls), 'start page')}: {_some(forbidden)}"
    cure = "take these out of topic.toml, and name others of the same sites that are allowed"
    yield Finding("robots.txt", ERROR if len(forbidden) == len(urls) else WARNING, text, cure)


def failures_text(missing: Mapping[str, str]) -> str:
    """Return the reasons in words, the most frequent first, each with its number."""
    return _counted(Counter(missing.values()))


def _counted(reasons: Counter[str]) -> str:
    return ", ".join(f"{label(reason)} {number}x" for reason, number in reasons.most_common())


def _some(names: Sequence[str] | set[str]) -> str:
    first = sorted(names)[:3]
    return ", ".join(first) + (", ..." if len(names) > len(first) else "")
