"""Searches for words: over what a crawl has collected, over a recorded web, and by others on the live web."""
