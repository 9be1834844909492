from focused_crawler.edge.entry import CommandEntry


class Command(CommandEntry):
    summary = "Show why a URL was fetched or not: its links, its scores, what was decided and when"
