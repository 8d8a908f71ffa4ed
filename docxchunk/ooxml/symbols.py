"""Characters of symbol fonts in Unicode: Symbol, Wingdings 1 to 3 and Webdings (w:sym, ECMA-376 Part 1, 17.3.3.30; bullets, 17.9.11).

Begun as the tables of dingbat-to-unicode (BSD-2-Clause, see LICENSE), after the mapping of the Unicode Consortium (L2/12-368). Where that
gives a character which few fonts have, the one that looks like it and that everybody has stands here: a reader wants a tick, an arrow, a box.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_FIRST: Final = 0x20  # each table goes from here to 0xFF, sixteen a row
_PRIVATE: Final = range(0xF000, 0xF100)  # where Word puts the characters of symbol fonts
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
_NAMES: Final = {"symbolmt": "symbol", "wingdings-regular": "wingdings", "wingdings 2": "wingdings2", "wingdings 3": "wingdings3"}


def is_symbol_font(font: str) -> bool:
    """Whether the letters of a font are pictures."""
    return _table(font) != ""


def unicode_of(font: str, code: int) -> str:
    """The character that a font shows for a code, given as 0xB7 or, from the private use area, as 0xF0B7.

    A code that the font does not have, or a font that is not known, gives the character of that code; nothing where there is none.
    """
    table = _table(font)
    place = (code - _PRIVATE.start if code in _PRIVATE else code) - _FIRST
    found = table[place] if table and 0 <= place < len(table) else _UNKNOWN
    if found != _UNKNOWN:
        return found
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else ""


def unicode_text(font: str, text: str) -> str:
    """A text in a font; a bullet from the private use area of an unknown font is a bullet."""
    known = "".join([unicode_of(font, ord(letter)) for letter in text])
    return "".join(["•" if ord(letter) in _PRIVATE else letter for letter in known])


def _table(font: str) -> str:
    name = font.strip().lower()
    return _TABLES.get(_NAMES.get(name, name), "")
