"""The frontier in the crawl's database."""
