import io
import re
import zipfile

import pytest
from case_files import cases
from docx_builder import docx, zipped

from docxchunk import api
from docxchunk.model.options import ParseOptions


@pytest.mark.parametrize("case", cases("notes"))
def test_case(case):
    case.check()


def files_of(source):
    with zipfile.ZipFile(io.BytesIO(source)) as package:
        return {name: package.read(name) for name in package.namelist()}


@pytest.mark.parametrize("place", ["body", "notes"])
def test_headers_and_footers_are_around_a_body_without_sections(place):
    files = files_of(docx("<header>head</header><footer>foot</footer><p>a</p>"))
    main = "word/document.xml"
    files[main] = re.sub(rb"<w:sectPr.*</w:sectPr>", b"", files[main])
    document = api.parse(zipped(files), options=ParseOptions(headers_footers=place), name="a.docx")
    assert document.blocks[0].content == ("head\na\nfoot" if place == "body" else "a")


def test_a_damaged_header_does_not_hide_the_others():
    files = files_of(docx("<header>head</header><p>a</p>"))
    name, relationships = "word/header.xml", "word/_rels/document.xml.rels"
    more = (
        files[relationships]
        .decode()
        .replace(
            "<Relationship ",
            '<Relationship Id="x" Type="{}" Target="damaged.xml"/><Relationship ',
            1,
        )
    )
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/header"
    files |= {relationships: more.format(kind).encode(), "word/damaged.xml": files[name][:-9]}
    document = api.parse(zipped(files), options=ParseOptions(headers_footers="body"), name="a.docx")
    assert document.blocks[0].content == "head\na"
    (issue,) = document.issues
    assert (issue.code, issue.place.partition(":")[0]) == ("part-broken", "word/damaged.xml")


@pytest.mark.parametrize(
    ("anchor", "shown"),
    [
        (f"{'x' * 199} {'y' * 200}", f"{'x' * 199} {'y' * 200}"),
        (f"{'x' * 199} z {'y' * 199}", f"{'x' * 199} … {'y' * 199}"),
    ],
)
def test_a_long_anchor_is_cut_in_the_middle(anchor, shown):
    source = docx(
        '<comments><comment id="0">so</comment></comments><p><commentRangeStart id="0"/>'
        f'{anchor}<commentRangeEnd id="0"/><comment-mark id="0"/></p>'
    )
    (note,) = api.parse(source, options=ParseOptions(comments=True)).notes
    assert note.anchor == shown
