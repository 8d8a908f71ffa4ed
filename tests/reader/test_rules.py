import tomllib
from dataclasses import replace

import pytest
from case_files import cases
from docx_builder import docx

from docxchunk import api
from docxchunk.model.document import IssueCode
from docxchunk.model.options import ParseOptions

STYLES = """<styles><style id="N" name="Normal" default="1"/><style id="A" name="GTS Überschrift A"/>
<style id="Heading1" name="heading 1" outline="0"/></styles>"""
TEXT = "<p>The pump was checked twice in May, and both times it held the pressure of the line.</p>"
REPORT = f"""{STYLES}<p style="A">Anlass</p>{TEXT}<p style="Heading1">Results</p>{TEXT}
<p style="A">Vorgehen</p>{TEXT}<p>{"b" * 8} <r b="1">2.1</r></p><p outline="1">{"Word " * 60}</p>
<p><r b="1" sz="28">2.1 Pumps</r></p>{TEXT}<p><r b="1" sz="28">Note</r></p>{TEXT}"""


def headings(source, **rules):
    document = api.parse(docx(source), name="d.docx", options=ParseOptions(**rules))
    return [(block.heading, block.level) for block in document.blocks if block.level]


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({"gts überschrift a": 1}, "1 Anlass, 1 Results, 1 Vorgehen"),
        ({"GTS Überschrift A": 2, "heading 1": "no"}, "2 Anlass, 2 Vorgehen"),
        ({"Normal | 14 pt": 3, "Normal | 14 pt | number 1.1": 2}, "1 Results, 2 2.1 Pumps, 3 Note"),
        ({"* | bold": 2, "Normal | bold": "auto"}, "1 Results"),
        ({"Normal | marked 2": "no", "Heading 1": 9}, "9 Results"),
    ],
)
def test_rules_decide_before_marks(rules, expected):
    found = headings(REPORT, rules=rules, headings="marked")
    assert ", ".join(f"{level} {heading}" for heading, level in found) == expected


def test_a_heading_by_a_rule_says_so():
    options = ParseOptions(rules={"GTS Überschrift A": 1, "heading 1": 1})
    blocks = api.parse(docx(REPORT), name="d.docx", options=options).blocks
    assert [block.heading_source for block in blocks[:2]] == ["rule", "style"]


def test_a_rule_without_a_line_is_an_issue():
    options = ParseOptions(rules={"GTS Überschrift A": 1, "GTS B": 2, "Normal | 99 pt": "no"})
    issues = api.parse(docx(REPORT), name="d.docx", options=options).issues
    assert [each.message for each in issues if each.code is IssueCode.RULE_UNUSED] == [
        '2 rules of 3 held for no line: "GTS B", "Normal | 99 pt".'
    ]


def test_the_file_has_a_line_for_each_class():
    about, _, rules = api.heading_rules(docx(REPORT)).partition("\n\n")
    assert all(line.startswith("# ") for line in about.splitlines())
    assert (
        rules
        == """\
"heading 1"                          = 1       # 1 line: "Results"
"Normal | 14 pt | bold | number 2.1" = 2       # 1 line: "2.1 Pumps"
"Normal | 14 pt | bold"              = 2       # 1 line: "Note"
"GTS Überschrift A"                  = "no"    # 2 lines: "Anlass", "Vorgehen"
"""
    )


@pytest.mark.parametrize(
    ("styled", "names"),
    [
        ('<p style="Heading1">Aims</p>{}<p style="Heading1"><r b="1">Data</r></p>', ["heading 1"]),
        ('<p style="A">Anlass</p>{}<p style="A">Vorgehen</p>', ["GTS Überschrift A"]),
        ('<p style="A">Anlass</p>{}<p style="A">LONG</p>', []),
    ],
)
def test_a_style_has_one_rule_if_its_paragraphs_are_read_alike(styled, names):
    source = STYLES + styled.format(20 * TEXT).replace("LONG", "It held the pressure. " * 9)
    assert list(tomllib.loads(api.heading_rules(docx(source)))) == names


def test_odd_names_and_texts_are_valid_toml():
    source = """<styles><style id="N" name="Normal" default="1"/>
    <style id="A" name="a|b &#x7F;\\ U&#x308;" outline="0"/></styles>"""
    body = '<p style="A">A &#x7F; "q" \\ b<r><br/></r>c &lt;b> # d</p><p>I. Text</p>'
    text = api.heading_rules(docx(source + body))
    assert tomllib.loads(text) == {"a/b \x7f\\ U\u0308": 1, "Normal | 10 pt | number I.": "no"}
    assert headings(source + body, rules={"A/B \x7f\\ Ü": 2, "Normal | number I": 3})[1][1] == 3


@pytest.mark.parametrize("case", [*cases("headings"), *cases("inferred"), *cases("blocks")])
def test_unchanged_rules_change_nothing(case):
    source = docx(case.source, case.parts)
    rules = tomllib.loads(api.heading_rules(source, options=case.options))
    ruled = api.parse(source, options=replace(case.options, rules=rules), name="document.docx")
    assert ruled.blocks == case.document().blocks
    assert IssueCode.RULE_UNUSED not in {issue.code for issue in ruled.issues}


@pytest.mark.parametrize(("length", "is_issue"), [(3000, False), (3001, True)])
def test_a_long_document_without_headings_is_an_issue(length, is_issue):
    words = ("word " * 1000)[:length] + "x" * (length % 5)
    paragraph = f"<p>{words[: length - 1]}.</p>"
    for source, expected in ((paragraph, is_issue), (f"<p outline='0'>A</p>{paragraph}", False)):
        issues = api.parse(docx(source), name="d.docx").issues
        assert (IssueCode.NO_HEADINGS in {issue.code for issue in issues}) is expected
