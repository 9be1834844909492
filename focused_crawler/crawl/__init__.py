"""A crawl: configuration, plan, analysis of a page, its lease and record, and what steers it."""
