"""HTTP statuses that mean the same to every crawl, on the web and in a simulation."""

from __future__ import annotations

REDIRECTS = frozenset({301, 302, 303, 307, 308})
RETRIED_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504, 522, 524})
"""They may pass."""

NOT_MODIFIED = 304
