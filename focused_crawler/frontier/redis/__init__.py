"""The frontier that many workers share, in Redis."""
