"""A shared frontier for a crawl that must not wait: URLs are taken ahead in a thread."""
