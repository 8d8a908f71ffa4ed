import io
import re
import zipfile

import pytest
from case_files import cases
from docx_builder import docx, zipped

from docxchunk import api


@pytest.mark.parametrize("case", cases("story"))
def test_case(case):
    case.check()


def test_a_second_body_is_read_as_well():
    data = docx("<p>one</p>")
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        files = {name: package.read(name) for name in package.namelist()}
    body = re.search(rb"<w:body>.*</w:body>", files["word/document.xml"], re.DOTALL)[0]
    files["word/document.xml"] = files["word/document.xml"].replace(
        body, body + body.replace(b"one", b"two")
    )
    assert api.parse(zipped(files)).blocks[0].content == "one\ntwo"
