"""Bodies and headers that a hostile server sends: refused or bounded, and the crawl goes on."""

import pytest

from tests.hostile.cases import HTML_TYPES

TAKEN = 4_000_000  # bytes a server can get rid of into the buffers of both ends before the client hangs up


@pytest.mark.parametrize("kind", ["video/mp4", "text/plain", "application/json", "nonsense"])
def test_pages_of_other_types_are_refused(report, kind):
    """Only text/html and application/xhtml+xml are pages."""
    assert report.ended("limits", f"typed {kind}") == "Refused content_type"


@pytest.mark.parametrize("kind", HTML_TYPES)
def test_type_is_read_without_its_parameters(report, kind):
    """A charset, even a wrong one, does not matter, nor that two programs have written the header."""
    assert report.ended("limits", f"typed {kind}") == "200"


def test_film_costs_nothing(report):
    """An endless video is left when its headers are there."""
    assert report.ended("limits", "film") == "Refused content_type"
    assert report.sent("/type") < 4 * TAKEN  # four crawls' requests ask for it


@pytest.mark.parametrize("label", ["untyped-html", "untyped-gzipped-html"])
def test_html_without_a_type_is_a_page(report, label):
    """A missing type is told from the first bytes."""
    assert report.ended("limits", label) == "200"


def test_film_without_a_type_is_left_after_a_few_bytes(report):
    """A bounded read is enough to see that it is no page."""
    assert report.ended("limits", "untyped-film") == "Refused content_type"
    assert report.sent("/untyped-film") < TAKEN


def test_binary_files_called_html_are_refused(report):
    """The signature at the beginning of a body is believed more than the header."""
    assert report.ended("limits", "disguised-pdf") == "Refused disguised"


@pytest.mark.parametrize("label", ["empty", "empty-gzip"])
def test_empty_pages_pass(report, label):
    """Nothing is a page too, even if it is said to be compressed."""
    assert report.outcome("limits", label)["size"] == 0


def test_error_keeps_its_status_without_its_body(report):
    """A 503 that sends a film is a 503: its Retry-After is there, its body was not read."""
    outcome = report.outcome("limits", "error-film")
    assert (outcome["status"], outcome["retry_after"], outcome["size"]) == (503, "7", 0)
    assert report.sent("/error-film") < TAKEN


@pytest.mark.parametrize("label", ["endless", "ten-gigabytes"])
def test_pages_without_an_end_are_refused(report, label):
    """The size limit holds for declared and for streamed bytes."""
    assert report.ended("limits", label) == "Refused page_bytes"
    assert report.sent(f"/{label}") < TAKEN


@pytest.mark.parametrize("label", ["slow", "slow-head"])
def test_slow_servers_are_left(report, label):
    """The timeout is for the whole download, not for its next byte."""
    assert report.ended("limits", label) == "DownloadTimeoutError"


@pytest.mark.parametrize(
    "label", ["cut-short", "chunk-overflow", "chunk-negative", "chunk-garbage", "chunk-lies"]
)
def test_broken_bodies_are_errors(report, label):
    """A body whose length is not what was said is lost data."""
    assert report.ended("limits", label) == "ResponseDataLossError"


def test_endless_chunk_extension_is_bounded(report):
    """The platform's own bound: it gives up on the chunk's first line."""
    assert report.ended("limits", "chunk-endless-extension") == "ResponseDataLossError"
    assert report.sent("/chunk-endless-extension") < TAKEN


@pytest.mark.parametrize(
    "label",
    [
        "gzip",
        "gzip-in-gzip",
        "gzip-cut-short",
        "gzip-of-many-members",
        "gzip-of-empty-members",
        "deflate",
        "br",
        "zstd",
        "gzip-with-garbage-behind",
        "gzip-of-wrong-checksum",
        "gzip-and-nothing",
        "gzip-and-identity",
        "zstd-with-garbage-behind",
        "unknown",
    ],
)
def test_compressed_pages_are_read(report, label):
    """As far as they can be; an unknown coding is taken for none."""
    assert report.ended("limits", f"encoded {label}") == "200"


@pytest.mark.parametrize("label", ["gzip-bomb", "gzip-bomb-in-gzip", "deflate-bomb", "br-bomb", "zstd-bomb"])
def test_bombs_are_refused(report, label):
    """What comes out of a decompressor is bounded as what goes in."""
    assert report.ended("limits", f"encoded {label}") == "Refused decompressed_bytes"


@pytest.mark.parametrize("label", ["not-gzip", "not-deflate", "not-br", "not-zstd", "br-with-garbage-behind"])
def test_wrong_codings_are_refused(report, label):
    """A body that is not what Content-Encoding says ends in one line."""
    assert report.ended("limits", f"encoded {label}") == "Refused undecodable"


def test_onion_of_codings_is_refused(report):
    """Each layer could cost the whole limit again."""
    assert report.ended("limits", "encoded gzip-five-times-over") == "Refused codings"


@pytest.mark.parametrize(
    "label", ["gzip-of-empty-members-alone", "gzip-of-empty-members-in-br", "zstd-of-empty-frames"]
)
def test_pieces_of_nothing_are_refused(report, label):
    """Each takes its time: those of a megabyte held the crawl for more than a second."""
    assert report.ended("limits", f"encoded {label}") == "Refused codings"


def test_second_compression_that_is_not_declared_is_no_page(report):
    """Gzip inside gzip, declared once, is a gzip file."""
    assert report.ended("limits", "encoded gzip-twice-said-once") == "Refused disguised"


@pytest.mark.parametrize("label", ["endless-headers", "endless-continue"])
def test_heads_without_an_end_are_refused(report, label):
    """Twisted bounds a header line; the sum of them is bounded here."""
    assert report.ended("limits", label) == "Refused head_bytes"
    assert report.sent(f"/{label}") < TAKEN


@pytest.mark.parametrize("label", ["header-of-a-megabyte", "nul-in-header", "no-http", "wrong-length"])
def test_broken_heads_are_errors(report, label):
    """The platform's own bounds."""
    assert report.ended("limits", label) == "DownloadFailedError"


@pytest.mark.parametrize("label", ["ten-thousand-headers", "header-without-colon"])
def test_odd_heads_are_read(report, label):
    """Many headers, or a line that is none, do not cost a page."""
    assert report.ended("limits", label) == "200"


def test_status_has_three_digits(report):
    """A status that fits no database column is refused."""
    assert report.ended("limits", "wrong-status") == "Refused status"


def test_type_with_a_nul_is_another_type(report):
    """Types are compared whole."""
    assert report.ended("limits", "nul-in-type") == "Refused content_type"


def test_requests_without_a_lease_may_be_of_any_type(report):
    """A user's own requests are bounded in size only."""
    assert report.ended("limits", "user's own text") == "200"
    assert report.ended("limits", "user's own film") == "Refused page_bytes"


@pytest.mark.parametrize("host", ["endless-robots.test", "huge-robots.test"])
def test_long_robots_txt_is_cut_and_obeyed(report, host):
    """The rules at the beginning count, whatever length follows; text/plain is no obstacle."""
    assert report.ended("robots", f"{host} page") == "200"
    assert report.ended("robots", f"{host} forbidden") == "IgnoreRequest"
    assert report.stat("robots", "focused/limits/robots_bytes") == 2


def test_crawl_went_on(report):
    """After all of that the last page is fetched and the crawls end as others do."""
    assert report.ended("limits", "last page") == "200"
    assert {crawl["stats"]["finish_reason"] for crawl in report.crawls.values()} == {"finished"}


def test_every_refusal_is_counted(report):
    """Stats under focused/limits add up to the requests that were refused."""
    outcomes = report.crawls["limits"]["outcomes"].values()
    refused = sum(outcome.get("error") == "Refused" for outcome in outcomes)
    stats = report.crawls["limits"]["stats"]
    kept = stats["focused/limits/refresh_location"]
    assert (
        sum(number for name, number in stats.items() if name.startswith("focused/limits/")) == refused + kept
    )
