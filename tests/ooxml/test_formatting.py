"""Effective formatting from styles, document defaults and direct formatting."""

from itertools import islice

import pytest
from case_files import each_row, yes
from compact_xml import Writer
from docx_builder import docx
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.model.blocks import HeadingSource
from docxchunk.model.options import Limits, ParseOptions
from docxchunk.ooxml.formatting import (
    Emphasis,
    Look,
    ParagraphLayout,
    TextArea,
    is_monospaced,
    layout_signature,
    paragraph_format,
    run_format,
    run_signature,
    text_area,
)
from docxchunk.ooxml.numbering import Counters, Numbering
from docxchunk.ooxml.package import open_package
from docxchunk.ooxml.styles import BODY, OutlineLevel, Styles, outline_level
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
    read = read_paragraph(Writer().tree("p", styled), _flow(_styles()))
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
        # a toggle that both styles set is off (17.7.3)
        ("A", '<r style="C">text</r>', NORMAL._replace(underline=True, size=28, color="2E74B5")),
        (
            "A",
            '<r style="C" b="1">text</r>',
            NORMAL._replace(bold=True, underline=True, size=28, color="2E74B5"),
        ),
        ("A", '<r color="auto">text</r>', NORMAL._replace(bold=True, size=28)),
        ("N", '<r caps="1">text</r>', NORMAL._replace(caps=True)),
        ("N", "<r><rPr><smallCaps/></rPr>text</r>", NORMAL._replace(caps=True)),
        ("N", '<r><rPr><sz val="0"/></rPr>text</r>', NORMAL._replace(size=20)),
        ("N", '<r><rPr><sz val="-4"/></rPr>text</r>', NORMAL._replace(size=1)),
        ("N", '<r b="1">long</r><r>!</r>', NORMAL._replace(bold=True)),
        ("N", '<r b="1">a</r><ins><r>longer</r></ins>', NORMAL),
        ("N", "", None),
    ],
)
def test_look_of_a_line_is_that_of_most_letters(style, source, look):
    assert _paragraph(source, style).look == look


def test_toggles_of_the_document_defaults_are_on_whatever_the_styles_set():
    styles = _styles(
        "<docDefaults><rPrDefault><rPr><b/><i/><caps/></rPr></rPrDefault></docDefaults>"
        '<style id="P" name="P"><rPr><b/><i val="0"/></rPr></style>'
        '<style id="C" type="character"><rPr><b/><caps val="0"/></rPr></style>'
    )
    own = Writer().tree("rPr", '<rStyle val="C"/>')
    on = styles.look("P", run_signature(own))
    assert (on.bold, on.italic, on.caps) == (True, True, True)


def test_of_two_styles_with_an_id_the_first_counts_and_of_two_defaults_the_last():
    """17.7.4.17."""
    styles = _styles(
        '<style id="N" name="a" default="1"/><style id="A" name="b"/><style id="A" name="c"/>'
        '<style id="M" name="d" default="1"/><style id="T" type="table" default="1"/>'
        '<style id="Z" name="e" default="0"/>'
    )
    assert styles.paragraph("A").name == "b"
    assert [styles.paragraph(name).id for name in (None, "N", "unknown")] == ["M", "N", "M"]
    assert _styles('<style id="A" name="b"/>').paragraph(None).id == ""


@pytest.mark.parametrize(
    ("source", "bold"),
    [('<r b="1">a</r><r b="1" i="1">b</r>', True), ('<r b="1">all but</r><r>one</r>', False)],
)
def test_bold_throughout(source, bold):
    assert _paragraph(source).bold is bold


@each_row("ooxml", expected=yes)
def test_monospaced_fonts_are_known_by_their_names(font, expected):
    assert is_monospaced(font) == expected


def test_look_of_long_text():
    assert _paragraph(f'<r b="1">Term.</r><r>{"What it means. " * 20}</r>').look == NORMAL


@pytest.mark.parametrize(
    ("base", "kind"),
    [
        ('name="toc 3"', ("is_toc",)),
        ('name="caption"', ("is_caption",)),
        ('name="Title"', ("is_title",)),
        ('name="toc 1"><rPr><vanish/></rPr', ("hidden", "is_toc")),
        ('name="other"', ()),
    ],
)
def test_what_a_style_is_for_comes_from_its_base_style(base, kind):
    end = "/>" if "<" not in base else "></style>"
    styles = _styles(f'<style id="A" {base}{end}<style id="B" based="A" name="B"/>')
    names = ("hidden", "is_toc", "is_caption", "is_title")
    for style in map(styles.paragraph, "AB"):
        assert tuple(name for name in names if getattr(style, name)) == kind


def test_a_built_in_name_counts_where_nothing_else_says_the_level():
    styles = _styles(
        '<style id="Heading1" name="a"><pPr><outlineLvl val="9"/></pPr></style>'
        '<style id="Heading2" name="b"/><style id="c" name="heading 3"/>'
    )
    levels = [styles.paragraph(name).outline.level for name in ("Heading1", "Heading2", "c")]
    assert levels == [0, 2, 3]
    assert styles.paragraph("Heading4").outline.level == 4  # not defined


def test_list_of_a_numbering_style():
    number = '<pPr><numPr><numId val="5"/></numPr></pPr>'
    styles = _styles(
        f'<style id="A" type="numbering" name="a">{number}</style>'
        '<style id="B" type="numbering" name="b" based="A"/><style id="C" name="c"/>'
    )
    lists = [styles.numbering_of_style(name) for name in ("A", "B", "C", "D")]
    assert lists == ["5", "5", None, None]


def test_layout_without_any_properties():
    assert _styles('<style id="N" default="1"/>').paragraph(None).layout == ParagraphLayout()
    assert Styles(None).paragraph(None).layout == ParagraphLayout()
    margins = _first("pPr", '<ind left="9" right="7" hanging="4"/><keepLines/>')
    found = Styles(None).layout("", layout_signature(margins), in_table=False)
    assert (found, found.indent) == (ParagraphLayout(left=9, right=7, first=-4), 5)
    assert layout_signature(margins) == layout_signature(margins[:1])


def test_layout_inherits_from_the_base_style():
    assert [_styles().paragraph(name).layout for name in "NB"] == [
        ParagraphLayout(after=160),
        ParagraphLayout("center", left=720, first=-360, after=160),
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


@each_row("ooxml", line=int)
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
    assert spaced.cell_layout == ParagraphLayout(before=80, contextual=True)
    signature = layout_signature(Writer().tree("p", '<pPr><spacing after="40"/></pPr>')[0])
    assert styles.layout(normal.id, signature, in_table=True) == ParagraphLayout(after=40)


def test_invalid_sizes_are_ignored():
    styles = _styles('<style id="N" default="1"><rPr><sz val="many"/></rPr></style>')
    assert styles.paragraph(None).look == Look()


def _signature(properties: str):
    return run_signature(_first("rPr", properties))


def _first(name: str, source: str):
    return Writer().tree("p", f"<{name}>{source}</{name}>")[0]


@each_row("ooxml", values=str.split)
def test_format_of_a_run(source, values):
    found = run_format(run_signature(_first("rPr", source)))._asdict()
    assert {f"{name}={value}" for name, value in found.items() if value is not None} == {*values}


@each_row("ooxml", values=str.split)
def test_format_of_a_paragraph(source, values):
    found = paragraph_format(layout_signature(_first("pPr", source)))._asdict()
    assert {f"{name}={value}" for name, value in found.items() if value is not None} == {*values}


LETTER = TextArea(468, 648, 0, (612, 792))


@pytest.mark.parametrize(
    ("source", "area"),
    [
        ("", LETTER),
        ('<pgSz w="10000" h="20000"/>', TextArea(356, 856, 0, (500, 1000))),
        ('<pgMar left="1000" right="1240"/>', LETTER._replace(width=500)),
        ('<pgMar gutter="360"/>', LETTER._replace(width=450)),
        ('<pgMar top="1240" bottom="1600"/>', LETTER._replace(height=650)),
        ('<pgMar top="-1240" bottom="-1600"/>', LETTER._replace(height=650)),  # exact margins
        ('<pgSz w="3600" h="4320"/>', TextArea(36, 72, 0, (180, 216))),
        ('<pgSz w="3620" h="4340"/>', TextArea(37, 73, 0, (181, 217))),
        ('<cols num="2"/>', LETTER._replace(width=216, height=1296)),
        ('<cols num="3" space="180"/>', LETTER._replace(width=150, height=1944)),
        ('<cols num="0" space="180"/>', LETTER),
        ('<cols num="45" space="0"/>', LETTER._replace(width=36, height=648 * 45)),
        ('<cols num="46" space="0"/>', LETTER._replace(width=36, height=648 * 45)),
        ('<docGrid type="lines" linePitch="312"/>', LETTER._replace(pitch=15.6)),
        ('<docGrid type="linesAndChars" linePitch="312"/>', LETTER._replace(pitch=15.6)),
        ('<docGrid type="snapToChars" linePitch="312"/>', LETTER),
        ('<docGrid linePitch="312"/>', LETTER),
        ('<docGrid type="lines"/>', LETTER),
        ('<type val="nextPage"/>', LETTER),
        ('<type val="oddPage"/>', LETTER),
        ('<type val="nextColumn"/>', LETTER),
        ('<type val="continuous"/>', LETTER._replace(begins_page=False)),
        (
            '<type val="nextColumn"/><cols num="2"/>',
            TextArea(216, 1296, 0, (612, 792), begins_page=False),
        ),
    ],
)
def test_area_of_text(source, area):
    assert text_area(_first("sectPr", source)) == area


def test_without_a_section_the_paper_is_letter():
    assert text_area(None) == LETTER


# -- styles


@each_row("ooxml", level=int)
def test_outline_levels_are_counted_from_zero_and_nine_is_body_text(text, level):
    source = HeadingSource.STYLE if level else None
    assert outline_level(text, HeadingSource.STYLE) == OutlineLevel(level, source)


def test_the_level_of_a_style_comes_from_it_or_its_base_style_or_the_defaults_or_its_name():
    own = '<style id="A" name="heading 5" outline="1"/><style id="B" based="A" name="heading 3"/>'
    named = (
        '<style id="C" name="Heading 4"/><style id="D" based="C"/><style id="E" name="heading 10"/>'
    )
    defaults = (
        '<docDefaults><pPrDefault><pPr><outlineLvl val="6"/></pPr></pPrDefault></docDefaults>'
    )
    by_style, by_name = HeadingSource.STYLE, HeadingSource.NAME
    outlines = [_styles(own + named).paragraph(name).outline for name in "ABCDE"]
    assert [outline[:2] for outline in outlines] == [
        *[(2, by_style)] * 2,
        *[(4, by_name)] * 2,
        (0, None),
    ]
    outlines = [_styles(defaults + own + named).paragraph(name).outline for name in "BCE"]
    assert [outline[:2] for outline in outlines] == [
        (2, by_style),
        *[(7, HeadingSource.OUTLINE)] * 2,
    ]


def test_an_undefined_style_has_the_level_of_its_name_unless_the_default_style_has_one():
    styles = _styles('<style id="N" name="Normal" default="1"><rPr><b/></rPr></style>')
    assert styles.paragraph("Heading2").outline == OutlineLevel(2, HeadingSource.NAME)
    assert styles.paragraph("Heading2").look.bold
    assert styles.paragraph("Other").outline == styles.paragraph(None).outline == BODY
    styles = _styles('<style id="N" name="Normal" default="1" outline="4"/>')
    assert styles.paragraph("Heading2").outline == OutlineLevel(5, HeadingSource.STYLE)
    assert Styles(None).paragraph("Heading2").outline == OutlineLevel(2, HeadingSource.NAME)
    assert Styles(None).paragraph(None).outline == BODY


def test_styles_are_named_by_their_name_or_id():
    styles = _styles('<style id="A" name="b"/><style id="C"/>')
    assert [styles.paragraph(name).name for name in ("A", "C", "D")] == ["b", "C", ""]


@pytest.mark.parametrize(
    "name", ["toc 1", "TOC 9", "TOC Heading", "toc1", "Table of Figures", "table of authorities"]
)
def test_styles_of_tables_of_contents(name):
    assert _styles(f'<style id="A" name="{name}"/>').paragraph("A").is_toc


@pytest.mark.parametrize("name", ["toc", "toc 0", "toc 10", "My toc 1", "table of contents"])
def test_other_styles(name):
    style = _styles(f'<style id="A" name="{name}"/>').paragraph("A")
    assert (style.is_toc, style.is_caption, style.is_title) == (False, False, False)


def test_character_styles_that_affect_the_text_read():
    def style(identifier: str, inside: str, base: str = "") -> str:
        return f'<style id="{identifier}" type="character"{base}><rPr>{inside}</rPr></style>'

    styles = _styles(
        style("A", "<vanish/>")
        + style("B", '<vanish val="0"/>', ' based="A"')
        + style("C", "<b/>", ' based="A"')
        + style("D", '<vertAlign val="superscript"/>')
        + style("E", '<vertAlign val="baseline"/>', ' based="D"')
        + style("F", '<vertAlign val="subscript"/>')
        + style("G", "<i/>")
        + style("I", '<vertAlign val=""/>', ' based="D"')
        + '<style id="H"><rPr><vanish/></rPr></style>'
    )
    assert styles.visible_characters == {"A", "C", "D", "F", "I"}
    assert [styles.character(name).hidden for name in "ABCG"] == [True, False, True, None]
    assert [styles.character(name).vertical for name in "DEG"] == ["superscript", "baseline", None]
    assert styles.character("unknown") == (None, None, run_format(()))


@each_row("ooxml", expected=yes)
def test_a_table_style_formats_the_first_row_if_it_or_its_base_style_makes_it_bold_or_shaded(
    inside, expected
):
    styles = _styles(
        f'<style id="A" type="table">{inside}</style><style id="B" type="table" based="A"/>'
    )
    assert [styles.formats_first_row(name) for name in "AB"] == [expected] * 2
    assert not styles.formats_first_row(None)


def test_the_language_is_that_of_the_first_style_that_has_one():
    styles = (
        '<style id="A"><rPr><lang val="fr-FR"/></rPr></style><style id="B" based="A"/>'
        '<style id="C"/><style id="D"><rPr><lang val=""/></rPr></style>'
        '<style id="E"><rPr><lang eastAsia="ja-JP"/></rPr></style>'
        '<style id="F" based="A"><rPr><lang val=""/></rPr></style>'
    )
    defaults = '<docDefaults><rPrDefault><rPr><lang val="de-DE"/></rPr></rPrDefault></docDefaults>'
    found = [
        [
            _styles(source).language(*names)
            for names in ("A", "F", "CB", "DA", "E", "C", (None,), "")
        ]
        for source in (styles, defaults + styles)
    ]
    assert found[0] == ["fr-FR"] * 4 + [""] * 4
    assert found[1] == ["fr-FR"] * 4 + ["de-DE"] * 4
    assert Styles(None).language("A") == ""


def test_the_lineage_of_a_style_ends_with_the_first_one_that_has_a_list():
    styles = _styles(
        '<style id="A" num="1:2"/>'
        '<style id="B" based="A"><pPr><numPr><ilvl val="1"/></numPr></pPr></style>'
        '<style id="C" based="B"/>'
        '<style id="D" based="C"><pPr><numPr><numId val="0"/></numPr></pPr></style>'
        '<style id="E" based="D"/><style id="F" based="missing"/>'
    )
    assert list(styles.lineage("C")) == [("C", None), ("B", "1"), ("A", "2")]
    assert list(styles.lineage("E")) == [("E", None), ("D", None)]
    assert list(styles.lineage("F")) == [("F", None)]
    assert list(styles.lineage("missing")) == list(styles.lineage(None)) == []
    assert [styles.paragraph(name).num_id for name in "ACEF"] == ["1", "1", "0", None]
    assert styles.numbering_of_style("C") == "1"


def test_styles_based_on_each_other_in_a_circle():
    """The circle is cut where it closes: the last style has no base style."""
    styles = _styles(
        '<style id="A" based="B"><rPr><b/></rPr></style>'
        '<style id="B" based="C"><rPr><i/></rPr></style>'
        '<style id="C" based="A"><rPr><sz val="30"/></rPr></style>'
        '<style id="D" based="D" outline="0"/>'
    )
    assert [name for name, _ in islice(styles.lineage("A"), 9)] == ["A", "B", "C"]
    assert styles.paragraph("A").look == Look(bold=True, italic=True, size=30)
    assert styles.cycles == ["A"]
    assert styles.paragraph("C").look == Look(size=30)
    assert styles.paragraph("B").look == Look(italic=True, size=30)
    assert styles.paragraph("D").outline.level == 1
    assert styles.cycles == ["A", "D"]


def test_emphasis_of_a_paragraph_without_a_style_is_that_of_the_default_style():
    styles = _styles(
        '<style id="N" default="1"><rPr><b/></rPr></style><style id="P"><rPr><i/></rPr></style>'
        '<style id="C" type="character"><rPr><b/><highlight val="yellow"/></rPr></style>'
    )
    own = _signature('<rStyle val="C"/>')
    assert styles.emphasis(None, ()) == Emphasis(bold=True)
    assert styles.emphasis("missing", ()) == Emphasis(bold=True)
    assert styles.emphasis("P", ()) == Emphasis(italic=True)
    assert styles.emphasis("P", own) == Emphasis(bold=True, italic=True, highlight="yellow")
    assert styles.emphasis(None, own) == Emphasis(highlight="yellow")
    defaults = "<docDefaults><rPrDefault><rPr><strike/></rPr></rPrDefault></docDefaults>"
    assert _styles(defaults).emphasis(None, ()) == Emphasis(strike=True)


@pytest.mark.parametrize(
    ("own", "style", "expected"),
    [
        ("<b/><i/>", "", Emphasis(bold=True, italic=True)),
        ("<bCs/><iCs/>", "", Emphasis()),
        ("<bCs/><rtl/>", "", Emphasis(bold=True)),
        ("<b/><iCs/><cs/>", "", Emphasis(italic=True)),
        ("<strike/>", "", Emphasis(strike=True)),
        ("<dstrike/>", "", Emphasis(strike=True)),
        ('<strike val="0"/>', "<strike/>", Emphasis()),
        ('<u val="wave"/>', "", Emphasis(underline=True)),
        ('<u val="none"/>', '<u val="single"/>', Emphasis()),
        ("<u/>", '<u val="single"/>', Emphasis()),
        ("", '<u val="single"/>', Emphasis(underline=True)),
        ('<highlight val="none"/>', '<highlight val="red"/>', Emphasis()),
        ('<highlight val="green"/>', '<highlight val="red"/>', Emphasis(highlight="green")),
    ],
)
def test_emphasis_of_a_run(own, style, expected):
    styles = _styles(f'<style id="C" type="character"><rPr>{style}</rPr></style>')
    assert styles.emphasis(None, _signature(f'<rStyle val="C"/>{own}')) == expected


PLAIN = ('<b val="{}"/>', '<i val="{}"/>', '<sz val="3{}"/>', '<rFonts ascii="F{}"/>')
COMPLEX = ('<bCs val="{}"/>', '<iCs val="{}"/>', '<szCs val="3{}"/>', '<rFonts cs="F{}"/>')
AMOUNTS = st.lists(st.sampled_from(("", "0", "1")), min_size=4, max_size=4)


@given(st.lists(AMOUNTS, min_size=4, max_size=4), st.sampled_from(("rtl", "cs")), st.integers(0, 3))
def test_runs_in_complex_scripts_have_properties_of_their_own(levels, script, place):
    """A run that is right to left, or in a complex script by any level, looks by the complex
    properties as other runs by the others, which do not matter.
    """

    def seen(kinds, others, switch):
        levels_of = [
            "".join(kind.format(value) for kind, value in zip(kinds, values, strict=True) if value)
            + others
            + (switch if number == place else "")
            for number, values in enumerate(levels)
        ]
        defaults, paragraph, character, own = levels_of
        styles = _styles(
            f"<docDefaults><rPrDefault><rPr>{defaults}</rPr></rPrDefault></docDefaults>"
            f'<style id="P"><rPr>{paragraph}</rPr></style>'
            f'<style id="C" type="character"><rPr>{character}</rPr></style>'
        )
        signature = _signature(f'<rStyle val="C"/>{own}')
        return styles.look("P", signature), styles.emphasis("P", signature)

    expected = seen(PLAIN, "", "")
    assert seen(COMPLEX, "", f"<{script}/>") == expected
    assert seen(COMPLEX, '<b/><i/><sz val="99"/>', f"<{script}/>") == expected
    assert seen(PLAIN, '<bCs/><iCs/><szCs val="99"/>', "") == expected
