"""Render a document with its chunks, or the changes between two versions, as one self-contained
HTML page.

Pages are rendered with jinja2 (extra `report`). All text is escaped; a page loads nothing and runs
only its own script. Equations become MathML Core if math-core is installed.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from docxchunk.content.citations import label_of
from docxchunk.formats.facts import facts, losses
from docxchunk.formats.report.cards import ChunkCard, beginning, cards
from docxchunk.formats.report.pieces import (
    ChunkSet,
    NumberedBlock,
    PieceKind,
    RenderContext,
    TableSliceView,
    context_of,
    data_uris,
)
from docxchunk.language.patterns import pattern
from docxchunk.model.chunks import (
    Chunk,
    SizeStatistics,
    Slice,
    SliceRole,
    histogram,
    measured,
    size_level,
)
from docxchunk.model.comparison import Comparison, passages, summary
from docxchunk.model.document import Document, Issue
from docxchunk.model.wording import NAMELESS, counted
from docxchunk.records.laws import SHOWN
from docxchunk.registry import extra_for
from docxchunk.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment
    from math_core import LatexToMathML

_ISSUES: Final = 200  # maximum number shown
_BINS: Final = 16


def html_report(document: Document, sets: Sequence[ChunkSet]) -> str:
    """Return one HTML page with the chunks of a document, several sets side by side, with sizes,
    issues and an outline.

    The page loads nothing, which a Content Security Policy enforces. Text is escaped; equations are
    MathML if they can be converted, else LaTeX; pictures are embedded up to a limit. The output is
    deterministic. Raise MissingExtraError without the extra `report`.
    """
    context = context_of(document, data_uris(document, len(sets)))
    keys = [chunk_set.key(number) for number, chunk_set in enumerate(sets)]
    rows = [
        [
            (key, cards(chunk_set, replace(context, key=key), chunks))
            for key, chunk_set, chunks in zip(keys, sets, row, strict=True)
        ]
        for row in aligned_rows(sets, context.blocks)
    ]
    first = [card for row in rows for card in row[0][1]]
    sizes = [_sizes(chunk_set) for chunk_set in sets if chunk_set.roots]
    return page(
        "page.html",
        "script.js",
        title=document.title or document.name,
        facts=facts(document),
        sets=[(key, chunk_set.name) for key, chunk_set in zip(keys, sets, strict=True)],
        outline=[entry for card in first for entry in _outline(card, context)],
        sizes=sizes,
        measures=list(_measures(sizes)),
        issues=document.issues[:_ISSUES],
        more_issues=max(0, len(document.issues) - _ISSUES),
        issue_counts=_issue_counts(document.issues),
        losses=(losses(document), *_missing(document, sets)),
        rows=rows,
        tracked=context.tracked,
        count=sum(len(chunk_set.leaves) for chunk_set in sets),
    )


# -- several sets side by side

_ChunkStart = tuple[int, int]
"""Where a chunk begins: the number of its block, and the offset in it."""


def aligned_rows(
    sets: Sequence[ChunkSet], blocks: Mapping[str, NumberedBlock]
) -> Iterator[list[list[Chunk]]]:
    """Yield the rows of the page, one list of chunks for each set. A single set has a single row.

    A row starts with a chunk of the first set if a chunk of another set begins in the text of that
    chunk.
    """
    if not sets:
        return
    lead, *others = [chunk_set.leaves for chunk_set in sets]
    starts = _starts(lead, blocks)
    placed: list[dict[int, list[Chunk]]] = []  # by the number of the lead chunk
    for chunks in others:
        placed.append({})
        for chunk, start in zip(chunks, _starts(chunks, blocks), strict=True):
            number = max(0, bisect_right(starts, start) - 1)
            placed[-1].setdefault(number, []).append(chunk)
    first = sorted({0, *(number for numbers in placed for number in numbers)})
    for number, following in pairwise([*first, len(lead)]):
        yield [lead[number:following], *(numbers.get(number, []) for numbers in placed)]


def _starts(chunks: Sequence[Chunk], blocks: Mapping[str, NumberedBlock]) -> list[_ChunkStart]:
    """Return the start of each chunk, in non-decreasing order. A chunk without text of its own has
    the start of the previous chunk.
    """
    starts: list[_ChunkStart] = []
    last = (0, 0)
    for chunk in chunks:
        starts_in_chunk = (
            (blocks[part.block].number, part.start)
            for part in chunk.parts
            if isinstance(part, Slice) and part.role in SHOWN and part.block in blocks
        )
        last = max(last, next(starts_in_chunk, last))
        starts.append(last)
    return starts


# -- outline


class OutlineEntry(NamedTuple):
    """A link of the outline."""

    anchor: str  # id of the linked element of the page
    text: str
    level: int  # of the heading; 0: the first words of a chunk without a heading
    number: int  # of the chunk
    label: str = ""  # the first words of a clause whose heading is its number


def _outline(card: ChunkCard, context: RenderContext) -> list[OutlineEntry]:
    blocks = [
        context.blocks[part.block].number
        for part in card.chunk.parts
        if isinstance(part, Slice)
        and part.role is SliceRole.TEXT
        and part.start == 0
        and part.block in context.blocks
    ]
    entries = [
        OutlineEntry(
            f"{card.set_key}-b{number}", block.heading, block.level, card.number, label_of(block)
        )
        for number in blocks
        # else the block continues a section
        if (block := context.document.blocks[number]).level and block.content.startswith("#")
    ]
    if not entries and (text := card.hint or beginning(card.body)):
        entries = [OutlineEntry(card.key, text, 0, card.number)]
    return entries


# -- overview


class SetSizes(NamedTuple):
    """The sizes of the chunks of one set. `bins` has, for each sixteenth of the cap, the lower and
    the upper bound, the number of chunks, and the level.
    """

    chunk_set: ChunkSet
    sizes: SizeStatistics
    bins: list[tuple[int, int, int, str]]

    @property
    def summary(self) -> str:
        """Return one line, such as `24 chunks of 98 to 510 tokens, median 402`."""
        sizes = self.sizes
        smallest = min(chunk.tokens for chunk in self.chunk_set.roots)
        span = (
            f"{smallest:,} to {sizes.largest:,} tokens, median {sizes.median:,.0f}"
            if sizes.chunks > 1
            else f"{sizes.largest:,} tokens"
        )
        cut = f"; {counted(sizes.tables_cut, 'table')} cut" if sizes.tables_cut else ""
        return f"{counted(sizes.chunks, 'chunk')} of {span}{cut}"


def _sizes(chunk_set: ChunkSet) -> SetSizes:
    chunks, cap = chunk_set.roots, chunk_set.cap
    bins = [
        (low, high, count, size_level(low, high, cap))
        for low, high, count in histogram(chunks, cap, _BINS)
    ]
    return SetSizes(chunk_set, measured(chunks, cap), bins)


def _measures(sets: Sequence[SetSizes]) -> Iterator[tuple[str, str, list[str]]]:
    """Yield each measure: its name, what it means, and its value for each set."""
    for rows in zip(*(chunk_set.sizes.rows() for chunk_set in sets), strict=True):
        name, _, meaning = rows[0]
        yield name, meaning, [value for _, value, _ in rows]


def _missing(document: Document, sets: Sequence[ChunkSet]) -> Iterator[str]:
    """Yield a sentence for each set that leaves out blocks, such as a table of contents."""
    for chunk_set in sets:
        blocks = {
            part.block
            for chunk in chunk_set.chunks
            for part in chunk.parts
            if isinstance(part, Slice)
        }
        left_out = [
            block for block in document.blocks if block.id not in blocks and block.content.strip()
        ]
        if left_out:
            names = sorted({str(block.session_type) for block in left_out})
            number = counted(len(left_out), "block")
            yield f"{chunk_set.name}: {number} ({', '.join(names)}) in no chunk."


def _issue_counts(issues: Sequence[Issue]) -> str:
    """Return one line, such as `6 issues: 4 heading empty, 2 value ignored`."""
    counts = ", ".join(
        f"{number:,} {code.replace('-', ' ')}"
        for code, number in Counter(issue.code for issue in issues).most_common()
    )
    return f"{counted(len(issues), 'issue')}: {counts}"


# -- two versions


def html_diff(comparison: Comparison) -> str:
    """Return one HTML page with the changes by section, deleted words red, inserted ones green.
    Raise MissingExtraError without the extra `report`.
    """
    cards = (
        (number, change, list(passages(change)))
        for number, change in enumerate(comparison.changes, 1)
    )
    sections = [
        (heading or NAMELESS, list(group))
        for heading, group in groupby(cards, key=lambda card: card[1].section)
    ]
    return page(
        "diff.html",
        "diff.js",
        title=f"{comparison.old} → {comparison.new}",
        sections=sections,
        facts=" ".join(summary(comparison, "The words have not changed.")),
        missing=", ".join(comparison.not_compared),
    )


# -- the page templates


# not allowed in HTML, escaped or not
_CONTROLS: Final = pattern("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


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

_TAG: Final = pattern(r"\\tag\{([^{}]*)\}\s*$")
_BRACKET: Final = pattern(r"(\\left|\\begin|\\l[a-z]+|[(\[{])|\\right|\\end|\\r[a-z]+|[)\]}]")
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
    return RenderedEquation(latex, drawn, tag[1] if tag else "", len(latex) > _LINE)


def can_draw() -> bool:
    """Return whether math-core is installed."""
    return _converter() is not None


@cache
def _mathml(latex: str, display: bool) -> str:  # noqa: FBT001 - the key of the cache
    converter = _converter()
    if converter is None or not latex.strip() or len(latex) > _LONGEST or _depth(latex) > _DEEPEST:
        return ""
    from math_core import LatexError

    try:
        drawn = converter.convert_with_local_state(latex, displaystyle=display)
    except LatexError:
        return ""
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
