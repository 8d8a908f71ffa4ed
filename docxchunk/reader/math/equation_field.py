r"""Read the code of an EQ field, in which authors wrote formulas before Office Math, and East Asian
versions of Word still write readings, enclosed and combined characters.

ECMA-376 does not define the field. Word stores no result of it; it shows what the code says. A code
is text with switches, such as `EQ \f(1,2) + \r(3,x)`:

- `\f` fraction, `\o` overstrike, `\r` radical, `\s` superscript or subscript; the others (`\a`
  array, `\b` brackets, `\d` space, `\i` integral, `\l` list, `\x` box) show their arguments
- options follow the switch, then the arguments in parentheses, which are separated by commas, or by
  semicolons where the decimal sign is a comma
- a backslash before any other character stands for this character: `\,` `\(` `\)` `\\`

No input raises an exception, and no text of the arguments is lost.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import Final, NamedTuple, TypeAlias

from docxchunk.reader.math.characters import ITALIC, NORMAL, join, latex_text
from docxchunk.reader.math.formula import spaced
from docxchunk.reader.text import OPEN

_DEEPEST: Final = 12  # nested structures; what is nested deeper is kept as text
# \* jc2 \* "Font:Meiryo" \* hps16
_FORMAT: Final = re.compile(r'\s*\\\*\s*(?:"[^"]*"|\w+)\s*')
_READING: Final = re.compile(r"\\\*\s*hps\d", re.IGNORECASE)
_SWITCH: Final = re.compile(r"\\([abdfilorsx])", re.IGNORECASE)
_OPTION: Final = re.compile(
    r"\s*\\(?:[lrbfv]c\\?."
    r"|(a[cdilr]|ba|bo|co|d[io]|fo|hs|in|le|li|pr|ri|su|to|up|vs)\s*[0-9]*(?:\.[0-9]+)?)",
    re.IGNORECASE | re.DOTALL,
)
_OPENING: Final = re.compile(r"\s*\(")
_TEXT: Final = re.compile(r"[^\\(),;]+")
_WORD: Final = re.compile(r"[^\W\d_]{3}")  # three letters are a word, not a product of variables
_CIRCLES: Final = "○〇◯"
_SHAPES: Final = frozenset(f"{_CIRCLES}□△◇")


class _FieldLatex(NamedTuple):
    text: str


class _Script(NamedTuple):
    """A superscript and a subscript. Their base is the text before them."""

    above: list[_Part]
    below: list[_Part]


_Part: TypeAlias = "str | _FieldLatex | _Script"
_Arguments: TypeAlias = list[list[_Part]]


class ShownText(NamedTuple):
    """What Word shows for the code of a field."""

    text: str  # with marked scripts, as in `reader.text`; or LaTeX
    is_latex: bool


def shown_by_eq(code: str) -> ShownText:
    """Return what Word shows for the code of a field, which begins with EQ: LaTeX if it has
    structures, else text. A reading follows its text in parentheses.
    """
    parts = _Parser(code.lstrip()[len("EQ") :]).parts()
    text = _as_text(parts)
    return ShownText(spaced(_as_latex(parts)) if text is None else text.strip(), text is None)


class _Parser:
    """Parses a code; `at` is the offset of the next character."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.at = 0
        self.depth = 0
        self.separator = ";" if ";" in code else ","
        self.has_reading = _READING.search(code) is not None

    def parts(self) -> list[_Part]:
        """Parse the whole code."""
        parts: list[_Part] = []
        while self.at < len(self.code):
            parts += self._next()
        return parts

    def _next(self) -> list[_Part]:
        """Parse a piece of text, or a switch with its arguments."""
        code = self.code
        if (text := _TEXT.match(code, self.at)) or (text := _FORMAT.match(code, self.at)):
            self.at = text.end()
            return [text[0]] if text.re is _TEXT else []
        switch = _SWITCH.match(code, self.at) if self.depth < _DEEPEST else None
        if switch is None:
            begin = self.at + (code[self.at] == "\\")
            self.at = begin + 1
            return [code[begin : begin + 1]]
        self.at = switch.end()
        name = switch[1].lower()
        if name == "s":
            return self._script()
        while option := _OPTION.match(code, self.at):
            self.at = option.end()
        if name == "o":
            return _overstruck(self._arguments(), has_reading=self.has_reading)
        return _structure(name, self._arguments())

    def _script(self) -> list[_Part]:
        r"""Parse the options of \s, each of which has an argument: `\s\up8(2)\do4(n)`."""
        script, rest = _Script([], []), list[_Part]()
        while option := _OPTION.match(self.code, self.at):
            self.at = option.end()
            side = {"up": script.above, "do": script.below}.get((option[1] or "").lower(), rest)
            side += _listed(self._arguments())
        rest += _listed(self._arguments())
        return [script, *rest] if script.above or script.below else rest

    def _arguments(self) -> _Arguments:
        """Parse the arguments in parentheses. If none follow, there are none."""
        opening = _OPENING.match(self.code, self.at)
        if opening is None:
            return []
        self.at = opening.end()
        self.depth += 1
        arguments: _Arguments = [[]]
        inner = 0  # open parentheses that are text
        while self.at < len(self.code):
            character = self.code[self.at]
            if character == ")" and not inner:
                self.at += 1
                break
            if character == self.separator and not inner:
                self.at += 1
                arguments.append([])
                continue
            inner += {"(": 1, ")": -1}.get(character, 0)
            arguments[-1] += self._next()
        self.depth -= 1
        return arguments


# --- Structures


def _structure(name: str, arguments: _Arguments) -> list[_Part]:
    if name == "f":
        above, *below = arguments or [[]]
        return [_FieldLatex(rf"\frac{{{_as_latex(above)}}}{{{_as_latex(_listed(below))}}}")]
    if name == "r":
        degree, *body = arguments if len(arguments) > 1 else [[], *arguments]
        index = f"[{{{_as_latex(degree)}}}]" if degree else ""
        return [_FieldLatex(rf"\sqrt{index}{{{_as_latex(_listed(body))}}}")]
    return _listed(arguments)


def _listed(arguments: _Arguments) -> list[_Part]:
    """Return the arguments one after another, with commas between them."""
    parts: list[_Part] = []
    for number, argument in enumerate(arguments):
        parts += [",", *argument] if number else argument
    return parts


def _overstruck(arguments: _Arguments, *, has_reading: bool) -> list[_Part]:
    r"""Return what `\o` shows. It draws its arguments over each other. They become an enclosed
    character, a text with its reading, combined characters, or a text with others above and below
    it.
    """
    parts = [part for argument in arguments for part in argument]
    scripts = [part for part in parts if isinstance(part, _Script)]
    bases: list[_Part] = [part for part in parts if not isinstance(part, _Script)]
    above = [part for script in scripts for part in script.above]
    below = [part for script in scripts for part in script.below]
    if len(bases) == 2 and isinstance(bases[0], str) and isinstance(bases[1], str):
        shape, text = bases[0].strip(), bases[1].strip()
        if shape in _SHAPES and not scripts:
            return [_enclosed(shape, text)]
    if not bases:
        return [*above, *below]
    if has_reading:
        return [*bases, "(", *above, *below, ")"] if scripts else bases
    for command, script in (("overset", above), ("underset", below)):
        if script:
            bases = [_FieldLatex(rf"\{command}{{{_as_latex(script)}}}{{{_as_latex(bases)}}}")]
    return bases


def _enclosed(shape: str, text: str) -> str:
    """Return the enclosed character, or the shape and the text if Unicode does not have it."""
    return _in_circles().get(text, f"{shape}{text}") if shape in _CIRCLES else f"{shape}{text}"


@cache
def _in_circles() -> Mapping[str, str]:
    """Return the characters in a circle, by what is in it."""
    codes = (*range(0x2460, 0x2500), *range(0x3200, 0x3300))
    characters = {chr(code): unicodedata.decomposition(chr(code)) for code in codes}
    return {
        unicodedata.normalize("NFKD", character): character
        for character, decomposition in characters.items()
        if decomposition.startswith("<circle>")
    }


# --- Parts


def _as_text(parts: Iterable[_Part]) -> str | None:
    """Return parts without structures as text with marked scripts; None if there are structures."""
    texts: list[str] = []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
            continue
        scripts = [_as_text(inside) for inside in part] if isinstance(part, _Script) else [None]
        for name, text in zip(("sup", "sub"), scripts, strict=False):
            if text is None:
                return None
            texts.append(f"{OPEN}{name}>{text}{OPEN}/{name}>" if text else "")
    return "".join(texts)


def _as_latex(parts: Sequence[_Part]) -> str:
    pieces: list[str] = []
    for is_text, group in groupby(parts, lambda part: isinstance(part, str)):
        if is_text:
            text = "".join(map(str, group))
            pieces.append(latex_text(text.strip(" "), NORMAL if _WORD.search(text) else ITALIC))
            continue
        for part in group:
            if isinstance(part, _Script):
                base = pieces.pop() if pieces else "{}"
                base = f"{{{base}}}" if base.endswith("}") else base
                scripts = zip("^_", map(_as_latex, part), strict=True)
                pieces.append(base + "".join(f"{sign}{{{text}}}" for sign, text in scripts if text))
            elif isinstance(part, _FieldLatex):
                pieces.append(part.text)
    return join(pieces)
