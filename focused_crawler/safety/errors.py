"""What can go wrong that a user can fix.

FocusedCrawlerError
 |- TopicError      a topic folder or its topic.toml
 |- ModelError      a trained model's files
 |- ConfigError     a setting or a spider argument
 |- WebError        a virtual web's files
 |- CrawlError      a crawl's folder or database
 |   |- CrawlInUse             somebody else writes into it
 |   |- UnusableMemory         a strategy cannot read what it wrote down
 |   `- WrongScores            a strategy failed, or gave what is no priority
 |- SearchError     a search that gave no answer

Every message is one line that names what is wrong and what would be right: commands print it and exit with 2.
"""

from focused_crawler.safety.program import as_typed


class FocusedCrawlerError(Exception):
    """Base of all errors that end a command with one line and exit code 2."""

    exit_code = 2

    def __str__(self) -> str:
        """Return the message, with its commands as they are typed here."""
        return as_typed(super().__str__())


class TopicError(FocusedCrawlerError):
    """A topic cannot be found, read or used."""


class ModelError(FocusedCrawlerError):
    """A model's files are missing, broken or of another format version."""


class ConfigError(FocusedCrawlerError):
    """A setting or an argument has a value that cannot be used."""


class WebError(FocusedCrawlerError):
    """A virtual web (a WARC file, its index or its ground truth) cannot be read or written."""


class CrawlError(FocusedCrawlerError):
    """A crawl's folder or database cannot be used."""


class CrawlInUse(CrawlError):
    """A crawl is under way, so that nobody else can write into its folder and database."""


class UnusableMemory(CrawlError):
    """A strategy cannot use what it had learnt in a crawl: another version of it wrote that."""


class WrongScores(CrawlError):
    """A strategy gave a score that is no priority, not one a link, or too long a path; or it failed."""


class SearchError(FocusedCrawlerError):
    """A search gave no answer. `is_final`: asking again, for whatever words, would give none either."""

    def __init__(self, message: str, *, is_final: bool = False) -> None:
        super().__init__(message)
        self.is_final = is_final
