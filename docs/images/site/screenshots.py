"""Pictures of this site, at two widths, light and dark, into the folder of this file.

make docs && .venv/bin/python -m docs.images.site.screenshots
"""

from __future__ import annotations

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from docs.images.pictures import HEIGHT, SCHEMES, WIDTHS, open_browser, shrink

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PLACES = {
    "home": "index.html",
    "tutorial": "tutorial/first_crawl.html#4-look",
    "settings": "reference/settings.html#choosing-a-crawl",
}


class Quiet(SimpleHTTPRequestHandler):
    """Serves files, and says nothing of it."""

    def log_message(self, *args: object) -> None:
        pass


def main() -> None:
    """Take all pictures."""
    handler = partial(Quiet, directory=str(ROOT / "site"))
    with open_browser() as browser, ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        for width in WIDTHS:
            for scheme in SCHEMES:
                size = {"width": width, "height": HEIGHT}
                page = browser.new_page(viewport=size, color_scheme=scheme)
                for place, path in PLACES.items():
                    page.goto(f"http://127.0.0.1:{server.server_port}/{path}")
                    page.wait_for_timeout(500)
                    picture = HERE / f"{place}-{width}-{scheme}.png"
                    page.screenshot(path=picture, animations="disabled")
                    shrink(picture)
                page.close()
        server.shutdown()


if __name__ == "__main__":
    main()
