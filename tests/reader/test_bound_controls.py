import zipfile
from io import BytesIO

import pytest
from case_files import cases
from docx_builder import docx, zipped

from docxchunk import api

CORE = """<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"
 xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Harbour Plan</dc:title></cp:coreProperties>"""
CONTROL = """<sdt><sdtPr><dataBinding
 prefixMappings="xmlns:a='http://purl.org/dc/elements/1.1/' xmlns:b='http://schemas.openxmlformats.org/package/2006/metadata/core-properties'"
 xpath="/b:coreProperties[1]/a:title[1]" storeItemID="{6C3C8BC8-F283-45AE-878A-BAB7291924A1}"/><text/></sdtPr>
<sdtContent><p style="Heading1">[Title]</p></sdtContent></sdt>"""
RELATED = b'Target="docProps/core.xml" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"'


@pytest.mark.parametrize("case", cases("bound_controls"))
def test_case(case):
    case.check()


def test_a_control_shows_the_title_of_the_document():
    with zipfile.ZipFile(BytesIO(docx(CONTROL))) as file:
        files = {name: file.read(name) for name in file.namelist()}
    relationships = files["_rels/.rels"].replace(
        b"</Rel", b'<Relationship Id="core" ' + RELATED + b"/></Rel", 1
    )
    files |= {"docProps/core.xml": CORE.encode(), "_rels/.rels": relationships}
    assert api.parse(zipped(files), name="d.docx").blocks[0].heading == "Harbour Plan"
