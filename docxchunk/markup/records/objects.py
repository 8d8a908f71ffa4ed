"""Records of `.tables.json`, `.equations.json`, `.drawings.json` and `.notes.json`."""

from __future__ import annotations

from collections.abc import Iterable

from docxchunk.errors import SidecarError
from docxchunk.markup.records.fields import Fields, Record, present
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


def table_record(table: Table) -> Record:
    return {
        **_common(table),
        "dimension": [table.row_count, table.column_count],
        "format": table.format,
        "content": table.content,
        "caption": table.caption,
        "footnotes": table.footnotes,
        **present(
            table_header=table.header,
            header=table.header,
            header_guess=table.header_guess,
            header_confidence=table.header_confidence,
            header_signals=table.header_signals,
            header_columns=table.header_columns,
            merged=[list(merge) for merge in table.merged],
            nested=table.nested,
            rows_paraid=table.para_ids,
            rows_page=table.pages,
        ),
        **(
            {"rows_page_is_estimate": table.page_is_estimate}
            if table.pages or table.page_is_estimate
            else {}
        ),
    }


def read_table(fields: Fields) -> Table:
    identifier, block_id, heading, parents = _read_common(fields)
    rows, columns = fields.pair("dimension", (0, 0))
    return Table(
        id=identifier,
        block_id=block_id,
        heading=heading,
        parent_headings=parents,
        row_count=rows,
        column_count=columns,
        format=fields.member("format", TableFormat, TableFormat.JSON),
        content=fields.text("content"),
        header=fields.text_or_none("table_header") or fields.text_or_none("header"),
        header_guess=fields.text_or_none("header_guess"),
        header_confidence=fields.number("header_confidence")
        if "header_confidence" in fields
        else None,
        header_signals=fields.texts("header_signals"),
        header_columns=fields.integer("header_columns"),
        caption=fields.text("caption"),
        footnotes=fields.texts("footnotes"),
        merged=tuple(map(_read_merge, fields.items("merged"))),
        nested=fields.texts("nested"),
        para_ids=tuple(
            item if isinstance(item, str) else None for item in fields.items("rows_paraid")
        ),
        pages=fields.integers("rows_page"),
        page_is_estimate=fields.flag("rows_page_is_estimate"),
    )


def equation_record(equation: Equation) -> Record:
    return {
        **_common(equation),
        "format": "latex",
        "content": equation.content,
        "caption": equation.caption,
        "footnotes": equation.footnotes,
    }


def read_equation(fields: Fields) -> Equation:
    identifier, block_id, heading, parents = _read_common(fields)
    return Equation(
        id=identifier,
        block_id=block_id,
        heading=heading,
        parent_headings=parents,
        content=fields.text("content"),
        caption=fields.text("caption"),
        footnotes=fields.texts("footnotes"),
    )


def drawing_record(drawing: Drawing) -> Record:
    return {
        **_common(drawing),
        "format": drawing.format,
        "path": drawing.path,
        "src": drawing.src,
        "caption": drawing.caption,
        "footnotes": drawing.footnotes,
        "kind": drawing.kind,
        **present(alt=drawing.alt, name=drawing.name, data=drawing.data, embedded=drawing.embedded),
        **present(description=drawing.description, described=drawing.described),
    }


def read_drawing(fields: Fields) -> Drawing:
    identifier, block_id, heading, parents = _read_common(fields)
    return Drawing(
        id=identifier,
        block_id=block_id,
        heading=heading,
        parent_headings=parents,
        kind=fields.member("kind", DrawingKind, DrawingKind.PICTURE),
        format=fields.text("format"),
        path=fields.text("path"),
        src=fields.text("src"),
        alt=fields.text("alt"),
        name=fields.text("name"),
        caption=fields.text("caption"),
        footnotes=fields.texts("footnotes"),
        data=tuple(_read_row(row) for row in fields.items("data")),
        description=fields.text("description"),
        described=fields.text("described"),
        embedded=fields.text("embedded"),
    )


def note_records(notes: Iterable[Note]) -> dict[str, Record]:
    """Return records by kind and id, "footnote-3"; a number is appended if a file uses an id
    twice.
    """
    records: dict[str, Record] = {}
    for note in notes:
        key, twice = f"{note.kind}-{note.id}", 2
        while key in records:
            key, twice = f"{note.kind}-{note.id}-{twice}", twice + 1
        records[key] = _note_record(note)
    return records


def _note_record(note: Note) -> Record:
    return {
        "kind": note.kind,
        "id": note.id,
        "number": note.number,
        "text": note.text,
        "blockid": note.block_id,
        **present(
            author=note.author,
            date=note.date,
            anchor=note.anchor,
            parent=note.parent,
            done=note.done,
        ),
    }


def read_note(fields: Fields) -> Note:
    return Note(
        kind=fields.member("kind", NoteKind, NoteKind.FOOTNOTE),
        id=fields.text("id"),
        number=fields.text("number"),
        text=fields.text("text"),
        block_id=fields.text("blockid"),
        author=fields.text("author"),
        date=fields.text("date"),
        anchor=fields.text("anchor"),
        parent=fields.text("parent"),
        done=fields.flag("done"),
    )


def _common(item: Table | Equation | Drawing) -> Record:
    return {
        "id": item.id,
        "blockid": item.block_id,
        "heading": item.heading,
        "parent_headings": item.parent_headings,
    }


def _read_common(fields: Fields) -> tuple[str, str, str, tuple[str, ...]]:
    return (
        fields.text("id"),
        fields.text("blockid"),
        fields.text("heading"),
        fields.texts("parent_headings"),
    )


def _read_merge(item: object) -> Merge:
    match item:
        case [int(row), int(column), int(rows), int(columns)]:
            return Merge(row, column, rows, columns)
        case _:
            raise SidecarError(
                f"{item} is not a merged cell; it must be [row, column, rows, columns]."
            )


def _read_row(item: object) -> tuple[str, ...]:
    return tuple(map(str, item)) if isinstance(item, list) else ()
