"""A tree of categories, and the classifier that says where in it a page belongs (Chakrabarti et al. 1999)."""
