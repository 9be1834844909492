"""What comes before every place: whose request it is, and how large; what every answer is sent with."""

from __future__ import annotations

import asyncio
import hmac
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from focused_crawler.workbench.access import Access, BrowserSession
from focused_crawler.workbench.rendering import render
from focused_crawler.workbench.request import AS_MESSAGE, is_part

MOST_BYTES = 2**18
"""Of a request's body: the longest form is a list of URLs."""
MOST_FIELDS = 2_000
BODY_SECONDS = 15.0
WRONG_PASSWORD_SECONDS = 1.0

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": POLICY,
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with no-referrer, browsers hide the origin of our own forms, too
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class RequestRefused(Exception):
    """A request that nobody answers; the message is one line."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Guard:
    """Refuses what is not from a page of ours in a session of ours; hands on the rest with its form."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app, self._access = app, access
        self._one_guess = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no websocket is answered
        sending = _with_headers(send)
        try:
            body = await _body(Headers(scope=scope), receive)
            response = await self._own_answer(scope, body)
        except RequestRefused as refused:
            response = _refusal(refused, Request(scope))
        if response is None:
            await self._app(scope, _again(body, receive), sending)
        else:
            await response(scope, receive, sending)

    async def _own_answer(self, scope: Scope, body: bytes) -> Response | None:
        """Return what this request gets from here; None: it goes on. Raises RequestRefused."""
        headers, method = Headers(scope=scope), scope["method"]
        if not self._access.answers_to(headers.get("host", "")):
            raise RequestRefused(
                421, "the workbench is not known by that name; open the address that it was started on"
            )
        if method not in {"GET", "HEAD", "POST"}:
            raise RequestRefused(405, "use GET or POST")
        if scope["path"].startswith("/static/") and method != "POST":
            return None
        form = _form(headers, body) if method == "POST" else []
        if method == "POST":
            self._check_origin(headers)
        if scope["path"] == "/login" and self._access.has_password:
            return await self._log_in(method, dict(form))
        query = QueryParams(scope["query_string"])
        if "token" in query and method == "GET" and not self._access.has_password:
            return self._begin(scope, query)
        session = self._session(headers)
        if session is None:
            if self._access.has_password:
                if is_part(Request(scope)):  # a login in the place of a part would be no page
                    raise RequestRefused(403, "this browser is not logged in any more; load this page anew")
                return RedirectResponse("/login", 303)
            raise RequestRefused(
                403, "open the address with its token that scrapy ui has printed: this browser has none"
            )
        if method == "POST":
            given = headers.get("x-csrf-token") or dict(form).get("csrf", "")
            if not hmac.compare_digest(given.encode(), session.csrf.encode()):
                raise RequestRefused(
                    403, "the form is not of this session; load its page anew, and send it again"
                )
        scope["state"] = {**scope.get("state", {}), "session": session, "form": form}
        return None

    def _check_origin(self, headers: Headers) -> None:
        """Raise RequestRefused for what a page of somebody else sends."""
        ours = {f"http://{headers['host']}", self._access.origin}
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "same-origin")
        if origin not in {None, *ours} or site not in {"same-origin", "none"}:
            raise RequestRefused(403, "a page of another site has sent that")

    def _session(self, headers: Headers) -> BrowserSession | None:
        cookies: SimpleCookie = SimpleCookie()
        try:
            cookies.load(headers.get("cookie", ""))
        except CookieError:
            return None
        found = cookies.get(self._access.cookie)
        return self._access.session(found.value) if found is not None else None

    def _begin(self, scope: Scope, query: QueryParams) -> Response:
        session = self._access.begin(query["token"])
        if session is None:
            raise RequestRefused(
                403, "that token is of another workbench; open the address that scrapy ui has printed"
            )
        rest = urlencode([(name, value) for name, value in query.multi_items() if name != "token"])
        path = "/" + scope["path"].lstrip("/")  # "//host" would lead elsewhere
        return self._with_cookie(RedirectResponse(path + (rest and f"?{rest}"), 303), session)

    async def _log_in(self, method: str, form: dict[str, str]) -> Response:
        if method != "POST":
            return HTMLResponse(render("login.html", is_wrong=False))
        async with self._one_guess:
            session = self._access.begin(form.get("password", ""))
            if session is not None:
                return self._with_cookie(RedirectResponse("/", 303), session)
            await asyncio.sleep(WRONG_PASSWORD_SECONDS)
        return HTMLResponse(render("login.html", is_wrong=True), 403)

    def _with_cookie(self, response: Response, session: BrowserSession) -> Response:
        is_secret = self._access.is_encrypted
        response.set_cookie(
            self._access.cookie, session.id, httponly=True, samesite="strict", secure=is_secret
        )
        return response


async def _body(headers: Headers, receive: Receive) -> bytes:
    """Return a request's body; raises RequestRefused as soon as it is too large, or does not come."""
    announced = headers.get("content-length", "0")
    if not announced.isdecimal() or int(announced) > MOST_BYTES:
        raise RequestRefused(413, f"that is too much: a request may bring {MOST_BYTES:,} bytes")
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":  # what has come is a part of a form, and no form
                    raise RequestRefused(400, "the request broke off")
                body += message.get("body", b"")
                if len(body) > MOST_BYTES:
                    raise RequestRefused(413, f"that is too much: a request may bring {MOST_BYTES:,} bytes")
                if not message.get("more_body"):
                    return bytes(body)
    except TimeoutError:
        raise RequestRefused(408, "the request did not come in time") from None


def _form(headers: Headers, body: bytes) -> list[tuple[str, str]]:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if body and kind != "application/x-www-form-urlencoded":
        raise RequestRefused(415, "send a form, as application/x-www-form-urlencoded")
    try:
        found = parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise RequestRefused(400, "that is no form") from None
    if any("\0" in value for _, value in found):  # no file, command or database takes one
        raise RequestRefused(400, "a field has a NUL character in it; leave that out")
    return found


def _again(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that begins with what was read."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_message() -> Message:
        return messages.pop() if messages else await receive()

    return next_message


def _refusal(refused: RequestRefused, request: Request) -> Response:
    headers = {"connection": "close"} if refused.status in {408, 413} else {}
    if is_part(request):
        line = render("message.html", message=str(refused), passes=True)
        return HTMLResponse(line, refused.status, headers | AS_MESSAGE)
    return HTMLResponse(render("refused.html", message=str(refused)), refused.status, headers)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return sending
