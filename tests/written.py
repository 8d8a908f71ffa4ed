"""Random values of all written types, and validation of written files with jsonschema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path

from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from docxchunk.model.blocks import (
    Block,
    HeadingSource,
    Line,
    LineKind,
    LineRole,
    Position,
    SessionType,
)
from docxchunk.model.chunks import (
    Added,
    AddedRole,
    Chunk,
    Heading,
    Relevance,
    Slice,
    SliceRole,
    TableRole,
    TableRows,
)
from docxchunk.model.document import Document, Issue, IssueCode, Report
from docxchunk.model.objects import (
    Drawing,
    DrawingKind,
    Equation,
    Merge,
    Note,
    NoteKind,
    Table,
    TableFormat,
)
from docxchunk.model.options import Limits, ParseOptions
from docxchunk.model.rules import Rules

SCHEMAS = Path(__file__).parents[1] / "schemas"

# a NUL character is replaced when it is read
texts = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=12)
words = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=8)
ids = st.text("0123456789abcdef", min_size=4, max_size=4)
numbers = st.integers(0, 10**6)
counts = st.dictionaries(words, numbers, max_size=2)


def several(values: st.SearchStrategy, most: int = 2) -> st.SearchStrategy:
    return st.lists(values, max_size=most).map(tuple)


para_ids = st.none() | st.text("0123456789ABCDEF", min_size=8, max_size=8)
pairs = st.tuples(numbers, numbers)
ordinals = st.integers(1, 10**6)
positions = st.builds(
    Position, para_ids, para_ids, pairs, st.none() | st.tuples(ordinals, ordinals)
)
lines = st.builds(
    Line,
    st.sampled_from(LineKind),
    para_ids,
    st.none() | words,
    st.none() | words,
    st.integers(0, 8),
    st.booleans(),
    st.none() | st.integers(1, 99),
    several(words),
    st.none() | numbers,
    st.none() | ordinals,
    st.booleans(),
    several(ordinals),
    several(st.sampled_from(LineRole)),
)
blocks = st.builds(
    Block,
    id=ids,
    content=texts,
    heading=texts,
    parent_headings=several(texts),
    level=st.integers(0, 9),
    session_type=st.sampled_from(SessionType),
    number=st.none() | words,
    heading_source=st.none() | st.sampled_from(HeadingSource),
    confidence=st.none() | st.integers(1, 100).map(lambda hundredths: hundredths / 100),
    lines=several(lines),
    position=st.none() | positions,
    refers_to=several(ids),
)
placed = {
    "block_id": ids,
    "heading": texts,
    "parent_headings": several(texts),
    "caption": texts,
    "footnotes": several(texts),
}
tables = st.builds(
    Table,
    id=ids,
    row_count=numbers,
    column_count=numbers,
    format=st.sampled_from(TableFormat),
    content=texts,
    header=st.none() | words,
    header_guess=st.none() | words,
    header_confidence=st.none() | st.floats(0.01, 1),
    header_signals=several(words),
    header_columns=st.integers(0, 2),
    merged=several(st.builds(Merge, numbers, numbers, numbers, numbers)),
    nested=several(ids),
    para_ids=several(para_ids),
    pages=several(ordinals),
    page_is_estimate=st.booleans(),
    **placed,
)
equations = st.builds(Equation, id=ids, content=texts, **placed)
drawings = st.builds(
    Drawing,
    id=ids,
    kind=st.sampled_from(DrawingKind),
    format=texts,
    path=texts,
    src=texts,
    alt=texts,
    name=texts,
    data=several(several(texts)),
    embedded=texts,
    **placed,
)
notes = st.builds(
    Note,
    st.sampled_from(NoteKind),
    words,
    texts,
    texts,
    ids,
    texts,
    texts,
    texts,
    texts,
    st.booleans(),
)
issues = st.builds(Issue, st.sampled_from(IssueCode), texts, texts)


def any_options(default: object) -> st.SearchStrategy:
    """Return the values of an option of the parser, by its default."""
    if isinstance(default, Limits):
        return st.builds(Limits, file=numbers, ratio=numbers)
    if isinstance(default, Rules):
        return st.dictionaries(
            st.sampled_from(["A", "A | 14 pt", "* | bold"]), st.sampled_from([1, 9, "no", "auto"])
        ).map(Rules)
    return st.booleans() if isinstance(default, bool) else st.sampled_from(type(default))


options = st.builds(
    ParseOptions,
    **{
        field.name: any_options(getattr(ParseOptions(), field.name))
        for field in fields(ParseOptions)
    },
)


def by_id(items: st.SearchStrategy) -> st.SearchStrategy:
    return st.lists(items, max_size=2, unique_by=lambda item: item.id).map(
        lambda found: {item.id: item for item in found}
    )


documents = st.builds(
    Document,
    name=st.sampled_from(
        ["report.docx", "Überblick 2024.docm", "合同.docx", ".docx", "x" * 200 + ".docx"]
    ),
    format=st.sampled_from(["docx", "docm"]),
    doc_id=ids,
    title=texts,
    blocks=st.lists(blocks, max_size=3, unique_by=lambda block: block.id).map(tuple),
    tables=by_id(tables),
    equations=by_id(equations),
    drawings=by_id(drawings),
    notes=several(notes),
    issues=several(issues),
    report=st.builds(
        Report, numbers, counts, counts, st.dictionaries(ids, several(words), max_size=2)
    ),
    options=options,
    source_sha256=st.text("0123456789abcdef", min_size=64, max_size=64),
    assets=st.dictionaries(
        st.sampled_from(["image1.png", "image2.emf"]), st.binary(max_size=8), max_size=2
    ),
    structured=st.booleans(),
    metadata=st.dictionaries(
        words, words | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9), max_size=2
    ),
    properties=st.dictionaries(
        st.sampled_from(("author", "custom_A", "custom_B")), words, max_size=3
    ),
)
parts = st.builds(Slice, ids, numbers, numbers, st.sampled_from(SliceRole)) | st.builds(
    Added, texts, st.sampled_from(AddedRole)
)
chunks = st.builds(
    Chunk,
    tokens=numbers,
    content=texts,
    chunk_order_index=numbers,
    heading=texts,
    parent_headings=several(texts),
    level=st.integers(0, 9),
    chunk_id=ids,
    doc_id=ids,
    headings=several(st.builds(Heading, st.integers(0, 9), texts)),
    context=texts,
    blocks=several(ids),
    parts=several(parts, 4),
    positions=several(positions),
    pages=several(numbers),
    page_is_estimate=st.booleans(),
    tables=several(st.builds(TableRows, ids, pairs, st.sampled_from(TableRole))),
    prev=st.none() | ids,
    next=st.none() | ids,
    parent=st.none() | ids,
    children=several(ids),
    propositions=several(texts),
    relevance=st.none() | st.builds(Relevance, st.floats(-1, 1), st.floats(-3, 3)),
)


@cache
def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8")))


def schema_faults(folder: Path) -> Iterator[str]:
    """Yield the violations that jsonschema finds in the files of a parsed folder."""
    for path in sorted(folder.iterdir()):
        kind = path.name.removesuffix(".json").rpartition(".")[2]
        if path.name.endswith(".jsonl"):
            first, others = {
                "blocks": ("document", "block"),
                "chunks": ("chunks", "chunk"),
                "units": ("units", "unit"),
            }[path.name.split(".")[-2]]
            for number, line in enumerate(path.read_text("utf-8").split("\n")[:-1]):
                yield from _faults(first if number == 0 else others, line)
        elif path.suffix == ".json":
            yield from _faults(kind, path.read_text("utf-8"))


@cache
def _faults(kind: str, text: str) -> list[str]:
    """Many tests write the same records."""
    return [
        f"{kind}: {'/'.join(map(str, error.absolute_path))}: {error.message}"
        for error in validator(kind).iter_errors(json.loads(text))
    ]
