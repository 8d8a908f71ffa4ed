"""Conversion of values to records and back."""

from __future__ import annotations

import dataclasses

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from written import (
    blocks,
    chunks,
    documents,
    drawings,
    equations,
    notes,
    options,
    tables,
    validator,
)

from docxchunk.errors import SidecarError
from docxchunk.model.blocks import Block, Line, Position, SessionType
from docxchunk.model.chunks import Added, Chunk, Heading, Relevance, Slice, TableRows
from docxchunk.model.document import Document, Issue, IssueCode, Report
from docxchunk.model.objects import Drawing, Equation, Merge, Note, NoteKind, Table
from docxchunk.model.options import ParseOptions
from docxchunk.records import (
    CONTENTS,
    Fields,
    is_altered,
    with_contents_hash,
)
from docxchunk.records.blocks import (
    BLOCK,
    DOCUMENT,
    LINE,
    OPTIONS,
    POSITION,
    read_block,
    read_properties,
)
from docxchunk.records.chunks import ADDED, CHUNK, HEADING, RELEVANCE, SLICE, TABLE_ROWS
from docxchunk.records.objects import (
    DRAWING,
    EQUATION,
    ISSUE,
    NOTE,
    REPORT,
    TABLE,
    note_records,
    read_report,
)


def written(record):
    """Return the record after writing and reading it as JSON."""
    return orjson.loads(orjson.dumps(record))


def fields(record):
    return Fields(written(record), "here")


@given(blocks)
def test_block(block):
    record = written(BLOCK.record(block))
    validator("block").validate(record)
    assert read_block(Fields(record, "")) == block


@given(chunks)
def test_chunk(chunk):
    record = written(CHUNK.record(chunk))
    validator("chunk").validate(record)
    assert CHUNK.value(Fields(record, "")) == chunk


@pytest.mark.parametrize(
    ("values", "layout"), [(tables, TABLE), (equations, EQUATION), (drawings, DRAWING)]
)
@given(data=st.data())
def test_objects(values, layout, data):
    value = data.draw(values)
    assert layout.value(fields(layout.record(value))) == value


@given(notes, options)
def test_notes_and_options(note, wanted):
    (record,) = note_records([note]).values()
    assert NOTE.value(fields(record)) == note
    record = fields(DOCUMENT.record(Document("a.docx", "docx", "doc-1", "", (), options=wanted)))
    assert OPTIONS.value(record.record("options")) == wanted


def test_an_issue_of_a_newer_version_is_left_out():
    issues = [{"code": code, "part": "", "message": "Odd."} for code in ("newer", "part-missing")]
    (issue,) = read_report(Fields({"issues": issues}, "")).issues
    assert issue.code is IssueCode.PART_MISSING


def test_an_empty_report_has_no_characters():
    assert read_report(fields({})) == (Report(), (), (), ())
    assert read_report(fields({"characters": {"emitted": 3}})).report == Report(3)
    assert read_report(fields({"characters": [], "objects": []})).report == Report()


def test_properties_are_texts_numbers_and_booleans():
    properties = {"author": "A", "pages": 3, "custom_x": True, "custom_y": [1], "title": None}
    assert read_properties(fields({"properties": properties})) == {
        "author": "A",
        "pages": 3,
        "custom_x": True,
    }
    assert read_properties(fields({})) == read_properties(fields({"properties": []})) == {}


@given(documents)
def test_document_and_report(document):
    meta, report = written(DOCUMENT.record(document)), written(REPORT.record(document))
    validator("document").validate(meta)
    validator("report").validate(report)
    assert read_report(Fields(report, ""))[:2] == (document.report, document.issues)


@pytest.mark.parametrize(
    ("kind", "layout"),
    [
        (Block, BLOCK),
        (Line, LINE),
        (Position, POSITION),
        (Table, TABLE),
        (Equation, EQUATION),
        (Drawing, DRAWING),
        (Note, NOTE),
        (Issue, ISSUE),
        (Chunk, CHUNK),
        (Slice, SLICE),
        (Added, ADDED),
        (Heading, HEADING),
        (TableRows, TABLE_ROWS),
        (Relevance, RELEVANCE),
        (ParseOptions, OPTIONS),
    ],
)
def test_every_field_has_a_key(kind, layout):
    names = getattr(kind, "_fields", None) or [field.name for field in dataclasses.fields(kind)]
    keys = [key.field for key in layout.keys if not key.written_only]
    assert set(names) <= {
        name for key in keys for name in ((key,) if isinstance(key, str) else key)
    }


def test_names_and_order_of_fields_match_the_format():
    names = (
        "type blockid format content heading parent_headings level session_type table_slice "
        "positions"
    )
    assert list(BLOCK.record(Block("b", "text"))) == names.split()
    names = (
        "type format version document_name document_format document_hash table_file "
        "equation_file drawing_file asset_dir split_option blocks"
    )
    names += " doc_id parse_engine doc_title"
    assert (
        list(DOCUMENT.record(Document("a.docx", "docx", "doc-1", "", (), engine="native")))
        == names.split()
    )


@given(chunks)
@settings(max_examples=1)
def test_chunks_begin_with_the_six_specified_fields(chunk):
    assert list(CHUNK.record(chunk))[:6] == [
        "tokens",
        "content",
        "chunk_order_index",
        "heading",
        "parent_headings",
        "level",
    ]


def test_two_notes_of_one_kind_and_id_are_both_kept():
    note = Note(NoteKind.FOOTNOTE, "2", "1", "text")
    assert list(note_records([note, note, note])) == ["footnote-2", "footnote-2-2", "footnote-2-3"]


def test_preface_of_other_parsers_is_recognised():
    block = read_block(
        fields(
            {
                "type": "content",
                "content": "text",
                "heading": "Preface/Uncategorized",
                "level": 1,
                "parent_headings": [],
            }
        )
    )
    assert (block.heading, block.level, block.session_type) == ("", 0, SessionType.PREFACE)


def test_missing_values_have_defaults():
    assert read_block(fields({})) == Block("", "")
    assert OPTIONS.value(fields({})) == ParseOptions()
    foreign = {
        "positions": [{"type": "bbox", "anchor": "3", "range": [1, 2, 3, 4]}],
        "session_type": "odd",
        "is_title_block": True,
    }
    assert read_block(fields(foreign)) == Block("", "")
    assert type(read_block(fields({"confidence": 1})).confidence) is float


@pytest.mark.parametrize(
    "record",
    [
        {"content": 3},
        {"level": "1"},
        {"level": True},
        {"parent_headings": "a"},
        {"parent_headings": [1]},
        {"lines": [1]},
        {"confidence": "1"},
        {"confidence": True},
        [],
    ],
)
def test_value_of_wrong_type_is_an_error_that_names_the_place(record):
    with pytest.raises(SidecarError, match="here"):
        read_block(Fields(record, "here"))


def test_a_value_of_wrong_type_counts_as_missing_if_faults_are_collected():
    wrong = {key.name: {} for key in LINE.keys}
    record = {key.name: {} for key in BLOCK.keys} | {"lines": [wrong], "page_is_estimate": "x"}
    faults = []
    block = read_block(fields(record).lenient(faults))
    assert block == Block("", "", lines=(Line(roles=()),))
    assert len(faults) == len(wrong) + sum(not key.written_only for key in BLOCK.keys) - 1


@pytest.mark.parametrize(
    ("of_block", "expected"), [(True, [True, False, True]), (False, [False, False, True])]
)
def test_in_files_of_earlier_versions_the_block_says_whether_pages_are_estimates(
    of_block, expected
):
    lines = [
        {"kind": "text", "page": 3},
        {"kind": "text"},
        {"kind": "text", "page": 4, "page_is_estimate": True},
    ]
    record = {"content": "a", "lines": lines, "page_is_estimate": of_block}
    block = read_block(fields(record))
    assert [line.page_is_estimate for line in block.lines] == expected


def test_a_merged_cell_has_four_numbers():
    merged = {"merged": [[0, 1, 2, 3]]}
    assert TABLE.value(fields(merged)).merged == (Merge(0, 1, 2, 3),)
    for wrong in ([0, 1, 2], [0, 1, 2, 3, 4], ["0", 1, 2, 3], "0123"):
        with pytest.raises(SidecarError, match="is not a merged cell"):
            TABLE.value(fields({"merged": [wrong]}))


def test_a_row_of_a_chart_is_a_list():
    drawing = DRAWING.value(fields({"data": [["a", 1], "ab", 7]}))
    assert drawing.data == (("a", "1"), (), ())


@pytest.mark.parametrize(
    ("record", "header"),
    [
        ({"header": "a"}, "a"),
        ({"table_header": "b"}, "b"),
        ({"header": "a", "table_header": "b"}, "b"),
        ({}, None),
    ],
)
def test_the_header_of_a_table_has_two_names(record, header):
    assert TABLE.value(fields(record)).header == header
    if header:
        written_again = TABLE.record(TABLE.value(fields(record)))
        assert (written_again["header"], written_again["table_header"]) == (header, header)


def test_an_estimate_is_written_if_there_is_a_page_or_it_is_one():
    lines = [Line(), Line(page=0), Line(page=2, page_is_estimate=True), Line(page_is_estimate=True)]
    records = [LINE.record(line._replace(roles=())) for line in lines]
    estimates = [record.get("page_is_estimate") for record in records]
    assert estimates == [None, False, True, True]
    assert [LINE.value(fields(record)).page_is_estimate for record in records] == [
        False,
        False,
        True,
        True,
    ]


@pytest.mark.parametrize(
    ("positions", "expected"),
    [
        ([{"type": "paraid", "range": ["A", "B"]}], ("A", "B", (-1, -1), None)),
        ([{"type": "paraid", "range": ["A"]}], ("A", None, (-1, -1), None)),
        ([{"type": "paraid", "range": ["A", 7, "C"]}], ("A", None, (-1, -1), None)),
        (
            [{"type": "page"}, {"type": "paraid", "index": [1, 2], "paragraph": [3, 4]}],
            (None, None, (1, 2), (3, 4)),
        ),
        ([{"type": "paraid", "index": [1]}, {"type": "paraid"}], (None, None, (-1, -1), None)),
        ([{"type": "paraid", "index": [1, 2], "paragraph": [3]}], (None, None, (1, 2), None)),
        ([{"type": "page"}], None),
        ([], None),
    ],
)
def test_positions_that_other_programs_wrote(positions, expected):
    position = read_block(fields({"positions": positions})).position
    assert position == (None if expected is None else Position(*expected))


# -- access to the values of a record


def test_missing_values_and_those_of_another_type():
    record = Fields({"a": "x", "b": 7, "c": True, "d": None, "e": {"f": 1.5}}, "here")
    assert (record.text("a"), record.integer("b"), record.flag("c")) == ("x", 7, True)
    assert (record.text("d"), record.integer("d"), record.flag("d")) == ("", 0, False)
    assert (record.text("z", "y"), record.integer("z", 3), record.flag("z", default=True)) == (
        "y",
        3,
        True,
    )
    assert ["a" in record, "d" in record, "z" in record] == [True, False, False]
    assert (record.equals("c", value=True), record.equals("z", value=True)) == (True, False)
    assert record.scalars() == {"a": "x", "b": 7, "c": True, "d": None}
    assert list(record.record("e").items()) == [("f", 1.5)]
    assert list(record.record("d").items()) == list(record.record("z").items()) == []
    assert record.requiring(["a", "d"]) is record
    with pytest.raises(SidecarError, match=r"^here lacks y, z\.$"):
        record.requiring(["y", "a", "z"])
    for read, name in ((record.text, "b"), (record.integer, "c"), (record.flag, "b")):
        with pytest.raises(SidecarError, match=f'^here: "{name}" must be '):
            read(name)


@pytest.mark.parametrize(
    ("value", "number"),
    [("2", 2), ("9" * 9, 999_999_999), ("9" * 10, 5), ("", 5), ("2 ", 5), ("-2", 5), (2.0, 5)],
)
def test_digits_are_a_number_if_faults_are_collected(value, number):
    faults = []
    lenient = Fields({"level": value}, "here").lenient(faults)
    assert lenient.integer("level", 5) == number
    assert lenient.text("level", "z") == (value if isinstance(value, str) else "z")
    assert lenient.flag("level") is False
    assert faults[0] == 'here: "level" must be a whole number.'
    with pytest.raises(SidecarError, match="must be a whole number"):
        Fields({"level": value}, "here").integer("level")
    assert Fields([], "here", faults).text("level") == ""
    assert faults[-1] == "here holds no JSON object."


def test_a_file_is_altered_if_its_first_record_or_what_follows_is():
    first = with_contents_hash({"a": 1}, [b"one\n", b"two\n"])
    assert list(first) == ["a", CONTENTS]
    for record, data, altered in (
        (first, [b"one\n", b"two\n"], False),
        (first, [b"one\ntwo\n"], False),
        (first, [b"one\n"], True),
        (first | {"a": 2}, [b"one\ntwo\n"], True),
        (first | {CONTENTS: "0"}, [b"one\ntwo\n"], True),
        ({"a": 1}, [b"anything"], False),  # no hash
    ):
        assert is_altered(Fields(record, ""), data) == altered


def test_a_dict_has_only_what_json_has():
    record = BLOCK.to_dict(Block("b", "text", parent_headings=("a",), session_type=SessionType.TOC))
    assert (record["parent_headings"], type(record["session_type"])) == (["a"], str)
