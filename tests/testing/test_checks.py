"""Checks for authors of plug-ins accept correct plug-ins and detect broken ones."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from typing import ClassVar

import pytest
from examples import some

from docxchunk import registry
from docxchunk import testing as checks
from docxchunk.chunking import Chunking, P, R, Stage, run
from docxchunk.errors import MissingExtraError
from docxchunk.formats import write_lines
from docxchunk.model.blocks import Block
from docxchunk.testing import (
    ADDITIVE,
    WHOLE,
    check_format,
    check_strategy,
    check_tokenizer,
    sample_documents,
)


def loaded(kind):
    return list(each_of(kind))


def each_of(kind):
    for name in registry.ENTRIES[kind]:
        try:
            yield pytest.param(registry.load(kind, name), id=name)
        except MissingExtraError as error:
            yield pytest.param(None, id=name, marks=pytest.mark.skip(str(error)))


@pytest.mark.parametrize("strategy", [P(), R(), P(target_ideal=0.5)])
def test_strategies(strategy):
    check_strategy(strategy, sample_documents(some(12)))


@pytest.mark.parametrize("make", loaded(registry.PluginKind.TOKENIZER))
def test_tokenizers(make):
    check_tokenizer(make())


@pytest.mark.parametrize("write", loaded(registry.PluginKind.FORMAT))
def test_formats(write):
    check_format(write)


def test_sample_documents_are_deterministic():
    assert list(sample_documents(3)) == list(sample_documents(3))
    assert len({document.blocks for document in sample_documents(20)}) == 20


def test_checks_need_no_extra():
    code = (
        "import sys; sys.modules['hypothesis'] = sys.modules['pytest'] = None; from "
        "docxchunk.testing import *; check_tokenizer(WHOLE)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@dataclass(frozen=True)
class Broken:
    """The strategy R with a changed result."""

    change: ClassVar[Callable]
    name: ClassVar[str] = "broken"
    models: ClassVar[tuple[str, ...]] = ()

    def stages(self, limits, assembler):
        return (*R().stages(limits, assembler), Stage("break", self.change))


def drop(pieces):
    return pieces[:-1]


def repeat(pieces):
    return [*pieces, pieces[-1]]


def reverse(pieces):
    return pieces[::-1]


def shorten(pieces):
    return [piece._replace(text=piece.text[:-1]) for piece in pieces]


def miscount(pieces):
    return [piece._replace(tokens=piece.tokens + 1) for piece in pieces]


@pytest.mark.parametrize("change", [drop, repeat, reverse, shorten, miscount])
def test_broken_strategy_is_detected(change):
    broken = type("Broken", (Broken,), {"change": staticmethod(change)})
    with pytest.raises(AssertionError):
        check_strategy(broken(), sample_documents(12))


def test_stateful_strategy_is_detected():
    calls = []

    def restless(document, strategy, limits, tokenizer) -> Chunking:
        result = run(document, strategy, limits, tokenizer)
        calls.append(0)
        return replace(result, structured=len(calls) % 2 == 0)

    with pytest.raises(AssertionError, match="the same input gave different chunks"):
        check_strategy(P(), sample_documents(1), restless)


def test_by_default_thirty_documents_are_checked_with_each_limit_and_tokenizer(monkeypatch):
    monkeypatch.setattr(checks, "_check_laws", lambda *_: None)
    runs = []

    def nothing(document, strategy, limits, tokenizer) -> Chunking:
        texts = tuple(block.content for block in document.blocks)
        runs.append((texts, limits, tokenizer.name))
        return Chunking((), {}, "", structured=True)

    check_strategy(P(), run=nothing)
    assert len({texts for texts, _, _ in runs}) == 30
    assert {limits for _, limits, _ in runs} == set(checks.LIMITS)
    assert {name for _, _, name in runs} == {"additive", "whole"}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda result, _: replace(result, settings={"sizes": (1, 2)}), "plain JSON values"),
        (
            lambda result, document: replace(
                result, chunks=(replace(result.chunks[0], chunk_id=document.blocks[0].id),)
            ),
            "chunk ids depend on block ids",
        ),
    ],
)
def test_other_faults_of_a_strategy_are_detected(monkeypatch, change, reason):
    monkeypatch.setattr(checks, "_check_laws", lambda *_: None)

    def faulty(document, *others) -> Chunking:
        return change(run(document, *others), document)

    with pytest.raises(AssertionError, match=reason):
        check_strategy(P(), sample_documents(1), faulty)


class Odd:
    name, fingerprint, additive_over_newlines = "odd", "odd:1", False

    def __init__(self, count):
        self.count = count


class Restless:
    """A tokenizer that counts one more each time."""

    calls = 0

    def __call__(self, text):
        self.calls += 1
        return len(text) and self.calls


@pytest.mark.parametrize(
    "count",
    [
        lambda text: len(text) / 4,
        lambda text: len(text) // 9,
        lambda text: len(text) + 2,
        Restless(),
    ],
)
def test_broken_tokenizer_is_detected(count):
    check_tokenizer(Odd(len))
    with pytest.raises(AssertionError):
        check_tokenizer(Odd(count))


def test_wrong_additivity_is_detected():
    liar = Odd(WHOLE.count)
    liar.additive_over_newlines = True
    with pytest.raises(AssertionError, match="do not add up"):
        check_tokenizer(liar)
    check_tokenizer(ADDITIVE)


@pytest.mark.parametrize(
    "ends",
    [
        lambda ends: [1, *ends[1:]],
        lambda ends: [*ends[:-1], ends[-1] + 1],
        lambda ends: ends[:-2] + ends[-1:],
        lambda ends: [0, *(end + 1 for end in ends[1:-1]), ends[-1]],
    ],
)
def test_wrong_ends_of_tokens_are_detected(monkeypatch, ends):
    text = "The tenant pays the rent of 1200 euros, on the first day of each month."
    document = replace(next(sample_documents(1)), blocks=(Block("b", text),))
    monkeypatch.setattr(checks, "sample_documents", lambda _: [document])
    tokens = ADDITIVE._TOKENS  # of up to five characters, or two

    def token_ends(text):
        sizes = [(token, 5 if token.isascii() else 2) for token in tokens.findall(text)]
        parts = [
            min(size, len(token) - at) for token, size in sizes for at in range(0, len(token), size)
        ]
        return [*accumulate(parts, initial=0)]

    liar = Odd(ADDITIVE.count)
    liar.additive_over_newlines, liar.token_ends = True, token_ends
    check_tokenizer(liar)
    liar.token_ends = lambda text: None
    check_tokenizer(liar)
    liar.token_ends = lambda text: ends(token_ends(text))
    with pytest.raises(AssertionError, match="the token ends"):
        check_tokenizer(liar)


def test_wrong_counts_of_several_texts_are_detected():
    liar = Odd(len)
    liar.count_each = lambda texts: list(map(len, texts))
    check_tokenizer(liar)
    liar.count_each = lambda texts: [len("".join(texts)), *[0] * (len(texts) - 1)]
    with pytest.raises(AssertionError, match="count_each"):
        check_tokenizer(liar)


def closing(records, file):
    write_lines(records, file)
    file.close()


def indexing(records, file):
    file.write(str(records[0]).encode())


def counting(memory, records, file):
    memory.append(len(memory))
    file.write(bytes(memory))


@pytest.mark.parametrize("write", [closing, indexing, partial(counting, [])])
def test_broken_format_is_detected(write):
    with pytest.raises((AssertionError, TypeError)):
        check_format(write)


def test_format_is_read_back():
    import json

    check_format(write_lines, lambda data: [json.loads(line) for line in io.BytesIO(data)])
    with pytest.raises(AssertionError, match="differ from those written"):
        check_format(write_lines, lambda data: [])
