"""Records of `.tables.json`, `.equations.json`, `.drawings.json`, `.notes.json` and
`.report.json`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import Any, Final, NamedTuple

from docxchunk.errors import SidecarError
from docxchunk.model.document import Issue, IssueCode, Report
from docxchunk.model.objects import (
    Change,
    ChangedPart,
    Comment,
    Drawing,
    DrawingKind,
    Equation,
    Merge,
    Note,
    NoteKind,
    RevisionKind,
    Spot,
    Table,
    TableFormat,
)
from docxchunk.records import (
    FLAG,
    TEXT,
    TEXTS,
    VERSION,
    ByName,
    Fields,
    Flag,
    IfAny,
    IfKnown,
    Integer,
    Key,
    Layout,
    Real,
    Record,
    Several,
    TextOrNull,
    Word,
    by_id,
    constant,
)
from docxchunk.records.blocks import DOC_ID, PARENT_HEADINGS

_LOCATION_KEYS: Final = (
    Key("id", TEXT, "The id, as in the tag."),
    Key("blockid", TEXT, "The id of the block that contains it.", field="block_id"),
    Key("heading", TEXT, "The heading of the section."),
    PARENT_HEADINGS,
)
_CAPTION: Final = (
    Key("caption", TEXT, "The caption; empty if there is none."),
    Key("footnotes", TEXTS, "Always empty; a field of LightRAG's format."),
)


class _Merged(Several):
    """A merged cell as [row, column, rows, columns]."""

    def __init__(self) -> None:
        super().__init__(Integer(0), 4)

    def writer(self) -> Any:
        return list

    def read(self, fields: Fields, name: str, value: object) -> Merge:
        match value:
            case [int(row), int(column), int(rows), int(columns)]:
                return Merge(row, column, rows, columns)
            case _:
                raise SidecarError(
                    f"{value} is not a merged cell; it must be [row, column, rows, columns]."
                )


class _Cells(Several):
    """A row of the data of a chart."""

    def read(self, fields: Fields, name: str, value: object) -> tuple[str, ...]:
        return tuple(map(str, value)) if isinstance(value, list) else ()


def _table(*, header: str | None = None, other_header: str | None = None, **others: Any) -> Table:
    return Table(header=header or other_header, **others)


TABLE: Final = Layout(
    _table,
    *_LOCATION_KEYS,
    Key(
        "dimension",
        Several(Integer(0), 2, (0, 0)),
        "The numbers of rows and columns.",
        field=("row_count", "column_count"),
    ),
    Key("format", Word(TableFormat, TableFormat.JSON), "How the content is written."),
    Key("content", TEXT, "The rows as in the tag."),
    *_CAPTION,
    IfAny(
        "table_header",
        TEXT,
        "The header rows that the author marked, as JSON text or <thead>.",
        field="header",
    ),
    IfAny(
        "header",
        TEXT,
        "The same as `table_header`.",
        field="other_header",
        get=attrgetter("header"),
    ),
    IfAny("header_guess", TEXT, "The inferred header rows, if none is marked."),
    IfAny(
        "header_confidence", Real(0, 1), "The estimated probability that `header_guess` is right."
    ),
    IfAny("header_signals", TEXTS, "The signals for `header_guess`, strongest first."),
    IfAny(
        "header_columns",
        Integer(0, 2),
        "The number of first columns that name the rows; absent: 0.",
    ),
    IfAny(
        "merged",
        Several(_Merged()),
        "The merged cells: row, column, number of rows, number of columns.",
    ),
    IfAny("nested", TEXTS, "The ids of the tables inside its cells."),
    IfAny(
        "rows_paraid",
        Several(TextOrNull()),
        "The w14:paraId of the first paragraph of each row.",
        field="para_ids",
    ),
    IfAny(
        "rows_page",
        Several(Integer(1)),
        "The page on which each row begins; absent if all rows are on one page.",
        field="pages",
    ),
    IfKnown(
        "rows_page_is_estimate",
        FLAG,
        "Whether some of `rows_page` are estimates; present if `rows_page` is.",
        field="page_is_estimate",
        get=lambda table: table.page_is_estimate if table.pages or table.page_is_estimate else None,
    ),
)
EQUATION: Final = Layout(
    Equation,
    *_LOCATION_KEYS,
    constant("format", "latex", "How the content is written."),
    Key("content", TEXT, "The equation in LaTeX, without $."),
    *_CAPTION,
)
DRAWING: Final = Layout(
    Drawing,
    *_LOCATION_KEYS,
    Key("format", TEXT, "The format of the picture: png, jpeg, emf, ..."),
    Key("path", TEXT, "The picture file, relative to the parsed folder; empty if there is none."),
    Key("src", TEXT, "The address of an external picture."),
    *_CAPTION,
    Key("kind", Word(DrawingKind, DrawingKind.PICTURE), "The kind of drawing.", required=False),
    IfAny(
        "alt",
        TEXT,
        "The alternative text, unless it is only a number, a GUID or the name of a file.",
    ),
    IfAny("name", TEXT, "The name that Word gave it."),
    IfAny("data", Several(_Cells(TEXT)), "The series of a chart, as rows."),
    IfAny("embedded", TEXT, "The part name of an embedded file."),
    IfAny("description", TEXT, "A description of the picture by a model; also in its tag."),
    IfAny("described", TEXT, "The name of that model; also in its tag."),
)
_THREAD: Final = (
    IfAny("parent", TEXT, "The id of the comment that it replies to."),
    IfAny("done", Flag(only=True), "Whether it is marked as resolved."),
)
NOTE: Final = Layout(
    Note,
    Key("kind", Word(NoteKind, NoteKind.FOOTNOTE), "The kind of the note."),
    Key(
        "id",
        TEXT,
        "The id in the Word file. In a file inside it: the part of this file, #, and the id there.",
    ),
    Key("number", TEXT, "The mark in the text."),
    Key("text", TEXT, "The text of the note."),
    Key(
        "blockid",
        TEXT,
        "The id of the block that refers to it; empty if there is none.",
        field="block_id",
    ),
    IfAny("author", TEXT, "The author of a comment."),
    IfAny("date", TEXT, "The date of a comment."),
    IfAny(
        "anchor", TEXT, "The text that a comment is about, shortened in the middle if it is long."
    ),
    *_THREAD,
)
_DATE: Final = Key("date", TEXT, "When (ISO 8601, usually without the time zone).")
_SPOT: Final = Key(
    "spot",
    Layout(
        Spot,
        Key("blockid", TEXT, "The id of the block; empty if it is in none.", field="block_id"),
        Key(
            "paragraph",
            Integer(0),
            "The number of the paragraph in the body; 0 if it is in no block.",
        ),
        IfKnown("row", Integer(0), "The row of the table, from 0; absent outside of tables."),
        IfAny(
            "within",
            TEXT,
            'The part around it: "footnote 3", "header", "text box"; absent in the main text.',
        ),
    ),
    "Where it is.",
)
CHANGE: Final = Layout(
    Change,
    Key("kind", Word(RevisionKind, RevisionKind.FORMATTED), "What the change did."),
    Key("part", Word(ChangedPart, ChangedPart.TEXT), "What was changed."),
    Key("author", TEXT, "Who changed it."),
    _DATE,
    Key("text", TEXT, "The words that were changed."),
    IfAny("before", TEXT, "Up to 120 characters of the paragraph before them."),
    IfAny("after", TEXT, "Up to 120 characters of the paragraph after them."),
    IfAny("move", TEXT, "The name of a move, which both places have."),
    _SPOT,
)
COMMENT: Final = Layout(
    Comment,
    Key("id", TEXT, "The id in the Word file."),
    Key("author", TEXT, "Who wrote it."),
    _DATE,
    Key("text", TEXT, "The text of the comment."),
    IfAny("anchor", TEXT, "The text that it is about, shortened in the middle if it is long."),
    *_THREAD,
    _SPOT,
)
OBJECTS: Final[Mapping[str, Layout[Any]]] = {
    "tables": TABLE,
    "equations": EQUATION,
    "drawings": DRAWING,
}
"""What a document has by id, by the name of its field."""
TABLES: Final = by_id("tables", "NAME.tables.json, by id.", TABLE)
EQUATIONS: Final = by_id(
    "equations", "NAME.equations.json: the equations that are separate paragraphs, by id.", EQUATION
)
DRAWINGS: Final = by_id("drawings", "NAME.drawings.json, by id.", DRAWING)
NOTES: Final = by_id("notes", "NAME.notes.json, by kind and id.", NOTE)

ISSUE: Final = Layout(
    Issue,
    Key("code", Word(IssueCode), "The code of the issue."),
    Key("place", TEXT, "The part of the file, with the line if known."),
    Key("message", TEXT, "A sentence that describes the problem."),
)
_COUNTS: Final = ByName(Integer(0))
_CHARACTERS: Final[Layout[Record]] = Layout(
    dict,
    Key("emitted", Integer(0), "The number of characters in blocks and sidecar files."),
    Key("dropped", _COUNTS, "The number of characters that were left out, by reason."),
)


REPORT: Final[Layout[Record]] = Layout(
    dict,
    VERSION,
    Key("document_name", TEXT, "The name of the file.", field="name"),
    DOC_ID,
    Key(
        "characters",
        _CHARACTERS,
        "The numbers of characters of the file.",
        field="characters",
        get=attrgetter("report"),
    ),
    Key(
        "objects",
        _COUNTS,
        "The numbers of tables, equations, drawings and notes.",
        field="objects",
        get=attrgetter("report.objects"),
    ),
    Key(
        "guesses",
        ByName(TEXTS),
        "For each inferred heading, the signals for it, strongest first. The keys are block ids.",
        field="guesses",
        get=attrgetter("report.guesses"),
    ),
    Key("issues", Several(ISSUE), "Problems in the file that the reader recovered from."),
    IfAny("changes", Several(CHANGE), "The tracked changes, in the text or not."),
    IfAny("comments", Several(COMMENT), "All comments, in the text or not."),
    about="NAME.report.json: the numbers of characters read and left out, with reasons, the "
    "issues, the tracked changes and the comments.",
)


def note_records(notes: Iterable[Note]) -> dict[str, Record]:
    """Return the records of notes by kind and id, such as "footnote-3". If a file uses an id twice,
    a number is appended.
    """
    records: dict[str, Record] = {}
    for note in notes:
        key, twice = f"{note.kind}-{note.id}", 2
        while key in records:
            key, twice = f"{note.kind}-{note.id}-{twice}", twice + 1
        records[key] = NOTE.record(note)
    return records


class Reported(NamedTuple):
    """What a document has in its `.report.json`."""

    report: Report
    issues: tuple[Issue, ...]
    changes: tuple[Change, ...]
    comments: tuple[Comment, ...]


def read_report(fields: Fields) -> Reported:
    """Return the values of a `.report.json`, without issues with a code unknown to this version."""
    values = REPORT.fields_in(fields)
    counts = {name: values[name] for name in ("objects", "guesses")}
    return Reported(
        Report(**(values["characters"] or {}), **counts),
        tuple(issue for issue in values["issues"] if issue.code),
        values.get("changes", ()),
        values.get("comments", ()),
    )
