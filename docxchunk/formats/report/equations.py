"""Convert LaTeX to MathML Core with math-core. If it is not installed or cannot convert an
equation, the page shows the LaTeX.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from math_core import LatexToMathML

_TAG: Final = re.compile(r"\\tag\{([^{}]*)\}\s*$")
_BRACKET: Final = re.compile(r"(\\left|\\begin|\\l[a-z]+|[(\[{])|\\right|\\end|\\r[a-z]+|[)\]}]")
_LINE: Final = 60  # characters of LaTeX that may be too wide for a phone
# math-core takes time exponential in unclosed brackets, and stack for each level
_LONGEST, _DEEPEST = 1000, 10
_MACROS = {"widetilde": r"\tilde{#1}", "substack": r"\begin{matrix}#1\end{matrix}"}


class RenderedEquation(NamedTuple):
    """`mathml` is "" if the LaTeX is to be shown; `number` is the equation number; `long`: it may
    be too wide for a phone.
    """

    latex: str
    mathml: str
    number: str = ""
    long: bool = False


def equation(latex: str, *, display: bool) -> RenderedEquation:
    """Convert an equation; `display`: on a line of its own."""
    tag = _TAG.search(latex)
    drawn = _mathml(latex[: tag.start()] if tag else latex, display)
    return RenderedEquation(latex, drawn or "", tag[1] if tag else "", len(latex) > _LINE)


def can_draw() -> bool:
    """Return whether math-core is installed."""
    return _converter() is not None


@cache
def _mathml(latex: str, display: bool) -> str | None:  # noqa: FBT001 - the key of the cache
    converter = _converter()
    if converter is None or not latex.strip() or len(latex) > _LONGEST or _depth(latex) > _DEEPEST:
        return None
    from math_core import LatexError

    try:
        drawn = converter.convert_with_local_state(latex, displaystyle=display)
    except LatexError:
        return None
    # a combining arrow stands beside its letter in some fonts
    drawn = drawn.replace("\u20d7", "\u2192")
    # the page forbids inline styles; style.css has these
    return drawn.replace(' style="', ' data-style="')


@cache
def _converter() -> LatexToMathML | None:
    try:
        from math_core import LatexToMathML
    except ImportError:
        return None
    return LatexToMathML(annotation=True, macros=_MACROS)


def _depth(latex: str) -> int:
    """Return the maximum nesting depth of brackets."""
    depth = most = 0
    for bracket in _BRACKET.finditer(latex):
        depth = depth + 1 if bracket[1] else max(depth - 1, 0)
        most = max(most, depth)
    return most
