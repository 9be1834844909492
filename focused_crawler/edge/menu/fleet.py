from focused_crawler.edge.entry import CommandEntry


class Command(CommandEntry):
    summary = "Crawl one topic with many workers, on one machine or several; show the whole"
