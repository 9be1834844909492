"""The crawl's database in PostgreSQL."""
