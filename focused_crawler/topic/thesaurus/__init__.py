"""The words of a topic in facets: file, matching in one pass, scores, growth, SKOS (Badia et al. 2006)."""
