from focused_crawler.edge.entry import CommandEntry


class Command(CommandEntry):
    summary = (
        "Check network, start pages, judge, disk, browser and servers before a crawl; say what fixes each"
    )
