from focused_crawler.edge.entry import CommandEntry


class Command(CommandEntry):
    summary = "Show and edit the good sites and hubs of a topic, which crawls start from"
