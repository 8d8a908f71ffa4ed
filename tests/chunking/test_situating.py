"""Sentences by a model that situate chunks in their document."""

from __future__ import annotations

import logging
import re
from dataclasses import replace
from itertools import chain, repeat

import pytest
from chunking.makers import WORDS, block, document, words
from hypothesis import given
from hypothesis import strategies as st
from lab.asked import GivenCompleter

import docxchunk
from docxchunk.chunking import ChunkLimits, P, run
from docxchunk.chunking.situating import LONGEST, SURROUNDINGS, Situating
from docxchunk.errors import MissingModelError, ModelError, UsageError
from docxchunk.model.chunks import Chunk
from docxchunk.model.ports import NO_MODELS, Models

REPORT = replace(
    document(
        block("Costs", words(150, "cost")),
        block("Wages", words(40, "wage"), 2, ("Costs",)),
        block("Outlook", words(30, "rise")),
    ),
    title="Annual report 2024",
)
SENTENCE = "From the annual report 2024 of Example Ltd, on costs."


class NarrowCompleter(GivenCompleter):
    """A completer with a context window, in words."""

    def __init__(self, window: int) -> None:
        super().__init__(lambda _: SENTENCE)
        self.window = window
        self.count = WORDS.count


def chunks_of(made=REPORT, size: int = 100, reserve: int = 0) -> list[Chunk]:
    return list(run(made, P(), ChunkLimits(size, 0, reserve=reserve), WORDS).chunks)


def test_situations_are_beside_the_content_and_in_the_text_to_embed():
    before = chunks_of()
    after = docxchunk.situate(
        REPORT,
        before,
        Models(completer=GivenCompleter(lambda _: f" {SENTENCE[:20]}\n{SENTENCE[20:]} \n")),
        tokenizer=WORDS,
    )
    assert {chunk.situation for chunk in after} == {
        f"{SENTENCE[:20]} {SENTENCE[20:]}".replace("  ", " ")
    }
    assert [replace(chunk, situation="") for chunk in after] == before
    assert all(
        chunk.embed_text == f"{chunk.embed_header}\n\n{chunk.situation}\n\n{chunk.content}"
        for chunk in after
    )
    assert (
        replace(after[0], embed_header="").embed_text
        == f"{after[0].situation}\n\n{after[0].content}"
    )
    assert [Chunk.from_dict(chunk.to_dict()) for chunk in after] == after
    assert docxchunk.flat_record(after[0], "report.docx")["situation"] == after[0].situation


@given(
    st.lists(
        st.sampled_from(["word", "two words", "a-b", "é.", "中文字", "x" * 50]), max_size=200
    ).map(" ".join),
    st.sampled_from([1, 4, 10, 40]),
)
def test_the_text_to_embed_stays_within_the_limit(answer: str, reserve: int):
    chunks = chunks_of(reserve=reserve)
    found = (
        Situating(WORDS, 100)
        .situated(REPORT, chunks, Models(completer=GivenCompleter(lambda _: answer)))
        .chunks
    )
    for chunk in found:
        assert WORDS.count(chunk.embed_text) <= 100
        assert WORDS.count(chunk.situation) <= LONGEST
        assert (
            chunk.situation == " ".join(answer.split())
            or not chunk.situation
            or chunk.situation.endswith("…")
        )
        assert answer.startswith(chunk.situation.removesuffix("…"))


def test_a_sentence_is_cut_after_the_last_word_that_fits():
    [chunk] = chunks_of(document(block("", words(60), 0)))
    for limit, situation in (
        (59, ""),
        (62, "From…"),
        (65, "From the annual report…"),
        (73, SENTENCE),
    ):
        [found] = (
            Situating(WORDS, limit)
            .situated(REPORT, [chunk], Models(completer=GivenCompleter(lambda _: SENTENCE)))
            .chunks
        )
        assert found.situation == situation
    [found] = (
        Situating(WORDS)
        .situated(REPORT, [chunk], Models(completer=GivenCompleter(lambda _: words(LONGEST + 1))))
        .chunks
    )
    assert found.situation == words(LONGEST - 1) + "…"


def test_a_prompt_has_the_outline_the_section_and_the_chunk():
    completer = GivenCompleter(lambda _: SENTENCE)
    chunks = chunks_of()
    Situating(WORDS).situated(REPORT, chunks, Models(completer=completer))
    assert len(completer.asked) == len(chunks) > 2
    first = completer.asked[0]
    assert first.startswith("Below are the outline")
    assert (
        "Document: Annual report 2024\n\nOutline:\nCosts\n  Wages\nOutlook\n\nSection: Costs\n"
    ) + REPORT.blocks[0].content in first
    assert first.endswith("\n\nChunk:\n" + chunks[0].content)


def surroundings(made, number=0):
    """Return the title, outline, path and section in the prompt about a chunk."""
    completer = GivenCompleter(lambda _: SENTENCE)
    Situating(WORDS).situated(made, chunks_of(made), Models(completer=completer))
    _, *shown, _ = re.split(
        "Document: |\n\nOutline:\n|\n\nSection: |\n\nChunk:\n", completer.asked[number]
    )
    title, outline, section = shown
    return title, outline, *section.split("\n", 1)


def test_the_section_of_a_chunk_is_all_of_its_blocks_and_left_out_if_the_chunk_is():
    small = [block("One", words(10, "a")), block("Two", words(10, "b"))]
    long = block("Three", words(150, "c"))
    assert surroundings(document(*small))[2:] == ("One", "")
    both, last = (surroundings(document(*small, long), number)[2:] for number in range(2))
    assert both == ("One", "\n\n".join(each.content for each in (*small, long)))
    assert last == ("Three", long.content)


@pytest.mark.parametrize("window", [0, 200, 260, 400, 3000, 10**6])
def test_outline_and_section_are_cut_to_the_context_of_the_model(window: int):
    parts = [
        block(f"Part {number}", "\n".join([words(80, "long")] * 30), 1 + number % 3)
        for number in range(6)
    ]
    made = document(*parts)
    chunks = chunks_of(made)
    completer = NarrowCompleter(window)
    Situating(WORDS).situated(made, chunks, Models(completer=completer))
    bare = max(WORDS.count(chunk.content) for chunk in chunks) + 110
    for chunk, prompt in zip(chunks, completer.asked, strict=True):
        assert prompt.startswith("Below are the outline")
        assert prompt.endswith(f"Chunk:\n{chunk.content}")
        assert WORDS.count(prompt) <= min(max(window, bare), SURROUNDINGS + bare)


def test_a_model_that_gives_no_sentence_is_noted(caplog):
    answers = chain([" \n", SENTENCE], repeat(SENTENCE))
    chunks = chunks_of()
    models = Models(completer=GivenCompleter(lambda _: next(answers)))
    with caplog.at_level(logging.INFO, "docxchunk"):
        found = Situating(WORDS).situated(REPORT, chunks, models)
    assert "made.docx: The model gave no sentence to situate 1 of" in caplog.text
    assert found.notes == (f"The model gave no sentence to situate 1 of {len(chunks)} chunks.",)
    assert [chunk.situation for chunk in found.chunks] == ["", *[SENTENCE] * (len(chunks) - 1)]


def test_errors():
    chunks = chunks_of()
    with pytest.raises(
        MissingModelError, match="Situating chunks needs a language model that writes text"
    ):
        docxchunk.situate(REPORT, chunks, NO_MODELS)
    with pytest.raises(UsageError, match="another document"):
        docxchunk.situate(replace(REPORT, doc_id="doc-other"), chunks, NO_MODELS)
    with pytest.raises(UsageError, match="max_tokens is 0"):
        docxchunk.situate(REPORT, chunks, NO_MODELS, max_tokens=0)
    with pytest.raises(MissingModelError):
        docxchunk.situate(REPORT, chunks, NO_MODELS, max_tokens=1)
    with pytest.raises(ModelError, match="a NoneType instead of a text"):
        docxchunk.situate(REPORT, chunks, Models(completer=GivenCompleter(lambda _: None)))
