from __future__ import annotations

from scrapy.commands.settings import Command as ScrapySettingsCommand

from focused_crawler.edge.entry import NamesProgram


class Command(NamesProgram, ScrapySettingsCommand):
    """Scrapy's own, which is of use without a project as well."""

    def short_desc(self) -> str:
        return "Show the value of a setting"
