from focused_crawler.edge.entry import CommandEntry


class Command(CommandEntry):
    summary = "Make a topic from keywords, and start pages if you have some"
