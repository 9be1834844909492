from focused_crawler.edge.entry import CommandEntry


class Command(CommandEntry):
    summary = "Record how you browse to pages about a topic, for the hmm strategies"
