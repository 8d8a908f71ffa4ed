import pytest
from case_files import cases
from paragraph import PARAGRAPH

from docxchunk.model.blocks import HeadingSource
from docxchunk.ooxml.styles import OutlineLevel
from docxchunk.reader.blocks import with_contents_titles
from docxchunk.reader.text import OBJECT


@pytest.mark.parametrize("case", cases("blocks"))
def test_case(case):
    case.check()


@pytest.mark.parametrize(
    ("properties", "is_title"),
    [
        ({"raw": "Contents"}, True),
        ({"raw": "x" * 40}, True),
        ({"raw": "x" * 41}, False),
        ({"raw": "Figures: all"}, False),
        ({"raw": "Contents", "label": "1. "}, False),
        ({"raw": "Contents", "outline": OutlineLevel(1, HeadingSource.STYLE)}, False),
        ({"raw": f"Contents {OBJECT}"}, False),
    ],
)
def test_a_short_line_before_a_table_of_contents_is_its_title(properties, is_title):
    entry = PARAGRAPH._replace(raw="One", is_toc=True)
    items = [PARAGRAPH._replace(raw="text"), PARAGRAPH._replace(**properties), PARAGRAPH, entry]
    assert [item.is_toc for item in with_contents_titles(items)] == [False, is_title, False, True]
