"""Strategies: one module a family, one contract, one registry."""
