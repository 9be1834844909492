"""Many workers on one crawl: their names, who looks after them, and the whole in one view."""
