from focused_crawler.edge.entry import CommandEntry


class Command(CommandEntry):
    summary = "Find start pages of a topic by many small searches with its words"
