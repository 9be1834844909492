from focused_crawler.edge.entry import CommandEntry


class Command(CommandEntry):
    summary = "Write the report of a crawl (report.html) and print its figures"
