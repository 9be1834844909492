from focused_crawler.edge.entry import CommandEntry


class Command(CommandEntry):
    summary = "Show the precision of a crawl by judged sheets of scrapy sample, and how far judges agree"
