"""Good sites and hubs of a topic, kept from crawl to crawl (Badia et al. 2006)."""
