from focused_crawler.edge.entry import CommandEntry


class Command(CommandEntry):
    summary = "Judge the pages of a finished crawl anew: by the topic's newest model, or by its words"
