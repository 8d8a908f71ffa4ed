"""What speaks for and against a line being a heading, seen in the line itself and held against the body text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from docxchunk.ooxml.looks import Layout, Look
from docxchunk.ooxml.styles import ParagraphStyle
from docxchunk.reader.headings.body import Body
from docxchunk.reader.headings.lines import Line
from docxchunk.reader.headings.numbers import ARTICLE, Number
from docxchunk.reader.headings.titles import is_known_title

Signals = dict[str, float]
"""Names of signals, each with its strength; one that is not there is 0."""

Key = tuple[object, ...]
"""What lines have in common that stand or fall together."""

_CAPTION: Final = re.compile(
    r"(?:table|figure|fig\.|tab\.|chart|exhibit|listing|tabelle|abbildung|abb\.|tableau|tabla|figura|таблица|рисунок|рис\.|图表?|表|圖|그림|표)"
    r"\s*(?:[\dⅠ-ⅹ一二三四五六七八九十]|[A-Z](?![^\W\d_]))",
    re.IGNORECASE,
)
_MONO: Final = re.compile(r"consol|courier|mono|menlo|code", re.IGNORECASE)
_STYLE_FOR: Final = re.compile(r"head|title|überschrift|titre|título|titolo|заголов|标题|標題|제목|section|chapter|kop", re.IGNORECASE)
_STYLE_AGAINST: Final = re.compile(r"list|table|quote|note|code|toc|bullet|footer|header|term|address|date|sign", re.IGNORECASE)
_STYLE_CAPTION: Final = re.compile(r"caption|题注|beschriftung|légende|подпись", re.IGNORECASE)
_LABEL: Final = re.compile(
    r"(?:notes?|warning|caution|tip|important|examples?|remarque|achtung|hinweis|注意?|提示|примечание|nota|date|to|from|subject|re|cc|tel|phone|e-?mail|fax)"
    r"\s*[:：.!]?",
    re.IGNORECASE,
)
_ODD: Final = re.compile(r"_{3,}|\.{4,}|…{2,}|https?://|www\.|@|[{};=<>\\|]|☐|☒")
_PAGE: Final = re.compile(r"(?:\t|\.{3,}|…)\s*\d{1,4}(?:-\d{1,3})?\s*$|[^\W\d]\d{1,3}-\d{1,3}$")
_SENTENCES: Final = re.compile(r"[.!?;]\s+\S|[。！？；]\S")
_BULLETS: Final = "•-–—*·▪◦●○■□➢➤✓→"


def key_of(line: Line) -> Key:
    look, number = line.look, line.number
    kind = "" if number is None else number.kind
    if line.is_automatic:
        kind = f"list {line.item.depth}{' with numbers' if number else ''}"
    return (line.item.style.id, look.size, look.bold, look.italic, line.capitals, look.underline, look.color, line.item.layout.align == "center", kind)


def is_prominent(line: Line, body: Body) -> bool:
    """Would a person who leafs through the document see it?"""
    look = line.look
    return line.number is not None or line.is_larger(body.size) or (look.bold and not body.bold) or (line.capitals and not body.caps)


def stands_out(line: Line, body: Body) -> bool:
    """Could it be a heading at all? Lines in another font, in smaller letters or in italics are many, and hardly ever headings."""
    look = line.look
    if _MONO.search(look.font) and not _MONO.search(body.fonts[0]) and not look.bold and look.size <= body.size:
        return False  # a line of code
    emphasized = (look.underline and not body.underline) or (look.color and look.color != body.color)
    centred = line.item.layout.align == "center" != body.align
    return is_prominent(line, body) or emphasized or centred or bool(_STYLE_FOR.search(line.item.style.name))


def signals_of(lines: Iterable[Line], body: Body) -> dict[int, Signals]:
    """The signals of each line by itself, by its place. Those of a look, a layout and a style are worked out once for all lines that have it."""
    of_look: dict[tuple[Look, bool], Signals] = {}
    of_layout: dict[Layout, Signals] = {}
    of_style: dict[str, Signals] = {}
    found: dict[int, Signals] = {}
    for line in lines:
        seen, layout, style = (line.look, line.capitals), line.item.layout, line.item.style
        if seen not in of_look:
            of_look[seen] = _there(_look_signals(line, body))
        if layout not in of_layout:
            of_layout[layout] = _there(_layout_signals(layout, body))
        if style.id not in of_style:
            of_style[style.id] = _there(_style_signals(style))
        found[line.place] = {**of_look[seen], **of_layout[layout], **_there(_text_signals(line)), **of_style[style.id], **_there(_list_signals(line))}
    return found


def _there(said: Signals) -> Signals:
    """Without those of no strength."""
    return {name: float(value) for name, value in said.items() if value}


def _list_signals(line: Line) -> Signals:
    if line.number is not None:
        return {**_number_signals(line.number), "automatic": line.is_automatic}
    return {"bullet": 1} if line.item.depth >= 0 else {}


def _look_signals(line: Line, body: Body) -> Signals:
    look = line.look
    larger, bold = line.is_larger(body.size), look.bold and not body.bold
    capitals, underline = line.capitals and not body.caps, look.underline and not body.underline
    color, italic = bool(look.color) and look.color != body.color, look.italic and not body.italic
    strong = larger + bold + capitals + color + underline
    return {
        "larger": larger,
        "much_larger": look.size > body.size * 1.15,
        "huge": look.size > body.size * 1.8,
        "larger_light": larger and not look.bold,
        "smaller": look.size < body.size * 0.97,
        "bold": bold,
        "lighter": body.bold and not look.bold,
        "italic": italic,
        "capitals": capitals,
        "underline": underline,
        "color": color,
        "font": (look.font, look.font_asia) != body.fonts,
        "mono": bool(_MONO.search(look.font)) and not _MONO.search(body.fonts[0]),
        "capitals_alone": capitals and strong == 1,
        "underline_alone": underline and strong == 1,
        "color_alone": color and strong == 1,
        "plain": not strong and not italic,
    }


def _layout_signals(layout: Layout, body: Body) -> Signals:
    return {
        "centred": layout.align == "center" != body.align,
        "right": layout.align == "right",
        "indent": min(max(layout.indent - max(body.indent, 0), 0) / 720, 2),
        "space_before": layout.before > body.before,
        "keep_next": layout.keep_next and not body.keep_next,
    }


def _text_signals(line: Line) -> Signals:
    text, raw = line.text, line.item.raw
    return {
        "long": max(line.length - 40, 0) / 40,
        "very_short": line.length < 4,
        "wordy": max(len(text.split()) - 8, 0) / 4,
        "stops": text[-1] in ".。;；,，、!！",
        "colon": text[-1] in ":：",
        "lower": text[0].islower(),
        "typed_bullet": text[0] in _BULLETS,
        "sentence": bool(_SENTENCES.search(text[4:])),
        "comma": sum(text.count(sign) for sign in ",，、"),
        "odd": bool(_ODD.search(text)),
        "tab": "\t" in raw.strip() and not line.number,
        "page": text[-1].isdigit() and bool(_PAGE.search(raw)),
        "caption": bool(_CAPTION.match(text)),
        "known_title": is_known_title(text if line.number is None or line.is_automatic else text[line.number.length :]),
        "label": bool(_LABEL.fullmatch(text)),
        "digits": sum(map(str.isdigit, text)) > len(text) * 0.3,
        "break": "\x0b" in raw,
    }


def _style_signals(style: ParagraphStyle) -> Signals:
    name = style.name
    caption, speaks = _STYLE_CAPTION.search(name), _STYLE_FOR.search(name) and not style.is_title
    return {
        "style_title": style.is_title,
        "style_caption": bool(caption),
        "style_for": bool(speaks and not caption),
        "style_against": bool(not speaks and not caption and _STYLE_AGAINST.search(name)),
    }


def _number_signals(number: Number) -> Signals:
    decimal = number.kind.startswith("decimal") and not number.kind.endswith(")")
    return {
        "division": 0 < number.rank < ARTICLE,
        "article": number.rank == ARTICLE,
        "decimal_deep": decimal and len(number.path) > 1,
        "decimal_first": decimal and len(number.path) == 1,
        "numbered_other": not number.rank and not decimal,
    }
