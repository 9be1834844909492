"""Good sites and hubs of a topic, remembered from crawl to crawl."""
