"""Start pages, words and browsing sessions: found by searches, in crawls and in recorded webs."""
