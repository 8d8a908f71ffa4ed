"""The signals of single lines, compared with the body text: features for or against a heading.

`candidates` adds the signals of their context, and `judgement` weighs all of them.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from functools import cache
from typing import Final

from docxchunk.language.clause_words import ARTICLE
from docxchunk.markup.line_roles import begins_like_caption
from docxchunk.ooxml.formatting import Layout, is_monospaced
from docxchunk.ooxml.styles import ParagraphStyle
from docxchunk.reader.headings import words
from docxchunk.reader.headings.lines import LARGER, STYLE_OF_HEADING, Body, TextLine
from docxchunk.reader.text import BREAK

Signals = dict[str, float]
"""Signal names with their strengths; an absent signal is 0."""

LineClass = int
"""The number of a class of lines: those with the same style, look and form of number. They are
accepted or rejected together.
"""

_LABELS: Final = frozenset(words.LABELS.split())
_LONGEST_LABEL: Final = max(map(len, _LABELS)) + 2  # with a blank and a colon
_LONGEST_TITLE: Final = 40  # characters, blanks included
_STYLE_OF_OTHERS: Final = re.compile(
    r"list|table|quote|note|code|toc|bullet|footer|header|term|address|date|sign", re.IGNORECASE
)
_ODD_SIGN: Final = re.compile(r"[{};=<>\\|@☐☒]")
# of a text in reverse: a page number after a leader or a tab, or one such as 3-12 after a word
_PAGE_REVERSED: Final = re.compile(
    r"\s*+(?:\d{1,3}-)?\d{1,4}\s*(?:\t|\.{3}|…)|\d{1,3}-\d{1,3}[^\W\d]"
)
# begins with one set of characters, for which a search is much faster than for two
_SENTENCES: Final = re.compile(r"[.!?;。！？；](?:(?<=[.!?;])\s+|(?<=[。！？；]))\S")
_ENDS: Final = {**dict.fromkeys(".。;；,，、!！", "stops"), **dict.fromkeys(":：", "colon")}
# an answer: the letters of the right options, in order
_OPTIONS: Final = re.compile(r"(?=[A-H]{1,8}$)A?B?C?D?E?F?G?H?")
_MOST_OPTIONS: Final = 8
_SHORT: Final = 40  # width
_VERY_SHORT: Final = 4
_FEW_WORDS: Final = 8  # a line with more is wordy
_BULLETS: Final = "•-–—*·▪◦●○■□➢➤✓→"
_ASCII: Final = re.compile("[\x00-\x7f]+")
_DIGITS: Final = 0.3  # a line is full of digits if this share of its characters are digits


def classes_and_signals(
    lines: Iterable[TextLine], body: Body
) -> tuple[dict[int, LineClass], dict[int, Signals]]:
    """Return the class and the signals of each line, both by the index of the line.

    What depends on the look, the layout and the style alone is computed once for all lines that
    share these objects.
    """
    classes: dict[int, LineClass] = {}
    all_signals: dict[int, Signals] = {}
    number_of_format: dict[Hashable, int] = {}
    class_of: dict[Hashable, LineClass] = {}
    # by the ids of these objects: the number of the format, the signals of look and layout, and
    # those of the style
    shared: dict[tuple[int, bool, int, int], tuple[int, Signals, Signals]] = {}
    for line in lines:
        item, number, index = line.item, line.number, line.item_index
        ids = (id(line.look), line.capitals, id(item.layout), id(item.style))
        if ids not in shared:
            of_look = _look_signals(line, body) | _layout_signals(item.layout, body)
            shared[ids] = (
                number_of_format.setdefault(_format_of(line), len(number_of_format)),
                _present(of_look),
                _present(_style_signals(item.style)),
            )
        format_number, of_look, of_style = shared[ids]
        kind: Hashable = "" if number is None else number.kind
        if line.is_automatic:
            kind = (item.depth, number is None)
        classes[index] = class_of.setdefault((format_number, kind), len(class_of))
        signals = all_signals[index] = {**of_look, **_text_signals(line), **of_style}
        if name := _list_signal(line):
            signals[name] = 1.0
    return classes, all_signals


def _format_of(line: TextLine) -> Hashable:
    """Return the properties of look, layout and style that the lines of a class share."""
    look, item = line.look, line.item
    return (
        item.style.id,
        look.size,
        look.bold,
        look.italic,
        line.capitals,
        look.underline,
        look.color,
        item.layout.align == "center",
    )


def _present(signals: Signals) -> Signals:
    """Return the signals without those of strength 0."""
    return {name: float(value) for name, value in signals.items() if value}


# --- Signals of the look, the layout and the style


def _look_signals(line: TextLine, body: Body) -> Signals:
    look = line.look
    larger, bold = look.size > body.size * LARGER, look.bold and not body.bold
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
        "mono": is_monospaced(look.font) and not is_monospaced(body.fonts[0]),
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
    heading = STYLE_OF_HEADING.search(name) is not None and not style.is_title
    is_of_other_kind = _STYLE_OF_OTHERS.search(name) is not None
    return {
        "style_title": style.is_title,
        "style_for": heading,
        "style_against": is_of_other_kind and not heading,
    }


# --- Signals of the number


def _list_signal(line: TextLine) -> str:
    """Return the name of the signal that the number or bullet gives; "" if it gives none."""
    number = line.number
    if number is None:
        return "bullet" if line.item.depth >= 0 else ""
    if number.rank:
        return "article" if number.rank == ARTICLE else "division"
    if len(number.path) > 1:
        return "decimal_deep"
    return "decimal_first" if number.kind == "decimal" else ""


# --- Signals of the text. These are computed for every line: only those present are added.


def _text_signals(line: TextLine) -> Signals:
    text, number, width = line.text, line.number, line.width
    title = text[number.length :].lstrip() if number and not line.is_automatic else text
    signals: Signals = {}
    if width > _SHORT:
        signals["long"] = (width - _SHORT) / 40
    elif width < _VERY_SHORT:
        signals["very_short"] = 1.0
    if (count := text.count(" ") + 1) > _FEW_WORDS:
        signals["wordy"] = (count - _FEW_WORDS) / 4
    if ends := _ENDS.get(text[-1]):
        signals[ends] = 1.0
    if title[:1].islower():
        signals["lower"] = 1.0
    elif len(title) <= _MOST_OPTIONS and _OPTIONS.fullmatch(title):
        signals["options"] = 1.0
    elif text[0] in _BULLETS:
        signals["typed_bullet"] = 1.0
    if commas := text.count(",") + text.count("，") + text.count("、"):
        signals["comma"] = float(commas)
    if _digits_in(text) > len(text) * _DIGITS:
        signals["digits"] = 1.0
    _add_patterns(signals, line, title)
    return signals


def _add_patterns(signals: Signals, line: TextLine, title: str) -> None:
    """Add the signals of patterns in the text; `title` is the text without its number."""
    text, raw = line.text, line.item.raw
    if not raw.isprintable():
        if not line.number and "\t" in raw.strip():
            signals["tab"] = 1.0
        if BREAK in raw:
            signals["break"] = 1.0
    if _SENTENCES.search(title, 4):
        signals["sentence"] = 1.0
    if _ODD_SIGN.search(text) or _has_odd_part(text):
        signals["odd"] = 1.0
    if text[-1].isdigit() and _PAGE_REVERSED.match(raw[::-1]):
        signals["page"] = 1.0
    if begins_like_caption(text):
        signals["caption"] = 1.0
    if len(title) <= _LONGEST_TITLE and _bare(title) in _titles():
        signals["known_title"] = 1.0
    if len(text) <= _LONGEST_LABEL and _is_label(text):
        signals["label"] = 1.0


def _digits_in(text: str) -> int:
    ascii_only = text.encode("ascii", "ignore")
    count = len(ascii_only) - len(ascii_only.translate(None, b"0123456789"))
    if len(ascii_only) < len(text):
        count += sum(map(str.isdigit, _ASCII.sub("", text)))
    return count


def _has_odd_part(text: str) -> bool:
    """Return whether there is a blank to fill in, a leader or a web address. (These tests are
    faster than a loop or a pattern.)
    """
    return (
        "___" in text
        or "...." in text
        or "……" in text
        or ("://" in text and ("http://" in text or "https://" in text))
        or "www." in text
    )


def _is_label(text: str) -> bool:
    """Return whether the text is only a word such as "Note:"."""
    return (text[:-1].rstrip() if text[-1] in ":：.!" else text).lower() in _LABELS


@cache
def _titles() -> frozenset[str]:
    """Return the common titles of sections in all languages, in the form of `_bare`."""
    titles = "|".join(words.TITLES.values()).replace("\n", "|")
    return frozenset(map(_bare, titles.split("|"))) - {""}


def _bare(title: str) -> str:
    """Return a title in lower case, without blanks, and without a colon or full stop at the end.
    (Some titles have blanks between all letters.)
    """
    return "".join(title.split()).casefold().rstrip(":：.")
