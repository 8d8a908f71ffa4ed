"""Every strategy with models: short and uniform texts, tables, Chinese, Word files, and settings
given as text.
"""

from __future__ import annotations

import json
from dataclasses import fields, replace
from functools import cache

import numpy as np
import pytest
from case_files import each_row
from chunking.makers import WORDS, block, document, table, tag
from chunking.section_laws import all_laws
from chunking.test_laws import ASKING, needs
from lab.asked import GivenCompleter, models_of, plain_text, strip_of
from lab.scripted import MODELS
from make_fixtures import DOCUMENTS

from docxchunk import api
from docxchunk.chunking import Anchors, ChunkLimits, P, run
from docxchunk.chunking.divide import divided
from docxchunk.chunking.strategy import default_settings, named_strategy, settings_of
from docxchunk.chunking.strategy import parse_settings as typed
from docxchunk.chunking.units import UnitSequence, UnitType
from docxchunk.errors import MissingModelError, UsageError
from docxchunk.lab.strategies.lgmgc import MG
from docxchunk.lab.strategies.pseudo_instruction import PIC, Instruction
from docxchunk.model.chunks import Heading, TableForm
from docxchunk.model.ports import Choices
from docxchunk.records.laws import chunk_faults
from docxchunk.testing import hypothesis_strategies

EVERY = pytest.mark.parametrize("strategy", ASKING)


class Indifferent:
    """An embedding model with the same vector for all texts."""

    name = fingerprint = "test:indifferent"

    def embed(self, texts):
        return np.full((len(texts), 3), 1 / np.sqrt(3), np.float32)

    def score(self, questions):
        return [
            (-1.0,) * len(question.options if isinstance(question, Choices) else question.ends)
            for question in questions
        ]


SILENT = GivenCompleter(lambda prompt: "")


class Unasked:
    """A model that must not be asked."""

    name = fingerprint = "test:unasked"

    def embed(self, texts):
        raise AssertionError(texts)

    score = complete = embed


@EVERY
def test_an_empty_document_is_not_sent_to_a_model(strategy):
    needs(strategy)
    chunks = run(plain_text(""), strategy, ChunkLimits(), WORDS, models_of(Unasked())).chunks
    assert [chunk.content for chunk in chunks] == []


@EVERY
def test_short_uniform_and_blank_texts(strategy):
    needs(strategy)
    limits, models = ChunkLimits(64, 10), models_of(Indifferent(), SILENT)
    some = ["One sentence.", "One sentence. Two of them.", "x", "一句话。两句话。", "Same. " * 12]
    for text in ("", " \n\n ", *some):
        made = plain_text(text)
        result = run(made, strategy, limits, WORDS, models)
        all_laws(made, result, limits, WORDS, strategy.name)
        assert bool(result.chunks) == (text in some)


@EVERY
def test_a_table_is_one_unit_unless_it_is_over_the_limit(strategy):
    needs(strategy)
    rows = table(
        "tb-1", [["name", "amount"], *([f"row {n}", str(n)] for n in range(60))], header_rows=1
    )
    made = document(
        block("Figures", f"Before it. And more.\n{tag(rows)}\nAfter it. The end."), tables=[rows]
    )
    for size in (4000, 100):
        result = run(made, strategy, ChunkLimits(size), WORDS, MODELS)
        all_laws(made, result, ChunkLimits(size), WORDS, strategy.name)
        holding = [chunk for chunk in result.chunks if chunk.tables]
        assert (len(holding) == 1) == (size == 4000)


@cache
def parsed(name):
    return api.parse(DOCUMENTS / name)


@EVERY
@pytest.mark.parametrize("name", ["sample-report.docx", "chinese-thesis.docx"])
def test_word_files(strategy, name):
    needs(strategy)
    made = parsed(name)
    result = run(made, strategy, ChunkLimits(256), hypothesis_strategies.ADDITIVE, MODELS)
    all_laws(made, result, ChunkLimits(256), hypothesis_strategies.ADDITIVE, strategy.name)
    assert list(chunk_faults(made, result.chunks, 256, hypothesis_strategies.ADDITIVE.count)) == []
    heading_of = {block.id: Heading(block.level, block.heading) for block in made.blocks}
    for chunk in result.chunks:
        headings = [heading_of[block] for block in chunk.blocks if heading_of[block].heading]
        assert list(chunk.headings) == headings


@pytest.mark.parametrize(
    "strategy", [strategy for strategy in ASKING if hasattr(strategy.values[0], "rule")]
)
def test_each_rule_divides_any_row_of_sentences(strategy):
    """As `inner` requires it: every unit in one group, groups in the order of their first unit."""
    needs(strategy)
    assembler, sequence = strip_of(
        "One. Two! Three? " * 9, MODELS.embedder, MODELS.scorer, MODELS.completer
    )
    assert strategy.rule(assembler)(UnitSequence(assembler, [], UnitType.SENTENCE)) == []
    groups = strategy.rule(assembler)(sequence)
    assert sorted(number for group in groups for number in group) == list(range(27))
    assert all(group == sorted(group) for group in groups)
    assert [group[0] for group in groups] == sorted(group[0] for group in groups)
    assert all(
        assembler.join(part)[1] <= 20
        for part in divided(assembler, strategy.rule(assembler), sequence.spans, 20)
    )


@EVERY
def test_a_missing_model_is_an_error(strategy):
    for port in strategy.models:
        with pytest.raises(MissingModelError, match="This strategy needs a"):
            run(
                plain_text("One. Two."),
                strategy,
                ChunkLimits(),
                WORDS,
                replace(MODELS, **{port: None}),
            )


@EVERY
def test_a_strategy_without_models_needs_none(strategy):
    if not strategy.models:
        assert run(plain_text("One. Two."), strategy, ChunkLimits(), WORDS).chunks


@EVERY
def test_settings_have_unique_names_and_are_json(strategy):
    values = settings_of(strategy, ChunkLimits(tables=TableForm.TEXT, reserve=1), MODELS)
    assert len(values) == 1 + len(fields(ChunkLimits)) + len(fields(strategy)) + len(
        strategy.models
    ), "two settings of one name"
    assert {"strategy", *(field.name for field in fields(strategy)), *strategy.models} <= set(
        values
    )
    assert json.loads(json.dumps(values))["strategy"] == strategy.name
    assert set(strategy.models) <= {"embedder", "scorer", "completer"}
    texts = [f"{name}={getattr(strategy, name)}" for name, _ in default_settings(strategy.name)]
    assert type(strategy)(**typed(strategy.name, texts)) == strategy


def test_enumeration_settings_may_be_strings():
    assert named_strategy("PIC", {"pi": "mean", "sigmas": 1.0}) == PIC(
        pi=Instruction.MEAN, sigmas=1.0
    )
    assert named_strategy("P", {"anchors": "furthest"}) == P(anchors=Anchors.FURTHEST)
    with pytest.raises(
        UsageError, match="pi is 'average'; it must be summary, mean, query, sentence or random"
    ):
        named_strategy("PIC", {"pi": "average"})


@each_row("chunking")
def test_a_setting_has_a_smallest_or_largest_value(name, allowed, refused, others):
    others = others.split()
    named_strategy(name, typed(name, [allowed, *others]))
    with pytest.raises(UsageError, match=allowed.partition("=")[0]):
        named_strategy(name, typed(name, [refused, *others]))


@pytest.mark.parametrize("inner", ["proposition", "R", "P", "MG", "LGMGC"])
def test_an_unsuitable_inner_strategy_is_an_error_before_models_are_needed(inner):
    with pytest.raises(UsageError, match=f"{inner} cannot be used as inner"):
        P(inner=inner)


def test_children_do_not_inherit_propositions_and_relevance():
    text = "Cats purr. Rain falls. " * 20
    for parents in ("proposition", "PIC:pi=mean,merge_to=1"):
        made = run(plain_text(text), MG(parents=parents), ChunkLimits(64), WORDS, MODELS)
        top = [chunk for chunk in made.chunks if chunk.parent is None]
        assert all(chunk.propositions or chunk.relevance for chunk in top)
        assert any(chunk.children for chunk in top)
        assert not any(
            chunk.propositions or chunk.relevance for chunk in made.chunks if chunk.parent
        )


def test_unordered_clusters_are_valid_but_repeated_text_is_not():
    made = plain_text("Cats purr. Rain falls. Cats sleep. Rain stops.")
    chunks = api.chunk(
        made,
        strategy="cluster",
        settings={"weight": 0.1, "n_clusters": 2},
        tokenizer=WORDS.count,
        models=MODELS,
    )
    assert [chunk.content for chunk in chunks] == [
        "Cats purr.\nCats sleep.",
        "Rain falls.\nRain stops.",
    ]
    assert list(chunk_faults(made, chunks, 2000, None)) == []
    assert any(
        "out of order or repeated" in fault
        for fault in chunk_faults(made, [*chunks, chunks[0]], 2000, None)
    )
    assert any("out of order" in fault for fault in chunk_faults(made, chunks[::-1], 2000, None))


@pytest.mark.parametrize("strategy", [5, None, P])
def test_an_invalid_strategy_is_reported(strategy):
    with pytest.raises(UsageError, match="is not a strategy"):
        api.chunk(document(block("Some text.")), strategy=strategy)


def test_settings_belong_to_a_strategy_given_by_its_name():
    with pytest.raises(
        UsageError,
        match=r"^settings is \{'anchors': 'furthest'\}; it applies to a strategy given by its name",
    ):
        api.chunk(document(block("a")), strategy=P(), settings={"anchors": "furthest"})


def test_an_overlap_over_the_limit_is_refused():
    source = document(block("a"))
    assert api.chunk(source, max_tokens=64)  # the default overlap is allowed with any limit
    assert api.chunk(source, max_tokens=64, overlap=100)
    assert api.chunk(source, max_tokens=300, overlap=300)
    with pytest.raises(
        UsageError, match=r"^overlap is 301 and max_tokens 300; the overlap must not be larger\."
    ):
        api.chunk(source, max_tokens=300, overlap=301)
