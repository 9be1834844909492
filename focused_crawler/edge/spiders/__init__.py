"""The spiders: one a topic."""
