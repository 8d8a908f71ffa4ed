"""Effective formatting from styles, document defaults and direct formatting."""

import pytest
from compact_xml import Writer
from docx_builder import docx
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.model.options import Limits, ParseOptions
from docxchunk.ooxml.formatting import Layout, Look, layout_signature, paragraph_format
from docxchunk.ooxml.numbering import Counters, Numbering
from docxchunk.ooxml.package import open_package
from docxchunk.ooxml.styles import Styles
from docxchunk.reader.paragraphs import Paragraph, read_paragraph
from docxchunk.reader.prescan import Marks
from docxchunk.reader.state import DocumentState, Environment, State

STYLES = """
<docDefaults><rPrDefault><rPr><sz val="22"/><rFonts ascii="Arial" eastAsia="SimSun"/></rPr></rPrDefault>
<pPrDefault><pPr><spacing after="160"/></pPr></pPrDefault></docDefaults>
<style id="N" name="Normal" default="1"/>
<style id="A" name="A" based="N"><pPr><jc val="center"/><ind left="720" hanging="360"/></pPr><rPr><b/><sz val="28"/><color val="2e74b5"/></rPr></style>
<style id="B" name="B" based="A"><rPr><b val="0"/><i/></rPr></style>
<style id="C" type="character" name="C"><rPr><b/><u val="single"/></rPr></style>
"""
NORMAL = Look(size=22, font="Arial", font_asia="SimSun")


def _styles(source: str = STYLES) -> Styles:
    return Styles(Writer().tree("styles", source))


def _flow(styles: Styles) -> State:
    package = open_package(docx(""), Limits())
    env = Environment(package, package.main, styles, Numbering(None), ParseOptions(), Marks(), {})
    return State(env, DocumentState(Counters(env.numbering)))


def _paragraph(source: str, style: str = "N") -> Paragraph:
    styled = f'<pPr><pStyle val="{style}"/></pPr>{source}'
    read = read_paragraph(Writer().tree("p", styled), _flow(_styles()), None)
    assert isinstance(read, Paragraph)
    return read


@pytest.mark.parametrize(
    ("style", "source", "look"),
    [
        ("N", "<r>text</r>", NORMAL),
        ("A", "<r>text</r>", NORMAL._replace(bold=True, size=28, color="2E74B5")),
        ("B", "<r>text</r>", NORMAL._replace(italic=True, size=28, color="2E74B5")),
        ("N", '<r style="C">text</r>', NORMAL._replace(bold=True, underline=True)),
        ("N", '<r style="C" b="0">text</r>', NORMAL._replace(underline=True)),
        ("A", '<r color="auto">text</r>', NORMAL._replace(bold=True, size=28)),
        ("N", '<r b="1">long</r><r>!</r>', NORMAL._replace(bold=True)),
        ("N", '<r b="1">a</r><ins><r>longer</r></ins>', NORMAL),
        ("N", "", None),
    ],
)
def test_look_of_a_line_is_that_of_most_letters(style, source, look):
    assert _paragraph(source, style).look == look


@pytest.mark.parametrize(
    ("source", "bold"),
    [('<r b="1">a</r><r b="1" i="1">b</r>', True), ('<r b="1">all but</r><r>one</r>', False)],
)
def test_bold_throughout(source, bold):
    assert _paragraph(source).bold is bold


def test_look_of_long_text():
    assert _paragraph(f'<r b="1">Term.</r><r>{"What it means. " * 20}</r>').look == NORMAL


def test_layout_inherits_from_the_base_style():
    assert [_styles().paragraph(name).layout for name in "NB"] == [
        Layout(after=160),
        Layout("center", left=720, first=-360, after=160),
    ]


@pytest.mark.parametrize(
    ("stronger", "weaker", "name", "sign"),
    [
        ("left", "start", "left", 1),
        ("right", "end", "right", 1),
        ("hanging", "firstLine", "first", -1),
    ],
)
@given(values=st.dictionaries(st.booleans(), st.integers(0, 999)))
def test_of_two_names_of_an_indent_the_stronger_counts(stronger, weaker, name, sign, values):
    """17.3.1.12: firstLine is ignored beside hanging, even beside one of 0."""
    indent = "".join(f' {stronger if key else weaker}="{value}"' for key, value in values.items())
    children = Writer().tree("p", f"<pPr><ind{indent}/></pPr>")[0]
    expected = sign * values[True] if True in values else values.get(False)
    assert getattr(paragraph_format(layout_signature(children)), name) == expected


@pytest.mark.parametrize(
    ("spacing", "line", "rule"),
    [
        ("", 276, "auto"),
        ('<spacing line="360" lineRule="exact"/>', 360, "exact"),
        ('<spacing line="360" lineRule="atLeast"/>', 360, "atLeast"),
        ('<spacing line="480"/>', 480, "auto"),
        ('<spacing lineRule="exact"/>', 276, "auto"),  # of no line
        ('<spacing line="much" lineRule="exact"/>', 276, "auto"),
    ],
)
def test_line_spacing_and_its_rule(spacing, line, rule):
    styles = _styles(
        "<docDefaults><pPrDefault><pPr><spacing "
        'line="276"/></pPr></pPrDefault></docDefaults><style id="N" default="1"/>'
    )
    children = Writer().tree("p", f"<pPr>{spacing}</pPr>")[0]
    found = styles.layout(styles.paragraph(None).id, layout_signature(children), in_table=False)
    assert (found.line, found.line_rule) == (line, rule)


def test_default_spacing_does_not_apply_in_tables():
    styles = _styles(
        f'{STYLES}<style id="S"><pPr><spacing before="80"/><contextualSpacing/></pPr></style>'
    )
    normal, spaced = styles.paragraph("N"), styles.paragraph("S")
    assert (normal.layout.after, normal.cell_layout.after) == (160, 0)
    assert spaced.cell_layout == Layout(before=80, contextual=True)
    signature = layout_signature(Writer().tree("p", '<pPr><spacing after="40"/></pPr>')[0])
    assert styles.layout(normal.id, signature, in_table=True) == Layout(after=40)


def test_invalid_sizes_are_ignored():
    styles = _styles('<style id="N" default="1"><rPr><sz val="many"/></rPr></style>')
    assert styles.paragraph(None).look == Look()
