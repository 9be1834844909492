from focused_crawler.edge.entry import CommandEntry


class Command(CommandEntry):
    summary = "Show why a page is relevant or not, and why its links have their priorities"
