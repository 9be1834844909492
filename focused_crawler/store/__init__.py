"""The crawl's database, one definition of its tables, and reading it back."""
