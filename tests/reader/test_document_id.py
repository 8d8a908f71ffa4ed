"""Ids of documents: different for different documents, the same for versions of one."""

from __future__ import annotations

import io
import re
import shutil
import zipfile

import pytest
from docx_builder import docx
from hypothesis import given
from hypothesis import strategies as st

from docxchunk import api
from docxchunk.model.document import IssueCode
from docxchunk.model.options import Limits
from docxchunk.reader.ids import doc_id_of
from docxchunk.reader.properties import doc_id_in

CORE = "http://schemas.openxmlformats.org/package/2006/metadata/core-properties"
LINK = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"
W15 = 'xmlns:w15="http://schemas.microsoft.com/office/word/2012/wordml"'


def written(text="text", created="", word_id=""):
    """A Word file with that text, date of creation and w15:docId."""
    parts = dict(read(docx(f"<settings/><p>{text}</p>")))
    settings = parts["word/settings.xml"].decode()
    if word_id:
        parts["word/settings.xml"] = settings.replace(
            "/>", f' {W15}><w15:docId w15:val="{word_id}"/></w:settings>'
        ).encode()
    if created:
        dated = (
            "<dcterms:created "
            f'xmlns:dcterms="http://purl.org/dc/terms/">{created}</dcterms:created>'
        )
        parts["docProps/core.xml"] = (
            f'<cp:coreProperties xmlns:cp="{CORE}">{dated}</cp:coreProperties>'
        ).encode()
        parts["_rels/.rels"] = parts["_rels/.rels"].replace(
            b"</Relationships>",
            f'<Relationship Id="core" Type="{LINK}" '
            'Target="docProps/core.xml"/></Relationships>'.encode(),
        )
    return packed(parts)


def read(source):
    with zipfile.ZipFile(io.BytesIO(source)) as file:
        return {name: file.read(name) for name in file.namelist()}


def packed(parts, time=(1980, 1, 1, 0, 0, 0)):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in parts.items():
            file.writestr(zipfile.ZipInfo(name, time), data)
    return buffer.getvalue()


MARKS = [
    {},
    {"created": "2024-05-06T07:08:09Z"},
    {"word_id": "{0F1E}"},
    {"created": "2024-05-06T07:08:09Z", "word_id": "{0F1E}"},
]


@pytest.mark.parametrize("marks", MARKS, ids=["none", "created", "word", "both"])
def test_an_edit_keeps_the_id_of_a_named_document(marks):
    old, new = written("old", **marks), written("another text", **marks)
    assert api.parse(old, name="a.docx").doc_id == api.parse(new, name="a.docx").doc_id
    assert api.parse(old, name="a.docx").doc_id != api.parse(old, name="b.docx").doc_id


@pytest.mark.parametrize("marks", MARKS, ids=["none", "created", "word", "both"])
def test_id_without_reading_equals_the_id_of_reading(marks):
    source = written(**marks)
    assert doc_id_in(source, "a.docx", Limits()) == api.parse(source, name="a.docx").doc_id


def test_files_of_equal_names_have_different_ids_by_their_marks():
    created = [written(created=f"2024-05-0{day}T07:08:09Z") for day in (1, 2)]
    words = [written(word_id=f"{{{number}}}") for number in (1, 2)]
    assert (
        len({api.parse(source, name="a.docx").doc_id for source in (*created, *words, written())})
        == 5
    )


def test_fractions_of_a_second_are_ignored():
    one, other = (written(created=f"2024-05-06T07:08:09{rest}") for rest in ("Z", ".1230000Z"))
    assert api.parse(one, name="a.docx").doc_id == api.parse(other, name="a.docx").doc_id


def test_creation_date_takes_precedence_over_doc_id():
    dated = written(created="2024-05-06T07:08:09Z")
    # as Word adds it to the file of another writer
    both = written(created="2024-05-06T07:08:09Z", word_id="{1}")
    assert api.parse(dated, name="a.docx").doc_id == api.parse(both, name="a.docx").doc_id


def test_without_a_mark_only_the_name_counts():
    assert api.parse(written(), name="a.docx").doc_id == doc_id_of("a.docx")


def test_the_path_does_not_matter(tmp_path, monkeypatch):
    source = written(created="2024-05-06T07:08:09Z")
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.docx").write_bytes(source)
    monkeypatch.chdir(tmp_path)
    ids = {
        api.parse(path).doc_id
        for path in ("a/x.docx", tmp_path / "b" / "x.docx", str(tmp_path / "a" / "x.docx"))
    }
    assert ids == {api.parse(source, name="x.docx").doc_id}


def test_given_id_takes_precedence():
    found = api.parse(written(created="2024-05-06T07:08:09Z"), doc_id="doc-mine")
    assert found.doc_id == "doc-mine"
    assert IssueCode.ID_FROM_CONTENT not in [issue.code for issue in found.issues]


@given(st.text("abc", min_size=1), st.text("abc", min_size=1))
def test_unnamed_bytes_are_identified_by_content(one, other):
    first, second = (
        api.parse(written(text, word_id="{1}", created="2013-12-23T23:15:00Z"))
        for text in (one, other)
    )
    assert (first.doc_id == second.doc_id) is (one == other)
    assert re.fullmatch("doc-[0-9a-f]{32}", first.doc_id)
    assert [issue.code for issue in first.issues] == [IssueCode.ID_FROM_CONTENT]


def test_unnamed_bytes_are_not_identified_by_compression():
    parts = read(written())
    repacked = packed(dict(reversed(parts.items())), (2024, 5, 6, 7, 8, 10))
    assert api.parse(packed(parts)).doc_id == api.parse(repacked).doc_id


def test_chunks_of_unnamed_bytes_tell_that_their_ids_differ(caplog):
    source = written()
    api.chunk(source)
    assert [record.message for record in caplog.records] == [api.parse(source).issues[0].message]
    assert "differ from those of the file read by its path" in caplog.text
    caplog.clear()
    api.chunk(api.parse(source, name="a.docx"))
    assert not caplog.records


def test_named_documents_report_no_issue():
    assert not api.parse(written(), name="a.docx").issues


def test_file_objects_are_named_by_their_file(tmp_path):
    path = tmp_path / "x.docx"
    path.write_bytes(written())
    with path.open("rb") as file:
        assert api.parse(file).doc_id == doc_id_of("x.docx")
    unnamed = io.BytesIO(written())
    unnamed.name = None  # a SpooledTemporaryFile says so
    assert api.parse(unnamed).doc_id == api.parse(written()).doc_id
    assert api.parse(unnamed.__class__(written())).name == "document.docx"
    shutil.rmtree(tmp_path)


def test_the_name_of_a_document_is_that_of_its_file(tmp_path):
    (tmp_path / "x.docx").write_bytes(docx("<p>One.</p>"))
    assert api.parse(tmp_path / "x.docx").name == "x.docx"
    assert api.parse(tmp_path / "x.docx", name="y.docx").name == "y.docx"
    assert api.parse(docx("<p>One.</p>")).name == "document.docx"
