"""A category tree and its hierarchical classifier (Chakrabarti et al. 1999)."""
