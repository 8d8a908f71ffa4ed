import pytest
from case_files import cases, each_row
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


def values_in_rows_of_their_own(n: int) -> str:
    series = '<c:ser><c:val><c:pt idx="{}"><c:v>1</c:v></c:pt></c:val></c:ser>'
    return f"<c:chartSpace>{''.join(map(series.format, range(n)))}</c:chartSpace>"


def test_a_chart_has_no_values_if_its_table_would_be_far_larger_than_what_is_stored():
    shown = '<p>a<r><drawing><c:chart r:id="c.xml"/></drawing></r></p>'
    for n, rows, issues in ((20, 21, []), (300, 0, ["unsupported-object"])):
        parts = {"charts/c.xml": values_in_rows_of_their_own(n)}
        document = api.parse(docx(shown, parts), name="a.docx")
        (drawing,) = document.drawings.values()
        assert len(drawing.data) == rows
        assert [issue.code for issue in document.issues] == issues


@each_row("reader")
def test_formats_of_dates(code, shown):
    """18.8.31."""
    values = f'<c:formatCode>{code}</c:formatCode><c:pt idx="0"><c:v>1.5</c:v></c:pt>'
    chart = f"<c:chartSpace><c:ser><c:val>{values}</c:val></c:ser></c:chartSpace>"
    shown_by = '<p>a<r><drawing><c:chart r:id="c.xml"/></drawing></r></p>'
    (drawing,) = api.parse(docx(shown_by, {"charts/c.xml": chart})).drawings.values()
    assert drawing.data[1][1] == shown
