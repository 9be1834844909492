"""Download handlers: guarded HTTP, and a virtual web."""
