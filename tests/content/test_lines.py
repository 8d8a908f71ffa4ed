from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from docxchunk.content.lines import BlockLines
from docxchunk.model.blocks import Block, Line


@given(st.text("ab\n", max_size=8), st.integers(0, 4))
def test_each_line_of_a_block_has_a_record(content, count):
    block = Block("b", content, lines=tuple(Line(para_id=f"{n}") for n in range(count)))
    lines, texts = BlockLines(block), content.split("\n")
    assert [content[start:].partition("\n")[0] for start in lines.starts] == texts
    assert lines.are_known == (count == len(texts))
    number_of = {at: content.count("\n", 0, at) for at in range(len(content) + 1)}
    expected = [f"{n}" if lines.are_known else None for n in number_of.values()]
    assert [lines.at(at).para_id for at in number_of] == expected
