"""What a topic's file may hold: names, URLs, languages, categories, and examples."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache, partial
from hashlib import blake2b
from pathlib import Path

from focused_crawler.page.url import normalise, url_key
from focused_crawler.safety.errors import TopicError
from focused_crawler.safety.printable import place
from focused_crawler.topic.file import TopicFile, shown

MAX_EXAMPLE_BYTES = 4_000_000
PAGE_SUFFIXES = (".html", ".htm")
RESERVED = frozenset({"examples", "model"})
"""Folders of a taxonomy that are no categories."""
COMMON_CODES = frozenset(
    ("ar", "cs", "da", "de", "el", "en", "es", "fi", "fr", "he", "hi", "hu", "it", "ja", "ko", "nl", "pl",
     "pt", "ro", "ru", "sv", "tr", "uk", "zh")
)  # fmt: skip
"""Codes that are as they should be, of common languages: langcodes takes a twentieth of a second to load."""


def name_problem(name: str) -> str | None:
    """Return what is wrong with a topic's name and what would be right, None for a good one."""
    if name == "topic":
        return "name 'topic' is the spider of all topics; choose another"
    if len(name) <= 64 and re.fullmatch(r"[a-z0-9][a-z0-9-]*", name):
        return None
    better = name_of(name) or "my-topic"
    return f"name {shown(name)} is not made of a-z, 0-9 and - alone (64 at most); write {better}"


def name_of(title: str) -> str:
    """Return a topic's name, made of its title; a hash stands for letters that no name has. Empty: of none.

    >>> name_of("Ökologie der Straße"), name_of("2024 哮喘"), name_of("الربو")
    ('okologie-der-strasse', '2024-a8d6f71a', 'topic-0aa476e1')
    """
    if not title.strip():
        return ""
    letters = unicodedata.normalize("NFKD", title.casefold())
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    words = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    if words and all(letter.isascii() or not letter.isalnum() for letter in plain):
        return words[:64].strip("-")
    mark = blake2b(title.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{(words or 'topic')[:50].strip('-')}-{mark}"


def url_problem(url: str) -> str | None:
    """Return why a crawl cannot ask for a URL and what would be right, None for a good one."""
    if normalise(url) is not None:
        return None
    return f'{shown(url)} is no http or https URL; write it like "https://www.example.org/page"'


def language_problem(language: str) -> str | None:
    """Return what is wrong with a language code, None for a good one.

    A good one is ISO 639's shortest; regions and scripts make no difference to how pages are read.
    """
    code = language_code(language)
    if code == language:
        return None
    if code:
        return f'language {shown(language)} is known here by its plain ISO 639 code; write "{code}"'
    return f'language {shown(language)} is no ISO 639 code; write two letters, as "en" or "de"'


@lru_cache(maxsize=1024)
def language_code(tag: str) -> str | None:
    """Return the ISO 639 code of a BCP 47 tag, None where there is no such language.

    >>> language_code("pt_BR"), language_code("cmn-Hans"), language_code("english")
    ('pt', 'zh', None)
    """
    if tag in COMMON_CODES:
        return tag
    from langcodes import standardize_tag, tag_is_valid  # noqa: PLC0415 - its tables load slowly
    from langcodes.tag_parser import LanguageTagError  # noqa: PLC0415

    try:
        code = standardize_tag(tag, macro=True).partition("-")[0] if tag_is_valid(tag) else ""
    except (LanguageTagError, RecursionError):  # of a thousand parts
        return None
    return code if len(code) > 1 else None


def category_problem(path: str) -> str | None:
    """Return what is wrong with the path of a category, None for a good one."""
    names = path.split("/")
    if all(re.fullmatch(r"[a-z0-9][a-z0-9-]{0,63}", name) for name in names) and not RESERVED & {*names}:
        return None
    words = filter(None, (re.sub(r"[^a-z0-9]+", "-", name.lower())[:64].strip("-") for name in names))
    better = "/".join(f"{word}-pages" if word in RESERVED else word for word in words) or "health/asthma"
    return f"category {shown(path)} is not made of names of a-z, 0-9 and - with / between; write {better}"


def overlap_problem(relevant: Iterable[str], other: Iterable[str]) -> tuple[str, str] | None:
    """Return the first example that is relevant and not, as it stands in `other`, and what to do about it."""
    known = {identity(example) for example in relevant}
    for example in other:
        if identity(example) in known:
            return example, f"{shown(example)} is a relevant and an other example; remove it from one of them"
    return None


def is_page_file(example: str) -> bool:
    """Say whether an example is a saved page and not a URL, by how it is written."""
    return "://" not in example and example.lower().endswith(PAGE_SUFFIXES)


def page_file_problem(path: Path) -> str | None:
    """Return why a file cannot be an example page, None for a good one."""
    if path.suffix.lower() not in PAGE_SUFFIXES:
        return (
            f"{shown(path.name)} is neither a URL nor an .html file; write https://... or name a saved page"
        )
    if not path.is_file():
        return f"{place(path)} does not exist; save the page there or leave it out"
    if path.stat().st_size > MAX_EXAMPLE_BYTES:
        return f"{place(path)} is larger than {MAX_EXAMPLE_BYTES:,} bytes; choose a smaller page"
    return None


def example_problem(example: str) -> str | None:
    """Return what is wrong with a URL, or the path of a saved page."""
    return page_file_problem(Path(example)) if is_page_file(example) else url_problem(example)


def outside_problem(folder: Path, name: str) -> str | None:
    """Return what is wrong with a name that leads, by its dots or by a link, out of a folder."""
    try:
        inside = (folder / name).resolve().is_relative_to(folder)
    except (OSError, ValueError, RuntimeError):  # a NUL, a circle of links
        inside = False
    return None if inside else f"{shown(name)} lies outside its folder; copy the file into it"


def identity(example: str) -> int | str:
    """Return what two spellings of one page share."""
    url = normalise(example)
    return example if url is None else url_key(url)


def example_list(file: TopicFile, table: str, key: str, saved: Path) -> tuple[str, ...]:
    """Return the examples that a key lists, then the HTML files in `saved`, each once.

    They are URLs, or paths inside the folder that the file lies in. Raises `TopicError`.
    """
    folder = file.path.parent
    found = []
    for example in file.texts(table, key, partial(_example_problem, folder)):
        is_file = is_page_file(example)
        found.append((folder / example).resolve().relative_to(folder).as_posix() if is_file else example)
    for suffix in PAGE_SUFFIXES:
        for path in sorted(saved.glob(f"*{suffix}")):
            found.append(path.relative_to(folder).as_posix())
            if message := outside_problem(folder, found[-1]):
                raise TopicError(f"{place(folder)}: {message}")
            if message := page_file_problem(path):
                raise TopicError(message)
    return tuple(dict.fromkeys(found))


def _example_problem(folder: Path, name: str) -> str | None:
    if not is_page_file(name):
        return url_problem(name)
    return outside_problem(folder, name) or page_file_problem(folder / name)
