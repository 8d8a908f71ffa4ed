"""What is found in spite of the marks of notes, line breaks and readings that stand inside."""

from __future__ import annotations

from case_files import each_row
from docx_builder import docx
from hypothesis import given
from hypothesis import strategies as st

from docxchunk import api
from docxchunk.retrieval.finding.running import running, unmarked
from docxchunk.retrieval.reading import Reader

NOTE = "<r><footnoteReference id='2'/></r>"
NOTES = "<footnotes><footnote id='2'><p>A note.</p></footnote></footnotes>"
BETWEEN = [" ", f"{NOTE} ", "<r><br/></r>", f" {NOTE}<r><br/></r>", "<r><br type='page'/></r>"]


def reader_of(body: str) -> Reader:
    return Reader(api.parse(docx(f"<p style='Heading1'>1. Terms</p>{body}{NOTES}"), name="a.docx"))


@given(st.lists(st.sampled_from(BETWEEN), min_size=3, max_size=3))
def test_law_marks_and_breaks_inside_a_phrase_change_no_answer(between):
    words = ["In Section", "4 the “Closing", "Date” means", "the day of sale."]
    pieces = [
        f"<r><t>{word}</t></r>{mark}" for word, mark in zip(words, [*between, ""], strict=True)
    ]
    reader = reader_of(f"<p>{''.join(pieces)}</p><p style='Heading1'>4. Sale</p><p>Soon.</p>")
    total, (passage,) = reader.find("section 4 the “closing date” means the day")
    assert total == 1
    assert "sale." in passage.text
    start, end = passage.match
    assert passage.text[start:end].startswith("Section")
    assert passage.text[start:end].endswith("day")
    assert [each.number for each in reader.define("Closing Date")] == ["1"]
    assert [each.number for each in reader.references("4").by] == ["1"]
    assert reader.find("Sale Soon")[0] == reader.find("sale. A note")[0] == 0


@each_row("retrieval", times=int)
def test_a_phrase_is_found_as_it_is_read(text, phrase, times):
    assert reader_of(f"<p>{text}</p>").find(phrase)[0] == times


def test_a_quotation_may_leave_out_the_readings_or_have_them():
    reader = reader_of("<p>東京(とうきょう)都知事は毎年報告書を提出する。</p>")
    for read in ("", "(とうきょう)"):
        assert reader.cite(f"東京{read}都知事は毎年報告書を提出する").is_found


@given(st.text("a東(い)[^1]: \n{+-}", max_size=30))
def test_law_each_character_of_a_running_text_is_one_of_the_lines(text):
    lines = text.split("\n")
    read = running(3, lines)
    if read is None:
        assert (lines, unmarked(text)) == ([text], text)
        return
    origin = (text[at] for at in read.offsets[:-1])
    assert read.text == "".join(origin).replace("\n", " ")
    for start in range(len(read.text)):
        if at := read.across(start, len(read.text)):
            shown = "\n".join(lines[at.place - 3 : at.last - 2])[slice(*at.span)]
            assert unmarked(shown).replace("\n", " ") == read.text[start:]
