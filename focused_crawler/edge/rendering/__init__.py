"""Pages that need a browser: which, when, and how Chromium is held."""
