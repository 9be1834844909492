"""Many workers on one crawl: supervisor, a worker's part, status."""
