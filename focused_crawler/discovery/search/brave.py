"""Search by the Brave Search API, with a key of one's own. https://api-dashboard.search.brave.com/documentation"""

from __future__ import annotations

import os
import re
from functools import partial

from focused_crawler.discovery.search.base import SearchResult, SearchSettings, asked_for, paged, results_of
from focused_crawler.discovery.search.http import Answer, SearchHttp
from focused_crawler.safety.errors import SearchError

KEY = "BRAVE_SEARCH_API_KEY"
ADDRESS = "https://api.search.brave.com"
PAUSE = 1.1
"""Seconds between two requests: the smallest plans allow one a second."""
MOST_A_PAGE = 20

_FIELDS = ("url", "title", "description")
_LANGUAGES = {
    **{code: code for code in (
        "ar", "bg", "bn", "ca", "cs", "da", "de", "en", "es", "et", "eu", "fi", "fr", "gl", "gu", "he", "hi",
        "hr", "hu", "is", "it", "kn", "ko", "lt", "lv", "ml", "mr", "ms", "nb", "nl", "pa", "pl", "ro", "ru",
        "sk", "sl", "sr", "sv", "ta", "te", "th", "tr", "uk", "vi",
    )},
    "ja": "jp", "no": "nb", "pt": "pt-pt", "zh": "zh-hans",
}  # fmt: skip
_WRONG_KEY = f"{KEY} is not a key it takes, or its plan does not hold web search"
_CURES = {
    401: _WRONG_KEY,
    402: "your plan is used up or not paid for: see your account there",
    403: _WRONG_KEY,
    404: _WRONG_KEY,
}


class BraveSearch:
    """Web search; each page of up to 20 results is one request of your plan."""

    name = "brave"

    def __init__(
        self,
        settings: SearchSettings,
        language: str = "",
        pause_seconds: float = PAUSE,
        address: str = ADDRESS,
    ) -> None:
        """Read the key from the environment; SearchError without one."""
        _check_key()
        self.pause_seconds = pause_seconds
        self._language = _LANGUAGES.get(language, "")
        self._networks = settings.allowed_networks
        headers = {"X-Subscription-Token": os.environ[KEY].strip()}
        self._http = SearchHttp(self.name, f"{address}/res/v1/web/search", settings, pause_seconds, headers)

    def search(self, query: str, n: int) -> list[SearchResult]:
        """Return up to `n` results, 200 at most, in n / 20 requests; raises SearchError."""
        return paged(partial(self._page, asked_for(query), min(n, MOST_A_PAGE)), n)

    def close(self) -> None:
        """Do nothing: no connection is open between two requests."""

    def _page(self, query: str, count: int, offset: int) -> tuple[list[SearchResult], bool]:
        parameters = {"q": query, "count": str(count), "offset": str(offset), "result_filter": "web"}
        parameters |= {"text_decorations": "false"} | (
            {"search_lang": self._language} if self._language else {}
        )
        answer = self._http.get(parameters)
        if answer.status != 200:
            raise self._refusal(answer)
        found = _found(answer)
        if found is None:
            raise SearchError("brave: what it answers is no JSON of results; try again later")
        rows, has_more = found
        return list(results_of(rows, _FIELDS, self._networks)), has_more

    def _refusal(self, answer: Answer) -> SearchError:
        """Return the error of a refusal: a wrong key has status 422, like words that it does not accept."""
        code, part = _error_of(answer)
        if answer.status == 422 and (part == "authentication" or "TOKEN" in code):
            return SearchError(f"brave: it answers 422; {_WRONG_KEY}", is_final=True)
        cures = _CURES | {422: "it does not take these words"}
        if _is_spent(answer):
            cures[429] = "the requests of your plan are used up for this period: see your account there"
        return self._http.refusal(answer, cures)


def _found(answer: Answer) -> tuple[list[object], bool] | None:
    """Return the rows, and whether there are more; None for a broken answer. Nothing found: no `web`."""
    document = answer.document()
    web = document.get("web", {"results": []} if document.get("type") == "search" else None)
    rows = web.get("results") if isinstance(web, dict) else None
    about = document.get("query")
    has_more = not isinstance(about, dict) or about.get("more_results_available") is not False
    return (rows, has_more) if isinstance(rows, list) else None


def _is_spent(answer: Answer) -> bool:
    """Tell whether the quota of the longest period, the last in this header, is used up."""
    return answer.headers.get("X-RateLimit-Remaining", "").rpartition(",")[2].strip() == "0"


def _error_of(answer: Answer) -> tuple[str, str]:
    """Return the code of an error body, and the part of the service that gave it."""
    error = answer.document().get("error")
    error = error if isinstance(error, dict) else {}
    meta = error.get("meta")
    part = meta.get("component") if isinstance(meta, dict) else ""
    return str(error.get("code") or ""), str(part or "")


def _check_key() -> None:
    """Raise SearchError where there is no key. No variable holds it: some tracebacks show all variables."""
    if not os.environ.get(KEY, "").strip():
        raise SearchError(
            f"brave needs a key: export {KEY}=... (docs/how-to/search_providers.md)", is_final=True
        )
    if not re.fullmatch(r"[!-~]+", os.environ[KEY].strip()):
        raise SearchError(f"{KEY} holds characters that no key has; copy it again", is_final=True)
