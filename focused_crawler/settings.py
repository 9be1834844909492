"""Settings of the project; docs/settings.md explains each. Components and their defaults are the add-on's."""

import os

BOT_NAME = "focused_crawler"
SPIDER_MODULES = ["focused_crawler.edge.spiders"]
COMMANDS_MODULE = "focused_crawler.edge.menu"
ADDONS = {"focused_crawler.addon.FocusedCrawlerAddon": 100}  # by name: it loads what a crawl needs

# Addresses may hold passwords, which are better kept out of commands that all users of a machine can read.
globals().update(
    {name: os.environ[name] for name in ("FOCUSED_FRONTIER", "FOCUSED_DATABASE") if os.environ.get(name)}
)
