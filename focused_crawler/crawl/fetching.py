"""How pages are fetched, as long as nobody says otherwise."""

from __future__ import annotations

from typing import Any

FETCHING: dict[str, Any] = {
    "ROBOTSTXT_OBEY": True,
    "DOWNLOAD_DELAY": 1.0,
    "DOWNLOAD_DELAY_JITTER": 0.0,  # the frontier paces hosts; the slot only holds redirects to the same pace
    "CONCURRENT_REQUESTS": 16,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
    "DOWNLOAD_TIMEOUT": 30,
    "DOWNLOAD_WARNSIZE": 0,
    "DOWNLOAD_VERIFY_CERTIFICATES": True,
    "DNS_TIMEOUT": 10,
    "REDIRECT_MAX_TIMES": 10,
    "COOKIES_ENABLED": False,
    "HTTPPROXY_ENABLED": False,  # behind a proxy the address guard cannot see where a request goes
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "STATS_DUMP": False,  # the report and run.json hold the figures
}
"""Scrapy's settings, safe and polite, for every spider; profiles and the command line may change each."""
