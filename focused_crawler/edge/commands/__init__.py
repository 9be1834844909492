"""`scrapy NAME`: one module a command."""
