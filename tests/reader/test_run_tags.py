from __future__ import annotations

import re
from xml.sax.saxutils import escape

import pytest
from case_files import cases
from docx_builder import docx
from hypothesis import given
from hypothesis import strategies as st

from docxchunk import api
from docxchunk.content.tags import INLINE_TAG
from docxchunk.model.document import Document
from docxchunk.model.options import ParseOptions
from docxchunk.reader.run_tags import link_target

EVERYTHING = ParseOptions(everything=True)
TAG = re.compile(INLINE_TAG)


@pytest.mark.parametrize("case", cases("everything"))
def test_case(case):
    case.check()


RUNS = st.tuples(
    st.sampled_from(
        [
            "<r>{}</r>",
            '<r b="1">{}</r>',
            '<r i="1">{}</r>',
            '<r b="1" u="single">{}</r>',
            '<r strike="1" i="1">{}</r>',
            '<r vert="superscript">{}</r>',
            '<r><rPr><highlight val="cyan"/></rPr>{}</r>',
            '<hyperlink href="https://example.org/">{}</hyperlink>',
            '<hyperlink anchor="x"><r b="1">{}</r></hyperlink>',
            "<field code='HYPERLINK \"https://example.org/x\"'>{}</field>",
            '<ins><r b="1">{}</r></ins>',
        ]
    ),
    st.text("ab c.é第合\u0627<>&/\"'", max_size=12)
    | st.sampled_from(["<strong>", "</a>", '<a href="x">', "&lt;u>", "word " * 60, "字" * 250])
    | st.sampled_from(["<br/>", "<tab/>", "<noBreakHyphen/>"]),
)
PARAGRAPHS = st.lists(st.lists(RUNS, max_size=8), min_size=1, max_size=4)


def written(runs: list[tuple[str, str]]) -> str:
    elements = ("<br/>", "<tab/>", "<noBreakHyphen/>")
    return "".join(run.format(text if text in elements else escape(text)) for run, text in runs)


def lines_of(document: Document) -> list[str]:
    return [line for block in document.blocks for line in block.content.split("\n")]


@given(PARAGRAPHS, st.sampled_from(["<p>{}</p>", "<p style='Heading1'>{}</p>", "cells", "merged"]))
def test_without_its_tags_the_text_is_the_same(paragraphs, form):
    texts = [written(runs) for runs in paragraphs]
    if form in {"cells", "merged"}:
        span = ' span="2"' if form == "merged" else ""
        rows = "".join(f"<tr><tc{span}><p>{text}</p></tc></tr>" for text in texts)
        source = docx(f"<tbl>{rows}</tbl>")
    else:
        source = docx("".join(form.format(text) for text in texts))
    plain, tagged = lines_of(api.parse(source)), lines_of(api.parse(source, options=EVERYTHING))
    assert [TAG.sub("", line) for line in tagged] == [TAG.sub("", line) for line in plain]
    for line in tagged:
        assert_whole(line)


def assert_whole(line: str) -> None:
    """Check that tags are closed on their line, in order, and not within a word."""
    opened: list[str] = []
    for tag in TAG.finditer(line):
        name = tag[0].strip("<>/").split()[0]
        if tag[0].startswith("</"):
            assert opened.pop() == name
        else:
            assert name not in opened
            opened.append(name)
        if name not in {"sup", "sub"}:
            assert not re.search(r"[a-zé]$", line[: tag.start()]) or not re.match(
                r"[a-zé]", line[tag.end() :]
            )
    assert not opened


def test_tags_are_whole_in_chunks_of_any_size():
    words = "<r b='1'>{}</r><r> {} </r><hyperlink href='https://example.org/{}'>{}</hyperlink>"
    text = "".join(words.format(f"bold {n}.", f"plain {n}.", n, f"link {n}") for n in range(200))
    document = api.parse(docx(f"<p>{text}</p><p><r i='1'>{'A long one. ' * 300}</r></p>"),
                         options=EVERYTHING)  # fmt: skip
    for size in (100, 200, 1000):
        chunks = document.chunks(max_tokens=size, overlap=0)
        assert len(chunks) > 1
        for chunk in chunks:
            for line in chunk.content.split("\n"):
                assert_whole(line)


def test_no_part_of_a_long_text_ends_with_a_blank():
    source = docx(f"<p><r b='1'>{'word  ' * 100}</r></p>")
    content = api.parse(source, options=EVERYTHING).blocks[0].content
    assert content.count("</strong>") > 1
    assert " </strong>" not in content


@pytest.mark.parametrize(
    ("runs", "on_the_next_page"),
    [
        ("<r b='1'>Bold.</r>{}<r>Plain.</r>", "Plain."),
        ("<r>Plain.</r>{}<r b='1'>Bold.</r>", "<strong>Bold.</strong>"),
    ],
)
def test_a_page_ends_behind_the_tags_that_end_there(runs, on_the_next_page):
    source = docx(f"<p>{runs.format('<r><lastRenderedPageBreak/></r>')}</p>")
    (block,) = api.parse(source, options=EVERYTHING).blocks
    (turn,) = block.lines[0].turns
    assert block.content[turn:] == on_the_next_page


def test_a_long_target_holds_data():
    assert link_target("a" * 1000) == "a" * 1000
    assert not link_target("a" * 1001)


def test_paragraphs_keep_their_numbers_and_blocks_their_headings():
    source = docx(
        "<header>head</header><footer>foot</footer>"
        "<p/><p>a</p><p style='Heading1'>B</p><p/><p>c</p><p/>"
    )
    plain = {
        text: line.paragraph
        for block in api.parse(source).blocks
        for text, line in zip(block.content.split("\n"), block.lines, strict=True)
    }
    blocks = api.parse(source, options=EVERYTHING).blocks
    tagged = {
        text: line.paragraph
        for block in blocks
        for text, line in zip(block.content.split("\n"), block.lines, strict=True)
    }
    assert plain.items() <= tagged.items()
    assert tagged["Header: head"] == plain["a"]
    assert tagged["Footer: foot"] == plain["c"]
    assert [block.heading for block in blocks] == ["", "B"]


def test_options_that_everything_implies():
    assert (EVERYTHING.comments, EVERYTHING.headers_footers, EVERYTHING.strikethrough) == (
        True,
        "body",
        "mark",
    )
    own = ParseOptions(everything=True, headers_footers="notes", strikethrough="drop")
    assert (own.headers_footers, own.strikethrough) == ("notes", "drop")


def test_many_alternating_runs():
    runs = "".join(f"<r {'b' if n % 2 else 'i'}='1'>字</r>" for n in range(3000))
    content = api.parse(docx(f"<p>{runs}</p>"), options=EVERYTHING).blocks[0].content
    assert content.count("<strong>字</strong>") == content.count("<em>字</em>") == 1500
