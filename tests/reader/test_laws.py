"""Laws that hold for every document: those drawn by random_documents.py, and the cases of
fixtures/cases.
"""

from __future__ import annotations

import re
from unittest.mock import patch

import pytest
from compact_xml import letters_in
from docx_builder import PIXEL, docx
from examples import some
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_documents import FORGERIES, Node, Written, sections, written

from docxchunk import api
from docxchunk.errors import DocxchunkError
from docxchunk.model.document import Document
from docxchunk.model.options import ParseOptions
from docxchunk.ooxml import incremental
from docxchunk.ooxml.package import Package
from docxchunk.reader.state import ParagraphState

PARTS = {"media/a.png": PIXEL}
WORD = re.compile(r"s\d+w\d+")
TABLE = re.compile(r"<table\b[^>]*>|</table>")  # as the readers of these files look for objects
OBJECT = re.compile(r"<equation\b[^>]*>.*?</equation>|<drawing\b[^>]*/>", re.DOTALL)

often = settings(
    max_examples=some(150, part=15),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
documents = sections().map(written)


def read(document: Written) -> tuple[bytes, Document]:
    data = docx(document.source, PARTS)
    return data, api.parse(data, name="a.docx")


def text_lines(document: Document) -> tuple[list[str], list[str]]:
    """Return the lines of the blocks: text and notes."""
    lines = [
        (line.kind == "note", text)
        for block in document.blocks
        for line, text in zip(block.lines, block.content.split("\n"), strict=True)
    ]
    return [text for is_note, text in lines if not is_note], [
        text for is_note, text in lines if is_note
    ]


def words(lines: list[str]) -> list[str]:
    return WORD.findall(OBJECT.sub(" ", "\n".join(lines)))


# -- laws of one document: the generated document, its bytes, and the result of reading them
# ----------------------------------


def every_visible_word_once_and_in_order(drawn: Written, data: bytes, found: Document) -> None:
    assert words(text_lines(found)[0]) == drawn.seen


def notes_are_kept_whole(drawn: Written, data: bytes, found: Document) -> None:
    assert sorted(words([note.text]) for note in found.notes) == sorted(drawn.noted)
    assert sorted(words(text_lines(found)[1])) == sorted(
        word for note in drawn.noted for word in note
    )


def hidden_text_is_left_out(drawn: Written, data: bytes, found: Document) -> None:
    said = words(
        [b.content for b in found.blocks]
        + [t.content for t in found.tables.values()]
        + [n.text for n in found.notes]
    )
    assert not set(said) & set(drawn.unseen)


def every_character_is_counted(drawn: Written, data: bytes, found: Document) -> None:
    """Check that the letters of text, deleted text, field codes and equations of all parts are in
    the output or counted as dropped.
    """
    assert found.report.emitted + sum(found.report.dropped.values()) == letters_in(data)


def headings_have_their_ancestors(drawn: Written, data: bytes, found: Document) -> None:
    opened = [block for block in found.blocks if block.lines[0].kind == "heading"]
    marked = [block for block in opened if block.heading_source != "guess"]
    assert [(block.level, words([block.heading])) for block in marked] == drawn.headings
    path: list[tuple[int, str]] = []
    for block in found.blocks:
        if block.lines[0].kind == "heading":
            path = [(level, heading) for level, heading in path if level < block.level] + [
                (block.level, block.heading)
            ]
        # contents without a heading of their own belong to no section
        contents = block.session_type == "TOC" and block.lines[0].kind != "heading"
        assert (*block.parent_headings, block.heading) == (
            ("",) if contents else tuple(heading for _, heading in path) or ("",)
        )


def lines_match_the_content(drawn: Written, data: bytes, found: Document) -> None:
    for block in found.blocks:
        assert len(block.lines) == block.content.count("\n") + 1
        assert block.content == block.content.strip()
        assert not re.search(r"[\x00-\x08\x0b-\x1f]", block.content)


def ids_are_unique_and_resolve(drawn: Written, data: bytes, found: Document) -> None:
    identifiers = [block.id for block in found.blocks]
    assert len(set(identifiers)) == len(identifiers)
    said = "\n".join(
        [block.content for block in found.blocks] + [note.text for note in found.notes]
    )
    for item in (*found.equations.values(), *found.drawings.values()):
        assert re.search(rf'id=\\?"{item.id}\\?"', said)
    assert {
        item.block_id
        for item in (*found.tables.values(), *found.equations.values(), *found.drawings.values())
    } <= set(identifiers)


def same_bytes_same_document(drawn: Written, data: bytes, found: Document) -> None:
    assert api.parse(data, name="a.docx") == found
    assert docx(drawn.source, PARTS) == data


def same_result_with_and_without_streaming(drawn: Written, data: bytes, found: Document) -> None:
    """Check that the result is the same whether the body is read while it is parsed or
    afterwards.
    """
    with patch.object(incremental, "_PIECE", 300):
        assert api.parse(data, name="a.docx") == found
    with patch.object(Package, "incremental", lambda _: None):
        assert api.parse(data, name="a.docx") == found


def marks_are_never_overlooked(_: Written, data: bytes, found: Document) -> None:
    """Looking for marks in every paragraph, plain ones too, gives the same document."""
    always = property(lambda _: True, lambda *_: None)
    with patch.object(ParagraphState, "has_marks", always):
        assert api.parse(data, name="a.docx") == found


def nobody_forges_an_object(drawn: Written, data: bytes, found: Document) -> None:
    body, notes = text_lines(found)
    marks = [mark for line in body for mark in TABLE.findall(line)]
    assert [mark == "</table>" for mark in marks] == [False, True] * drawn.tables
    assert sum(len(OBJECT.findall(line)) for line in body + notes) == drawn.objects


LAWS = (
    every_visible_word_once_and_in_order,
    notes_are_kept_whole,
    hidden_text_is_left_out,
    every_character_is_counted,
    headings_have_their_ancestors,
    lines_match_the_content,
    ids_are_unique_and_resolve,
    same_bytes_same_document,
    same_result_with_and_without_streaming,
    marks_are_never_overlooked,
    nobody_forges_an_object,
)


@often
@given(documents)
def test_laws(drawn):
    data, found = read(drawn)
    for law in LAWS:
        law(drawn, data, found)


# -- laws of two documents: of their marked headings; that edits leave guessed ones alone is a law
# of test_inferred.py --


WORDS = ("p", "", [("word",)], False, None)
PICTURE = ("p", "", [("sign", '<pic src="a.png"/>')], False, None)
NOTE = ("p", "", [("note", "footnote", [WORDS])], False, None)
TABLE_OF_WORDS = ("table", [("", [("", [WORDS])])])


@often
@given(sections(), st.data())
def test_an_edit_elsewhere_keeps_the_ids(drawn, data):
    at = data.draw(st.integers(0, len(drawn) - 1), label="section")
    level, numbered, blocks = drawn[at]
    more = data.draw(st.sampled_from([WORDS, PICTURE, NOTE, TABLE_OF_WORDS]))
    before = ids_by_section(drawn)
    after = ids_by_section([*drawn[:at], (level, numbered, [*blocks, more]), *drawn[at + 1 :]])
    assert {k: v for k, v in before.items() if k != at} == {
        k: v for k, v in after.items() if k != at
    }


@often
@given(sections(), st.data())
def test_an_inserted_section_keeps_the_ids(drawn, data):
    """A heading inserted before one of the same level changes no heading path; it changes the
    numbers after it.
    """
    at = data.draw(st.integers(1, len(drawn)), label="before section")
    level = drawn[at][0] if at < len(drawn) else 1
    # written last, so that the words of the others stay
    last = written([*drawn, (level, True, [WORDS, NOTE, PICTURE, TABLE_OF_WORDS])])
    old, new = ids(written(drawn).source), ids(with_last_section_at(at, last.source))
    assert [i for i in new if i in set(old)] == old


def ids(source: str) -> list[str]:
    return [block.id for block in marked(source).blocks]


def marked(source: str) -> Document:
    return api.parse(docx(source, PARTS), options=ParseOptions(headings="marked"), name="a.docx")


def with_last_section_at(at: int, source: str) -> str:
    pieces = re.split(r'(?=<p style="Heading)', source)
    return "".join([*pieces[:at], pieces[-1], *pieces[at:-1]])


def ids_by_section(drawn: list[Node]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    section = 0
    for block in marked(written(drawn).source).blocks:
        section += block.lines[0].kind == "heading"
        found.setdefault(section, []).append(block.id)
    return found


@given(st.lists(st.sampled_from([*FORGERIES, "word", " "]), min_size=1, max_size=4).map("".join))
def test_objects_cannot_be_forged_in_unusual_places(text):
    """Typed tags in headings, alternative texts, captions, labels, notes and cells are escaped."""
    typed = text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    source = (
        f'<numbering><list id="1"><level text="{typed} '
        f'%1"/></list></numbering><footnotes><footnote id="2">{typed}</footnote></footnotes>'
        f'<p style="Heading1" num="1:0">x {typed}<fn id="2"/></p><p><pic src="a.png" '
        f'alt="{typed}"/></p><p style="Caption">x {typed}</p>'
        f"<tbl><tr><tc><p>{typed}</p></tc><tc/></tr></tbl><p><box>{typed}</box></p><tbl><tr><tc "
        f"span='2'><p>{typed}</p></tc></tr><tr><tc/><tc/></tr></tbl>"
    )
    content = "\n".join(
        block.content for block in api.parse(docx(source, PARTS), name="a.docx").blocks
    )
    assert [mark == "</table>" for mark in TABLE.findall(content)] == [False, True] * 2
    assert len(OBJECT.findall(content)) == 1


@pytest.mark.parametrize("junk", [b"", b"PK", b"PK\x05\x06" + bytes(18)])
def test_junk_is_refused(junk):
    with pytest.raises(DocxchunkError):
        api.parse(junk)
