"""Compute the signals of single lines: features for or against a heading, compared with the body
text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

from docxchunk.ooxml.formatting import Layout, Look
from docxchunk.ooxml.styles import ParagraphStyle
from docxchunk.reader.headings import words
from docxchunk.reader.headings.lines import MONO, STYLE_OF_HEADING, Body, TextLine
from docxchunk.reader.text import BREAK

Signals = dict[str, float]
"""Signal names with their strengths; an absent signal is 0."""

Key = tuple[object, ...]
"""The properties of lines that are accepted or rejected together: style, look, form of number."""

_CAPTION_WORDS: Final = tuple(words.CAPTIONS.split())
_LONGEST_CAPTION_WORD: Final = max(map(len, _CAPTION_WORDS))
_LABELS: Final = frozenset(words.LABELS.split())
_LONGEST_LABEL: Final = max(map(len, _LABELS)) + 2  # with a blank and a sign
_CAPTION: Final = re.compile(
    rf"(?:{'|'.join(map(re.escape, _CAPTION_WORDS))})\s*"
    r"(?:[\dⅠ-ⅹ一二三四五六七八九十]|[A-Z](?![^\W\d_]))",
    re.IGNORECASE,
)
_LONGEST_TITLE: Final = 40  # characters, blanks included
_STYLE_OF_OTHERS: Final = re.compile(
    r"list|table|quote|note|code|toc|bullet|footer|header|term|address|date|sign", re.IGNORECASE
)
_STYLE_OF_CAPTION: Final = re.compile(r"caption|题注|beschriftung|légende|подпись", re.IGNORECASE)
_ODD_SIGN: Final = re.compile(r"[{};=<>\\|@☐☒]")
_ODD_PARTS: Final = ("___", "....", "……", "http://", "https://", "www.")
_PAGE: Final = re.compile(r"(?:\t|\.{3,}|…)\s*\d{1,4}(?:-\d{1,3})?\s*$|[^\W\d]\d{1,3}-\d{1,3}$")
_SENTENCES: Final = re.compile(r"[.!?;]\s+\S|[。！？；]\S")
_NONE: Final[Signals] = {}
_END_SIGNALS: Final[Mapping[str, Signals]] = {
    **{sign: {"stops": 1.0} for sign in ".。;；,，、!！"},
    **{sign: {"colon": 1.0} for sign in ":："},
}
# an answer: the letters of the right options, in order
_OPTIONS: Final = re.compile(r"(?=[A-H]{1,8}$)A?B?C?D?E?F?G?H?")
_SHORT: Final = 40  # letters
_FEW_WORDS: Final = 8
_BULLETS: Final = "•-–—*·▪◦●○■□➢➤✓→"
_DIGITS: Final = 0.3  # share of the characters


def key_of(line: TextLine) -> Key:
    """Return what a line shares with those that are accepted or rejected together with it."""
    look, number = line.look, line.number
    kind = "" if number is None else number.kind
    if line.is_automatic:
        kind = f"list {line.item.depth}{' with numbers' if number else ''}"
    return (
        line.item.style.id,
        look.size,
        look.bold,
        look.italic,
        line.capitals,
        look.underline,
        look.color,
        line.item.layout.align == "center",
        kind,
    )


def signals_of(lines: Iterable[TextLine], body: Body) -> dict[int, Signals]:
    """Return the signals of each line by its index. Those of a look, a layout or a style are
    computed once for all lines that share it.
    """
    of_look: dict[tuple[Look, bool], Signals] = {}
    of_layout: dict[Layout, Signals] = {}
    of_style: dict[str, Signals] = {}
    signals: dict[int, Signals] = {}
    for line in lines:
        look, layout, style = (line.look, line.capitals), line.item.layout, line.item.style
        if look not in of_look:
            of_look[look] = _present(_look_signals(line, body))
        if layout not in of_layout:
            of_layout[layout] = _present(_layout_signals(layout, body))
        if style.id not in of_style:
            of_style[style.id] = _present(_style_signals(style))
        signals[line.item_index] = {
            **of_look[look],
            **of_layout[layout],
            **_text_signals(line),
            **of_style[style.id],
            **_list_signals(line),
        }
    return signals


def _present(signals: Signals) -> Signals:
    """Return the signals without those of strength 0."""
    return {name: float(value) for name, value in signals.items() if value}


# --- Signals of the look, the layout and the style


def _look_signals(line: TextLine, body: Body) -> Signals:
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
        "italic": italic,
        "capitals": capitals,
        "underline": underline,
        "color": color,
        "font": (look.font, look.font_asia) != body.fonts,
        "mono": bool(MONO.search(look.font)) and not MONO.search(body.fonts[0]),
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


def _style_signals(style: ParagraphStyle) -> Signals:
    name = style.name
    caption = _STYLE_OF_CAPTION.search(name) is not None
    heading = STYLE_OF_HEADING.search(name) is not None and not style.is_title
    other = _STYLE_OF_OTHERS.search(name) is not None
    return {
        "style_title": style.is_title,
        "style_caption": caption,
        "style_for": heading and not caption,
        "style_against": other and not heading and not caption,
    }


# --- Signals of the number


def _list_signals(line: TextLine) -> Signals:
    number = line.number
    if number is None:
        return {"bullet": 1.0} if line.item.depth >= 0 else {}
    if number.rank:
        return {"article": 1.0} if number.rank == words.ARTICLE else {"division": 1.0}
    if len(number.path) > 1:
        return {"decimal_deep": 1.0}
    return {"decimal_first": 1.0} if number.kind == "decimal" else {}


# --- Signals of the text. These are computed for every line: only those present are added.


def _text_signals(line: TextLine) -> Signals:
    text, raw = line.text, line.item.raw
    is_typed = line.number is not None and not line.is_automatic
    title = text[line.number.length :].lstrip() if line.number and is_typed else text
    signals = _length_signals(line)
    signals.update(_END_SIGNALS.get(text[-1], _NONE))
    if title[:1].islower():
        signals["lower"] = 1.0
    elif _OPTIONS.fullmatch(title):
        signals["options"] = 1.0
    elif text[0] in _BULLETS:
        signals["typed_bullet"] = 1.0
    if commas := text.count(",") + text.count("，") + text.count("、"):
        signals["comma"] = float(commas)
    if sum(map(str.isdigit, text)) > len(text) * _DIGITS:
        signals["digits"] = 1.0
    if not raw.isprintable():
        if "\t" in raw.strip() and not line.number:
            signals["tab"] = 1.0
        if BREAK in raw:
            signals["break"] = 1.0
    signals.update(_pattern_signals(line, title))
    return signals


def _length_signals(line: TextLine) -> Signals:
    signals: Signals = {}
    if line.width > _SHORT:
        signals["long"] = (line.width - _SHORT) / 40
    elif line.width < 4:
        signals["very_short"] = 1.0
    if (count := line.text.count(" ") + 1) > _FEW_WORDS:
        signals["wordy"] = (count - _FEW_WORDS) / 4
    return signals


def _pattern_signals(line: TextLine, title: str) -> Signals:
    """Return the signals of patterns in the text; `title` is the text without its number."""
    text = line.text
    signals: Signals = {}
    if _SENTENCES.search(title, 4):
        signals["sentence"] = 1.0
    if _ODD_SIGN.search(text) or any(map(text.__contains__, _ODD_PARTS)):
        signals["odd"] = 1.0
    if text[-1].isdigit() and _PAGE.search(line.item.raw):
        signals["page"] = 1.0
    if text[:_LONGEST_CAPTION_WORD].lower().startswith(_CAPTION_WORDS) and _CAPTION.match(text):
        signals["caption"] = 1.0
    if len(title) <= _LONGEST_TITLE and _bare(title) in _titles():
        signals["known_title"] = 1.0
    if len(text) <= _LONGEST_LABEL and _is_label(text):
        signals["label"] = 1.0
    return signals


def _is_label(text: str) -> bool:
    """Return whether the text is a word such as "Note:", alone."""
    return (text[:-1].rstrip() if text[-1] in ":：.!" else text).lower() in _LABELS


@cache
def _titles() -> frozenset[str]:
    """Return the common titles of sections in all languages, as `_bare` returns them."""
    titles = "|".join(words.TITLES.values()).replace("\n", "|")
    return frozenset(map(_bare, titles.split("|"))) - {""}


def _bare(title: str) -> str:
    """Return a title without blanks (some have them between all letters), without case, and without
    a colon or full stop at the end.
    """
    return "".join(title.split()).casefold().rstrip(":：.")
