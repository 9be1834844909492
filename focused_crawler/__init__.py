"""A focused crawler for Scrapy: collects the pages about one topic and fetches as little else as it can."""

__version__ = "0.1.0"
