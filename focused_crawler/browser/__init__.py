"""Chromium for the pages that need it, through scrapy-playwright; imported when the first such page comes."""
