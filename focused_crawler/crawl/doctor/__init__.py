"""Checks of what a crawl needs: plain functions that return findings, one module a group of them."""
