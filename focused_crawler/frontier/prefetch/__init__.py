"""A shared frontier for a crawl that must not wait: a thread prefetches URLs."""
