"""A topic: what its user wrote down about it, read from `topic.toml`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from focused_crawler.safety.errors import TopicError
from focused_crawler.safety.printable import did_you_mean, place
from focused_crawler.topic.file import TopicFile, read_text, shown
from focused_crawler.topic.folders import topic_folders
from focused_crawler.topic.rules import (
    category_problem,
    example_list,
    language_problem,
    name_problem,
    outside_problem,
    overlap_problem,
    url_problem,
)
from focused_crawler.topic.scope import EVERYWHERE, Scope, host_problem, pattern_problem, prefix_problem
from focused_crawler.topic.scope import KEYS as SCOPE_KEYS

FILE_NAME = "topic.toml"
DEFAULT_SEED_SET = "a"
"""What a topic's `seeds` are called beside its seed sets."""
MAX_FILE_BYTES = 1_000_000
MAX_TARGETS_BYTES = 50_000_000
KEYS: dict[str, tuple[str, ...]] = {
    "": ("name", "title", "description", "language", "keywords", "seeds", "targets", "profile", "strategy"),
    "seed_sets": (),
    "examples": ("relevant", "other"),
    "thresholds": ("relevance", "link"),
    "taxonomy": ("good",),
    "scope": SCOPE_KEYS,
    "rules": ("relevant",),
}


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic folder, read and checked."""

    name: str  # [a-z0-9-]
    folder: Path
    title: str = ""
    description: str = ""
    language: str = "en"  # ISO 639
    keywords: tuple[str, ...] = ()
    seeds: tuple[str, ...] = ()  # none: a search finds some
    seed_sets: dict[str, tuple[str, ...]] = field(default_factory=dict)
    relevant_examples: tuple[str, ...] = ()  # URLs, or paths of HTML files inside the folder
    other_examples: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()  # known relevant URLs, for target recall only
    profile: str | None = None
    strategy: str | None = None
    relevance_threshold: float | None = None  # [0, 1]; None: what training found, else the setting's
    link_threshold: float | None = None  # [0, 1]; None: the setting's
    good_categories: tuple[str, ...] = ()  # paths in the taxonomy; what is below them is good as well
    scope: Scope = EVERYWHERE
    rule: str = ""  # what a page has to say to be relevant, in Lucene's syntax; empty: there is none

    @property
    def starts(self) -> dict[str, tuple[str, ...]]:
        """Return the start pages of each seed set; `seeds` are the set `a`, unless another is called so."""
        return ({DEFAULT_SEED_SET: self.seeds} if self.seeds else {}) | self.seed_sets

    def seeds_of(self, seed_set: str | None) -> tuple[str, ...]:
        """Return the start pages of a seed set, `seeds` for None; raises `TopicError` if there are none."""
        if seed_set is None:
            if not self.seeds:
                raise TopicError(f"{self.name} has no start pages; scrapy seeds {typed(self)} finds some")
            return self.seeds
        if seed_set not in self.starts:
            names = ", ".join(self.starts) or "none"
            raise TopicError(f"topic {self.name} has no seed set {shown(seed_set)}; its seed sets: {names}")
        return self.starts[seed_set]


def load_topic(name_or_path: str, topics_dir: Path | None = None) -> Topic:
    """Return a topic by its name in `topics_dir` (None: in any of `topic_folders`), or by its folder's path.

    Besides the keys of `KEYS`, `examples/relevant/*.html` and `examples/other/*.html` in the folder are
    examples. `targets` is a list of URLs, or the name of a text file in the folder with one URL a line.
    `[thresholds]` holds `relevance` and `link`, `[taxonomy]` holds `good`, a list of categories, `[scope]`
    what may be followed, `[rules]` what the judge `rules` goes by. Raises `TopicError` with the place and the
    cure.
    """
    folder = _find(name_or_path, _folders(topics_dir))
    file = TopicFile(folder / FILE_NAME, MAX_FILE_BYTES)
    file.check_keys(KEYS)
    relevant = example_list(file, "examples", "relevant", folder / "examples" / "relevant")
    other = example_list(file, "examples", "other", folder / "examples" / "other")
    if clash := overlap_problem(relevant, other):
        raise file.error("examples", "other", clash[1], clash[0])
    topic = Topic(
        name=_name(file, folder),
        folder=folder,
        title=file.text("", "title") or title_of(folder.name),
        description=file.text("", "description") or "",
        language=file.text("", "language", language_problem) or "en",
        keywords=file.texts("", "keywords"),
        seeds=file.texts("", "seeds", url_problem),
        seed_sets={name: _seed_set(file, name) for name in file.table("seed_sets")},
        relevant_examples=relevant,
        other_examples=other,
        targets=_targets(file, folder),
        profile=file.text("", "profile"),
        strategy=file.text("", "strategy"),
        relevance_threshold=file.share("thresholds", "relevance"),
        link_threshold=file.share("thresholds", "link"),
        good_categories=file.texts("taxonomy", "good", category_problem),
        scope=_scope(file),
        rule=file.text("rules", "relevant", _rule_problem) or "",
    )
    if not topic.keywords and not relevant:
        message = 'neither keywords nor relevant examples; say what it is about: keywords = ["..."]'
        raise file.error("", "keywords", message)
    return topic


def _rule_problem(rule: str) -> str | None:
    # its parser loads slowly, and few topics need it
    from focused_crawler.topic.query import query_problem  # noqa: PLC0415

    return query_problem(rule)


def _scope(file: TopicFile) -> Scope:
    return Scope(
        hosts=file.texts("scope", "hosts", host_problem),
        prefixes=file.texts("scope", "prefixes", prefix_problem),
        allow=file.texts("scope", "allow", pattern_problem),
        deny=file.texts("scope", "deny", pattern_problem),
        depth=file.count("scope", "depth") or 0,
        languages=file.texts("scope", "languages", language_problem),
    )


def title_of(name: str) -> str:
    """Return the title of a topic that has none of its own.

    >>> title_of("optic-nerve")
    'Optic nerve'
    """
    return name.replace("-", " ").strip().capitalize()


def typed(topic: Topic) -> str:
    """Return what a command is given for a topic: its name if that leads to it, else its folder."""
    is_named = topic.folder == _named(topic.name, topic_folders())
    return topic.name if is_named else shlex.quote(place(topic.folder))


def topic_names(topics_dir: Path | None = None) -> list[str]:
    """Return the names of all topic folders, sorted; their files are not read."""
    found = {path.parent.name for folder in _folders(topics_dir) for path in folder.glob(f"*/{FILE_NAME}")}
    return sorted(name for name in found if name_problem(name) is None)


def _folders(topics_dir: Path | None) -> list[Path]:
    return topic_folders() if topics_dir is None else [topics_dir]


def _named(name: str, folders: Sequence[Path]) -> Path | None:
    """Return the folder of the topic of that name, absolute; None: there is none."""
    if name_problem(name) is not None:
        return None
    found = (folder / name for folder in folders if (folder / name / FILE_NAME).is_file())
    return next((folder.resolve() for folder in found), None)


def _find(name_or_path: str, folders: Sequence[Path]) -> Path:
    """Return the folder that a name or path means, absolute."""
    if named := _named(name_or_path, folders):
        return named
    if "://" in name_or_path:
        new = f"scrapy newtopic NAME --keyword WORD --seed {shlex.quote(name_or_path[:200])}"
        raise TopicError(f"{shown(name_or_path)} is a URL, not a topic; to crawl from there: {new}")
    if "\\" in name_or_path:
        written = shlex.quote(name_or_path[:200].replace("\\", "/"))
        raise TopicError(f"no topic {shown(name_or_path)}; a path is written with /, as in {written}")
    path = Path(name_or_path)
    try:
        folder = path.parent if path.name == FILE_NAME else path
        if (folder / FILE_NAME).is_file():
            return folder.resolve()
        is_path = len(path.parts) != 1 or folder.is_dir()
    except (OSError, ValueError):  # a NUL, a name that is too long
        is_path = False
    if name_or_path and is_path:
        raise TopicError(f"{place(folder / FILE_NAME)}: not found; give the folder that holds a {FILE_NAME}")
    raise _unknown(name_or_path, folders)


def _unknown(name: str, folders: Sequence[Path]) -> TopicError:
    known = sorted({one for folder in folders for one in topic_names(folder)})
    nearest = did_you_mean(name.lower(), known, most=3)
    new = name if name_problem(name) is None else "NAME"
    cure = f"see scrapy list; scrapy newtopic {new} --keyword WORD makes one"
    return TopicError(f"no topic {shown(name)}{nearest and f'; {nearest}'} ({cure})")


def _name(file: TopicFile, folder: Path) -> str:
    name = file.text("", "name", name_problem)
    if name is None:
        raise file.error("", "name", f'no name; write name = "{folder.name}", as the folder is called')
    if name != folder.name:
        message = f"name is {shown(name)}, the folder {shown(folder.name)}; give both the same name"
        raise file.error("", "name", message)
    return name


def _seed_set(file: TopicFile, name: str) -> tuple[str, ...]:
    urls = file.texts("seed_sets", name, url_problem)
    if not urls:
        message = f'{name} names no start page; write {name} = ["https://www.example.org/"]'
        raise file.error("seed_sets", name, message)
    return urls


def _targets(file: TopicFile, folder: Path) -> tuple[str, ...]:
    if not isinstance(file.table("").get("targets"), str):
        return file.texts("", "targets", url_problem)
    name = file.text("", "targets") or ""
    if message := outside_problem(folder, name):
        raise file.error("", "targets", f"targets: {message}")
    urls = []
    for number, line in enumerate(read_text(folder / name, MAX_TARGETS_BYTES).split("\n"), start=1):
        url = line.strip()
        if url and not url.startswith("#"):
            if message := url_problem(url):
                raise TopicError(f"{place(folder / name, number)}: {message}")
            urls.append(url)
    return tuple(dict.fromkeys(urls))
