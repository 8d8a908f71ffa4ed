"""The text of workbooks."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress

import pytest
from docx_builder import zipped
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.errors import InputError, LimitError
from docxchunk.model.options import Limits
from docxchunk.ooxml.workbook import CELL, Sheet, read_workbook

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def workbook(
    *sheets: str,
    state: str = "visible",
    properties: str = "",
    strings: str = "",
    styles: str = "",
    listed_again: str = "",
) -> bytes:
    """Return a workbook. Each sheet is given as the XML of its rows."""
    listed = "".join(
        f'<sheet name="S{i}" sheetId="{i}" r:id="s{i}" state="{state if i == 2 else "visible"}"/>'
        for i in range(1, len(sheets) + 1)
    )
    links = {f"s{i}": ("worksheet", f"sheet{i}.xml") for i in range(1, len(sheets) + 1)}
    links |= {"strings": ("sharedStrings", "strings.xml"), "styles": ("styles", "styles.xml")}
    parts = {
        f"xl/sheet{i}.xml": f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>'
        for i, rows in enumerate(sheets, 1)
    }
    parts["xl/workbook.xml"] = (
        f'<workbook xmlns="{MAIN}" '
        f'xmlns:r="{OFFICE}">{properties}<sheets>{listed}{listed_again}</sheets></workbook>'
    )
    parts["xl/strings.xml"] = f'<sst xmlns="{MAIN}">{strings}</sst>'
    parts["xl/styles.xml"] = f'<styleSheet xmlns="{MAIN}">{styles}</styleSheet>'
    parts["core.xml"] = "<core/>"
    parts["_rels/.rels"] = related(
        {
            "core": ("core-properties", "core.xml"),
            "gone": ("officeDocument", "gone.xml"),
            "main": ("officeDocument", "xl/workbook.xml"),
        }
    )
    parts["xl/_rels/workbook.xml.rels"] = related(links)
    return zipped({name: text.encode() for name, text in parts.items()})


def related(links: dict[str, tuple[str, str]]) -> str:
    said = "".join(
        f'<Relationship Id="{key}" Type="{OFFICE}/{kind}" Target="{target}"/>'
        for key, (kind, target) in links.items()
    )
    return (
        "<Relationships "
        f'xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{said}</Relationships>'
    )


def test_kinds_of_cells():
    rows = (
        '<row><c t="s"><v>1</v></c><c t="inlineStr"><is><r><t>in '
        '</t></r><r><t>line</t></r><rPh><t>no</t></rPh></is></c><c t="b"><v>1</v></c></row>'
        '<row><c t="str"><f>A1</f><v>text</v></c><c><v>1.0000000000000001E-2</v></c><c '
        't="e"><v>#N/A</v></c></row>'
        '<row><c t="s"><v>9</v></c><c t="b"><v>0</v></c><c><v>42</v></c></row>'
        '<row><c t="str"><v>007</v></c><c t="inlineStr"/><c t="s"><v>2</v></c></row>'
    )
    strings = "<si><t>zero</t></si><si><t>one\n two</t></si><si><t/><r/><r><t>x</t></r></si>"
    assert read_workbook(workbook(rows, strings=strings), Limits()) == [
        Sheet(
            "S1",
            [
                ["one two", "in line", "TRUE"],
                ["text", "0.01", "#N/A"],
                ["", "FALSE", "42"],
                ["007", "", "x"],
            ],
        )
    ]


def test_dates():
    styles = (
        '<numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm"/><numFmt numFmtId="165" '
        'formatCode="0.0&quot; days&quot;"/></numFmts>'
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf '
        'numFmtId="165"/></cellXfs>'
    )
    rows = (
        '<row><c s="1"><v>45000</v></c><c s="2"><v>45000.5</v></c><c '
        's="3"><v>45000</v></c><c s="1"><v>0.25</v></c><c s="1"><v>9e9</v></c></row>'
    )
    [sheet] = read_workbook(workbook(rows, styles=styles), Limits())
    assert sheet.rows == [["2023-03-15", "2023-03-15 12:00:00", "45000", "06:00:00", "9000000000"]]
    [sheet] = read_workbook(
        workbook(rows, styles=styles, properties='<workbookPr date1904="1"/>'), Limits()
    )
    assert sheet.rows[0][0] == "2027-03-16"
    for properties in ("<workbookPr/>", '<workbookPr date1904="0"/>'):
        [sheet] = read_workbook(workbook(rows, styles=styles, properties=properties), Limits())
        assert sheet.rows[0][0] == "2023-03-15"


@pytest.mark.parametrize(
    ("number", "date", "date_from_1904"),
    [
        ("-1", "-1", "-1"),
        ("0", "00:00:00", "00:00:00"),
        ("0.5", "12:00:00", "12:00:00"),
        ("1", "1900-01-01", "1904-01-02"),
        ("59.5", "1900-02-28 12:00:00", "1904-02-29 12:00:00"),
        ("60", "1900-02-28", "1904-03-01"),
        ("61", "1900-03-01", "1904-03-02"),  # after a leap day of Excel's own
        ("2957003", "9995-12-30", "9999-12-31"),
        ("2957004", "9995-12-31", "2957004"),
        ("2958465", "9999-12-31", "2958465"),
        ("2958465.9999999", "2958465.9999999", "2958465.9999999"),
        ("2958466", "2958466", "2958466"),
        ("1e300", "1e+300", "1e+300"),
        ("INF", "inf", "inf"),
        ("NaN", "nan", "nan"),
    ],
)
def test_first_and_last_dates(number, date, date_from_1904):
    styles = '<cellXfs><xf numFmtId="14"/></cellXfs>'
    for properties, shown in (("", date), ('<workbookPr date1904="1"/>', date_from_1904)):
        data = workbook(f"<row><c><v>{number}</v></c></row>", styles=styles, properties=properties)
        assert read_workbook(data, Limits()) == [Sheet("S1", [[shown]])]


def test_built_in_formats_of_dates_and_times():
    numbers = range(100)
    styles = "".join(f'<xf numFmtId="{number}"/>' for number in numbers)
    cells = "".join(f'<c s="{number}"><v>45000</v></c>' for number in numbers)
    data = workbook(f"<row>{cells}</row>", styles=f"<cellXfs>{styles}</cellXfs>")
    [sheet] = read_workbook(data, Limits())
    dates = [number for number in numbers if sheet.rows[0][number] == "2023-03-15"]
    assert dates == [*range(14, 23), 45, 47]  # 18.8.30
    assert sheet.rows[0][46] == "1080000:00:00"


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("yyyy\\-mm", "1900-01-01 12:00:00"),
        ("HH:MM", "1900-01-01 12:00:00"),
        ("[$-409]d", "1900-01-01 12:00:00"),
        ("(d)", "1900-01-01 12:00:00"),
        ("[h]:mm", "36:00:00"),
        ("[Red][MM]:ss", "36:00:00"),
        ("[s]", "36:00:00"),
        ("[hs]", "1.5"),
        ("0.0&quot; days&quot;", "1.5"),
        ("&quot;[h]&quot;0", "1.5"),
        ("0\\d", "1.5"),
        ("0_d*s", "1.5"),
        ("[Red]0.00E+00", "1.5"),
        ("General", "1.5"),
        ("", "1.5"),
    ],
)
def test_formats_of_dates_and_elapsed_times(code, shown):
    """18.8.31."""
    styles = (
        f'<numFmts><numFmt numFmtId="164" formatCode="{code}"/></numFmts>'
        '<cellXfs><xf numFmtId="164"/></cellXfs>'
    )
    data = workbook("<row><c><v>1.5</v></c></row>", styles=styles)
    assert read_workbook(data, Limits()) == [Sheet("S1", [[shown]])]


@pytest.mark.parametrize(
    ("days", "hours"),
    [("0", "00:00:00"), ("0.25", "06:00:00"), ("1.66672454", "40:00:05"), ("100", "2400:00:00")],
)
def test_elapsed_times(days, hours):
    styles = '<cellXfs><xf numFmtId="46"/></cellXfs>'
    for number, shown in ((days, hours), ("1e300", "1e+300"), ("-1", "-1")):
        data = workbook(f"<row><c><v>{number}</v></c></row>", styles=styles)
        assert read_workbook(data, Limits()) == [Sheet("S1", [[shown]])]


@pytest.mark.parametrize("state", ["hidden", "veryHidden"])  # 18.18.68
def test_empty_rows_and_columns_and_hidden_sheets_are_left_out(state):
    rows = '<row/><row><c r="B2"><v>1</v></c><c r="XFD2"><v>2</v></c></row><row><c r="B9"/></row>'
    assert read_workbook(workbook(rows, rows, "", state=state), Limits()) == [
        Sheet("S1", [["1", "2"]])
    ]


def test_a_sheet_that_is_listed_twice_is_read_once():
    again = '<sheet name="again" r:id="s1"/><sheet name="no sheet" r:id="strings"/>'
    again += '<sheet name="no such id" r:id="zzz"/><sheet name="no id"/>'
    rows = '<row><c t="str"><v>a</v></c></row>'
    strings = "<sheetData><row><c><v>1</v></c></row></sheetData>"
    assert read_workbook(workbook(rows, strings=strings, listed_again=again), Limits()) == [
        Sheet("S1", [["a"]])
    ]


def test_columns_are_in_the_order_of_their_letters():
    names = ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA", "XFD"]
    cells = "".join(f'<c r="{name}1" t="str"><v>{name}</v></c>' for name in reversed(names))
    assert read_workbook(workbook(f"<row>{cells}</row>"), Limits()) == [Sheet("S1", [names])]


def test_a_cell_without_a_reference_is_in_the_column_after_the_one_before_it():
    rows = (
        '<row><c><v>1</v></c><c r="B1"><v>2</v></c><c r="Z1"><v>3</v></c><c><v>4</v></c></row>'
        '<row><c r="AA2x"/><c r="AA2"><v>5</v></c><c r="A3B"><v>6</v></c></row>'
    )
    assert read_workbook(workbook(rows), Limits()) == [
        Sheet("S1", [["1", "2", "3", "4", ""], ["", "", "", "5", "6"]])
    ]


@pytest.mark.parametrize("index", ["1", "-1", "1.0", "\u0661", "9" * 5000, ""])
def test_what_is_no_index_is_that_of_nothing(index):
    rows = f'<row><c t="s"><v>{index}</v></c><c s="{index}"><v>45000</v></c></row>'
    strings, styles = "<si><t>a</t></si>", '<cellXfs><xf numFmtId="14"/></cellXfs>'
    found = read_workbook(workbook(rows, strings=strings, styles=styles), Limits())
    assert found == [Sheet("S1", [["45000"]])]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x03\x04",
        zipped({"a.txt": b"a"}),
        zipped({"_rels/.rels": related({"m": ("officeDocument", "x.xml")}).encode()}),
    ],
)
def test_other_bytes_are_not_a_workbook(data):
    with pytest.raises(InputError):
        read_workbook(data, Limits())


def test_the_limit_is_for_all_sheets_together():
    rows = f'<row><c t="str"><v>{"x" * 100}</v></c></row>'
    limits = Limits(imported=2 * (100 + CELL))
    assert len(read_workbook(workbook(rows, rows), limits)) == 2
    with pytest.raises(LimitError):
        read_workbook(workbook(rows, rows, rows), limits)
    with pytest.raises(LimitError):
        read_workbook(workbook(rows, rows), Limits(imported=2 * (100 + CELL) - 1))


def test_every_place_of_a_table_counts():
    rows = '<row><c r="A1"><v>1</v></c></row><row><c r="B2"><v>2</v></c></row>'
    assert len(read_workbook(workbook(rows), Limits(imported=2 + 4 * CELL))) == 1
    with pytest.raises(LimitError):
        read_workbook(workbook(rows), Limits(imported=2 + 4 * CELL - 1))


@pytest.mark.parametrize("is_listed", [True, False])
def test_parts_of_a_workbook_may_be_missing(is_listed):
    rows = '<row><c t="s"><v>0</v></c><c s="1"><v>45000</v></c></row>'
    with zipfile.ZipFile(io.BytesIO(workbook(rows, rows))) as whole:
        parts = {name: whole.read(name) for name in whole.namelist()}
    for name in ("strings.xml", "styles.xml", "sheet1.xml"):
        del parts[f"xl/{name}"]
    if not is_listed:
        sheets = {"s2": ("worksheet", "sheet2.xml")}
        parts["xl/_rels/workbook.xml.rels"] = related(sheets).encode()
    assert read_workbook(zipped(parts), Limits()) == [Sheet("S2", [["45000"]])]


def test_limit():
    with pytest.raises(LimitError, match="elements"):
        read_workbook(workbook("<row/>" * 100), Limits(elements=50))


@given(st.integers(0, 2000), st.binary(max_size=20))
def test_damaged_workbooks(at, junk):
    data = workbook("<row><c><v>1</v></c></row>")
    with suppress(InputError):
        assert all(
            len(row) == len(sheet.rows[0])
            for sheet in read_workbook(data[:at] + junk + data[at + len(junk) :], Limits())
            for row in sheet.rows
        )


KINDS = st.sampled_from(["n", "s", "b", "str", "e", "inlineStr", "d", "odd"])
VALUES = st.one_of(
    st.floats().map(repr),
    st.integers().map(str),
    st.sampled_from(["", "x", "9" * 400, "9" * 5000, "\u0661", "2958465.9999999"]),
)


@given(st.lists(st.tuples(KINDS, VALUES, VALUES), max_size=5), st.integers(0, 1))
def test_any_value_can_be_read(cells, date1904):
    row = "".join(f'<c t="{t}" s="{style}"><v>{value}</v></c>' for t, style, value in cells)
    data = workbook(
        f"<row>{row}</row>",
        properties=f'<workbookPr date1904="{date1904}"/>',
        strings="<si><t>a</t></si>",
        styles='<cellXfs><xf numFmtId="14"/><xf numFmtId="0"/></cellXfs>',
    )
    assert all(row for sheet in read_workbook(data, Limits()) for row in sheet.rows)
