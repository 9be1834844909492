"""Keys of `Request.meta` that components of this project use; docs/reference/meta.md lists them.

Values are scalars.
"""

LEASE = "focused_lease"
"""str: the frontier's URL that this request answers for; set by the scheduler, the same across redirects."""

PRIORITY = "focused_priority"
"""float in [0, 1]: priority in the frontier; set by the scheduler, or by a spider that hands over a URL."""

DEPTH = "focused_depth"
"""int: links from a seed; set by the scheduler."""

PARENT = "focused_parent"
"""str: URL of the page that the link was found on; set by the scheduler, absent on seeds."""

PATH = "focused_path"
"""bytes: what the strategy stored on that page for this one; set by the scheduler, absent without it."""

LISTING = "focused_listing"
"""str: what is asked for is no page but a `sitemap` or `feed`; set by the scheduler, absent on pages."""

PART = "focused_part"
"""str: URL of the page that asks for this in a browser (a script, or its data); set by `PageParts`."""

ASKED_FOR = "focused_asked_for"
"""str: the lease whose page a robots.txt, a script or data is asked for; set by
`RobotsMiddleware` and `PageParts`."""

TRIES = "focused_tries"
"""int: how often the URL failed before; set by the scheduler."""
