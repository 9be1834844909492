"""Strategies side by side on recorded webs: runner, simulator, statistics, plots."""
