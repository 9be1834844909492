"""Why a URL was or was not fetched, out of a crawl's database."""
