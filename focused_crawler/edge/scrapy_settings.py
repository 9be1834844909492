"""Scrapy's own settings, checked before it starts: Scrapy ends, or hangs, at a wrong one with a traceback."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from urllib.parse import urlsplit

from scrapy.settings import BaseSettings
from w3lib.url import file_uri_to_path

from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.settings import parse_flag, parse_number, parse_whole

WHOLE: dict[str, int] = {
    "AWS_MAX_POOL_CONNECTIONS": 1,
    "CLOSESPIDER_ERRORCOUNT": 0,
    "CLOSESPIDER_ITEMCOUNT": 0,
    "CLOSESPIDER_PAGECOUNT": 0,
    "CLOSESPIDER_PAGECOUNT_NO_ITEM": 0,
    "CLOSESPIDER_TIMEOUT_NO_ITEM": 0,
    "CONCURRENT_ITEMS": 1,
    "CONCURRENT_REQUESTS": 1,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
    "DEPTH_LIMIT": 0,
    "DEPTH_PRIORITY": -1_000_000,
    "DNSCACHE_SIZE": 0,
    "DOWNLOAD_MAXSIZE": 0,
    "DOWNLOAD_WARNSIZE": 0,
    "FEED_EXPORT_BATCH_ITEM_COUNT": 0,
    "FEED_EXPORT_INDENT": 0,
    "HTTPCACHE_EXPIRATION_SECS": 0,
    "MAIL_PORT": 0,
    "MEMUSAGE_LIMIT_MB": 0,
    "MEMUSAGE_WARNING_MB": 0,
    "METAREFRESH_MAXDELAY": 0,
    "REACTOR_THREADPOOL_MAXSIZE": 1,
    "REDIRECT_MAX_TIMES": 0,
    "REDIRECT_PRIORITY_ADJUST": -1_000_000,
    "RETRY_PRIORITY_ADJUST": -1_000_000,
    "RETRY_TIMES": 0,
    "SCRAPER_SLOT_MAX_ACTIVE_SIZE": 1,
    "URLLENGTH_LIMIT": 0,
}
"""Whole numbers, each with its least value; none is above `MOST`."""

NUMBERS: dict[str, float] = {
    "AUTOTHROTTLE_MAX_DELAY": 0,
    "AUTOTHROTTLE_START_DELAY": 0,
    "AUTOTHROTTLE_TARGET_CONCURRENCY": 0.01,
    "CLOSESPIDER_TIMEOUT": 0,
    "DNS_TIMEOUT": 0.1,
    "DOWNLOAD_DELAY": 0,
    "DOWNLOAD_DELAY_JITTER": 0,
    "DOWNLOAD_TIMEOUT": 0,
    "LOGSTATS_INTERVAL": 0,
    "MEMUSAGE_CHECK_INTERVAL_SECONDS": 0.1,
}
"""Numbers, each with its least value; none is above `LONGEST`: nearly all are seconds."""

FLAGS = (
    "AUTOTHROTTLE_ENABLED",
    "COMPRESSION_ENABLED",
    "COOKIES_ENABLED",
    "DNSCACHE_ENABLED",
    "DOWNLOAD_FAIL_ON_DATALOSS",
    "DOWNLOAD_VERIFY_CERTIFICATES",
    "DOWNLOADER_STATS",
    "FEED_STORE_EMPTY",
    "HTTPCACHE_ENABLED",
    "HTTPPROXY_ENABLED",
    "MEMDEBUG_ENABLED",
    "MEMUSAGE_ENABLED",
    "METAREFRESH_ENABLED",
    "REDIRECT_ENABLED",
    "REMOTE_CONTROL_ENABLED",
    "ROBOTSTXT_OBEY",
    "STATS_DUMP",
    "TELNETCONSOLE_ENABLED",
    "TWISTED_REACTOR_ENABLED",
)

FAMILIES = ("ADDONS", "DOWNLOADER_MIDDLEWARES", "EXTENSIONS", "ITEM_PIPELINES", "SPIDER_MIDDLEWARES")
"""Of components that a user may have, by their import paths."""

CLASSES = (
    "ASYNCIO_EVENT_LOOP",
    "DNS_RESOLVER",
    "DOWNLOADER",
    "DUPEFILTER_CLASS",
    "HTTPCACHE_POLICY",
    "HTTPCACHE_STORAGE",
    "ITEM_PROCESSOR",
    "LOG_FORMATTER",
    "REQUEST_FINGERPRINTER_CLASS",
    "ROBOTSTXT_PARSER",
    "SCHEDULER",
    "SCHEDULER_DISK_QUEUE",
    "SCHEDULER_MEMORY_QUEUE",
    "SCHEDULER_PRIORITY_QUEUE",
    "SCHEDULER_START_DISK_QUEUE",
    "SCHEDULER_START_MEMORY_QUEUE",
    "STATS_CLASS",
    "TWISTED_DNS_RESOLVER",
    "TWISTED_REACTOR",
)
"""Import paths of one class each."""

FIRST_LOADED = ("ASYNCIO_EVENT_LOOP", "TWISTED_REACTOR")
"""Those that Scrapy loads before a command begins, beside what loads its spiders."""

BY_NAME = ("DOWNLOAD_HANDLERS", "FEED_EXPORTERS", "FEED_STORAGES")
"""Import paths of classes, each of a scheme or a format."""

MOST = 2**53
LONGEST = 31_536_000
"""A year."""

_LEVELS = ("CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG")


def check_scrapy_settings(settings: BaseSettings) -> None:
    """Refuse what Scrapy cannot read, and write the rest as it reads it; raises ConfigError.

    A number may be written as 1e6 or 10.0, which Scrapy takes for no whole one.
    """
    for name, least in WHOLE.items():
        _check(settings, name, lambda name, value, least=least: parse_whole(name, value, least, MOST))
    for name, lowest in NUMBERS.items():
        _check(settings, name, lambda name, value, least=lowest: parse_number(name, value, least, LONGEST))
    for name in FLAGS:
        _check(settings, name, parse_flag)
    has_handlers = settings.getpriority("DOWNLOAD_HANDLERS")  # of the user's, who does without ours
    if not settings.getbool("TWISTED_REACTOR_ENABLED") and not has_handlers:
        raise ConfigError(
            "TWISTED_REACTOR_ENABLED is False; use True: Scrapy would ask by a handler of its own, whatever"
            " the address, and even where FOCUSED_WEB names a recorded web"
        )
    if (folder := settings.get("JOBDIR")) and (problem := _problem_of(Path(folder))):
        raise ConfigError(f"JOBDIR is {str(folder)!r}, which {problem}; name another folder")


def check_components(settings: BaseSettings) -> None:
    """Refuse a component that is not there: Scrapy would open the crawl first; raises ConfigError."""
    paths = [(family, path) for family in FAMILIES for path in settings[family]]
    paths += _classes(settings, CLASSES)
    paths += [(name, path) for name in BY_NAME for path in settings.getdict(name).values()]
    _check_paths(paths)


def check_first_loaded(settings: BaseSettings) -> None:
    """Refuse what is not there of all that Scrapy loads before a command begins; raises ConfigError."""
    check_spiders(settings)
    _check_paths([*(("ADDONS", path) for path in settings["ADDONS"]), *_classes(settings, FIRST_LOADED)])


def check_spiders(settings: BaseSettings) -> None:
    """Refuse spiders, or a loader of them, that are not there; raises ConfigError."""
    _check_paths([("SPIDER_LOADER_CLASS", settings["SPIDER_LOADER_CLASS"])])
    for module in settings.getlist("SPIDER_MODULES"):
        try:
            import_module(module)
        except ImportError as error:
            raise ConfigError(f"SPIDER_MODULES has {module!r}, which cannot be imported: {error}") from None


def _classes(settings: BaseSettings, names: Iterable[str]) -> list[tuple[str, object]]:
    return [(name, settings[name]) for name in names if settings.getpriority(name) and settings[name]]


def _check_paths(paths: Iterable[tuple[str, object]]) -> None:
    """Raise ConfigError for an import path, of a setting, that leads nowhere."""
    for setting, path in paths:
        if not isinstance(path, str):
            continue
        module, _, name = path.rpartition(".")
        try:
            there = bool(module) and hasattr(import_module(module), name)
            problem = "" if there else f"{module} has no {name}" if module else "use package.module.Class"
        except ImportError as error:
            problem = str(error)
        if problem:
            raise ConfigError(f"{setting} has {path!r}, which cannot be imported: {problem}")


def check_feeds(settings: BaseSettings) -> None:
    """Refuse a feed (-o, FEEDS) that cannot be written: Scrapy writes none then, nor the crawl's own."""
    storages, formats = (settings.getwithbase(name) for name in ("FEED_STORAGES", "FEED_EXPORTERS"))
    for name, options in settings.getdict("FEEDS").items():
        feed = str(name)
        scheme = urlsplit(feed).scheme
        file = file_uri_to_path(feed) if scheme == "file" else feed
        if not isinstance(options, Mapping):
            raise ConfigError(f"FEEDS has {feed!r} with {options!r}; use a dict, as in {{'format': 'csv'}}")
        if formats.get(options.get("format", "csv")) is None:
            known = ", ".join(name for name, exporter in formats.items() if exporter is not None)
            raise ConfigError(f"FEEDS has {feed!r} with format {options['format']!r}; use one of {known}")
        if scheme and storages.get(scheme) is None:
            raise ConfigError(f"{feed!r} cannot be written: {scheme} is no kind of feed; name a file")
        is_file = scheme in {"", "file"} and "%(" not in file  # %(time)s and the like are filled in later
        if is_file and (problem := _problem_of(Path(file), is_file=True)):
            raise ConfigError(f"{feed!r} {problem}; name another file with -o, or in FEEDS")


def _problem_of(path: Path, *, is_file: bool = False) -> str:
    """Return why nothing can be written into a folder, or to a file; empty: it can, there or not."""
    folder = path.parent if is_file else path
    try:
        if is_file and path.exists():
            return "is a folder" if path.is_dir() else "" if os.access(path, os.W_OK) else "is not writable"
        folder.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=folder).close()
    except OSError as error:
        return f"cannot be written to ({error.strerror})"
    return ""


def check_log(settings: BaseSettings) -> None:
    """Refuse a level or a file that the log cannot have; raises ConfigError."""
    level = settings.get("LOG_LEVEL")
    if isinstance(level, str) and level.upper() in _LEVELS:
        settings.set("LOG_LEVEL", level.upper(), settings.getpriority("LOG_LEVEL") or 0)
    elif isinstance(level, bool) or not isinstance(level, int):
        raise ConfigError(f"LOG_LEVEL is {level!r}; use one of {', '.join(_LEVELS)}")
    file = settings.get("LOG_FILE")
    if file:
        try:
            logging.FileHandler(Path(file), encoding=settings.get("LOG_ENCODING"), delay=False).close()
        except (OSError, LookupError, ValueError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
            raise ConfigError(f"LOG_FILE is {str(file)!r}, which cannot be written: {reason}") from None


def _check(settings: BaseSettings, name: str, parse: object) -> None:
    value = settings.get(name)
    priority = settings.getpriority(name)
    if value is None or priority is None:
        return
    assert callable(parse)
    found = parse(name, value)
    if found != value or type(found) is not type(value):
        settings.set(name, found, priority)
