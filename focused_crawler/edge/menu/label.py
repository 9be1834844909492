from focused_crawler.edge.entry import CommandEntry


class Command(CommandEntry):
    summary = "Say of pages whether they are about a topic, by single keys; training learns from it"
