"""Strategies: one module each, one contract, one registry."""
