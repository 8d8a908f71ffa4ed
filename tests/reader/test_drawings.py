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


def values_in_rows_of_their_own(n: int) -> str:
    series = '<c:ser><c:val><c:pt idx="{}"><c:v>1</c:v></c:pt></c:val></c:ser>'
    return f"<c:chartSpace>{''.join(map(series.format, range(n)))}</c:chartSpace>"


def a_level_above_many_categories(n: int) -> str:
    inner = "".join(f'<c:pt idx="{i}"><c:v>{i}</c:v></c:pt>' for i in range(n))
    outer = f'<c:pt idx="0"><c:v>{"x" * 10 * n}</c:v></c:pt>'
    levels = f"<c:lvl>{inner}</c:lvl><c:lvl>{outer}</c:lvl>"
    return f"<c:chartSpace><c:ser><c:cat>{levels}</c:cat></c:ser></c:chartSpace>"


def data_of_many_series(n: int) -> str:
    points = "".join(f'<cx:pt idx="{i}">1</cx:pt>' for i in range(n))
    data = f'<cx:data id="0"><cx:numDim>{points}</cx:numDim></cx:data>'
    shown = '<cx:series><cx:dataId val="0"/></cx:series>' * n
    return f"<cx:chartSpace>{data}{shown}</cx:chartSpace>"


@pytest.mark.parametrize(
    "make", [values_in_rows_of_their_own, a_level_above_many_categories, data_of_many_series]
)
def test_a_chart_has_no_values_if_its_table_would_be_far_larger_than_what_is_stored(make):
    shown = '<p>a<r><drawing><c:chart r:id="c.xml"/></drawing></r></p>'
    for n, rows, issues in ((20, 21, []), (300, 0, ["unsupported-object"])):
        document = api.parse(docx(shown, {"charts/c.xml": make(n)}), name="a.docx")
        (drawing,) = document.drawings.values()
        assert len(drawing.data) == rows
        assert [issue.code for issue in document.issues] == issues
