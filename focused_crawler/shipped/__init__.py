"""Files that come with the package: the category tree; in a wheel or an egg, topics and profiles as well.

In a checkout these two lie at its top, where its user edits them; `setup.py` says how they get here.
"""
