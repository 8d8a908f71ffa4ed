r"""Write the text of Office Math (m:t; ECMA-376 Part 1, 22.1.2.116) as LaTeX.

The result compiles in KaTeX, in MathJax and in LaTeX with amsmath and amssymb, with these
exceptions: `\oiint` needs esint or newtxmath in LaTeX, `\oiiint` newtxmath; MathJax 3 has neither.
`\cancel`, `\bcancel` and `\xcancel` need cancel, `\overbracket` and `\underbracket` mathtools.
Letters outside ASCII and Greek are put into `\text{}` and need an engine or an encoding that
supports them.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from docxchunk.reader.math.symbols import (
    ACCENTS,
    CJK_MARKS,
    ESCAPED,
    FUNCTIONS,
    IN_TEXT,
    LIMIT_FUNCTIONS,
    LOOKALIKES,
    OTHER_ACCENTS,
    SCRIPT_WORDS,
    SCRIPTS,
    SPACED,
    SUBSCRIPTS,
    SUPERSCRIPTS,
    SYMBOLS,
    WEIGHTS,
)

_MARKS = "\u0300-\u036f\u20d0-\u20ff"
_MOST_MARKS = 5  # a base and four combining marks; more (Zalgo text) are dropped
_MARK = re.compile(f"[{_MARKS}]")
_LATIN = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff"
_LEXEME = re.compile(
    rf"(?P<marked>[^{_MARKS}][{_MARKS}]+)|(?P<word>(?:[{_LATIN}](?![{_MARKS}]))+)"
    rf"|(?P<number>[0-9]+)|(?P<gap> {{2,}})"
    rf"|(?P<sup>[{''.join(SUPERSCRIPTS)}]+)|(?P<sub>[{''.join(SUBSCRIPTS)}]+)|(?P<other>.)",
    re.DOTALL,
)
# LaTeX spaces operators itself
_TYPED_SPACE = re.compile(r"(?<! ) ?([-=+−–×÷±∓<>≤≥≠≈≡→∈∩∪⊂⊆]) ?(?! )")
_ATOM = re.compile(r"[0-9]+|[^\\{}^_&'~]|\\[A-Za-z]+|\\[A-Za-z]+\{[^{}]*\}|\\[{}|$%#&_]")
_WORD = re.compile(
    r"(?:\{([A-Za-z]{2,})\}|\\(?:mathrm|text|operatorname)\{([A-Za-z]{2,})\}"
    r"|([A-Za-z]{2,}))(?=$|[_^'])"
)


class MathStyle(NamedTuple):
    """The style of a run: m:scr (22.1.2.94), m:sty (22.1.2.111: p, b, i or bi), m:nor (22.1.2.74),
    m:lit (22.1.2.58).
    """

    script: str = "roman"
    weight: str = "i"
    normal: bool = False
    literal: bool = False


ITALIC = MathStyle()
NORMAL = MathStyle(normal=True)


class LatexAtom(NamedTuple):
    """The smallest unit of a formula, and the commands to wrap it in, outermost first."""

    alphabets: tuple[str, ...]
    text: str


def latex_text(text: str, style: MathStyle = ITALIC) -> str:
    """Return the text of a run as LaTeX."""
    return write(atoms(text, style))


def atoms(text: str, style: MathStyle) -> list[LatexAtom]:
    """Return the atoms of a text; none of them is empty."""
    text = text if style.normal else _TYPED_SPACE.sub(r"\1", text)
    lexemes = (_atom(str(match.lastgroup), match[0], style) for match in _LEXEME.finditer(text))
    return [atom for atom in lexemes if atom.text]


def write(parts: Iterable[LatexAtom]) -> str:
    r"""Join atoms; neighbours with the same commands share them: `\mathbf{uv}`."""
    return join(
        _wrap(alphabets, [atom.text for atom in group])
        for alphabets, group in groupby(parts, lambda atom: atom.alphabets)
    )


def join(texts: Iterable[str]) -> str:
    r"""Join LaTeX texts. `\alpha` and `x` are kept apart by a space. A prime or script gets the
    base `{}` if it must not attach to the text before it.
    """
    out: list[str] = []
    last = ""
    for text in texts:
        if last and text:
            if text[0] in "'^_" and not (last[-1].isalnum() or last[-1] in ")]'" or is_atom(last)):
                out.append("{}")
            elif (text[0].isalnum() or text[0] == "@") and _ends_in_command(last):
                out.append(" ")
        out.append(text)
        last = text or last
    return "".join(out)


def is_atom(text: str) -> bool:
    """Return whether the text can take a script or an accent without braces."""
    return _ATOM.fullmatch(text) is not None


def braced(text: str) -> str:
    """Return the text in braces unless it is an atom: `x`, `{ab}`, `{}`."""
    return text if is_atom(text) else f"{{{text}}}"


def accent(char: str, text: str) -> str:
    """Return `text` with an accent, given by a combining character or a spacing lookalike;
    unchanged if LaTeX has no such accent.
    """
    char = LOOKALIKES.get(char, char)
    if char in OTHER_ACCENTS:
        return OTHER_ACCENTS[char] % text
    if char in ACCENTS:
        return f"\\{ACCENTS[char][not is_atom(text)]}{{{text}}}"
    mark = "" if _MARK.match(char) else latex_text(char)
    return rf"\overset{{{mark}}}{{{text}}}" if mark else text


def function_name(text: str) -> str:
    r"""Return a function name as an operator: `\sin`, `\operatorname{sinc}`, `\sin^{-1}`; unchanged
    if it is not a word.
    """
    text = SPACED.get(text, text)
    match = _WORD.match(text)
    if not match:
        return text
    word = match[1] or match[2] or match[3]
    return (f"\\{word}" if word in FUNCTIONS else rf"\operatorname{{{word}}}") + text[match.end() :]


def limit_name(text: str) -> str | None:
    r"""Return the operator for a name that takes limits, `\lim` or `\operatorname*{argmax}`; None
    if it is not a word.
    """
    text = SPACED.get(text, text)
    if text[1:] in LIMIT_FUNCTIONS:
        return text
    match = _WORD.fullmatch(text)
    word = match and (match[1] or match[2] or match[3])
    if not word:
        return None
    return f"\\{word}" if word in LIMIT_FUNCTIONS else rf"\operatorname*{{{word}}}"


def _ends_in_command(text: str) -> bool:
    return "\\" in text and text.rpartition("\\")[2].isalpha()


def _wrap(alphabets: tuple[str, ...], texts: list[str]) -> str:
    text = "".join(texts) if "text" in alphabets else join(texts)
    for name in reversed(alphabets):
        text = f"\\{name}{{{text}}}"
    return text


@lru_cache(maxsize=4096)
def _atom(kind: str, lexeme: str, style: MathStyle) -> LatexAtom:
    """Return one lexeme of a run as an atom."""
    return _normal(kind, lexeme) if style.normal else _KINDS[kind](lexeme, style)


def _normal(kind: str, lexeme: str) -> LatexAtom:
    """Return a lexeme of normal text (m:nor): everything but mathematical signs stays text."""
    if lexeme in ESCAPED:
        return LatexAtom(("text",), f"\\{lexeme}")
    if kind in ("word", "number") or lexeme in IN_TEXT:
        return LatexAtom(("text",), lexeme)
    if (
        kind == "marked"
        and len(composed := unicodedata.normalize("NFC", lexeme)) == 1
        and composed.isalpha()
    ):
        return LatexAtom(("text",), composed)
    if unicodedata.category(lexeme[0]) == "Zs":
        return LatexAtom(("text",), "~" if lexeme == "\u00a0" else " ")
    if (
        kind != "marked"
        and lexeme not in SYMBOLS
        and (lexeme in string.punctuation or unicodedata.category(lexeme[0])[0] == "P")
    ):
        return LatexAtom(("text",), lexeme)
    return _atom(kind, lexeme, MathStyle(weight="p"))


def _word(word: str, style: MathStyle) -> LatexAtom:
    if word.isascii():
        is_function = style.weight == "p" and style.script == "roman" and word in FUNCTIONS
        return LatexAtom((), f"\\{word}") if is_function else LatexAtom(_alphabets(style), word)
    return _char(word, style) if len(word) == 1 else LatexAtom(("text",), word)


def _number(digits: str, style: MathStyle) -> LatexAtom:
    return LatexAtom(
        () if style.weight == "p" and style.script == "roman" else _alphabets(style), digits
    )


def _gap(_spaces: str, _style: MathStyle) -> LatexAtom:
    return LatexAtom((), r"\quad")


def _raised(digits: str, _style: MathStyle) -> LatexAtom:
    return LatexAtom((), "^{" + "".join(map(SUPERSCRIPTS.__getitem__, digits)) + "}")


def _lowered(digits: str, _style: MathStyle) -> LatexAtom:
    return LatexAtom((), "_{" + "".join(map(SUBSCRIPTS.__getitem__, digits)) + "}")


# by Unicode category; Co: private use
_UNPRINTABLE = {
    "Cc": r"\ ",
    "Zl": r"\ ",
    "Zp": r"\ ",
    "Zs": r"\ ",
    "Cf": "",
    "Cn": "",
    "Cs": "",
    "Co": r"\square",
}


def _char(char: str, style: MathStyle) -> LatexAtom:
    if char in SYMBOLS:
        return LatexAtom(
            ("boldsymbol",) if style.weight in ("b", "bi") and _takes_bold(char) else (),
            SYMBOLS[char],
        )
    if _MARK.match(char):
        return LatexAtom((), accent(char, ""))
    if (category := unicodedata.category(char)) in _UNPRINTABLE:
        return LatexAtom((), _UNPRINTABLE[category])
    if char.isascii():
        return LatexAtom(("text",) if char in '"`' else (), char)
    return _composed(char, style)


def _composed(char: str, style: MathStyle) -> LatexAtom:
    """Return a character by its Unicode decomposition: letters of mathematical alphabets, accented
    letters, fractions such as ½, full-width signs.
    """
    form, _, rest = unicodedata.decomposition(char).rpartition(">")
    base = "".join(chr(int(code, 16)) for code in rest.split())
    match form:
        case "<font":
            return _atom(_kind(base), base, _named_style(char))
        case "<wide" if char not in CJK_MARKS:
            return _atom(_kind(base), base, style)
        case "<fraction":
            above, _, below = base.partition("⁄")
            return LatexAtom((), rf"\frac{{{above}}}{{{below or 1}}}")
        case "" if base and base[0].isascii() and base[-1] in ACCENTS:
            return _marked(base, style)
    return LatexAtom(("text",), char)


def _kind(base: str) -> str:
    return (
        "word"
        if base.isascii() and base.isalpha()
        else "number"
        if base.isascii() and base.isdigit()
        else "other"
    )


def _marked(lexeme: str, style: MathStyle) -> LatexAtom:
    """Return a base with combining characters: `x̂`."""
    composed = unicodedata.normalize("NFC", lexeme)
    if composed in SYMBOLS:
        return _char(composed, style)
    text = write([_atom(_kind(lexeme[0]), lexeme[0], style)])
    for mark in lexeme[1:_MOST_MARKS]:
        text = accent(mark, text)
    return LatexAtom((), text)


_KINDS: Mapping[str, Callable[[str, MathStyle], LatexAtom]] = {
    "word": _word,
    "number": _number,
    "gap": _gap,
    "sup": _raised,
    "sub": _lowered,
    "marked": _marked,
    "other": _char,
}


def _takes_bold(char: str) -> bool:
    return char in "∂∇∞ℓℏ" or "Ͱ" <= char <= "Ͽ"


def _named_style(char: str) -> MathStyle:
    """Return the style given by the Unicode name of a character, such as MATHEMATICAL BOLD FRAKTUR
    CAPITAL A.
    """
    name = unicodedata.name(char, "")
    script = next((script for word, script in SCRIPT_WORDS.items() if word in name), "roman")
    return MathStyle(script, "bi" if "BOLD ITALIC" in name else "b" if "BOLD" in name else "i")


def _alphabets(style: MathStyle) -> tuple[str, ...]:
    if style.script not in SCRIPTS:
        return WEIGHTS.get(style.weight, ())
    bold = ("boldsymbol",) if style.weight in ("b", "bi") else ()
    return (*bold, SCRIPTS[style.script])
