"""Settings of the project; docs/reference/settings.md explains each.

Components and their defaults are the add-on's.
"""

import logging
import sys
import time

from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.printable import say
from focused_crawler.safety.user_settings import user_settings

BOT_NAME = "focused_crawler"
SPIDER_MODULES = ["focused_crawler.edge.spiders"]
COMMANDS_MODULE = "focused_crawler.edge.menu"
LOG_DATEFORMAT = "%Y-%m-%d %H:%M:%SZ"
logging.Formatter.converter = time.gmtime  # the time of reports, of all displays and of the database: UTC
ADDONS = {"focused_crawler.addon.FocusedCrawlerAddon": 100}  # by name: it loads what a crawl needs

try:
    globals().update(user_settings())
except ConfigError as error:  # Scrapy reads this file before there is any command that could report it
    say(f"error: {error}", to=sys.stderr)
    sys.exit(error.exit_code)
