"""The roles of lines, told from their text and what is known of them."""

from __future__ import annotations

import pytest
from case_files import each_row, rows_of, yes
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.content import roles as line_roles
from docxchunk.model.blocks import Line, LineKind, LineRole

ITEM, CAPTION, LEAD_IN, DIVISION, HEADLINE, HEADING_LIKE = (
    LineRole.ITEM,
    LineRole.CAPTION,
    LineRole.LEAD_IN,
    LineRole.DIVISION,
    LineRole.HEADLINE,
    LineRole.HEADING_LIKE,
)
facts = st.fixed_dictionaries(dict.fromkeys(("bold", "caption", "headline"), st.booleans()))


@each_row("content", roles=str.split)
def test_roles_of_text(text, roles):
    assert [*line_roles.roles_of(LineKind.TEXT, text, bold=False)] == roles


@each_row("content", known=str.split, roles=str.split)
def test_roles_of_what_is_known(text, known, roles):
    facts = {"bold": False} | dict.fromkeys(known, True)
    assert [*line_roles.roles_of(LineKind.TEXT, text, **facts)] == roles


@pytest.mark.parametrize("text", ["<table id=1>", "<drawing id=1 />"])
def test_an_object_has_no_role_but_that_of_a_caption(text):
    known = {"bold": True, "headline": True}
    assert line_roles.roles_of(LineKind.TEXT, f"{text} 1. Foxes:", **known) == ()
    assert line_roles.roles_of(LineKind.TEXT, text, caption=True, **known) == (CAPTION,)


@pytest.mark.parametrize("end", [":", "：", "︰", ":-", ": ", ':"', "：」", ":**"])
def test_a_lead_in_ends_with_a_colon(end):
    assert LEAD_IN in line_roles.roles_of(LineKind.TEXT, f"The parts are{end}", bold=False)


@pytest.mark.parametrize("end", ["", ".", ":.", ";", '"', "-"])
def test_other_ends_are_no_lead_in(end):
    assert line_roles.roles_of(LineKind.TEXT, f"The parts are{end}", bold=False) == ()


@each_row("content", is_caption=yes)
def test_names_of_styles_of_captions(style, is_caption):
    assert line_roles.names_captions(style) == is_caption


@each_row("content", is_caption=yes)
def test_beginnings_of_captions(text, is_caption):
    assert line_roles.begins_like_caption(text) == is_caption


def test_an_item_of_a_list_of_word_needs_no_role():
    assert line_roles.roles_of(LineKind.LIST, "1. Foxes", bold=True) == ()
    assert line_roles.roles_of(LineKind.LIST, "1. Foxes", bold=False, headline=True) == (
        HEADLINE,
        HEADING_LIKE,
    )


@pytest.mark.parametrize(
    "kind", [LineKind.HEADING, LineKind.TABLE, LineKind.EQUATION, LineKind.DRAWING, LineKind.NOTE]
)
@given(known=facts)
def test_only_lines_of_text_have_roles(kind, known):
    assert line_roles.roles_of(kind, "Article 4:", **known) == ()


@given(st.sampled_from([text for text, _ in rows_of("content", "roles of text")]), facts)
def test_roles_do_not_contradict_each_other(text, known):
    roles = set(line_roles.roles_of(LineKind.TEXT, text, **known))
    assert HEADLINE in roles or HEADING_LIKE not in roles
    assert not (HEADLINE in roles and roles & {ITEM, CAPTION})
    assert not {LEAD_IN, HEADING_LIKE} <= roles
    assert (CAPTION in roles) >= known["caption"]


@each_row("content", is_of_table=yes)
def test_words_for_tables(text, is_of_table):
    assert line_roles.begins_like_caption_of_table(text) == is_of_table


def test_the_roles_in_a_record_are_not_told_again():
    assert line_roles.roles_of_line(Line(roles=()), "Table 4 Foxes") == ()
    assert line_roles.roles_of_line(Line(), "Table 4 Foxes") == (CAPTION,)
    assert line_roles.roles_of_line(Line(style="Figure Caption"), "Foxes") == (CAPTION,)


OPENINGS = [
    "Table",
    "TAB",
    "fig",
    "Kap",
    "\u212aapitel",
    "\u0130V",
    "ſection",
    "part",
    "Årt",
    "Graphique",
    "annex",
    "第3章",
    "附录",
    "表",
    "甲",
    "民法",
    "그림",
    "제3조",
    "图",
    "iv",
    "xii",
    "mix",
]
PIECES = st.sampled_from(
    [*OPENINGS, "1", "12.3", "a", "V", "•", "-", "(", ")", ".", "、", " ", "\t", "\u3000", "Word"]
)


@given(st.lists(PIECES, max_size=6).map("".join))
def test_the_patterns_that_are_not_tried_do_not_match(text):
    bare = text.strip()
    division, item, caption = line_roles._beginnings(text, bare)
    assert division == bool(
        line_roles._DIVISION.match(bare) or line_roles._NAMED_DIVISION.match(bare)
    )
    assert item == bool(not division and line_roles._ITEM.match(text))
    assert caption == bool(line_roles._CAPTION.match(bare))


@pytest.mark.parametrize(
    "text", ["Payment", "2.1 Scope", "第三章 合同的订立", "Annex B Drawings", "X" * 160]
)
def test_bold_lines_like_headings(text):
    assert LineRole.HEADING_LIKE in line_roles.roles_of_line(Line(bold=True), text)


@pytest.mark.parametrize(
    "text",
    [
        "The supplier delivers the following.",
        "all right, title and interest in:",
        "for (i = 0; i < nbytes; i++) {",
        "https://example.org/page",
        "Smith et al. (2019)",
        "of the first part",
        "2.1 Scope\t14",
        "Table 3 Pressures",
        "12",
        "and so on,",
        "X" * 161,
    ],
)
def test_bold_lines_unlike_headings(text):
    assert LineRole.HEADING_LIKE not in line_roles.roles_of_line(Line(bold=True), text)
