"""Settings profiles: what a module of `settings_profiles` sets, of the project or of those that ship."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.settings import Overlaid, RawSettings, text_of
from focused_crawler.topic.topic import Topic

PACKAGES = ("settings_profiles", "focused_crawler.shipped.settings_profiles")


def profile_names() -> list[str]:
    return sorted(_profiles())


def settings_of_profile(name: str) -> Mapping[str, Any]:
    """Return what a profile sets; raises ConfigError."""
    profiles = _profiles()
    if name not in profiles:
        raise ConfigError(f"unknown profile {name!r}; use one of {', '.join(sorted(profiles))}")
    profile = getattr(import_module(profiles[name]), "PROFILE", None)
    if not isinstance(profile, Mapping):
        raise ConfigError(f'the profile {name} has no PROFILE; let it say PROFILE = {{"DOWNLOAD_DELAY": 2}}')
    return profile


def as_crawled(topic: Topic, settings: RawSettings, given: Mapping[str, Any]) -> RawSettings:
    """Return settings with a topic's profile, as its crawls have them; raises ConfigError.

    `given`: those after -s, which come before; the profile may be one of them.
    """
    own = {"FOCUSED_PROFILE": topic.profile} if topic.profile else {}
    asked = Overlaid({**own, **given}, settings)
    name = text_of(asked, "FOCUSED_PROFILE")
    profile = settings_of_profile(name) if name else {}
    return Overlaid({**profile, **asked.first}, settings)


def _profiles() -> dict[str, str]:
    """Return name -> module of all profiles."""
    homes = [import_module(name) for name in PACKAGES if find_spec(name) is not None]
    found = [(module.name, home.__name__) for home in homes for module in iter_modules(home.__path__)]
    return {name: f"{home}.{name}" for name, home in reversed(found)}
