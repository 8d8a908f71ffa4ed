"""The values of a report: the chunks to show, and the lines, tables and pieces of text that the
page templates and `docxchunk show --chunks` draw.

Pages are rendered with jinja2 (extra `report`). All text is escaped; a page loads nothing and runs
only its own script. Equations become MathML Core if math-core is installed.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple

from docxchunk.model.chunks import Chunk, TableRole
from docxchunk.model.comparison import TextChange
from docxchunk.model.document import Document
from docxchunk.model.options import TrackChanges
from docxchunk.registry import extra_for
from docxchunk.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment
    from math_core import LatexToMathML

_KEY: Final = re.compile(r"[A-Za-z]+( \d+)?")


@dataclass(frozen=True, slots=True)
class ChunkSet:
    """The chunks of a document by one strategy. `name` is the strategy, with the size if several
    are compared: unique in a report.
    """

    name: str
    cap: int
    tokenizer: str
    chunks: tuple[Chunk, ...]

    @property
    def leaves(self) -> list[Chunk]:
        """The chunks without children, which contain the text once."""
        return [chunk for chunk in self.chunks if not chunk.children]

    @property
    def roots(self) -> list[Chunk]:
        """The chunks without a parent."""
        return [chunk for chunk in self.chunks if not chunk.parent]

    def key(self, number: int) -> str:
        """Return the prefix of the ids of this set in the page: the name of the set if that is
        valid in a URL fragment, else "set" and its index `number`.
        """
        return self.name.replace(" ", "-") if _KEY.fullmatch(self.name) else f"set{number}"

    def label(self, chunk: Chunk) -> str:
        """Return the display name of a chunk: the name of the set and its number from 1."""
        number = chunk.chunk_order_index + 1
        return (
            f"{self.name} · {number}" if self.name[-1:].isdigit() else f"{self.name}\u202f{number}"
        )


@dataclass(frozen=True, slots=True)
class NumberedBlock:
    """A block with its number in the document from 0, and the start offsets of its lines."""

    number: int
    content: str
    level: int
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RenderContext:
    """The context for rendering chunks of a set. `key` is the prefix of its ids in the page."""

    document: Document
    blocks: Mapping[str, NumberedBlock]
    pictures: Mapping[str, str]  # `data:` URIs by the name of their asset
    table_numbers: Mapping[str, int]  # from 1
    key: str = ""

    @property
    def tracked(self) -> bool:
        """Whether the text contains marked tracked changes."""
        return (
            self.document.options is not None
            and self.document.options.track_changes is TrackChanges.ALL
        )


def context_of(document: Document, pictures: Mapping[str, str]) -> RenderContext:
    """Return the context of a document. `pictures` maps names of assets to their `data:` URIs."""
    blocks = {
        block.id: NumberedBlock(
            number,
            block.content,
            block.level,
            tuple(accumulate((len(x) + 1 for x in block.content.split("\n")[:-1]), initial=0)),
        )
        for number, block in enumerate(document.blocks)
    }
    return RenderContext(
        document, blocks, pictures, {name: n for n, name in enumerate(document.tables.keys(), 1)}
    )


class PieceKind(StrEnum):
    """The kind of a piece of a line."""

    TEXT = "text"
    EQUATION = "equation"  # inline
    DISPLAY = "display"  # an equation in a paragraph of its own
    PICTURE = "picture"
    SUPERSCRIPT = "sup"
    SUBSCRIPT = "sub"
    STRUCK = "s"
    BOLD = "strong"
    ITALIC = "em"
    UNDERLINED = "u"
    HIGHLIGHTED = "mark"
    LINK = "a"  # without its target
    NOTE = "note"  # the mark of a footnote or endnote
    BREAK = "break"


class TextPiece(NamedTuple):
    """A piece of text. For an equation, `text` is LaTeX. For a picture, `text` is the alternative
    text, and `source` its `data:` URI; "" where the picture is not shown.
    """

    kind: PieceKind
    text: str
    source: str = ""
    change: TextChange = TextChange.NONE


class RoleRun(NamedTuple):
    """Pieces with one role; "" for text that is neither repeated nor added. `opens` says whether
    the text with this role begins here.
    """

    role: str
    opens: bool
    pieces: tuple[TextPiece, ...]


class LineView(NamedTuple):
    """A paragraph, or a heading if `level` is over 0. `depth` is the level of a list item, None for
    other lines.
    """

    runs: tuple[RoleRun, ...]
    level: int = 0
    # of a heading: 4 to 6, the level of its HTML element below the card's own heading
    rank: int = 0
    anchor: str = ""
    confidence: float | None = None  # of a heading that was inferred
    kind: str = ""  # "" for ordinary text, else a LineKind
    depth: int | None = None
    bold: bool = False
    goes_on: bool = False  # the chunk begins within the line

    @property
    def names(self) -> list[str]:
        """CSS classes."""
        flags = (
            ("goes-on", self.goes_on),
            (self.kind, bool(self.kind)),
            (f"depth-{self.depth}", self.depth is not None),
            ("bold", self.bold),
        )
        return [name for name, there in flags if there]


class CellView(NamedTuple):
    """A table cell. `role` is why the cell is repeated; "" if it is not."""

    pieces: tuple[TextPiece, ...]
    head: bool
    role: str = ""
    rows: int = 1
    columns: int = 1
    column: int = 0  # from 0; merged cells of rows above take theirs


class RowView(NamedTuple):
    """A table row. `again` says whether it is a header row that a later slice of its table
    repeats.
    """

    cells: tuple[CellView, ...]
    head: bool
    again: bool


class TableSliceView(NamedTuple):
    """A table or a slice of one. `raw` is its text if the rows cannot be parsed, else ""."""

    caption: str
    role: TableRole
    rows: tuple[RowView, ...]
    raw: str = ""

    @property
    def head(self) -> tuple[RowView, ...]:
        """The leading header rows."""
        first = next(
            (number for number, row in enumerate(self.rows) if not row.head), len(self.rows)
        )
        return self.rows[:first]

    @property
    def body(self) -> tuple[RowView, ...]:
        return self.rows[len(self.head) :]


CardBody = tuple[LineView | TableSliceView, ...]


def text_of(pieces: Iterable[TextPiece]) -> str:
    """Return the pieces as plain text, without deleted text, with blanks around pictures."""
    return "".join(
        f" {piece.text} " if piece.kind is PieceKind.PICTURE else piece.text
        for piece in pieces
        if piece.change is not TextChange.DELETED
    )


# -- the page templates


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
    number: str
    long: bool


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
