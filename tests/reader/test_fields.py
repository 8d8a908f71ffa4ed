import pytest
from case_files import cases
from docx_builder import docx

import docxchunk
from docxchunk.model.document import IssueCode


@pytest.mark.parametrize("case", cases("fields"))
def test_case(case):
    case.check()


def test_text_that_fields_repeat_too_often_is_left_out_with_an_issue():
    title = '<p style="Heading1">' + "word " * 150 + "</p>"
    document = docxchunk.parse(docx(title + '<p>A<fldSimple instr="STYLEREF 1"/></p>' * 200))
    text = "".join(block.content for block in document.blocks)
    assert text.count("word") == 150 * (1 + 100_000 // (5 * 150 - 1))
    assert [i.code for i in document.issues].count(IssueCode.FIELD_WITHOUT_RESULT) == 1
