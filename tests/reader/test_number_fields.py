import pytest
from case_files import cases
from compact_xml import Writer

from docxchunk.ooxml.field_codes import FieldNumbers, FieldPosition, NumberField, number_field
from docxchunk.ooxml.numbering import Counters, Numbering

IN_TEXT = FieldPosition(depth=-1, heading=0, leads=False, previous=None)
LEADING = IN_TEXT._replace(leads=True)


@pytest.mark.parametrize("case", cases("number_fields"))
def test_case(case):
    case.check()


@pytest.mark.parametrize(
    ("code", "field"),
    [
        ("LISTNUM", NumberField("LISTNUM")),
        (' listnum "My list" \\l 3 \\s 5 ', NumberField("LISTNUM", "My list", 2, 5)),
        ("LISTNUM NumberDefault\n\\L 1", NumberField("LISTNUM", "NumberDefault", 0)),
        ("LISTNUM \\l 0", NumberField("LISTNUM", level=0)),
        ("LISTNUM \\l 9", NumberField("LISTNUM", level=8)),
        ("LISTNUM \\l 10", NumberField("LISTNUM", level=8)),
        ("LISTNUM \\l x", NumberField("LISTNUM")),
        ("AutoNumLgl \\e", NumberField("AUTONUMLGL")),
        ("AUTONUMOUT", NumberField("AUTONUMOUT")),
        ("AUTONUM \\* Roman", NumberField("AUTONUM")),
        ("LISTNUMBER", None),
        ("AUTONUMBER", None),
        ("SEQ LISTNUM", None),
        ("", None),
    ],
)
def test_codes_of_number_fields(code, field):
    assert number_field(code) == field


@pytest.mark.parametrize(
    ("position", "level", "text"),
    [
        (LEADING, 0, "1)"),
        (IN_TEXT, 2, "i)"),
        (IN_TEXT._replace(depth=0), 1, "a)"),
        (IN_TEXT._replace(depth=7), 8, "i."),
        (IN_TEXT._replace(depth=8), 8, "i."),
        (IN_TEXT._replace(depth=3, previous=5), 5, "(i)"),
        (LEADING._replace(previous=0), 1, "a)"),
        (LEADING._replace(previous=7), 8, "i."),
        (LEADING._replace(previous=8), 8, "i."),
    ],
)
def test_level_of_a_field_whose_code_has_none(position, level, text):
    numbers = FieldNumbers(Counters(Numbering(None)))
    field = NumberField("LISTNUM", "NumberDefault")
    assert numbers.next(field, position) == (text, level)
    # the code has precedence
    assert numbers.next(field._replace(level=6), position)[1] == 6
    # a paragraph without a list has the last level
    assert numbers.next(field, IN_TEXT)[1] == 6


def test_a_standard_list_that_the_file_defines_as_bullets_has_no_numbers():
    source = (
        '<abstractNum abstractNumId="1"><name val="NumberDefault"/><lvl ilvl="0"><numFmt '
        'val="bullet"/><lvlText val="-"/></lvl></abstractNum><num numId="1"><abstractNumId '
        'val="1"/></num>'
    )
    numbers = FieldNumbers(Counters(Numbering(Writer().tree("numbering", source))))
    assert numbers.next(NumberField("LISTNUM"), LEADING) == ("", 0)


def test_automatic_numbers_are_one_level_below_the_last_heading_with_such_a_field():
    numbers = FieldNumbers(Counters(Numbering(None)))
    legal, outline = NumberField("AUTONUMLGL"), NumberField("AUTONUMOUT")
    heading = [IN_TEXT._replace(heading=number) for number in range(10)]
    assert numbers.next(legal, IN_TEXT) == ("1.", 0)
    assert numbers.next(legal, heading[2]) == ("1.1.", 1)
    assert numbers.next(legal, IN_TEXT) == ("1.1.1.", 2)
    assert numbers.next(legal, IN_TEXT) == ("1.1.2.", 2)
    assert numbers.next(outline, IN_TEXT) == ("I.", 0)  # those headings had other fields
    assert numbers.next(legal, heading[9])[1] == 8
    assert numbers.next(legal, IN_TEXT)[1] == 8
