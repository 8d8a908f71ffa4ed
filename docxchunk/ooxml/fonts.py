"""Find the font of each character of a run (w:rFonts, ECMA-376 Part 1, 17.3.2.26), and what the
characters of symbol fonts look like.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, cast

from lxml import etree

from docxchunk.ooxml.symbols import PRIVATE, is_symbol_font, names_any, unicode_of
from docxchunk.ooxml.xml import W, is_on

_ASCII, _HIGH_ANSI, _EAST_ASIA, _COMPLEX = (  # each with the theme that takes precedence
    (W + "ascii", W + "asciiTheme"),
    (W + "hAnsi", W + "hAnsiTheme"),
    (W + "eastAsia", W + "eastAsiaTheme"),
    (W + "cs", W + "cstheme"),
)
_LANGUAGE, _HINT = W + "eastAsia", W + "hint"
# what other fonts show as other characters; U+00A0 is a blank in all fonts
_PLAIN: Final = (*range(0x21, 0x7F), *range(0xA1, 0x100))
# in the East Asian font if there is a hint at it, some of them only in Chinese
_EAST_ASIAN: Final = frozenset(map(ord, "¡¤§¨ª\xad¯°±²³´¶·¸¹º¼½¾¿×÷")).union(PRIVATE)
_CHINESE: Final = frozenset(map(ord, "àáèéêìíòóùúü"))


class FontFormat(NamedTuple):
    """The properties in a w:rPr that decide the font of each character. None means not specified. A
    font is "" if a theme names it.
    """

    ascii: str | None = None
    high_ansi: str | None = None
    east_asia: str | None = None
    complex: str | None = None
    hint: str | None = None
    east_asian_language: str | None = None
    is_complex: bool | None = None
    is_right_to_left: bool | None = None


NO_FONT_FORMAT: Final = FontFormat()


def font_format(children: Mapping[str, etree._Element]) -> FontFormat:
    """Return the properties among the children of a w:rPr, which are given by their tags."""
    fonts, language = children.get(W + "rFonts"), children.get(W + "lang")
    complex_script, right_to_left = children.get(W + "cs"), children.get(W + "rtl")
    return FontFormat(
        _font(fonts, *_ASCII),
        _font(fonts, *_HIGH_ANSI),
        _font(fonts, *_EAST_ASIA),
        _font(fonts, *_COMPLEX),
        None if fonts is None else fonts.get(_HINT),
        None if language is None else language.get(_LANGUAGE),
        None if complex_script is None else is_on(complex_script),
        None if right_to_left is None else is_on(right_to_left),
    )


def _font(fonts: etree._Element | None, name: str, theme: str) -> str | None:
    if fonts is None:
        return None
    return "" if fonts.get(theme) else fonts.get(name)


def names_symbol_font(fonts: etree._Element) -> bool:
    """Return whether a w:rFonts names a symbol font."""
    return names_any(cast("list[str]", fonts.values()))


def symbols_in(fonts: FontFormat) -> dict[int, str]:
    """Return the characters that a run with these effective fonts shows in a symbol font, by code:
    an argument for `str.translate`.
    """
    if not names_any(filter(None, fonts[:4])):  # only for speed
        return {}
    symbols = {
        code: unicode_of(font, code)
        for code in _PLAIN
        if is_symbol_font(font := _font_of(code, fonts))
    }
    # other fonts have no such characters
    of_private = (_font_of(PRIVATE.start, fonts), fonts.high_ansi or "", fonts.ascii or "")
    if font := next(filter(is_symbol_font, of_private), ""):
        symbols |= {code: unicode_of(font, code) for code in PRIVATE}
    return symbols


def _font_of(code: int, fonts: FontFormat) -> str:
    """Return the font of a character as Word chooses it ([MS-OI29500] 2.1.88)."""
    if fonts.is_complex or fonts.is_right_to_left:
        font = fonts.complex
    elif code < 0x80:
        font = fonts.ascii
    elif fonts.hint == "eastAsia" and (
        code in _EAST_ASIAN or (code in _CHINESE and _is_chinese(fonts))
    ):
        font = fonts.east_asia
    else:
        font = fonts.high_ansi
    return font or ""


def _is_chinese(fonts: FontFormat) -> bool:
    return (fonts.east_asian_language or "").lower().startswith("zh")
