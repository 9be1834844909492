from focused_crawler.edge.entry import CommandEntry


class Command(CommandEntry):
    summary = "Open the workbench: crawls, pages and labels in a browser"
