from focused_crawler.edge.entry import CommandEntry


class Command(CommandEntry):
    summary = "Show, check, make and grow a topic's thesaurus; SKOS in and out"
