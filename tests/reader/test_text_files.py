"""Text files and Markdown."""

from __future__ import annotations

import pytest
from case_files import each_row
from hypothesis import given
from hypothesis import strategies as st

import docxchunk
from docxchunk.errors import NotWordError
from docxchunk.reader.text_files import read_markdown, read_text_file
from docxchunk.records.laws import document_faults

LINES = st.lists(
    st.builds(
        "".join,
        st.tuples(
            st.sampled_from(("", "", " ", "   ", "    ", "\t")),
            st.sampled_from(
                (
                    "#",
                    "##",
                    "######",
                    "#######",
                    "```",
                    "````",
                    "~~~",
                    "```py",
                    "~~~ `",
                    "``` `",
                    "a",
                    "",
                    "===",
                    "--",
                    "***",
                )
            ),
            st.sampled_from(("", " ", "\t", "  ")),
            st.sampled_from(("", "", "A b", "C # d", "#", "e ##", "f##", "x `y` ", "& < table")),
        ),
    ),
    max_size=10,
)


@given(LINES)
def test_documents_obey_the_laws(lines):
    made = read_markdown("\n".join(lines), "a.md", "doc-1")
    assert list(document_faults(made)) == []
    marks = str.maketrans("", "", "#=-")
    said = "".join("".join(lines).translate(marks).split())
    assert (
        "".join(
            "".join(block.content.replace("&lt;", "<") for block in made.blocks)
            .translate(marks)
            .split()
        )
        == said
    )


def test_metadata_at_the_start_is_no_heading():
    made = read_markdown("---\ntitle: A\n---\nTerms\n=====\nNone.\n", "a.md", "doc-1")
    assert [(block.level, block.content) for block in made.blocks] == [
        (0, "---\ntitle: A\n---"),
        (1, "# Terms\nNone."),
    ]
    assert made.blocks[1].position.elements == (3, 5)


@pytest.mark.parametrize(
    "text", ["Text\n<p>\n---\n", "a | b\n--|--\n1 | 2\n---\n", "- # a\n", "> a\n> ===\n", "#\n"]
)
def test_headings_in_lists_quotations_tables_and_html_are_none(text):
    assert read_markdown(text, "a.md", "doc-1").structured is False


MARKDOWN = """\
One
===

text

Two
---
### Three

#### Four
```
# no
~~~
````
## Five
more

## <table>
### Seven
# Eight
"""


def test_blocks_of_a_text():
    """Level, heading, parents, first and last line, content."""
    made = read_markdown(MARKDOWN, "a.MD", "doc-1")
    assert (made.name, made.format, made.structured) == ("a.MD", "md", True)
    assert [
        (block.level, block.heading, *block.parent_headings, *block.position.elements)
        for block in made.blocks
    ] == [
        (1, "One", 0, 3),
        (2, "Two", "One", 5, 6),
        (3, "Three", "One", "Two", 7, 7),
        (4, "Four", "One", "Two", "Three", 9, 13),
        (2, "Five", "One", 14, 15),
        (2, "<table>", "One", 17, 17),
        (3, "Seven", "One", "<table>", 18, 18),
        (1, "Eight", 19, 19),
    ]
    assert [block.content for block in made.blocks] == [
        "# One\ntext",
        "## Two",
        "### Three",
        "#### Four\n```\n# no\n~~~\n````",
        "## Five\nmore",
        "## &lt;table>",
        "### Seven",
        "# Eight",
    ]


@each_row("reader")
def test_the_format_is_the_ending_of_the_name(name, expected):
    assert read_text_file(b"text", name, "doc").format == expected


def test_a_paragraph_may_have_tabs_and_blanks_inside():
    text = "One\ttwo\n===\nthree    four [x]: y\n---\n"
    blocks = read_markdown(text, "a.md", "doc").blocks
    assert [block.heading for block in blocks] == ["One two", "three four [x]: y"]


def test_headings_open_blocks():
    text = "Before.\n\n# Terms\n\nNone.\n\n```\n# no heading\n```\n\n## Duration ##\n\nA year.\n"
    chunks = docxchunk.chunk_text(text, markdown=True, max_tokens=32, overlap=0)
    assert [(heading.level, heading.heading) for chunk in chunks for heading in chunk.headings] == [
        (1, "Terms"),
        (2, "Duration"),
    ]
    assert chunks[0].context == ""
    assert docxchunk.chunk_text("\ufeff# Terms\n\nNone.", markdown=True)[0].context == "Terms", (
        "a byte order mark is not part of the text"
    )
    assert not [
        heading for chunk in docxchunk.chunk_text(text, max_tokens=32) for heading in chunk.headings
    ]


def test_ids_of_texts():
    one, same, other = (docxchunk.chunk_text(text)[0] for text in ("a", "a", "b"))
    assert one == same
    assert one.doc_id != other.doc_id
    assert docxchunk.chunk_text("a", doc_id="mine")[0].doc_id == "mine"
    assert docxchunk.chunk_text("") == []
    assert docxchunk.chunk_text("a\ud800b")[0].text == "a\ufffdb"


def test_a_file_with_zero_bytes_is_no_text():
    with pytest.raises(NotWordError, match="NUL"):
        read_text_file(b"text\0", "a.txt", "doc")
