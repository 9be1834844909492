from focused_crawler.edge.entry import CommandEntry


class Command(CommandEntry):
    summary = "Compare crawling strategies on recorded webs"
