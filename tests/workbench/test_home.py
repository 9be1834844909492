"""Home, in a real browser."""

from __future__ import annotations

from playwright.sync_api import Page, expect


def test_topics_are_shown(page: Page) -> None:
    """With a heading that a screen reader finds."""
    expect(page.get_by_role("heading", name="Topics and crawls")).to_be_visible()
    expect(page.get_by_role("heading", name="astronomy")).to_be_visible()
