"""List definitions and the labels computed from them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from case_files import sections
from compact_xml import Writer
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.ooxml.numbering import (
    Counters,
    Label,
    LabelKind,
    ListDefinition,
    ListLevel,
    Numbering,
    Suffix,
    list_number,
)

ABSURD = [
    "-1",
    "0",
    "1",
    "2",
    "",
    "abc",
    "NaN",
    "1e9",
    "2147483648",
    "99999999999999",
    "true",
    "%1%2%3%4%5%6%7%8%9%9",
    "٠١",
    "x" * 5000,
]
NAMES = [
    "abstractNum",
    "num",
    "lvl",
    "lvlOverride",
    "startOverride",
    "abstractNumId",
    "numFmt",
    "lvlText",
    "start",
    "suff",
    "lvlRestart",
]
NAMES += ["isLgl", "pStyle", "numStyleLink", "styleLink", "rPr", "p"]


def numbering(content, list_of_style=None):
    return Numbering(Writer().tree("numbering", content), list_of_style)


def shown(label):
    if label is None:
        return "nothing"
    return f"[{label.text}]" if label.kind is LabelKind.BULLET else label.text


@pytest.mark.parametrize("case", sections("numbers/lists.txt"), ids=lambda case: case.title)
def test_labels(case):
    counters = Counters(numbering(case.source))
    lines = case.expected.splitlines()
    used = [line.split(maxsplit=1)[0] for line in lines]
    assert [f"{use} {shown(counters.next(use[:-2], int(use[-1])))}" for use in used] == lines


def test_label_has_its_suffix():
    source = (
        '<list id="1"><level/></list><abstractNum abstractNumId="2"><lvl ilvl="0"><suff '
        'val="nothing"/><lvlText val="a"/></lvl></abstractNum>'
    )
    counters = Counters(numbering(source + '<num numId="2"><abstractNumId val="2"/></num>'))
    assert counters.next("1", 0) == Label("1.", 0, LabelKind.NUMBER, Suffix.TAB)
    assert counters.next("2", 0) == Label("a", 0, LabelKind.NUMBER, Suffix.NOTHING)


def test_counters_are_independent():
    defined = numbering('<list id="1"><level/></list>')
    body, notes = Counters(defined), Counters(defined)
    assert [shown(c.next("1", 0)) for c in (body, body, notes)] == ["1.", "2.", "1."]


def test_missing_part_has_no_lists():
    assert Numbering(None).list("1") is None
    assert Counters(Numbering(None)).next("1", 0) is None


def test_numbering_style_links_to_its_list():
    source = (
        '<abstractNum abstractNumId="5"><numStyleLink val="S"/></abstractNum><num '
        'numId="5"><abstractNumId val="5"/></num>'
    )
    counters = Counters(
        numbering(
            f'{source}<list id="9"><level text="({{1}})"/></list>'.replace("{1}", "%1"),
            {"S": "9"}.get,
        )
    )
    assert shown(counters.next("5", 0)) == "(1)"


def test_levels_of_its_own_count_before_those_of_a_linked_style():
    source = (
        '<abstractNum abstractNumId="5"><numStyleLink val="S"/>'
        '<lvl ilvl="0"><lvlText val="own"/></lvl></abstractNum>'
        '<num numId="5"><abstractNumId val="5"/></num>'
    )
    counters = Counters(
        numbering(f'{source}<list id="9"><level text="linked"/></list>', {"S": "9"}.get)
    )
    assert shown(counters.next("5", 0)) == "own"


def test_a_numbering_style_whose_list_is_the_linking_one_is_found_by_its_definition():
    source = (
        '<abstractNum abstractNumId="5"><numStyleLink val="S"/></abstractNum>'
        '<abstractNum abstractNumId="6"><lvl ilvl="0"><lvlText val="other"/></lvl></abstractNum>'
        '<abstractNum abstractNumId="7"><styleLink val="S"/>'
        '<lvl ilvl="0"><lvlText val="found"/></lvl></abstractNum>'
        '<num numId="5"><abstractNumId val="5"/></num>'
    )
    for lists in ({"S": "5"}, {"S": "missing"}, {}):
        assert shown(Counters(numbering(source, lists.get)).next("5", 0)) == "found"


def test_a_list_is_found_by_the_name_of_its_definition():
    source = (
        '<abstractNum abstractNumId="4"/><abstractNum abstractNumId="5"><name val="A"/></abstractNum>'
        '<abstractNum abstractNumId="6"><name val="B"/></abstractNum>'
        '<num numId="9"/><num numId="1"><abstractNumId val="4"/></num>'
        '<num numId="2"><abstractNumId val="5"/></num>'
        '<num numId="3"><abstractNumId val="5"/></num>'
    )
    defined = numbering(source)
    assert [defined.named(name) for name in ("A", "B", "C")] == ["2", None, None]
    assert Counters(defined).named("A") == "2"
    assert Numbering(None).named("A") is None


def test_current_numbers():
    counters = Counters(numbering('<list id="1"><level text="%1"/><level text="%1.%2"/></list>'))
    assert shown(counters.next("1", 1)) == "1.1"
    assert shown(counters.next("1", 1, start=7)) == "1.7"
    assert (counters.last, counters.levels) == ("1", {"1": 1})
    assert shown(counters.next("1", 0)) == "2"
    assert counters.next("9", 3) is None
    assert counters.last == "9"
    assert shown(counters.anew().next("1", 0)) == "1"


def test_a_list_that_is_not_in_the_file():
    counters = Counters(numbering('<list id="1"><level/></list>'))
    counters.define(ListDefinition("new", "new", {0: ListLevel(start=3, text="(%1)")}, {}, {}))
    assert [shown(counters.next(name, 0)) for name in ("new", "1", "new")] == ["(3)", "1.", "(4)"]


def test_ordinals_are_in_the_language_of_the_number_or_of_the_paragraph():
    def level(ilvl, text, language=""):
        run = f'<rPr><lang val="{language}"/></rPr>' if language else ""
        return (
            f'<lvl ilvl="{ilvl}"><start val="1"/><numFmt val="ordinal"/>'
            f'<lvlText val="{text}"/>{run}</lvl>'
        )

    source = (
        f'<abstractNum abstractNumId="0">{level(0, "%1")}{level(1, "%1 %2", "en-GB")}'
        '<lvl ilvl="2"><start val="1"/><lvlText val="%1 %3"/></lvl>'
        '<lvl ilvl="3"><start val="1"/><lvlText val="%3.%4"/></lvl>'
        '<lvl ilvl="4"><start val="1"/><isLgl/><lvlText val="%1.%5"/></lvl>'
        '</abstractNum><num numId="1"><abstractNumId val="0"/></num>'
    )
    counters = Counters(numbering(source))
    labels = [counters.next("1", *use) for use in ((0, None, lambda: "fr-FR"), (0,), (0,))]
    assert list(map(shown, labels)) == ["1", "2nd", "3rd"]
    used = [counters.next("1", ilvl, None, lambda: "fr-FR") for ilvl in (0, 1, 2)]
    assert list(map(shown, used)) == ["4", "4th 1st", "4 1"]
    # no other label asks for the language
    assert [shown(counters.next("1", ilvl, None, None)) for ilvl in (1, 3, 4)] == [
        "4th 2nd",
        "1.1",
        "4.1",
    ]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("32767", 32767),
        ("32768", None),
        ("-1", None),
        ("x", None),
        ("", None),
        (None, None),
    ],
)
def test_numbers_of_lists_are_those_of_word(text, number):
    assert list_number(text) == number


def test_level_of_a_linked_style():
    levels = "".join(f'<lvl ilvl="{i}"><pStyle val="Heading{i + 1}"/></lvl>' for i in range(3))
    defined = numbering(
        f'<abstractNum abstractNumId="0">{levels}</abstractNum><num '
        'numId="1"><abstractNumId val="0"/></num>'
    )
    assert [
        defined.level_of_style("1", style) for style in ("Heading1", "Heading3", "Other", None)
    ] == [0, 2, None, None]
    assert defined.level_of_style("0", "Heading1") is None


@pytest.mark.parametrize(("length", "expected"), [(255, "x" * 255), (256, "nothing")])
def test_a_label_has_at_most_255_characters(length, expected):
    defined = numbering(
        f'<abstractNum abstractNumId="a"><lvl ilvl="0"><lvlText val="{"x" * length}"/></lvl>'
        '</abstractNum><num numId="1"><abstractNumId val="a"/></num>'
    )
    assert shown(Counters(defined).next("1", 0)) == expected


def test_of_two_levels_of_a_style_the_higher_counts():
    levels = "".join(f'<lvl ilvl="{i}"><pStyle val="A"/></lvl>' for i in (2, 1, 3))
    defined = numbering(
        f'<abstractNum abstractNumId="a">{levels}</abstractNum>'
        '<num numId="1"><abstractNumId val="a"/></num>'
    )
    assert defined.level_of_style("1", "A") == 1


def test_unknown_formats_are_reported():
    defined = numbering('<list id="1"><level format="decimal"/><level format="klingon"/></list>')
    assert defined.unknown_formats() == set()
    assert shown(Counters(defined).next("1", 0)) == "1."
    assert defined.list("77") is None
    assert defined.unknown_formats() == {"klingon"}


def _element(name, attributes, children):
    said = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return f"<{name}{said}>{''.join(children)}</{name}>"


_attributes = st.dictionaries(
    st.sampled_from(["val", "numId", "abstractNumId", "ilvl", "null", "format"]),
    st.sampled_from(ABSURD),
    max_size=3,
)
_leaf = st.builds(_element, st.sampled_from(NAMES), _attributes, st.just([]))
_trees = st.recursive(
    _leaf,
    lambda inner: st.builds(
        _element, st.sampled_from(NAMES), _attributes, st.lists(inner, max_size=4)
    ),
    max_leaves=25,
)


@given(
    st.lists(_trees, max_size=6),
    st.lists(st.tuples(st.sampled_from(ABSURD), st.integers(-2, 12)), max_size=12),
)
def test_any_numbering_part_is_accepted(trees, uses):
    counters = Counters(numbering("".join(trees)))
    for num_id, ilvl in uses:
        label = counters.next(num_id, ilvl)
        assert label is None or 0 < len(label.text) < 1000


@given(st.lists(st.integers(0, 3), min_size=1, max_size=40))
def test_outline_numbers_are_unique(levels):
    level = '<level text="{}"/>'
    texts = ["%1", "%1.%2", "%1.%2.%3", "%1.%2.%3.%4"]
    counters = Counters(numbering('<list id="1">' + "".join(map(level.format, texts)) + "</list>"))
    first = [0, *levels]  # a level above that was never used would show twice
    steps = [min(level, before + 1) for before, level in zip([0, *first], first, strict=False)]
    labels = [counters.next("1", level).text for level in steps]
    rising = [tuple(map(int, label.split("."))) for label in labels]
    if all(b <= a + 1 for a, b in pairwise(steps)):
        assert rising == sorted(set(rising))
