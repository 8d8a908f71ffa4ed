import pytest
from case_files import cases
from docx_builder import docx

from docxchunk import api


@pytest.mark.parametrize("case", cases("drawings"))
def test_case(case):
    case.check()


def test_text_that_is_drawn_into_a_chart():
    kind = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships/chartUserShapes"
    parts = {
        "charts/chart1.xml": "<c:chartSpace/>",
        "charts/_rels/chart1.xml.rels": b"<Relationships xmlns="
        b'"http://schemas.openxmlformats.org/package/2006/relationships">'
        b'<Relationship Id="a" Type="%b" Target="drawing1.xml"/>'
        b'<Relationship Id="b" Type="%b" Target="none.xml"/></Relationships>' % (kind, kind),
        "charts/drawing1.xml": "<c:userShapes><junk:sp><a:p><a:r><a:t>Source: </a:t></a:r><a:r>"
        "<a:t>a survey</a:t></a:r></a:p><a:p/></junk:sp></c:userShapes>",
    }
    chart = '<p>a<r><drawing><c:chart r:id="chart1.xml"/></drawing></r></p><p>b</p>'
    (block,) = api.parse(docx(chart, parts)).blocks
    assert block.content.split("\n")[1:] == ["Source: a survey", "b"]
