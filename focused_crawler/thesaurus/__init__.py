"""A topic's words in facets: read, matched, scored, made and grown (Badia et al. 2006)."""
