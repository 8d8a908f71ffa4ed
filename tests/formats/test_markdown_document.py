"""A document as Markdown, read back with a CommonMark parser."""

from __future__ import annotations

import html
import json
import re
from io import BytesIO

import pytest
from case_files import each_row
from docx_builder import docx
from examples import some
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from docxchunk import api
from docxchunk.content.tags import escape_text
from docxchunk.formats.markdown import joined_markdown, markdown, with_pictures_in, write
from docxchunk.model.blocks import Block, Line, LineKind
from docxchunk.model.document import Document, Items
from docxchunk.model.objects import Drawing, DrawingKind, Note, NoteKind
from docxchunk.records.chunks import CHUNK
from docxchunk.testing import hypothesis_strategies


def document(*pairs: tuple[Line, str], **others: object) -> Document:
    block = Block(
        "b1", "\n".join(text for _, text in pairs), lines=tuple(line for line, _ in pairs)
    )
    return Document("a.docx", "docx", "doc-1", "", (block,), **others)


def item(
    text: str, number: str | None = None, depth: int = 0, para_id: str | None = None
) -> tuple[Line, str]:
    return Line(LineKind.LIST, para_id, number=number, depth=depth), text


def text(line: str) -> tuple[Line, str]:
    return Line(), line


PICTURE = (
    '<drawing id="im-1" format="png" caption="Figure 1" path="a.blocks.assets/1.png" src="" />'
)


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([text("One."), text("Two.")], "One.\n\nTwo.\n"),
        ([item("• a", "•"), item("• b", "•"), text("c")], "- a\n- b\n\nc\n"),
        (
            [item("1. a", "1."), item("(i) b", "(i)", 1), item("2. c", "2.")],
            "1. a\n   - (i) b\n2. c\n",
        ),
        (
            [item("10) a", "10)"), item("• b", "•", 2), item("• c", "•", 1), item("– d", "–", 2)],
            "10) a\n    - b\n    - c\n      - d\n",
        ),
        ([item("• deep", "•", 3), item("• less", "•", 1)], "- deep\n- less\n"),
        (
            [
                item("1. a", "1.", para_id="0A"),
                item("goes on", para_id="0A"),
                item("b", para_id="0B"),
            ],
            "1. a\n   goes on\n- b\n",
        ),
        ([item("• a", "•"), item("b")], "- a\n- b\n"),  # nothing says that it goes on
        ([item("1. a", "1.", para_id="0A"), item("2. b", "2.", para_id="0A")], "1. a\n2. b\n"),
        ([item("1.1. a", "1.1."), item("(1) b", "(1)")], "- 1.1. a\n- (1) b\n"),
        ([item("1.", "1.")], "1.\n"),
        (
            [text("<Name>, m<sup>2</sup>, a < b"), item("1. </p>", "1.")],
            "\\<Name>, m<sup>2</sup>, a < b\n\n1. \\</p>\n",
        ),
        (
            [
                text("# no heading"),
                text("> 5 is more"),
                text("---"),
                text("- no item"),
                text("#5"),
                text("```"),
            ],
            None,
        ),
        ([(Line(LineKind.HEADING), '## A <equation format="latex">x</equation>')], "## A $x$\n"),
        (
            [(Line(LineKind.TABLE), '<table id="t" format="json">[["a|b","c\\\\|d"]]</table>')],
            "| a\\|b | c\\\\\\|d |\n| --- | --- |\n",
        ),
        ([(Line(LineKind.DRAWING), PICTURE)], "![A \\[bar\\] chart](a.blocks.assets/1.png)\n"),
        ([text("  # no heading")], "\\# no heading\n"),
        ([text("none")][:0], ""),
    ],
)
def test_lines(pairs, expected):
    drawing = Drawing(
        "im-1", "b1", "", (), DrawingKind.PICTURE, path="a.blocks.assets/1.png", alt="A [bar] chart"
    )
    made = document(*pairs, drawings=Items({"im-1": drawing})).to_markdown()
    assert made == (
        expected
        if expected is not None
        else "".join(f"{'' if line == '#5' else chr(92)}{line}\n\n" for _, line in pairs)[:-1]
    )


TYPED = [
    "[x](javascript:alert)",
    "![x](http://tracker/x.png)",
    "[![x](http://tracker/x.png)](javascript:alert)",
    "[x](<javascript:alert>)",
    "[[x]](javascript:alert)",
    "[x]: javascript:alert",
    "> [x]: javascript:alert",
    "[x][x] [x] ![x]",
    "<script>alert</script>",
    r"\<script>alert</script>",
    r"\\[x](javascript:alert) \\\<b>",
    "<javascript:alert> <http://a.b> <a@b.c>",
    "<!-- a --!><img src=x onerror=alert> -->",
    "<?php x ?> <![CDATA[x]]> <!DOCTYPE x>",
    "<table onclick=alert><tr><td onclick=alert>x</td></tr></table>",
    "<sup onclick=alert>x</sup> <del><b>x</b></del>",
    "</td></tr></table><script>alert</script>",
    "<equation format='latex'><b>x</b></equation>",
    "<drawing path='javascript:alert' />",
    "$[x](javascript:alert)$ $<b>$",
    "[^9]: javascript:alert",
    "see [^9]",
]
LIVE = {"link_open", "image", "html_inline", "html_block"}


def live(markdown: str) -> list[str]:
    """Return the links, pictures and HTML in Markdown, except the tags of docxchunk and footnotes
    that CommonMark takes for links.
    """
    tokens = [
        token
        for each in MarkdownIt("commonmark").enable("table").parse(markdown)
        for token in (each, *(each.children or ()))
    ]
    own = re.compile(
        r"</?(?:sup|sub|del|br)>|<!-- -->|<!-- chunk-(?:(?!--!?>).)*-->\s*"
        r'|<table>(?:</?(?:tr|td|br|table)(?: colspan="2")?>|[^<])*\s*'
    )
    return [
        token.content or str(token.attrs)
        for token in tokens
        if token.type in LIVE and not own.fullmatch(token.content)
    ]


@pytest.mark.parametrize("typed", TYPED)
def test_typed_markdown_and_html_stays_text(typed):
    each = html.escape(typed)
    cells = f"<tr><tc>{each}</tc><tc>{each}</tc></tr>"
    made = api.parse(
        docx(
            f"<p style='Heading1'>{each}</p><p>{each}</p><p>{each} "
            f"b</p><tbl>{cells * 2}</tbl><tbl>{cells}<tr><tc span='2'>{each}</tc></tr></tbl>"
        ),
        name="a.docx",
    )
    assert not live(made.to_markdown())
    for form in ("json", "html", "markdown", "text"):
        file = BytesIO()
        write(map(CHUNK.record, api.chunk(made, tables=form)), file)
        assert not live(file.getvalue().decode())


@given(st.text("[]()<>!\\:ab/ ='\"&;`*-#$", max_size=30))
def test_no_typed_text_becomes_a_link_or_html(typed):
    assert not live(
        document(
            text(escape_text(typed)), text("[a] [b]"), item(f"- {escape_text(typed)}", "-")
        ).to_markdown()
    )


@pytest.mark.parametrize("escape", [True, False])
def test_text_before_between_and_after_equations_is_escaped_only_if_that_is_wanted(escape):
    equation = '<equation format="latex">x</equation>'
    shown = markdown(f"[a](b) {equation} <b> {equation} [c](d)", escape=escape)
    plain = "[a](b) $x$ <b> $x$ [c](d)"
    assert shown == (plain.replace("](", "]\\(").replace("<", "\\<") if escape else plain)


@each_row("formats")
def test_a_note_of_one_word_is_no_address_of_its_mark(typed, shown):
    assert markdown(typed) == shown
    assert "java" not in str(live(f"{markdown(typed)}\n\nsee [^1]"))


@each_row("formats")
def test_targets_of_pictures_end_where_they_should(path, target):
    tag = f'<drawing id="i" format="" caption="" path="{html.escape(path)}" src="" />'
    assert document((Line(LineKind.DRAWING), tag)).to_markdown() == f"![]({target})\n"


@pytest.mark.parametrize("inside", [True, False])
def test_notes_with_the_same_number_get_their_own_labels(inside):
    """As where numbers restart in each section. In GitHub Flavored Markdown, all references to a
    label show its first note.
    """
    notes = tuple(
        Note(NoteKind.FOOTNOTE, str(n), number, said)
        for n, (number, said) in enumerate((("1", "One."), ("2", "Two."), ("1", "Three.")))
    )
    lines = (
        [(Line(LineKind.NOTE), f"[^{note.number}]: {note.text}") for note in notes]
        if inside
        else []
    )
    made = document(text("a[^1] b[^2]"), text("c[^1]: d"), *lines, notes=notes)
    assert made.to_markdown() == (
        "a[^1] b[^2]\n\nc[^1-2]: d\n\n[^1]: One.\n\n[^2]: Two.\n\n[^1-2]: Three.\n"
    )


def test_notes_of_joined_documents_have_the_number_of_the_document():
    first, second, third = "a[^1]\n\n[^1]: One.\n", "b[^1] [^9]\n\n[^1]: Two.\n", "c[^1]\n"
    assert joined_markdown([first, second, third]) == (
        f"{first}\n---\n\nb[^1.2] [^9]\n\n[^1.2]: Two.\n\n---\n\n{third}"
    )


@pytest.mark.parametrize(
    ("folder", "name", "shown"),
    [
        ("out", "1.png", "![Figure 1](out/a.blocks.assets/1.png)\n"),
        (".", "1.png", "![Figure 1](a.blocks.assets/1.png)\n"),
        ("out", "2.png", "Figure 1\n"),
        (None, "1.png", "Figure 1\n"),
    ],
)
def test_a_picture_is_shown_if_its_file_is_there_and_may_be_named(folder, name, shown):
    made = document((Line(LineKind.DRAWING), PICTURE), assets=Items({name: b"x"}))
    assert with_pictures_in(made, folder).to_markdown() == shown


@settings(max_examples=some(60), deadline=None)
@given(hypothesis_strategies.DOCUMENTS)
def test_every_word_is_there(made):
    shown = made.to_markdown()
    there = set(re.findall(r"\w+", html.unescape(re.sub(r"<br>|\\(?=\|)", " ", shown))))
    said = "\n".join(
        re.sub(r"<table\b.*?</table>", " ", block.content, flags=re.DOTALL) for block in made.blocks
    )
    said = re.sub(r"<[^>]*>", " ", said)
    cells = [
        cell
        for table in made.tables
        if table.format == "json"
        for row in json.loads(table.content)
        for cell in row
    ]
    assert set(re.findall(r"\w+", html.unescape(said))) <= there
    assert set(re.findall(r"\w+", html.unescape(re.sub(r"<[^>]*>", " ", " ".join(cells))))) <= there


@settings(max_examples=some(60), deadline=None)
@given(hypothesis_strategies.DOCUMENTS)
def test_headings_are_those_of_the_document(made):
    known = tuple(block for block in made.blocks if block.lines)
    if len(known) < len(made.blocks):
        return
    tree = SyntaxTreeNode(MarkdownIt("commonmark").parse(made.to_markdown()))
    found = [int(node.tag[1]) for node in tree.walk() if node.type == "heading"]
    assert found == [min(block.level, 6) for block in made.blocks if block.level]
