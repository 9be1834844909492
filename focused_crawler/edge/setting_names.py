"""All settings of ours, by their names; each is declared beside its owner."""

from __future__ import annotations

from typing import Any

from scrapy.settings import BaseSettings

from focused_crawler.crawl import config
from focused_crawler.discovery.search.base import SearchSettings
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.printable import did_you_mean
from focused_crawler.safety.settings import defaults

OURS = "FOCUSED_"
DEFAULTS: dict[str, Any] = config.DEFAULTS | defaults(SearchSettings)


def check_names(settings: BaseSettings) -> None:
    """Refuse a setting of ours that does not exist: a slip of the pen would change nothing, silently."""
    for name in settings:
        if isinstance(name, str) and name.startswith(OURS) and name not in DEFAULTS:
            hint = did_you_mean(name, DEFAULTS) or "docs/reference/settings.md lists all settings"
            raise ConfigError(f"no setting is called {name}; {hint}")
