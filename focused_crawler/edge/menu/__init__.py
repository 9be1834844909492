"""The commands as Scrapy lists them; `edge.commands` does their work."""
