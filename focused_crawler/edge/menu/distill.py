from focused_crawler.edge.entry import CommandEntry


class Command(CommandEntry):
    summary = (
        "Show the best hubs and authorities of a crawl, and the pages next to hubs that it never fetched"
    )
