r"""The web page for people, `scrapy ui`: reads crawls and topics by the same functions as the commands.

A place is a module here, named after it, with a tuple `ROUTES` that `places.py` lists, and templates of
its name. It is thin: a handler reads the request, calls a function that a command calls as well, and answers.

    def show(request: Request) -> Response:             # plain `def`: it runs in a thread
        folder = crawl_folder(request)                  # of {topic} and {job} in the path, which exists
        with crawl_at_once(folder) as database:
            return answer(request, "pages.html", rows=...)

    def mark(request: Request) -> Response:
        form = form_of(request)                         # csrf, origin and size were checked before
        ...
        return done(request, "Marked as relevant.")     # back to where the form was, which says so

    ROUTES = (get("/crawls/{topic}/{job}/pages", show), post("/crawls/{topic}/{job}/mark", mark))

- Paths: `/`, `/crawls/{topic}/{job}` with `/pages`, `/page?url=`, `/label`; `/topics/{topic}/train`,
  `/topics/{topic}/taxonomy`, `/topics/{topic}/compare?crawl=JOB&crawl=JOB`.
- GET never changes anything. Every form is `<form method="post" action=...>` with `{{ csrf() }}` first, and a
  field `back` with the path to go back to; htmx sends the token by itself.
- An error of ours (FocusedCrawlerError) becomes its one line: raise it. `NotFound` is a 404.
- Templates extend `base.html` (blocks `title`, `heading`, `main`; `{% set place = "pages" %}` marks the place
  in the navigation) and use what `static/workbench.css` has. No inline script, no `style=`, no `hx-on`, no
  `hx-vals="js:"`: the content security policy forbids them.
- Whatever a template prints is escaped, and control and direction marks are shown (`\u202e`): nothing has to
  be done for that. A URL of the web is text; `{{ page_path(url) }}` is the place of its page. A part of it
  for htmx is a template of its own, included by the page.
- A script of a place is `static/PLACE.js`, loaded in block `scripts`; `data-key="y"` gives a button a key.
- Tests: `tests/workbench/conftest.py` has `page` (a tab of a real Chromium) and `workbench` (plain HTTP).
"""
