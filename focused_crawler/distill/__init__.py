"""Hubs and authorities among the pages of a crawl, weighted by relevance."""
