"""Render the page templates with jinja2 (extra `report`). All text is escaped; a page loads nothing
and runs only its own script.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Final

from docxchunk.errors import MissingExtraError
from docxchunk.formats.report.equations import RenderedEquation, equation
from docxchunk.formats.report.views import PieceKind, TableSliceView, TextPiece
from docxchunk.registry import missing_extra
from docxchunk.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment

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
    try:
        from jinja2 import DictLoader, Environment, StrictUndefined
    except ImportError as error:
        raise MissingExtraError(missing_extra("A page of HTML", "jinja2", "report")) from error
    folder = resources.files("docxchunk.formats.report") / "templates"
    files = {file.name: file.read_text("utf-8") for file in folder.iterdir()}
    made = Environment(
        loader=DictLoader(files),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.tests |= {"table": lambda item: isinstance(item, TableSliceView)}
    made.filters |= {"equation": _equation}
    return made


def _printable(value: object) -> object:
    """Replace characters that HTML does not allow with U+FFFD. (Escaped text, as from a macro, has
    passed this before.)
    """
    return (
        _CONTROLS.sub("\ufffd", value)
        if isinstance(value, str) and not hasattr(value, "__html__")
        else value
    )


def _equation(piece: TextPiece) -> RenderedEquation:
    return equation(piece.text, display=piece.kind is PieceKind.DISPLAY)


def _file(name: str) -> str:
    return resources.files("docxchunk.formats.report").joinpath(name).read_text("utf-8")


def _hash(text: str) -> str:
    """Return the hash source of a script or style for the Content Security Policy
    (https://www.w3.org/TR/CSP3/#grammardef-hash-source).
    """
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
