"""The starter taxonomy, one folder a category; a package, so that a scrapyd egg carries it."""
