"""Find the roles of a line (caption, list item, lead-in, division, headline) from its text and from
what the reader knows about its paragraph.

The reader finds the roles of each line once, and stores them (`Line.roles`). Files of earlier
versions and documents built by hand have no roles. For these, `roles_of_line` finds the roles from
the record and the text of the line.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from docxchunk.content.tags import plain, untagged
from docxchunk.language.numbers import CHINESE, TO_TEN, names_division, number_of
from docxchunk.language.patterns import pattern
from docxchunk.language.sentences import PAUSES
from docxchunk.model.blocks import UNKNOWN_ROLES, Line, LineKind, LineRole

LONGEST_HEADLINE: Final = 160  # characters

_OF_TABLES = (
    # English, German, French, Spanish, Portuguese, Italian, Dutch, Nordic languages
    "table|tab|tabelle|tableau|tabla|cuadro|tabela|quadro|tabella|tabel|tabell|taulukko|"
    # Czech, Slovak, Hungarian, Turkish, Greek, Russian, Ukrainian
    "tabulka|tabuľka|táblázat|tablo|çizelge|πίνακας|таблица|табл|таблиця|"
    # Vietnamese, Persian and Arabic, Hebrew
    "bảng|جدول|טבלה"
)
_OF_PICTURES = (
    # English
    "figure|fig|chart|exhibit|box|plate|scheme|photo|map|diagram|listing|illustration|image|"
    # German, French, Spanish
    "abbildung|abb|bild|schaubild|graphique|carte|gráfico|figura|ilustración|imagen|"
    # Italian, Dutch, Nordic languages
    "grafico|immagine|figuur|afbeelding|figur|kuva|kuvio|"
    # Polish, Czech, Hungarian, Turkish, Greek, Russian, Ukrainian
    "rysunek|rys|obrázek|obr|ábra|şekil|görsel|resim|σχήμα|рисунок|рис|схема|малюнок|"
    # Vietnamese, Indonesian, Persian and Arabic, Hebrew
    "hình|gambar|شکل|شكل|تصویر|صورة|איור|תמונה|תרשים"
)
_LABELLED = f"{_OF_TABLES}|{_OF_PICTURES}"
_CAPTION = re.compile(
    rf"(?i:{_LABELLED})\.?\s*(?:\d|[IVXLC]+\b|[A-Z]\b|[A-Z][.-]?\d|[{TO_TEN}])|(?:表|图|圖|図"
    rf"|附表|附图|표|그림)\s*(?:\d|[IVX]+\b|[A-Z]|[{TO_TEN}])"
)
_OF_TABLE = pattern(rf"(?:{_OF_TABLES})(?![^\W\d_])|附?表|표", re.IGNORECASE)
_CAPTION_STYLE = re.compile(
    r"caption|beschriftung|légende|题注|題注|図表番号|캡션|подпись"
    r"|название объекта|didascalia|leyenda|epígrafe|legenda",
    re.IGNORECASE,
)
_BULLET_SIGNS = r"[-–—*+•·●○◦▪■□◆◇‣➢►✓✔❖\uf000-\uf0ff]"  # also of symbol fonts
_BULLET = re.compile(rf"\s*{_BULLET_SIGNS}\s+(?=\S)")
_ITEM = re.compile(
    rf"\s*(?:{_BULLET_SIGNS}\s"
    r"|[(\[]?(?:\d{1,3}|\d{1,3}[a-z]|[^\W\d_]|[ivxlc]{1,6}|([a-z])\1)[.)\]]\s"  # 1. (a) iv) aa)
    rf"|(?:[(（][\d{TO_TEN}]{{1,3}}[)）]|[{TO_TEN}]{{1,3}}、|[①-⑳⑴-⒇])|\d{{1,2}}、)",
    re.IGNORECASE,
)
_DIVISION = re.compile(
    rf"第\s*[\d{CHINESE}]+\s*[编編篇章节節条條款部]|附\s*[录錄件]|제\s*\d+\s*[편장절관조]"
    r"|\d{1,2}(?:\.\d{1,3}){1,4}\.?\s+[^\W\d_a-z]|[IVX]{1,5}\.\s+[^\W\d_a-z]"
)
_LOWER = "[a-zß-öø-ÿа-яё]"
_NAMED_DIVISION = re.compile(
    r"((?i:ph[uụ]\s+l[uụ]c)|[^\W\d_][^\s\d_()]{1,19})\s+(?:\d|[IVXLC]+\b|[A-Z]\b)"
)
# begins with two words, neither of which is a number or a single capital: only for speed
_TWO_WORDS = re.compile(rf"(?!(?i:phu))[^\W\d_]{_LOWER}+ [A-Z]?{_LOWER}")
_CLOSING: Final = "\"'”’»)]」』）*_ \t\u00a0"
_COLONS: Final = (":", "：", "︰", "：-", ":-", ":–")
_NO_HEADING = pattern(
    r"https?:|www\.|@\w|\t[^\S\t]*+\d++\s*+$|\.{4,}|[{}<>=\\|]|\(\)|//|\[\d+\]|\bet al\b"
    r"|\(\d{4}[a-z]?\)|\bdoi:|\d{4};\d|^\W*\d[\d\W]*$",
    re.IGNORECASE,
)
# Python 3.11 takes ten times longer to look up a member of an enumeration than a constant of the
# module.
_TEXT, _LIST = LineKind.TEXT, LineKind.LIST
_CAPTION_ROLE, _ITEM_ROLE = LineRole.CAPTION, LineRole.ITEM
_LEAD_IN, _DIVISION_ROLE = LineRole.LEAD_IN, LineRole.DIVISION


def roles_of(
    kind: LineKind, text: str, *, bold: bool, caption: bool = False, headline: bool = False
) -> tuple[LineRole, ...]:
    """Return the roles of a line with this text.

    `bold`: all of it is bold. `caption`: its style or a SEQ field makes it a caption. `headline`:
    it is almost a heading.
    """
    if kind is not _TEXT and kind is not _LIST:
        return ()
    if text.startswith(("<table", "<drawing")):
        return (LineRole.CAPTION,) if caption else ()
    if "<" in text:
        text = untagged(text)
    bare = text.strip()
    lead_in = bare.rstrip(_CLOSING).endswith(_COLONS)
    division, item, labelled = _beginnings(text, bare)
    if not (bold or lead_in or division or item or labelled or caption or headline):
        return ()
    item = (item or kind is _LIST) and not headline
    caption = caption or labelled
    roles: list[LineRole] = []
    if caption:
        roles.append(_CAPTION_ROLE)
    if item and kind is not _LIST:
        roles.append(_ITEM_ROLE)
    if lead_in:
        roles.append(_LEAD_IN)
    if division:
        roles.append(_DIVISION_ROLE)
    if (headline or bold or (division and not bare.endswith(PAUSES))) and not item and not caption:
        roles += _roles_of_headline(bare, lead_in=lead_in, division=division)
    return tuple(roles)


def _roles_of_headline(text: str, *, lead_in: bool, division: bool) -> tuple[LineRole, ...]:
    if len(text) > LONGEST_HEADLINE or not any(map(str.isalpha, text)):
        return ()
    if lead_in or not _reads_as_heading(text, division=division):
        return (LineRole.HEADLINE,)
    return LineRole.HEADLINE, LineRole.HEADING_LIKE


def roles_of_line(line: Line, text: str) -> tuple[LineRole, ...]:
    """Return the roles that the reader stored for a line. Without these, derive them from the
    record and this text of the line.
    """
    if line.roles != UNKNOWN_ROLES:
        return line.roles
    caption = line.style is not None and names_captions(line.style)
    return roles_of(line.kind, text, bold=line.bold, caption=caption)


def _beginnings(text: str, bare: str) -> tuple[bool, bool, bool]:
    """Return whether a line begins like a division, like a list item, and like a caption. `bare` is
    the text without white space around it.
    """
    if _TWO_WORDS.match(bare):
        return False, False, False
    named = _NAMED_DIVISION.match(bare)
    division = (
        _DIVISION.match(bare) is not None
        or (named is not None and (named[1].lower() == "step" or names_division(named[1])))
        or _is_number_before_name(bare)
    )
    item = not division and _ITEM.match(text) is not None
    return division, item, begins_like_caption(bare)


def _is_number_before_name(text: str) -> bool:
    """Return whether a line begins with a number and the name of its division: "3 §"."""
    if not text[:1].isdecimal():
        return False
    number = number_of(text)
    return number is not None and number.rank > 0


def without_bullet(text: str) -> str:
    """Return a text without the bullet that it begins with."""
    bullet = _BULLET.match(text)
    return text[bullet.end() :] if bullet else text


def begins_like_caption(text: str) -> bool:
    """Return whether a text without white space around it begins like a caption: "Table 4"."""
    return _CAPTION.match(text) is not None


def begins_like_caption_of_table(text: str) -> bool:
    """Return whether a text begins with a word for a table, in any of the languages of captions."""
    return _OF_TABLE.match(text) is not None


@lru_cache(maxsize=1024)
def names_captions(style: str) -> bool:
    """Return whether a style with this name is one of captions."""
    return _CAPTION_STYLE.search(style) is not None


def _reads_as_heading(text: str, *, division: bool) -> bool:
    """Return whether a short line is worded like a heading: not a sentence, a fragment, a reference
    or a number.
    """
    words = plain(text).strip()
    if words != text or words.endswith(PAUSES) or _NO_HEADING.search(words):
        return False
    first = next(filter(str.isalnum, words), "")
    return division or not first.islower()
