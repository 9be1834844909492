"""Start pages out of words: many small searches, merged, filtered and scored (Badia et al. 2006)."""
