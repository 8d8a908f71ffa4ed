"""Properties of documents: in the Document, in the first line of .blocks.jsonl, and in flat
records.
"""

from __future__ import annotations

import json
import zipfile
from io import BytesIO

import pytest
from docx_builder import docx, zipped

from docxchunk import api
from docxchunk.model.options import ParseOptions
from docxchunk.records.chunks import flat_record

CORE = (
    "<cp:coreProperties "
    'xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/"'
    ' xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>T</dc:title><dcterms:modified>2024-05-07T00:00:00Z</dcterms:modified>'
    "<dc:creator> Ann\n Lee "
    "</dc:creator><cp:keywords/><cp:contentStatus>Draft</cp:contentStatus></cp:coreProperties>"
)
EXTENDED = (
    '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties">'
    "<Pages>3</Pages><Company>Example &amp; Co</Company></Properties>"
)
CUSTOM = (
    '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties"'
    ' xmlns:vt="http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes">'
    '<property pid="2" name="Client No"><vt:i4>12</vt:i4></property><property pid="3" '
    'name="Rate"><vt:r8>0.5</vt:r8></property>'
    '<property pid="4" name="Signed"><vt:bool>true</vt:bool></property><property pid="5" '
    'name="Due"><vt:filetime>2025-01-01T00:00:00Z</vt:filetime></property>'
    '<property pid="6" name="Empty"><vt:lpwstr/></property><property pid="7" '
    'name="_hidden"><vt:lpwstr>x</vt:lpwstr></property>'
    '<property pid="8" name="Broken"><vt:i4>twelve</vt:i4></property><property pid="9" '
    'name="Endless"><vt:r8>INF</vt:r8></property>'
    '<property pid="10" '
    f'name="Data"><vt:lpwstr>{"x" * 1001}</vt:lpwstr></property><property pid="11" '
    'name="Stream"><vt:blob>AAAA</vt:blob></property>'
    "</Properties>"
)
EXPECTED = {
    "author": "Ann Lee",
    "modified": "2024-05-07T00:00:00Z",
    "status": "Draft",
    "company": "Example & Co",
    "custom_Client No": 12,
    "custom_Rate": 0.5,
    "custom_Signed": True,
    "custom_Due": "2025-01-01T00:00:00Z",
}


def with_properties(**parts: str) -> bytes:
    with zipfile.ZipFile(BytesIO(docx("<p>text</p>"))) as file:
        files = {name: file.read(name) for name in file.namelist()}
    for kind, xml in parts.items():
        family = (
            "package/2006/relationships/metadata"
            if kind == "core"
            else "officeDocument/2006/relationships"
        )
        link = (
            f'<Relationship Id="{kind}" '
            f'Type="http://schemas.openxmlformats.org/{family}/{kind}-properties" '
            f'Target="docProps/{kind}.xml"/></Relationships>'
        )
        files["_rels/.rels"] = files["_rels/.rels"].replace(b"</Relationships>", link.encode())
        files[f"docProps/{kind}.xml"] = xml.encode()
    return zipped(files)


def test_properties_of_all_kinds():
    assert (
        api.parse(
            with_properties(core=CORE, extended=EXTENDED, custom=CUSTOM), name="a.docx"
        ).properties
        == EXPECTED
    )


def test_everything_keeps_the_statistics():
    source = with_properties(core=CORE, extended=EXTENDED, custom=CUSTOM)
    document = api.parse(source, options=ParseOptions(everything=True), name="a.docx")
    assert document.properties == EXPECTED | {"pages": "3"}


@pytest.mark.parametrize("kind", ["core", "extended", "custom"])
def test_a_broken_part_has_no_properties(kind):
    document = api.parse(with_properties(**{kind: "<Properties"}), name="a.docx")
    assert document.properties == {}
    assert [issue.code for issue in document.issues] == ["part-broken"]


def test_properties_are_written_and_read(tmp_path):
    document = api.parse(
        with_properties(core=CORE, extended=EXTENDED, custom=CUSTOM), name="a.docx"
    )
    folder = api.write(document, tmp_path)
    assert (
        json.loads((folder / "a.blocks.jsonl").read_text("utf-8").splitlines()[0])["properties"]
        == EXPECTED
    )
    assert api.read(folder).properties == EXPECTED


def test_flat_records_have_properties():
    document = api.parse(with_properties(core=CORE, custom=CUSTOM), name="a.docx")
    [chunk] = document.chunks()
    flat = flat_record(chunk, "a.docx", document.properties)
    assert (flat["doc_author"], flat["doc_custom_Client No"], flat["doc_custom_Signed"]) == (
        "Ann Lee",
        12,
        True,
    )
