from __future__ import annotations

import pytest
from case_files import cases, each_row, yes
from docx_builder import docx
from examples import some
from hypothesis import given, settings
from hypothesis import strategies as st

from docxchunk import api

LOOKS = (
    '<p><r b="1">{}</r></p>',
    '<p><r sz="32">{}</r></p>',
    '<p jc="center"><r b="1">{}</r></p>',
)
TITLES = (
    "Foxes",
    "The river",
    "Evening at the mill",
    "A letter",
    "Stones of the garden",
    "What the winter left",
)

# an edit changes what the whole document has in common, such as the mean length of its sections,
# and so the confidence of every inferred heading, by one or two hundredths; 0.38 is required
CLEAR = 0.40

texts = st.integers(20, 60).map(lambda words: f"The fox{' and the dog' * (words // 3)} went home.")
sections = st.lists(
    st.tuples(st.sampled_from(TITLES), st.lists(texts, min_size=1, max_size=3)),
    min_size=5,
    max_size=6,
    unique_by=lambda section: section[0],
)


@pytest.mark.parametrize("case", cases("inferred"))
def test_case(case):
    case.check()


@pytest.mark.parametrize(
    ("look", "is_heading"), [('<r b="1">{}</r>', True), ('<r i="1">{}</r>', False)]
)
def test_a_long_marked_section_is_divided_only_by_lines_that_stand_out(look, is_heading):
    text = (
        "The quick brown fox jumps over the lazy dog, and the dog lies where it lay before. "
    ) * 10
    lines = ["Foxes", "The river", "Dogs"]
    source = "".join(f"<p>{look.format(line)}</p><p>{text}</p><p>{text}</p>" for line in lines)
    found = [
        block.heading for block in api.parse(docx(f'<p style="Heading1">Story</p>{source}')).blocks
    ]
    assert found == ["Story", *(lines if is_heading else [])]


def test_the_report_has_the_signals_of_inferred_headings_alone():
    text = "The quick brown fox jumps over the lazy dog, and the dog lies where it lay before. "
    section = f"<p><r b='1' sz='36'>FOXES</r></p><p>{text * 20}</p><p>{text * 20}</p>"
    document = api.parse(docx(f'<p style="Heading1">Story</p><p>{text}</p>{section * 2}'))
    sources = {block.heading: block.heading_source for block in document.blocks}
    assert sources == {"Story": "style", "FOXES": "guess"}
    assert [*document.report.guesses] == [block.id for block in document.blocks[1:]]


@each_row("reader", length=int, is_heading=yes)
def test_a_heading_is_at_most_160_letters_wide(words, length, is_heading):
    line = (words * length)[:length]
    text = "The quick brown fox jumps over the lazy dog, and the dog lies where it lay before. "
    source = f"<p><r b='1' sz='36'>{line}</r></p><p>{text * 3}</p>" * 2
    assert [block.level > 0 for block in api.parse(docx(source)).blocks] == (
        [True, True] if is_heading else [False]
    )


@settings(deadline=None, max_examples=some(60))
@given(sections, st.sampled_from(LOOKS), st.booleans(), texts, st.data())
def test_an_edit_of_a_paragraph_changes_no_clear_heading_of_another_section(
    written, look, numbered, new, data
):
    titled = [
        (f"{number} {title}" if numbered else title, paragraphs)
        for number, (title, paragraphs) in enumerate(written, 1)
    ]
    before = headings(titled, look)
    changed = data.draw(st.integers(0, len(titled) - 1))
    title, paragraphs = titled[changed]
    edited = data.draw(
        st.sampled_from(
            [
                [*paragraphs[:-1], f"{paragraphs[-1]} {new}"],
                [*paragraphs[:-1], new],
                [*paragraphs, new],
            ]
        )
    )
    after = headings([*titled[:changed], (title, edited), *titled[changed + 1 :]], look)
    for one, other in ((before, after), (after, before)):
        clear = {text: level for text, (level, confidence) in one.items() if confidence >= CLEAR}
        clear.pop(title, None)
        assert clear == {text: other[text][0] for text in clear if text in other}


def headings(written, look):
    """Return the level and the confidence of each heading, by its text."""
    source = "".join(
        look.format(title) + "".join(f"<p>{text}</p>" for text in paragraphs)
        for title, paragraphs in written
    )
    return {
        block.heading: (block.level, block.confidence)
        for block in api.parse(docx(source)).blocks
        if block.level
    }
