from __future__ import annotations

import argparse
import sys

from scrapy.commands.settings import Command as ScrapySettingsCommand
from scrapy.settings import BaseSettings

from focused_crawler.edge.entry import NamesProgram, report_error
from focused_crawler.edge.setting_names import DEFAULTS, check_names
from focused_crawler.safety.errors import ConfigError


class Command(NamesProgram, ScrapySettingsCommand):
    """Scrapy's own, which is of use without a project as well; it knows the defaults of our settings."""

    summary: str

    def short_desc(self) -> str:
        return self.summary

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        assert self.settings is not None
        name = opts.get or opts.getbool or opts.getint or opts.getfloat or opts.getlist
        try:
            if args or not name:
                raise ConfigError("name a setting, as in scrapy settings --get FOCUSED_PAGES")
            check_names(BaseSettings({name: None}))
        except ConfigError as error:
            sys.exit(report_error(error))
        if name in DEFAULTS and name not in self.settings:
            self.settings.set(name, DEFAULTS[name])
        super().run(args, opts)
