"""Tell what a line is (a heading, a caption, a list item ...), and price the cut before it.

Prices are added to the costs in `stages/best_cuts.py`: a cut of price 0.5 is avoided if that leaves
less than about two thirds of a chunk empty.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from functools import cache
from itertools import accumulate, pairwise, product
from typing import Final, NamedTuple

from docxchunk.markup.tables import Range
from docxchunk.markup.tags import plain
from docxchunk.model.blocks import Block, Line, LineKind

_HEADING_MARKS = re.compile(r"#{1,6} ")
_LIST_ITEM = re.compile(
    r"\s*(?:[-*+•▪●○■□◦‣–]|\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)]"
    r"|[(（][\d一二三四五六七八九十]{1,3}[)）])\s"
)
# Python 3.11 takes ten times longer to look up a member of an enumeration than a constant of the
# module.
_HEADING, _LIST, _EQUATION = LineKind.HEADING, LineKind.LIST, LineKind.EQUATION
_ONE_TAG: Final = {
    LineKind.EQUATION: re.compile(r"<equation\b[^>]*>.*?</equation>", re.DOTALL),
    LineKind.DRAWING: re.compile(r"<drawing\b[^>]*/>"),
}


def line_starts(content: str) -> list[int]:
    """Return the start offsets of the lines of a text, including blank ones."""
    return list(accumulate([len(line) + 1 for line in content.split("\n")[:-1]], initial=0))


def is_heading_line(block: Block) -> bool:
    """Return whether the first line of the block is its heading."""
    if block.lines:
        return block.lines[0].kind is _HEADING
    return block.level > 0 and _HEADING_MARKS.match(block.content) is not None


def is_list_item(text: str) -> bool:
    """Return whether a line starts with a bullet or a list number."""
    return _LIST_ITEM.match(text) is not None


def kind_of(block: Block, start: int, tables: Container[int]) -> LineKind:
    """Return the kind of the line that starts at `start`; `tables` are the start offsets of
    tables.
    """
    if start in tables:
        return LineKind.TABLE
    if start == 0 and is_heading_line(block):
        return LineKind.HEADING
    end = block.content.find("\n", start)
    text = block.content[start : end if end >= 0 else len(block.content)]
    if text.startswith("<"):
        for kind, pattern in _ONE_TAG.items():
            if pattern.fullmatch(text.strip()):
                return kind
    return LineKind.LIST if is_list_item(text) else LineKind.TEXT


def broken_equations(content: str) -> Iterator[Range]:
    """Yield the ranges of equations that span several lines."""
    if "<" in content:
        yield from (
            found.span()
            for found in _ONE_TAG[LineKind.EQUATION].finditer(content)
            if "\n" in found[0]
        )


NEVER: Final = 40.0
"""The price between a heading and its text: cut only if no other cut keeps a chunk within its
limit.
"""

SECTION: Final = 0.02  # before a section that is not below the last one, times its level minus 1
SUBSECTION: Final = 0.08
HEADLINE: Final = 0.0
BLANK_LINE: Final = 0.02  # used by R
PARAGRAPH: Final = 0.05  # between two lines
# inside a line
SENTENCE: Final = 0.12
CLAUSE: Final = 0.5
SPACE: Final = 0.8
GRAPHEME: Final = 1.5
CODE_POINT: Final = 3.0
OBJECT: Final = 0.12  # between text and a table, a picture or an equation
ITEM: Final = 0.1
LIST_START: Final = 0.3
LONE_ITEM: Final = 1.5  # between the first or last item of a list and the others
LEAD_IN: Final = 5.0
CAPTION: Final = 5.0
AFTER_HEADLINE: Final = 4.0
BOUND: Final = AFTER_HEADLINE  # at this price or above, a line belongs to the one before it
ROW: Final = 0.14  # between rows of a table over the limit
ROW_OF_FITTING: Final = 1.5  # between rows of another table
ROW_AT_END: Final = 0.5  # added if only a few rows are on one side
ROW_IN_MERGED: Final = 0.3  # added if the cut divides a merged cell

_LABELLED = (
    # English
    r"table|tab|figure|fig|chart|exhibit|box|plate|scheme|photo|map|diagram|listing"
    r"|illustration|image|"
    # German, French, Spanish
    r"tabelle|abbildung|abb|bild|schaubild|tableau|graphique|carte|tabla|cuadro|gráfico"
    r"|figura|ilustración|imagen|"
    # Portuguese, Italian, Dutch, Nordic languages
    r"tabela|quadro|tabella|grafico|immagine|tabel|figuur|afbeelding|tabell|figur|taulukko"
    r"|kuva|kuvio|"
    # Polish, Czech, Slovak, Hungarian, Turkish, Greek
    r"rysunek|rys|tabulka|obrázek|obr|tabuľka|táblázat|ábra|tablo|çizelge|şekil|πίνακας|σχήμα|"
    r"таблица|табл|рисунок|рис|схема|таблиця|малюнок"  # Russian, Ukrainian
)
_CAPTION = re.compile(
    rf"(?i:{_LABELLED})\.?\s*(?:\d|[IVXLC]+\b|[A-Z]\b|[A-Z][.-]?\d|[一二三四五六七八九十])|(?:表|图|圖|図"
    r"|附表|附图|표|그림)\s*(?:\d|[IVX]+\b|[A-Z]|[一二三四五六七八九十])"
)
_CAPTION_STYLE = re.compile(
    r"caption|beschriftung|légende|题注|題注|図表番号|캡션|подпись"
    r"|название объекта|didascalia|leyenda|epígrafe|legenda",
    re.IGNORECASE,
)
_ITEM = re.compile(
    r"\s*(?:[-–—*+•·●○◦▪■□◆◇‣➢►✓✔❖\uf000-\uf0ff]\s"  # bullets, also of symbol fonts
    r"|[(\[]?(?:\d{1,3}|\d{1,3}[a-z]|[^\W\d_]|[ivxlc]{1,6}|([a-z])\1)[.)\]]\s"  # 1. (a) iv) aa)
    r"|(?:[(（][\d一二三四五六七八九十]{1,3}[)）]|[一二三四五六七八九十]{1,3}、|[①-⑳⑴-⒇])|\d{1,2}、)",
    re.IGNORECASE,
)
_DIVISION_WORDS = (
    r"article|section|chapter|part|step|appendix|annex|schedule|clause|artikel|abschnitt"
    r"|kapitel|teil|anlage|anhang|chapitre|titre|annexe|"
    r"artículo|capítulo|sección|anexo|artigo|seção|articolo|capitolo|allegato|глава|раздел"
    r"|статья|приложение"
)
_DIVISION = re.compile(
    r"第\s*[\d零〇一二三四五六七八九十百千]+\s*[编編篇章节節条條款部]|附\s*[录錄件]|제\s*\d+\s*[편장절조]"
    r"|\d{1,2}(?:\.\d{1,3}){1,4}\.?\s+[^\W\d_a-z]|[IVX]{1,5}\.\s+[^\W\d_a-z]"
)
_NAMED_DIVISION = re.compile(rf"(?i:{_DIVISION_WORDS})\s+(?:\d|[IVXLC]+\b|[A-Z]\b)")
_WORD_PREFIXES: Final = frozenset(word[:3] for word in f"{_LABELLED}|{_DIVISION_WORDS}".split("|"))
_NUMERALS: Final = frozenset("".join(letters) for letters in product("ivxlc", repeat=3))
_CLOSING: Final = "\"'”’»)]」』）*_ \t\u00a0"
_COLONS: Final = (":", "：", "︰", "：-", ":-", ":–")
_SENTENCE_ENDS: Final = (".", "!", "?", "。", "！", "？", "…", "۔", "।", ";", "；", ",", "，", "、")
_SHORT: Final = 100  # characters of a line that may be a headline, though its author marked none
_NO_HEADING = re.compile(
    r"https?:|www\.|@\w|\t\s*\d+\s*$|\.{4,}|[{}<>=\\|]|\(\)|//|\[\d+\]|\bet al\b"
    r"|\(\d{4}[a-z]?\)|\bdoi:|\d{4};\d|^\W*\d[\d\W]*$",
    re.IGNORECASE,
)


class LineClass(NamedTuple):
    """The class of a line, for pricing cuts."""

    kind: LineKind
    thing: bool = False  # a table, a picture
    item: bool = False
    caption: bool = False
    lead_in: bool = False
    headline: bool = False  # introduces the following lines, but is not a heading of the document
    label: bool = False  # a headline worded like a heading


_PLAIN: Final = {kind: LineClass(kind) for kind in LineKind}
_TEXT: Final = _PLAIN[LineKind.TEXT]
_OBJECTS: Final = (LineKind.TABLE, LineKind.DRAWING)
_UNMARKED: Final = (_HEADING, _EQUATION)


def line_class_of(record: Line, text: str, longest: int = _SHORT) -> LineClass:
    """Return the class of a line. `longest` is the most characters of a headline."""
    kind = record.kind
    if kind in _OBJECTS or text.startswith(("<table", "<drawing")):
        return LineClass(kind, thing=True)
    if kind in _UNMARKED:
        return _PLAIN[kind]
    bare = text.strip()
    lead_in = bare.rstrip(_CLOSING).endswith(_COLONS)
    division, item, caption = _marks_of(text, bare)
    item = item or kind is _LIST
    caption = caption or (record.style is not None and _is_caption_style(record.style))
    stands_out = record.bold or (division and not bare.endswith(_SENTENCE_ENDS))
    headline = (
        stands_out
        and not item
        and not caption
        and len(bare) <= longest
        and any(map(str.isalpha, bare))
    )
    if not (item or caption or lead_in or headline):
        return _PLAIN[kind]
    label = headline and not lead_in and reads_as_heading(bare, division=division)
    return LineClass(
        kind, item=item, caption=caption, lead_in=lead_in, headline=headline, label=label
    )


def _marks_of(text: str, bare: str) -> tuple[bool, bool, bool]:
    """Return whether a line begins like a division, an item and a caption. `bare` is the line
    without white space around it.

    The patterns are tried only if the first three characters leave it open, because a failed match
    takes long.
    """
    head = bare[:3].lower()
    worded = not head.isascii() or head in _WORD_PREFIXES
    if head.isalpha() and not worded and head not in _NUMERALS:
        return False, False, False
    division = _DIVISION.match(bare) is not None or (
        worded and _NAMED_DIVISION.match(bare) is not None
    )
    item = not division and _ITEM.match(text) is not None
    return division, item, worded and _CAPTION.match(bare) is not None


@cache
def _is_caption_style(style: str) -> bool:
    return _CAPTION_STYLE.search(style) is not None


def reads_as_heading(text: str, *, division: bool) -> bool:
    """Return whether a short line is worded like a heading: not a sentence, a fragment, a reference
    or a number.
    """
    words = plain(text).strip()
    if not words or words != text or words.endswith(_SENTENCE_ENDS) or _NO_HEADING.search(words):
        return False
    first = next(filter(str.isalnum, words), "")
    return division or not first.islower()


def prices(line_classes: Sequence[LineClass]) -> list[float]:
    """Return the price of a cut before each line."""
    if not line_classes:
        return []
    pairs = enumerate(pairwise(line_classes), 1)
    return [
        PARAGRAPH,
        *[
            PARAGRAPH if before is after is _TEXT else _price(line_classes, number)
            for number, (before, after) in pairs
        ],
    ]


def _price(line_classes: Sequence[LineClass], number: int) -> float:
    bound, before, after = (
        _bound(line_classes, number),
        line_classes[number - 1],
        line_classes[number],
    )
    if bound:
        return bound
    if before.item and after.item:
        whole = (
            number >= 2
            and line_classes[number - 2].item
            and number + 1 < len(line_classes)
            and line_classes[number + 1].item
        )
        return ITEM if whole else LONE_ITEM
    if after.headline or after.kind is _HEADING:
        return HEADLINE
    if after.item:
        return LIST_START
    return OBJECT if after.thing or _EQUATION in (before.kind, after.kind) else PARAGRAPH


def _bound(line_classes: Sequence[LineClass], number: int) -> float:
    """Return the price if the line belongs to the one before it, else 0."""
    before, after = line_classes[number - 1], line_classes[number]
    if before.kind is _HEADING:
        return NEVER
    if _parts_caption(line_classes, number):
        return CAPTION
    if before.lead_in:
        return LEAD_IN
    if before.headline:
        return AFTER_HEADLINE / 4 if after.headline else AFTER_HEADLINE
    return 0.0


def _parts_caption(line_classes: Sequence[LineClass], number: int) -> bool:
    """Return whether a cut before this line separates a caption from its table or picture. A
    caption between two belongs to the second.
    """
    before, after = line_classes[number - 1], line_classes[number]
    if after.thing:
        return before.caption
    return (
        before.thing
        and after.caption
        and not (number + 1 < len(line_classes) and line_classes[number + 1].thing)
    )
