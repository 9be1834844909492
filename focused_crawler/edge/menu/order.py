from focused_crawler.edge.entry import CommandEntry


class Command(CommandEntry):
    summary = "Tell a crawl that runs to stop, to spend more, to fetch pages, to go by other marks"
