"""Map symbol fonts to Unicode: Symbol, Wingdings 1 to 3 and Webdings (w:sym, ECMA-376 Part 1,
17.3.3.30; bullets, 17.9.11). Find the font of each character of a run (w:rFonts, 17.3.2.26).

The tables are based on dingbat-to-unicode (BSD-2-Clause, see LICENSE), which follows the mapping of
the Unicode Consortium (L2/12-368). Characters that few fonts have are replaced by similar, common
ones such as a tick, an arrow or a box.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, cast

from lxml import etree

from docxchunk.ooxml.xml import W, is_on

_FIRST: Final = 0x20  # first code of each table; the last is 0xFF, 16 per row
PRIVATE: Final = range(0xF000, 0xF100)
"""The private use range of symbol fonts in Word."""

_UNKNOWN: Final = "\ufffd"

_TABLES: Final[Mapping[str, str]] = {
    "symbol": (
        " !∀#∃%&∋()∗+,−./"
        "0123456789:;<=>?"
        "≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟ"
        "ΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_"
        "‾αβχδεφγηιϕκλμνο"
        "πθρστυϖωξψζ{|}∼\ufffd"
        "\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd"
        "\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd"
        "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓"
        "°±″≥×∝∂•÷≠≡≈…⏐⎯↵"
        "ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉"
        "∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓"
        "◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪"
        "⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭\ufffd"
    ),
    "wingdings": (
        " 🖉✂✁👓🕭🕮🕯🕿✆🖂🖃📪📫📬📭"
        "🗀🗁🗎🗏🗐🗄⌛🖮🖰🖲🖳🖴🖫🖬✇✍"
        "🖎✌👌👍👎☜☞☝☟🖐☺😐☹💣🕱🏳"
        "🏱✈☼🌢❄🕆✞🕈✠✡☪☯🕉☸♈♉"
        "♊♋♌♍♎♏♐♑♒♓🙰🙵●❍■□"
        "❐❑❒⬧⧫◆❖⬥⌧⮹⌘🏵🏶🙶🙷▯"
        "⓪➀➁➂➃➄➅➆➇➈➉⓿➊➋➌➍"
        "➎➏➐➑➒➓🙢🙠🙡🙣🙞🙜🙝🙟·•"
        "⬝○🞆🞈◉◎🔿▪◻🟁✦★✶✴✹✵"
        "⯐⌖⯎⯏⯑✪✰🕐🕑🕒🕓🕔🕕🕖🕗🕘"
        "🕙🕚🕛⮰⮱⮲⮳⮴⮵⮶⮷🙪🙫🙕🙔🙗"
        "🙖🙐🙑🙒🙓⌫⌦⮘➢⮙⮛⮈⮊⮉⮋←"
        "→↑↓↖↗↙↘⬅➔⬆⬇⬉⬈⬋⬊⇦"
        "⇨⇧⇩⬄⇳⬁⬀⬃⬂🢬🢭✗✓☒☑\ufffd"
    ),
    "wingdings2": (
        " 🖊🖋🖌🖍✄✀🕾🕽🗅🗆🗇🗈🗉🗊🗋"
        "🗌🗍📋🗑🗔🖵🖶🖷🖸🖭🖯🖱🖒🖓🖘🖙"
        "🖚🖛👈👉🖜🖝🖞🖟🖠🖡👆👇🖢🖣🖑✗"
        "✓☒☑☒☒⮾⮿🛇⦸🙱🙴🙲🙳‽🙹🙺"
        "🙻🙦🙤🙥🙧🙚🙘🙙🙛⓪①②③④⑤⑥"
        "⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿\ufffd"
        "☉🌕☽☾⸿✝🕇🕜🕝🕞🕟🕠🕡🕢🕣🕤"
        "🕥🕦🕧🙨🙩⋅🞄⦁●○🞅🞇🞉⊙⦿🞌"
        "▫◾■□🞑🞒🞓🞔▣🞕🞖🞗🞘⬩⬥◇"
        "🞚◈🞛🞜🞝🞞⬪⬧◊🞠◖◗⯊⯋⯀⯁"
        "⬟⯂⬣⬢⯃⯄🞡🞢🞣🞤🞥🞦🞧🞨🞩🞪"
        "🞫🞬🞭🞮🞯🞰🞱🞲🞳🞴🞵🞶🞷🞸🞹🞺"
        "🞻🞼🞽🞾🞿🟀🟂🟄🟆🟉🟊✶🟌🟎🟐🟒"
        "✹🟃🟇✯🟍🟔⯌⯍※⁂\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd"
    ),
    "wingdings3": (
        " ⭠⭢⭡⭣⭦⭧⭩⭨⭰⭲⭱⭳⭶⭸⭻"
        "⭽⭤⭥⭪⭬⭫⭭⭍⮠⮡⮢⮣⮤⮥⮦⮧"
        "⮐⮑⮒⮓⮀⮃⭾⭿⮄⮆⮅⮇⮏⮍⮎⮌"
        "⭮⭯⎋⌤⌃⌥␣⍽⇪⮸🢠🢡🢢🢣🢤🢥"
        "🢦🢧🢨🢩🢪🢫🡐🡒🡑🡓🡔🡕🡗🡖🡘🡙"
        "▲▼△▽◀▶◁▷◣◢◤◥◂▸▴\ufffd"
        "▾⯅⯆⯇⯈⮜⮞⮝⮟🠐🠒🠑🠓🠔🠖🠕"
        "🠗🠘🠚🠙🠛🠜🠞🠝🠟🠀🠂🠁🠃🠄🠆🠅"
        "🠇🠈🠊🠉🠋🠠🠢🠤🠦🠨🠪🠬🢜🢝🢞🢟"
        "🠮🠰🠲🠴🠶🠸🠺🠹🠻🢘🢚🢙🢛🠼🠾🠽"
        "🠿🡀🡂🡁🡃🡄🡆🡅🡇⮨⮩⮪⮫⮬⮭⮮"
        "⮯🡠🡢🡡🡣🡤🡥🡧🡦🡰🡲🡱🡳🡴🡵🡷"
        "🡶🢀🢂🢁🢃🢄🢅🢇🢆🢐🢒🢑🢓🢔🢖🢕"
        "🢗\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd"
    ),
    "webdings": (
        " 🕷🕸🕲🕶🏆🎖🖇🗨🗩🗰🗱🌶🎗🙾🙼"
        "🗕🗖🗗⏴⏵⏶⏷⏪⏩⏮⏭⏸⏹⏺🗚🗳"
        "🛠🏗🏘🏙🏚🏜🏭🏛🏠🏖🏝🛣🔍🏔👁👂"
        "🏞🏕🛤🏟🛳🕬🕫🕨🔈🎔🎕🗬🙽🗭🗪🗫"
        "⮔✔🚲□🛡📦🛱■🚑🛈🛩🛰🟈🕴⬤🛥"
        "🚔🗘✗❓🛲🚇🚍⛳⦸⊖🚭🗮⏐🗯🗲\ufffd"
        "🚹🚺🛉🛊🚼👽🏋⛷🏂🏌🏊🏄🏍🏎🚘🗠"
        "🛢💰🏷💳👪🗡🗢🗣✯🖄🖅🖃🖆🖹🖺🖻"
        "🕵🕰🖽🖾📋🗒🗓🕮📚🗞🗟🗃🗂🖼🎭🎜"
        "🎘🎙🎧💿🎞📷🎟🎬📽📹📾📻🎚🎛📺💻"
        "🖥🖦🖧🕹🎮🕻🕼📟🖁🖀🖨🖩🖿🖪🗜🔒"
        "🔓🗝📥📤🕳🌣🌤🌥🌦☁🌨🌧🌩🌪🌬🌫"
        "🌜🌡🛋🛏🍽🍸🛎🛍Ⓟ♿🛆🖈🎓🗤🗥🗦"
        "🗧🛪🐿🐦🐟🐕🐈🙬🙮🙭🙯🗺🌍🌏🌎🕊"
    ),
}
_NAMES: Final = {
    "symbolmt": "symbol",
    "wingdings-regular": "wingdings",
    "wingdings 2": "wingdings2",
    "wingdings 3": "wingdings3",
    "euclid symbol": "symbol",  # of MathType
}


def names_any(fonts: Iterable[str]) -> bool:
    """Return whether one of the fonts is a symbol font."""
    return any(map(is_symbol_font, fonts))


def is_symbol_font(font: str) -> bool:
    """Return whether the font is a symbol font."""
    return _table(font) != ""


def unicode_of(font: str, code: int) -> str:
    """Return the Unicode character for a code of a symbol font, given as 0xB7 or, in the private
    use area, 0xF0B7.

    For an unknown font or a code that the font does not have, return the character with that code
    point; "" if it is invalid.
    """
    table = _table(font)
    index = (code - PRIVATE.start if code in PRIVATE else code) - _FIRST
    letter = table[index] if table and 0 <= index < len(table) else _UNKNOWN
    if letter != _UNKNOWN:
        return letter
    return chr(code) if _is_character(code) else ""


def _is_character(code: int) -> bool:
    """Return whether XML may contain the character (XML 1.0, 2.2), and it is not a control."""
    return 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or 0x10000 <= code < 0x110000


def symbol_of(element: etree._Element) -> str | None:
    """Return the Unicode character of a w:sym (17.3.3.30); None if its code is not readable, ""
    if it is not a character.
    """
    try:
        return unicode_of(element.get(W + "font", ""), int(element.get(W + "char", ""), 16))
    except ValueError:
        return None


def unicode_text(font: str, text: str) -> str:
    """Return text of a symbol font in Unicode. Remaining characters in the private use area become
    bullets.
    """
    converted = "".join([unicode_of(font, ord(letter)) for letter in text])
    return "".join(["•" if ord(letter) in PRIVATE else letter for letter in converted])


def _table(font: str) -> str:
    name = font.lower()
    return _TABLES.get(_NAMES.get(name, name), "")


# -- fonts of runs
# ------------------------------------------------------------------------------

_ASCII, _HIGH_ANSI, _EAST_ASIA, _COMPLEX = (  # each with the theme that takes precedence
    (W + "ascii", W + "asciiTheme"),
    (W + "hAnsi", W + "hAnsiTheme"),
    (W + "eastAsia", W + "eastAsiaTheme"),
    (W + "cs", W + "cstheme"),
)
# what other fonts show as other characters; U+00A0 is a blank in all fonts
_PLAIN: Final = (range(0x21, 0x7F), range(0xA1, 0x100))  # those of one font each


class FontFormat(NamedTuple):
    """The properties in a w:rPr that decide the font of each character. None means not specified. A
    font is "" if a theme names it.
    """

    ascii: str | None = None
    high_ansi: str | None = None
    east_asia: str | None = None
    complex: str | None = None
    is_complex: bool | None = None
    is_right_to_left: bool | None = None


NO_FONT_FORMAT: Final = FontFormat()


def font_format(children: Mapping[str, etree._Element]) -> FontFormat:
    """Return the properties among the children of a w:rPr, which are given by their tags."""
    fonts = children.get(W + "rFonts")
    complex_script, right_to_left = children.get(W + "cs"), children.get(W + "rtl")
    return FontFormat(
        _font(fonts, *_ASCII),
        _font(fonts, *_HIGH_ANSI),
        _font(fonts, *_EAST_ASIA),
        _font(fonts, *_COMPLEX),
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
    symbols = {
        code: unicode_of(font, code)
        for codes in _PLAIN
        if is_symbol_font(font := _font_of(codes.start, fonts))
        for code in codes
    }
    # other fonts have no such characters
    of_private = (_font_of(PRIVATE.start, fonts), fonts.ascii, fonts.east_asia)
    if font := next((font for font in of_private if font and is_symbol_font(font)), ""):
        symbols |= {code: unicode_of(font, code) for code in PRIVATE}
    return symbols


def _font_of(code: int, fonts: FontFormat) -> str:
    """Return the font of a character as Word chooses it ([MS-OI29500] 2.1.88)."""
    if fonts.is_complex or fonts.is_right_to_left:
        return fonts.complex or ""
    return (fonts.ascii if code < 0x80 else fonts.high_ansi) or ""
