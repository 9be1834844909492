"""Soft 404: pages that a server sends as found and that say they were not."""

from __future__ import annotations

import re
from unicodedata import normalize

import regex

from focused_crawler.crawl.steering.copies import own_words
from focused_crawler.page.model import Page

MOST_WORDS = 100
"""Own words that such a page has at most; whoever writes more has something to say, be it on this subject."""

_PHRASES = (
    "page not found", "page was not found", "page cannot be found", "page can't be found",
    "page doesn't exist", "page does not exist", "nothing was found at this location",
    "requested url was not found", "404 not found", "404 error", "error 404", "http 404",
    "seite nicht gefunden", "seite wurde nicht gefunden", "seite konnte nicht gefunden werden",
    "seite existiert nicht", "page introuvable", "page non trouvée", "page n'existe pas",
    "page n'a pas été trouvée", "página no encontrada", "página no existe", "no se encontró la página",
    "no se ha encontrado la página", "pagina non trovata", "pagina non esiste", "página não encontrada",
    "página não existe", "página não foi encontrada", "pagina niet gevonden", "pagina bestaat niet",
    "sidan hittades inte", "sidan finns inte", "sidan kunde inte hittas", "siden blev ikke fundet",
    "siden findes ikke", "siden ble ikke funnet", "siden finnes ikke", "sivua ei löytynyt",
    "sivua ei löydy", "nie znaleziono strony", "strona nie istnieje", "strona nie została znaleziona",
    "stránka nenalezena", "stránka nebyla nalezena", "stránka neexistuje", "stránka sa nenašla",
    "oldal nem található", "pagina nu a fost găsită", "pagina nu există", "sayfa bulunamadı",
    "η σελίδα δεν βρέθηκε", "страница не найдена", "страница не существует", "сторінку не знайдено",
    "сторінка не знайдена", "страницата не е намерена", "הדף לא נמצא", "הדף אינו קיים",
    "الصفحة غير موجودة", "لم يتم العثور على الصفحة", "صفحه یافت نشد", "पृष्ठ नहीं मिला", "ไม่พบหน้า",
    "không tìm thấy trang", "halaman tidak ditemukan", "ページが見つかりません",
    "ページは見つかりません", "ページは存在しません", "找不到页面", "找不到頁面", "页面不存在",
    "頁面不存在", "页面未找到", "未找到页面", "您访问的页面不存在", "페이지를 찾을 수 없습니다",
)  # fmt: skip
"""What such pages say, in a title of its own or in their text; in lower case, with straight apostrophes."""

_BARE = (
    "not found", "file not found", "document not found", "content not found", "post not found",
    "nothing found", "no results found", "page missing", "nicht gefunden", "non trouvé", "introuvable",
    "no encontrado", "non trovato", "não encontrado", "niet gevonden", "не найдено", "見つかりません",
    "未找到", "not found (404)",
)  # fmt: skip
"""What says so as a whole title, and not in a text."""

_WANTED = re.compile(
    r"page (?:that )?you(?:'re| are| were|'ve)? (?:requested|looking for|tried to \w+)[^.!]{0,60}?"
    r"(?:not\b|n't\b|no longer|never|moved|removed|unavailable)"
)
_LONGEST = 20_000  # characters of a text that are looked at: menus come first on most pages
_MARKS = regex.compile(r"[\p{M}\uFF9E\uFF9F]{3,}+")
"""No word has three marks on a letter; NFKC sorts them, which takes the square of their number. The other two
become marks by it."""
_PARTS = re.compile(r"\s*[|–—·•»«›:]\s*|\s+-\s+")
_AROUND = re.compile(r"^(?:(?:oops|sorry|whoops|error|http|404)\b|\W)+|(?:\W|\b(?:error|404))+$")
_NOTHING_FOR = re.compile(r"nothing found for\b")
_WHOLE = frozenset((*_PHRASES, *_BARE))


def is_soft_404(page: Page) -> bool:
    """Tell whether a page says, in one of some thirty languages, that there is no such page.

    Short pages only: by a part of the title that says nothing else, or by their text.
    """
    return len(own_words(page)) <= MOST_WORDS and (_is_title(page.title) or _is_text(page.text))


def _is_title(title: str) -> bool:
    parts = _PARTS.split(_plain(title[:300]))
    return any(
        part in _WHOLE or _AROUND.sub("", part) in _WHOLE or _NOTHING_FOR.match(part) for part in parts
    )


def _is_text(text: str) -> bool:
    plain = _plain(text[:_LONGEST])
    return any(phrase in plain for phrase in _PHRASES) or _WANTED.search(plain) is not None


def _plain(text: str) -> str:
    return normalize("NFKC", _MARKS.sub("", text)).casefold().replace("\u2019", "'")
