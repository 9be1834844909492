from focused_crawler.edge.entry import CommandEntry


class Command(CommandEntry):
    summary = "Train a topic's page classifier from its examples"
