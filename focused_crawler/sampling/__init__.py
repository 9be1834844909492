"""Precision of a crawl as people judge it (Badia et al. 2006)."""
