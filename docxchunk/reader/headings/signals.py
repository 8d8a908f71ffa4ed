"""Compute the signals of single lines: features for or against a heading, compared with the body
text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from docxchunk.ooxml.formatting import Layout, Look
from docxchunk.ooxml.styles import ParagraphStyle
from docxchunk.reader.headings.body import Body
from docxchunk.reader.headings.lines import LARGER, TextLine
from docxchunk.reader.headings.numbers import ARTICLE, Number
from docxchunk.reader.headings.titles import is_known_title
from docxchunk.reader.paragraphs import Paragraph

Signals = dict[str, float]
"""Signal names with their strengths; an absent signal is 0."""

Key = tuple[object, ...]
"""The properties that lines share which are accepted or rejected together."""

_CAPTION_WORDS: Final = (
    *(
        "table",
        "figure",
        "fig.",
        "tab.",
        "chart",
        "exhibit",
        "listing",
        "tabelle",
        "abbildung",
        "abb.",
        "tableau",
        "tabla",
        "figura",
    ),
    *("таблица", "рисунок", "рис.", "图表", "图", "表", "圖", "그림", "표"),
)
_LONGEST_CAPTION_WORD: Final = max(map(len, _CAPTION_WORDS))
_CAPTION: Final = re.compile(
    rf"(?:{'|'.join(map(re.escape, _CAPTION_WORDS))})\s*(?:[\dⅠ-ⅹ一二三四五六七八九十]"
    r"|[A-Z](?![^\W\d_]))",
    re.IGNORECASE,
)
_MONO: Final = re.compile(r"consol|courier|mono|menlo|code", re.IGNORECASE)
_STYLE_FOR: Final = re.compile(
    r"head|title|überschrift|titre|título|titolo|заголов|标题|標題|제목"
    r"|section|chapter|kop",
    re.IGNORECASE,
)
_STYLE_AGAINST: Final = re.compile(
    r"list|table|quote|note|code|toc|bullet|footer|header|term"
    r"|address|date|sign",
    re.IGNORECASE,
)
_STYLE_CAPTION: Final = re.compile(r"caption|题注|beschriftung|légende|подпись", re.IGNORECASE)
_LABEL: Final = re.compile(
    r"(?:notes?|warning|caution|tip|important|examples?|remarque|achtung|hinweis|注意?|提示"
    r"|примечание|nota|date|to|from|subject|re|cc|tel|phone|e-?mail|fax)"
    r"\s*[:：.!]?",
    re.IGNORECASE,
)
_LONGEST_LABEL: Final = 12  # characters: the longest word, a blank and a sign
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


def key_of(line: TextLine) -> Key:
    """Return the key of a line."""
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


def is_prominent(line: TextLine, body: Body) -> bool:
    """Return whether a line is numbered, larger, bold or in capitals, unlike the body text."""
    look = line.look
    return (
        line.number is not None
        or line.is_larger(body.size)
        or (look.bold and not body.bold)
        or (line.capitals and not body.caps)
    )


def is_code(look: Look, body: Body) -> bool:
    """Return whether text of this look is code, which is never a heading."""
    return (
        _MONO.search(look.font) is not None
        and not _MONO.search(body.fonts[0])
        and not look.bold
        and look.size <= body.size
    )


def looks_apart(item: Paragraph, look: Look, body: Body) -> bool:
    """Return whether look, alignment or style could be those of a heading.

    Another font, a smaller size and italics do not count: such lines are common, and rarely
    headings.
    """
    emphasized = (look.underline and not body.underline) or (
        look.color and look.color != body.color
    )
    prominent = (
        look.size > body.size * LARGER
        or (look.bold and not body.bold)
        or (look.caps and not body.caps)
    )
    centred = item.layout.align == "center" != body.align
    return bool(prominent or emphasized or centred or _STYLE_FOR.search(item.style.name))


def signals_of(lines: Iterable[TextLine], body: Body) -> dict[int, Signals]:
    """Return the signals of each line by place. Those of a look, a layout or a style are computed
    once for all lines that share it.
    """
    of_look: dict[tuple[Look, bool], Signals] = {}
    of_layout: dict[Layout, Signals] = {}
    of_style: dict[str, Signals] = {}
    found: dict[int, Signals] = {}
    for line in lines:
        seen, layout, style = (line.look, line.capitals), line.item.layout, line.item.style
        if seen not in of_look:
            of_look[seen] = _present(_look_signals(line, body))
        if layout not in of_layout:
            of_layout[layout] = _present(_layout_signals(layout, body))
        if style.id not in of_style:
            of_style[style.id] = _present(_style_signals(style))
        found[line.place] = {
            **of_look[seen],
            **of_layout[layout],
            **_text_signals(line),
            **of_style[style.id],
            **_list_signals(line),
        }
    return found


def _present(said: Signals) -> Signals:
    """Drop the signals of strength 0."""
    return {name: float(value) for name, value in said.items() if value}


def _list_signals(line: TextLine) -> Signals:
    number = line.number
    if number is None:
        return {"bullet": 1.0} if line.item.depth >= 0 else {}
    said = {_number_signal(number): 1.0}
    if line.is_automatic:
        said["automatic"] = 1.0
    return said


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


def _text_signals(line: TextLine) -> Signals:
    """Return the signals of the text. This runs for every line, so it adds only the signals that
    are present.
    """
    said = _length_signals(line)
    text = line.text
    said.update(_END_SIGNALS.get(text[-1], _NONE))
    title = (
        text if line.number is None or line.is_automatic else text[line.number.length :].lstrip()
    )
    if title[:1].islower():
        said["lower"] = 1.0
    elif _OPTIONS.fullmatch(title):
        said["options"] = 1.0
    elif text[0] in _BULLETS:
        said["typed_bullet"] = 1.0
    if commas := text.count(",") + text.count("，") + text.count("、"):
        said["comma"] = float(commas)
    if sum(map(str.isdigit, text)) > len(text) * 0.3:
        said["digits"] = 1.0
    if not line.item.raw.isprintable():
        said.update(_control_signals(line))
    said.update(_pattern_signals(line, title))
    return said


def _length_signals(line: TextLine) -> Signals:
    said: Signals = {}
    if line.length > _SHORT:
        said["long"] = (line.length - _SHORT) / 40
    elif line.length < 4:
        said["very_short"] = 1.0
    if (words := line.text.count(" ") + 1) > _FEW_WORDS:
        said["wordy"] = (words - _FEW_WORDS) / 4
    return said


def _control_signals(line: TextLine) -> Signals:
    raw = line.item.raw
    return _present({"tab": "\t" in raw.strip() and not line.number, "break": "\x0b" in raw})


def _pattern_signals(line: TextLine, title: str) -> Signals:
    text, said = line.text, {}
    if _SENTENCES.search(title, 4):
        said["sentence"] = 1.0
    if _ODD_SIGN.search(text) or any(map(text.__contains__, _ODD_PARTS)):
        said["odd"] = 1.0
    if text[-1].isdigit() and _PAGE.search(line.item.raw):
        said["page"] = 1.0
    if text[:_LONGEST_CAPTION_WORD].lower().startswith(_CAPTION_WORDS) and _CAPTION.match(text):
        said["caption"] = 1.0
    if is_known_title(title):
        said["known_title"] = 1.0
    if len(text) <= _LONGEST_LABEL and _LABEL.fullmatch(text):
        said["label"] = 1.0
    return said


def _style_signals(style: ParagraphStyle) -> Signals:
    name = style.name
    caption, speaks = _STYLE_CAPTION.search(name), _STYLE_FOR.search(name) and not style.is_title
    return {
        "style_title": style.is_title,
        "style_caption": bool(caption),
        "style_for": bool(speaks and not caption),
        "style_against": bool(not speaks and not caption and _STYLE_AGAINST.search(name)),
    }


def _number_signal(number: Number) -> str:
    if number.rank:
        return "article" if number.rank == ARTICLE else "division"
    if len(number.path) > 1:
        return "decimal_deep"
    if number.kind == "decimal":
        return "decimal_first"
    return "numbered_other"
