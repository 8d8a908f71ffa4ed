from __future__ import annotations

import orjson
import pytest
from case_files import cases, each_row, sections, yes
from docx_builder import PIXEL, docx

from docxchunk import api
from docxchunk.model.options import ParseOptions
from docxchunk.reader.document import _open_and_read
from docxchunk.reader.header_signals import SIGNALS, RowSetting, entries, rows_of
from docxchunk.reader.table_headers import find_headers

NAMES = ("North hill", "South hill", "West shore", "East shore", "The mill", "The moor")
PROSE = "The quick brown fox jumps over the lazy dog, and the dog lies where it lay before."


@pytest.mark.parametrize("case", cases("table_headers"))
def test_case(case):
    case.check()


LONG = "There are trees on the hills, and birds are in 10 of all them"


@pytest.mark.parametrize("case", sections("header_signals.txt"), ids=lambda case: case.title)
def test_signals(case):
    assert results(case) == case.results


def results(case):
    rows = [line.split(" | ") for line in case.source.split("\n")]
    source = "".join(f"<tr>{''.join(map(cell, row))}</tr>" for row in rows)
    _, stories = _open_and_read(
        docx(f"{STYLED}<tbl>{source.replace('LONG', LONG)}</tbl>", PICTURE), ParseOptions()
    )
    (item,) = stories.body
    return {name: VALUES[name](item) for name in case.results}


PICTURE = {"media/a.png": PIXEL}
STYLED = (
    '<styles><style id="N" name="Normal" default="1"/><style id="S" name="S" based="N"/></styles>'
)


def cell(text):
    """Return a cell; fixtures/header_signals.txt describes the signs before its text."""
    signs = text[: len(text) - len(text.lstrip("*#%^!>@"))]
    bare = text.removeprefix(signs).strip("~")
    shade = "DDDDDD" if "#" in signs else "EEEEEE" if "%" in signs else ""
    of_cell = "span='2'" * (">" in signs) + f" shade='{shade}'" * bool(shade)
    of_paragraph = "jc='center'" * ("^" in signs) + " style='S'" * ("!" in signs)
    of_run = "b='1'" * ("*" in signs)
    run = f"<r {of_run}>{bare}</r>" if bare else ""
    picture = "<pic src='a.png'/>" * ("@" in signs)
    return f"<tc {of_cell}><p {of_paragraph}>{run}{picture}</p></tc>"


def kinds(item):
    return "\n".join(" ".join(entry.kind.value for entry in entries(row)) for row in item.rows)


def signals(item):
    first, *below = map(entries, item.rows)
    rows = rows_of(first, below, RowSetting())
    values = ((signal.name, signal.value(rows)) for signal in SIGNALS)
    return ", ".join(f"{name} {value:.3g}" for name, value in values if value)


def header(item):
    return str(find_headers([item])[item.ordinal].rows)


VALUES = {"": signals, "kinds": kinds, "header": header}


def table(rows, header=""):
    """Return a table, below these rows of a header. "-" stands for a cell over all three columns,
    "=" for one over the first two, None for one without text.
    """
    cells = [
        "<tc span='3'>text</tc>"
        if row == "-"
        else "<tc span='2'>text</tc><tc>text</tc>"
        if row == "="
        else "".join(f"<tc>{cell or ''}</tc>" for cell in row)
        for row in rows
    ]
    return f"<tbl>{header}{''.join(f'<tr>{row}</tr>' for row in cells)}</tbl>"


def parsed(source):
    (result,) = api.parse(docx(source)).tables.values()
    return result


@each_row("reader", names=str.split, are_names=yes)
def test_the_first_column_names_the_rows(names, others, are_names):
    """A capital is one of NAMES, "~" is PROSE, "." an empty cell, "(a)" a row of one cell."""
    header = "<tr header='1'><tc>one</tc><tc>two</tc><tc>three</tc></tr>"
    texts = dict(zip("ABCDEF", NAMES, strict=True)) | {".": ""}
    others = others.replace("~", PROSE)
    rows = [
        name
        if name in "-="
        else (name,)
        if name[0] == "("
        else (texts.get(name, name.replace("~", PROSE).replace("_", " ")), others, others)
        for name in names
    ]
    assert parsed(table(rows, header)).header_columns == are_names


def bold(*texts, span=1, down=""):
    """Return shaded cells in bold."""
    return "".join(
        f"<tc span='{span}' shade='DDDDDD'{f' merge={down!r}' if down else ''}><p><r b='1'>{text}</r></p></tc>"
        for text in texts
    )


TITLE = f"<tr>{bold('Trees', span=3)}</tr>"
OVER = f"<tr>{bold('Place')}{bold('Trees', span=2)}</tr>"
UNDER = f"<tr>{bold('Hill', 'Kind', 'Age')}</tr>"
DATA = [(name, "beech", "old") for name in NAMES]
DOWN = [
    f"<tr>{bold('Place', down='restart')}{bold('Trees', span=2)}</tr>",
    f"<tr>{bold('', down='continue')}{bold('Kind', 'Age')}</tr>",
    f"<tr>{bold('', down='continue')}{bold('in Latin', 'in years')}</tr>",
    f"<tr>{bold('', down='continue')}{bold('(name)', '(sum)')}</tr>",
]


@pytest.mark.parametrize(
    ("header", "data", "rows"),
    [
        (OVER + UNDER, DATA, 2),
        (OVER + UNDER, DATA[:1], 2),
        (OVER + UNDER, [], 0),  # no row is left below
        (OVER + f"<tr>{bold('Hill', 'Kind', 'Kind')}</tr>", DATA, 1),  # names are different
        (OVER + f"<tr>{bold('Hill', span=2)}{bold('Kind')}</tr>", DATA, 1),  # and more
        (OVER + f"<tr>{bold('Hill', span=3)}</tr>", DATA, 1),
        (f"<tr>{bold('Place', 'Trees', 'Years')}</tr>" + UNDER, DATA, 1),  # nothing is over others
        ("".join(DOWN[:3]), DATA, 3),
        ("".join(DOWN[:4]), DATA, 0),  # at most three rows
        ("".join(DOWN[:3]), [], 0),
        (TITLE + OVER + UNDER, DATA, 3),
        (TITLE * 2 + OVER + UNDER, DATA, 3),
        (TITLE * 2 + UNDER, DATA, 3),
        (TITLE * 3 + UNDER, DATA, 0),
        (f"<tr>{bold('Trees')}</tr>" + UNDER, DATA, 0),  # a short row is no title
        ("<tr/>" + UNDER, DATA, 0),
    ],
)
def test_the_rows_of_a_header(header, data, rows):
    guess = parsed(f"<p>text</p>{table(data, header)}").header_guess
    assert (guess.count("<tr>") or len(orjson.loads(guess)) if guess else 0) == rows


@pytest.mark.parametrize(
    ("names", "more", "columns"), [("xyz", "a", 2), ("aaa", "xyz", 1), ("xyz", "", 1)]
)
def test_a_group_of_rows_is_named_in_the_first_of_three_columns(names, more, columns):
    merges = (("restart", "North"), ("continue", ""), ("continue", ""))
    rows = "".join(
        f"<tr><tc merge='{merge}'>{place}</tc><tc>{name}</tc>{f'<tc>{more}</tc>' if more else ''}</tr>"
        for (merge, place), name in zip(merges, names, strict=True)
    )
    header = f"<tr header='1'><tc>one</tc><tc>two</tc>{'<tc>three</tc>' if more else ''}</tr>"
    assert parsed(f"<tbl>{header}{rows}</tbl>").header_columns == columns


def test_a_single_column_has_the_header_that_is_marked():
    rows = "".join(f"<tr><tc>{number}</tc></tr>" for number in range(3))
    text = "<tblPr><tblCaption val='Places'/></tblPr>"
    marked = parsed(f"<tbl>{text}<tr header='1'><tc>Place</tc></tr>{rows}</tbl>")
    assert marked.header == '[["Place"]]'
    unmarked = f"<tr>{bold('Place')}</tr>{rows}"
    for source in (unmarked, unmarked.replace("<tr>", "<tr header='1'>")):
        plain = parsed(f"<tbl>{text}{source}</tbl>")
        assert plain.header is plain.header_guess is None


def test_no_inferred_header_is_certain():
    header = "".join(
        f"<tc shade='DDDDDD'><p jc='center'><r b='1'>{name}</r></p></tc>"
        for name in ("Type", "Value", "Unit")
    )
    rows = "".join(
        f"<tr><tc>{name}</tc><tc>{k}</tc><tc>{k}%</tc></tr>" for k, name in enumerate(NAMES)
    )
    assert parsed(f"<tbl><tr>{header}</tr>{rows}</tbl>").header_confidence == 0.99
