from focused_crawler.edge.entry import CommandEntry


class Command(CommandEntry):
    summary = "Write the pages of a crawl as CSV, JSON Lines, Parquet, WARC, URLs or passages of text"
