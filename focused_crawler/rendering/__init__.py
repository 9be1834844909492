"""Pages that show nothing without a browser: which they are, and where rendering them pays."""
