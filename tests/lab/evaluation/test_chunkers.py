from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from case_files import each_number, each_row
from examples import some
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lab.evaluation.makers import ANIMALS, source_of
from lab.scripted import MODELS
from make_fixtures import DOCUMENTS

import docxchunk
from docxchunk.chunking import ChunkLimits, P, run
from docxchunk.errors import UsageError
from docxchunk.lab.evaluation import chunkers
from docxchunk.lab.evaluation.chunkers import (
    CONTROLS,
    TOLERANCE,
    FlatMerge,
    named,
    of_function,
    of_pipeline,
    strategy_of,
    tuned,
)
from docxchunk.lab.evaluation.passages import sources, with_header
from docxchunk.lab.evaluation.retrievers import bm25, ranked
from docxchunk.model.ports import Models
from docxchunk.testing import hypothesis_strategies

COUNT = docxchunk.tokenizer(lambda text: len(text.split()))
TEXT = st.text(alphabet="ab. \n中。", max_size=200)


@pytest.mark.parametrize("control", CONTROLS)
@settings(max_examples=some(60), deadline=None)
@given(text=TEXT, most=st.integers(1, 20))
def test_controls_cut_all_of_the_text_and_lose_nothing(control, text, most):
    found = [*CONTROLS[control](COUNT)(text, most)]
    assert "".join(text[start:end] for start, end in found) == (text if found else "")
    assert found or not text.strip()
    assert found == [*CONTROLS[control](COUNT)(text, most)]


@each_row("lab", counts=each_number, size=int, ends=each_number)
def test_ranges_are_filled_with_as_many_units_as_fit(counts, size, ends):
    text = "a" * len(counts) + ("  " if counts else "")
    found = [*chunkers._filled(text, range(1, len(counts) + 1), counts, lambda: size)]
    whole = [*ends[:-1], len(text)] if ends else []  # what stands behind the last unit, too
    assert found == [*zip([0, *whole], whole, strict=False)]


@settings(max_examples=some(40), deadline=None, suppress_health_check=list(HealthCheck))
@given(document=hypothesis_strategies.DOCUMENTS, most=hypothesis_strategies.SIZES)
def test_flat_merging_loses_nothing_and_keeps_the_cap(document, most):
    before = run(document, P(), ChunkLimits(most, 0), hypothesis_strategies.ADDITIVE).chunks
    after = run(document, FlatMerge(), ChunkLimits(most, 0), hypothesis_strategies.ADDITIVE).chunks
    assert all(hypothesis_strategies.ADDITIVE.count(chunk.content) <= most for chunk in after)
    assert {block for chunk in after for block in chunk.blocks} == {
        block for chunk in before for block in chunk.blocks
    }
    assert len(after) <= len(before) + len(document.tables)


def test_names_with_settings():
    source = sources([docxchunk.parse(DOCUMENTS / "sample-report.docx")])[0]
    count = docxchunk.tokenizer()
    plain, other = (
        named(name, count)(0, source, 150)
        for name in ("P", "P:table_max=0.5,merge_top_level=false")
    )
    assert [found.text for found in plain] != [found.text for found in other]
    assert named("V", count, 0, MODELS)(0, source, 150)
    assert named("P-flat:target_ideal=0.5", count)(0, source, 150)
    assert strategy_of("P:inner=PPL:threshold=0.5,tables=text").inner == "PPL:threshold=0.5"
    assert strategy_of("units").name == "P"
    assert strategy_of("units:R").name == "R"
    assert strategy_of("blind") is strategy_of("P-flat") is None


class Decomposer:
    """A completer that returns one fixed proposition for each passage."""

    name = fingerprint = "decomposer"

    def complete(self, prompts):
        return [
            '["Felines rest."]' if "Cats" in prompt else '["Canines yelp."]' for prompt in prompts
        ]


def test_propositions_are_searched():
    pytest.importorskip("numpy", reason="the extra eval is not installed")
    source = source_of(f"{ANIMALS['cats.txt']}\n\n{ANIMALS['dogs.txt']}")
    passages = named("proposition:passage=10", COUNT, 0, Models(completer=Decomposer()))(
        0, source, 60
    )
    assert {passage.smaller for passage in passages} == {("Felines rest.",), ("Canines yelp.",)}
    scores = next(bm25(passages, ["felines"]))
    assert [score > 0 for score in scores] == [
        passage.smaller == ("Felines rest.",) for passage in passages
    ]


@pytest.mark.parametrize(
    "name", ["Q", "P:nonsense=1", "P:target_ideal=2", "P-flat:x=1", "blind:x=1"]
)
def test_unknown_names_are_errors(name):
    with pytest.raises(UsageError):
        named(name, COUNT)


@pytest.mark.parametrize(
    "cut", [lambda text, most: None, lambda text, most: ["a text"], lambda text: []]
)
def test_a_function_without_valid_ranges_is_an_error(cut):
    with pytest.raises(UsageError, match="gave no ranges"):
        of_function(cut, COUNT)(0, source_of("a b c"), 12)


def test_an_external_function_as_chunker():
    source = source_of(ANIMALS["cats.txt"])
    chunker = of_function(lambda text, most: [(0, most), (4, 5), (most // 2, len(text))], COUNT)
    found = chunker(0, source, 12)
    # the space between them is not a chunk
    assert [passage.text for passage in found] == [source.text[:12], source.text[6:]]
    assert [passage.spans for passage in found] == [((0, 12),), ((6, len(source.text)),)]
    for start, end in ((0, len(source.text) + 1), (-1, 3), (4, 3)):
        with pytest.raises(UsageError, match=f"The range {start} to {end} is not in the text"):
            of_function(lambda *_, span=(start, end): [span], COUNT)(0, source, 12)
    assert of_function(lambda text, _: [(0, 0), (len(text), len(text))], COUNT)(0, source, 12) == []


@pytest.mark.parametrize(
    ("name", "mean"), [("blind", 60), ("random", 60), ("R", 120), ("P", 120), ("P-flat", 120)]
)
def test_equal_sizes(name, mean):
    found = tuned(
        named(name, docxchunk.tokenizer()),
        sources(
            [
                docxchunk.parse(DOCUMENTS / "contract.docx"),
                docxchunk.parse(DOCUMENTS / "sample-report.docx"),
            ]
        ),
        mean,
    )
    assert abs(found.mean - mean) <= 2 * TOLERANCE * mean  # few chunks: a step is large


def test_a_pipeline_needs_the_file_of_a_document():
    chunker = of_pipeline(lambda file, _: (file.stem, [(0, 4), (4, 5), (5, 9)]), COUNT)
    with pytest.raises(UsageError, match=r"A pipeline needs a Word file, and a\.txt has none\."):
        chunker(0, source_of("Some docx."), 9)
    source = replace(source_of("Some docx. Some more."), offset=7, file=Path("Some docx.docx"))
    found = chunker(3, source, 9)
    assert [(each.source, each.text, each.tokens) for each in found] == [
        (3, "Some", 1),
        (3, "docx", 1),
    ]
    assert [each.spans for each in found] == [((7, 12),), ((11, 18),)]


def test_units_are_searched_as_by_the_search():
    """The first unit for a question is that of docxchunk.search."""
    pytest.importorskip("numpy", reason="the extra eval is not installed")
    file = DOCUMENTS / "contract.docx"
    document = docxchunk.parse(file)
    passages = named("units", docxchunk.tokenizer())(0, sources([document])[0], 512)
    chunks = docxchunk.chunk(document, max_tokens=512)
    assert [passage.unit.content for passage in passages] == [
        unit.content for unit in document.units(chunks)
    ]
    for passage in passages:
        assert passage.indexed == with_header(passage).indexed == passage.unit.index_text
    for question in ("Who pays for repairs?", "When does the lease end?", "notice of termination"):
        scores = next(bm25(passages, [question]))
        hits = docxchunk.search(file, question, limit=3, cache=False)
        assert [passages[i].text for i in ranked(scores)[: len(hits)]] == [
            hit.unit.content for hit in hits
        ]
