from focused_crawler.edge.entry import CommandEntry


class Command(CommandEntry):
    summary = "Draw pages by chance, for people to judge (CSV and HTML); see scrapy precision"
