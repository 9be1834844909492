from focused_crawler.edge.entry import CommandEntry


class Command(CommandEntry):
    requires_project = False
    summary = "Show the value of a setting"
