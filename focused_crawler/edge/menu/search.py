from focused_crawler.edge.entry import CommandEntry


class Command(CommandEntry):
    summary = "Search the pages that a crawl has collected, or those of a recorded web"
