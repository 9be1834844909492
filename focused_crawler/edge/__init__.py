"""All that imports Scrapy: thin adapters over the core, and the commands."""
