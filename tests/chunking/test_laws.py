"""The laws over random documents, sizes, overlaps, tokenizers and strategies."""

from __future__ import annotations

import pytest
from chunking.section_laws import all_laws
from examples import some
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from lab.scripted import MODELS

from docxchunk import registry
from docxchunk.chunking import Anchors, ChunkLimits, P, PStaged, R, run
from docxchunk.content.tables import tables
from docxchunk.errors import MissingExtraError
from docxchunk.lab.strategies.boundaries import Noise, Threshold
from docxchunk.lab.strategies.lgmgc import LG, Refill
from docxchunk.lab.strategies.meta_chunking import MSP, PPL, MarginPrompt, Previous
from docxchunk.lab.strategies.plain import Counted, Fixed
from docxchunk.lab.strategies.prompted import (
    DirectLLM,
    LumberChunker,
    Mode,
    Proposition,
    PropositionPrompt,
    ShownUnits,
)
from docxchunk.lab.strategies.pseudo_instruction import PIC, Instruction
from docxchunk.lab.strategies.semantic import Cluster, Method, V
from docxchunk.testing import hypothesis_strategies
from docxchunk.testing.documents import BlockRecipe, LineRecipe, Whole, build

LIMITS = st.builds(
    ChunkLimits,
    hypothesis_strategies.SIZES,
    hypothesis_strategies.OVERLAPS,
    contextualize=st.booleans(),
)
SLOW = settings(
    max_examples=some(120),
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
)


NEEDED = {"RIC": {"query": "What is it about?"}}  # settings that have no default


def registered():
    for name in registry.entries(registry.PluginKind.STRATEGY):
        try:
            made = registry.load(registry.PluginKind.STRATEGY, name)
        except MissingExtraError:
            continue
        if callable(made):
            yield pytest.param(made(**NEEDED.get(name, {})), id=name)


RULES = {"P", "R"}
ASKING = [strategy for strategy in registered() if strategy.id not in RULES] + [
    pytest.param(strategy, id=f"{strategy.name}-{what}")
    for what, strategy in (
        ("merged", Cluster(weight=0.2, merge_to=0.5)),
        ("uncapped", Cluster(n_clusters=0, weight=0.1, threshold=0.9)),
        ("one-chunk", Cluster(method=Method.DBSCAN, weight=0.2, eps=0.4, noise=Noise.ONE_CHUNK)),
        ("attach", Cluster(method=Method.DBSCAN, eps=0.2, noise=Noise.ATTACH)),
        ("mean", PIC(pi=Instruction.MEAN, sigmas=0.5, merge_to=0.5)),
        ("cap", LG(theta=40, refill=Refill.CAP, min_tail=0.0)),
        ("published", MSP(prompt=MarginPrompt.PUBLISHED, times=0)),
        ("overlap", PPL(merge_to=0.0, overlap_ends=True)),
        ("sentence", MSP(previous=Previous.SENTENCE, history=0, renormalise=True, merge_to=0.0)),
        (
            "margin",
            LumberChunker(mode=Mode.MARGIN, units=ShownUnits.SENTENCE, theta=60, last_units=1),
        ),
        ("small", Proposition(passage=10, prompt=PropositionPrompt.BARE)),
        ("small", DirectLLM(words=20, window=50)),
    )
]
INNER = [
    pytest.param(P(inner="V:amount=60"), id="P-inner"),
    pytest.param(PStaged(inner="V:amount=60"), id="P-seed-inner"),
]
VARIANTS = [
    *INNER,
    pytest.param(PStaged(), id="P-seed"),
    pytest.param(P(repeat_table_headers=False, merge_top_level=False), id="P-apart"),
    pytest.param(P(table_max=0.5, target_ideal=0.4, anchor_length=20), id="P-shares"),
    pytest.param(
        PStaged(
            anchors=Anchors.FURTHEST,
            repeat_table_headers=False,
            merge_top_level=False,
        ),
        id="P-other",
    ),
    pytest.param(Fixed(Counted.TOKENS, 24, 8), id="fixed-tokens"),
    pytest.param(Fixed(Counted.WORDS, 10, 3), id="fixed-words"),
    pytest.param(Fixed(Counted.SENTENCES, 2, 1), id="fixed-sentences"),
    pytest.param(Fixed(Counted.SENTENCES, repeated=1, n_chunks=4), id="fixed-chunks"),
    pytest.param(Fixed(Counted.TOKENS, 24, 8, whole_sentences=True), id="fixed-whole-sentences"),
    pytest.param(V(merge_to=1.0, threshold=Threshold.GRADIENT), id="V-merged"),
    pytest.param(
        PStaged(
            target_ideal=0.5,
            table_max=0.55,
            table_ideal=0.2,
            small_tail=0.4,
            anchor_length=30,
        ),
        id="P-ratios",
    ),
]


EVERY = given(
    document=hypothesis_strategies.DOCUMENTS,
    limits=LIMITS,
    tokenizer=st.sampled_from([hypothesis_strategies.ADDITIVE, hypothesis_strategies.WHOLE]),
)


@pytest.mark.parametrize(
    "strategy", [strategy for strategy in registered() if strategy.id in RULES]
)
@SLOW
@EVERY
def test_every_law(strategy, document, limits, tokenizer):
    lawful(strategy, document, limits, tokenizer)


def lawful(strategy, document, limits, tokenizer):
    """Return the chunks, which keep all laws."""
    result = run(document, strategy, limits, tokenizer, MODELS)
    all_laws(document, result, limits, tokenizer, strategy.name)
    return result


@pytest.mark.parametrize("strategy", VARIANTS)
@settings(SLOW, max_examples=some(120, part=30))
@EVERY
def test_every_law_with_other_settings(strategy, document, limits, tokenizer):
    lawful(strategy, document, limits, tokenizer)


@pytest.mark.parametrize("strategy", INNER)
@pytest.mark.parametrize(
    ("blocks", "limits"),
    [
        # two short slices of one table, before `inner` divides the section
        ([(), (LineRecipe("giant", 4, 221),)], ChunkLimits(3938, 0, contextualize=False)),
        # a sentence between two tables that `inner` divides
        ([(LineRecipe("bridge", 1, 0),)], ChunkLimits(52, 3, contextualize=False)),
    ],
)
def test_every_law_where_a_rule_divides_a_section_with_tables(strategy, blocks, limits):
    document = build([BlockRecipe(0, known=False, lines=lines, seed=0) for lines in blocks])
    lawful(strategy, document, limits, hypothesis_strategies.ADDITIVE)


@pytest.mark.parametrize("strategy", ASKING)
@settings(SLOW, max_examples=some(30))
@EVERY
def test_every_law_of_strategies_with_models(strategy, document, limits, tokenizer):
    """Includes law 9: the same answers of the models give the same chunks."""
    needs(strategy)
    result = lawful(strategy, document, limits, tokenizer)
    assert run(document, strategy, limits, tokenizer, MODELS) == result


def needs(strategy):
    if isinstance(strategy, Cluster) and strategy.method is Method.DBSCAN:
        pytest.importorskip("sklearn", reason="scikit-learn is not installed")


@pytest.mark.parametrize("strategy", [P(), R()], ids=["P", "R"])
@settings(max_examples=some(25), deadline=None)
@given(document=hypothesis_strategies.DOCUMENTS, size=hypothesis_strategies.SIZES)
def test_the_same_input_gives_the_same_chunks(strategy, document, size):
    first, second = (
        run(document, strategy, ChunkLimits(size), hypothesis_strategies.ADDITIVE) for _ in range(2)
    )
    assert first == second


@settings(max_examples=some(25), deadline=None)
@given(document=hypothesis_strategies.DOCUMENTS, size=hypothesis_strategies.SIZES)
def test_a_trace_changes_nothing_and_ends_with_the_chunks(document, size):
    plain = run(document, P(), ChunkLimits(size), hypothesis_strategies.ADDITIVE)
    traced = run(document, P(), ChunkLimits(size), hypothesis_strategies.ADDITIVE, trace=True)
    assert traced.chunks == plain.chunks
    assert traced.trace is not None
    assert [piece.text for piece in traced.trace[-1].pieces] == [
        chunk.content for chunk in traced.chunks
    ]


@settings(max_examples=some(40), deadline=None)
@given(document=hypothesis_strategies.DOCUMENTS, size=st.integers(300, 4000))
def test_tables_within_table_max_stay_whole(document, size):
    """Tables of up to table_max are never sliced (stage B)."""
    result = run(document, PStaged(), ChunkLimits(size), hypothesis_strategies.ADDITIVE)
    sliced = {rows.id for chunk in result.chunks for rows in chunk.tables if rows.role != "none"}
    for block in document.blocks:
        for table in tables(block.content):
            over = hypothesis_strategies.ADDITIVE.count(
                block.content[table.start : table.end]
            ) > int(size * 0.625)
            assert (table.id in sliced) == over


def test_a_context_line_leaves_less_room_for_the_header_rows_of_a_table():
    document = build(
        [BlockRecipe(0, False, (), 0)] * 2
        + [BlockRecipe(0, False, (LineRecipe("bridge", 1, 733),), 1)]
    )
    limits, tokenizer = ChunkLimits(233, 0, contextualize=True), Whole()
    all_laws(document, run(document, P(), limits, tokenizer), limits, tokenizer, "P")
