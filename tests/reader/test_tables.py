import orjson
import pytest
from case_files import cases
from docx_builder import docx

from docxchunk import api


@pytest.mark.parametrize("case", cases("tables"))
def test_case(case):
    case.check()


@pytest.mark.parametrize(("rows", "is_padded"), [(50, True), (51, False)])
def test_short_rows_are_padded_unless_most_of_the_table_would_be_blank(rows, is_padded):
    first = "<tr>" + "<tc>a</tc>" * 26 + "</tr>"
    source = f"<tbl>{first}{'<tr><tc>b</tc></tr>' * (rows - 1)}</tbl>"
    (table,) = api.parse(docx(source)).tables.values()
    assert {len(row) for row in orjson.loads(table.content)} == ({26} if is_padded else {26, 1})
