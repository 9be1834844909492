from focused_crawler.edge.entry import CommandEntry


class Command(CommandEntry):
    requires_project = False
    summary = "Show what is in a virtual web, serve it over HTTP, or write the demo web"
