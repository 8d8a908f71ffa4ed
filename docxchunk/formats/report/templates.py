"""Render the page templates with jinja2 (extra `report`). All text is escaped; a page loads nothing
and runs only its own script. Equations become MathML Core if math-core is installed.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Final, NamedTuple

from docxchunk.formats.report.views import PieceKind, TableSliceView
from docxchunk.registry import extra_for
from docxchunk.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment
    from math_core import LatexToMathML

# not allowed in HTML, escaped or not
_CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def page(template: str, script: str, **values: object) -> str:
    """Render an HTML page; `script` is a file name. Raise MissingExtraError."""
    style, code = _file("style.css"), _file(script)
    hashes = {"style_hash": _hash(style), "script_hash": _hash(code)}
    return (
        _environment()
        .get_template(template)
        .render(style=style, script=code, version=__version__, **hashes, **values)
    )


def require_templates() -> None:
    """Raise MissingExtraError if jinja2 is not installed."""
    _environment()


@cache
def _environment() -> Environment:
    with extra_for("A page of HTML", "jinja2", "report"):
        from jinja2 import DictLoader, Environment, StrictUndefined
    folder = resources.files("docxchunk.formats.report") / "templates"
    files = {file.name: file.read_text("utf-8") for file in folder.iterdir()}
    environment = Environment(
        loader=DictLoader(files),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.tests |= {"table": lambda item: isinstance(item, TableSliceView)}
    environment.filters |= {
        "equation": lambda piece: equation(piece.text, display=piece.kind is PieceKind.DISPLAY)
    }
    return environment


def _printable(value: object) -> object:
    """Replace characters that HTML does not allow with U+FFFD. (Escaped text, as from a macro, has
    passed this before.)
    """
    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    return _CONTROLS.sub("\ufffd", value)


def _file(name: str) -> str:
    return resources.files("docxchunk.formats.report").joinpath(name).read_text("utf-8")


def _hash(text: str) -> str:
    """Return the hash source of a script or style for the Content Security Policy
    (https://www.w3.org/TR/CSP3/#grammardef-hash-source).
    """
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


# -- equations

_TAG: Final = re.compile(r"\\tag\{([^{}]*)\}\s*$")
_BRACKET: Final = re.compile(r"(\\left|\\begin|\\l[a-z]+|[(\[{])|\\right|\\end|\\r[a-z]+|[)\]}]")
_LINE: Final = 60  # characters of LaTeX that may be too wide for a phone
# math-core takes time exponential in unclosed brackets, and stack for each level
_LONGEST, _DEEPEST = 1000, 10
_MACROS = {"widetilde": r"\tilde{#1}", "substack": r"\begin{matrix}#1\end{matrix}"}


class RenderedEquation(NamedTuple):
    """An equation to show. `mathml` is "" if the LaTeX is to be shown; `number` is the equation
    number; `long` says whether it may be too wide for a phone.
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
    # a combining arrow is beside its letter in some fonts
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
    depth = deepest = 0
    for bracket in _BRACKET.finditer(latex):
        depth = depth + 1 if bracket[1] else max(depth - 1, 0)
        deepest = max(deepest, depth)
    return deepest
