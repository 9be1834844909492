from focused_crawler.edge.entry import CommandEntry


class Command(CommandEntry):
    summary = "Show and train the category tree, and mark what is good for a topic"
