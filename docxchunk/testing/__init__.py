"""Checks for the tests of plug-ins: `check_strategy`, `check_tokenizer`, `check_format`.

    from docxchunk.testing import check_strategy

    def test_laws():
        check_strategy(MyStrategy())

A check raises AssertionError if a requirement is violated. The checks need no extra.
`docxchunk.testing.hypothesis_strategies` (extra `testing`) generates documents for hypothesis. With
`pytest.register_assert_rewrite("docxchunk.testing")` in conftest.py, errors show the values.
"""

from __future__ import annotations

import io
import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import is_dataclass, replace
from functools import cache
from itertools import cycle, pairwise
from typing import Final

from docxchunk.chunking import Chunking, ChunkLimits, P, Strategy, run
from docxchunk.chunking.words import division_of, meter_of
from docxchunk.formats import Format
from docxchunk.model.chunks import Chunk
from docxchunk.model.document import Document
from docxchunk.model.ports import EachCounts, TokenEnds, Tokenizer
from docxchunk.records import Record
from docxchunk.records.chunks import CHUNK, flat_record
from docxchunk.records.laws import chunk_faults, order_faults
from docxchunk.testing.documents import ADDITIVE, WHOLE, sample_documents

__all__ = [
    "ADDITIVE",
    "WHOLE",
    "check_format",
    "check_strategy",
    "check_tokenizer",
    "sample_documents",
]

CLUSTERING: Final = frozenset({"cluster"})
"""The strategies whose chunks may consist of separate passages."""

RunFunction = Callable[[Document, Strategy, ChunkLimits, Tokenizer], Chunking]

LIMITS: Final = (
    ChunkLimits(2000, 100),
    ChunkLimits(256, 32),
    ChunkLimits(64, 0, contextualize=True),
    ChunkLimits(700, 0),
    ChunkLimits(130, 200, contextualize=True),
    ChunkLimits(32, 8),
)


def check_strategy(
    strategy: Strategy, documents: Iterable[Document] | None = None, run: RunFunction = run
) -> None:
    """Check that a strategy keeps the laws of chunking (docs/concepts/laws.md, 1 to 3, 9 and 10).
    Raise AssertionError otherwise.

    No text is lost or out of order, no chunk exceeds the limit, token counts are exact, parts make
    up the content, ids do not depend on block ids, and the same input gives the same chunks. The
    check runs on each of `documents` (by default, 30 unusual ones), with varying limits and
    tokenizers. `run` replaces the function that chunks, for strategies that need models.
    """
    assert is_dataclass(strategy), "a strategy must be a frozen dataclass"
    assert strategy == replace(strategy), "strategies with equal settings must be equal"
    tokenizers: Iterator[Tokenizer] = cycle((ADDITIVE, WHOLE, ADDITIVE))
    for document, limits, tokenizer in zip(
        documents or sample_documents(), cycle(LIMITS), tokenizers, strict=False
    ):
        result = run(document, strategy, limits, tokenizer)
        _check_laws(document, result, limits.of_text().max_tokens, tokenizer, strategy.name)
        assert run(document, strategy, limits, tokenizer) == result, (
            "the same input gave different chunks"
        )
        assert json.loads(json.dumps(dict(result.settings))) == result.settings, (
            "settings must be plain JSON values"
        )
        renamed = replace(
            document,
            blocks=tuple(
                replace(block, id=f"other-{n}") for n, block in enumerate(document.blocks)
            ),
        )
        assert _ids(run(renamed, strategy, limits, tokenizer)) == _ids(result), (
            "chunk ids depend on block ids"
        )


def _check_laws(
    document: Document, result: Chunking, cap: int, tokenizer: Tokenizer, strategy: str
) -> None:
    faults = [*chunk_faults(document, result.chunks, cap, tokenizer.count)]
    if strategy not in CLUSTERING:
        faults += order_faults(document, result.chunks)
    assert not faults, faults


def _ids(result: Chunking) -> list[str]:
    return [chunk.chunk_id for chunk in result.chunks]


def check_tokenizer(tokenizer: Tokenizer) -> None:
    """Check that a tokenizer returns the same integers each time, has a name and a fingerprint, and
    is additive if it declares so.

    Raise AssertionError otherwise.
    """
    assert tokenizer.name, "a tokenizer must have a name"
    assert tokenizer.fingerprint == tokenizer.fingerprint != "", (
        "a fingerprint must be constant and not empty"
    )
    assert tokenizer.count("") == 0, "the empty text must have 0 tokens"
    texts = [block.content for document in sample_documents(8) for block in document.blocks]
    for text in (*texts, *(line for content in texts for line in content.split("\n"))):
        count = tokenizer.count(text)
        assert type(count) is int, "a count must be an int"
        assert count > 0 or not text.strip(), f"0 tokens in {text!r}"
        assert tokenizer.count(text) == count, "the same text gave different counts"
    if isinstance(tokenizer, EachCounts):
        assert tokenizer.count_each(texts) == list(map(tokenizer.count, texts)), (
            "count_each and count gave different counts"
        )
    for text in texts if division_of(tokenizer) else ():
        assert meter_of(tokenizer).count(text) == tokenizer.count(text), (
            f"the counts of the words of the division do not add up in {text!r}"
        )
    if tokenizer.additive_over_newlines:
        for text in texts:
            _check_seams(tokenizer, text)
            if isinstance(tokenizer, TokenEnds):
                _check_ends(tokenizer, tokenizer.token_ends(text), text)


def _check_seams(tokenizer: Tokenizer, text: str) -> None:
    """Check both conditions of `Tokenizer.additive_over_newlines`."""
    for seam in ("\n", "\n\n"):
        lines = [
            line
            for line in text.split("\n")
            if line.strip() and not line[0].isspace() and line[0] != "/"
        ]
        parts = sum(tokenizer.count(line + seam) for line in lines[:-1]) + (
            tokenizer.count(lines[-1]) if lines else 0
        )
        assert tokenizer.count(seam.join(lines)) == parts, (
            f"counts do not add up over {seam!r} in {seam.join(lines)!r}"
        )
    for line in dict.fromkeys(line[:200] for line in text.split("\n")):
        count = tokenizer.count(line)
        for end, (before, after) in enumerate(pairwise(line), 1):
            if before.isalnum() and after in " .,;:!?()":
                parts = tokenizer.count(line[:end]) + tokenizer.count(line[end:])
                assert parts == count, f"counts do not add up at {end} in {line!r}"


def _check_ends(tokenizer: Tokenizer, ends: Sequence[int] | None, text: str) -> None:
    """Check `TokenEnds`: the number of token ends up to the end of a word is the count of the text
    up to there.
    """
    if ends is None:
        return
    assert (ends[0], ends[-1], len(ends)) == (0, len(text), tokenizer.count(text) + 1), (
        f"the token ends do not match the tokens of {text!r}"
    )
    for end, (before, after) in enumerate(pairwise(text[:200]), 1):
        if before.isalnum() and after in " .,;:!?()":
            assert bisect_right(ends, end) - 1 == tokenizer.count(text[:end]), (
                f"the token ends up to {end} do not match the count in {text!r}"
            )


def check_format(write: Format, read: Callable[[bytes], Sequence[Record]] | None = None) -> None:
    """Check that a format writes any number of chunks, nested or flat, from any iterable, with the
    same bytes each time, and leaves the file open.

    If `read` is given, check that it returns the records that were written. Raise AssertionError
    otherwise.
    """
    chunks = _sample_chunks()
    nested = [json.loads(json.dumps(CHUNK.record(chunk))) for chunk in chunks]
    flat: list[Record] = [{**flat_record(chunk, "report.docx")} for chunk in chunks]
    for records in ([], nested[:1], nested, flat):
        data = _written(write, iter(records))
        assert data == _written(write, records), "the same chunks gave different bytes"
        if read is not None:
            assert list(read(data)) == records, "the records read differ from those written"


@cache
def _sample_chunks() -> tuple[Chunk, ...]:
    return tuple(
        chunk
        for document in sample_documents(4)
        for chunk in run(document, P(), ChunkLimits(256), ADDITIVE).chunks
    )


def _written(write: Format, records: Iterable[Record]) -> bytes:
    file = io.BytesIO()
    write(records, file)
    assert not file.closed, "the format must not close the file"
    return file.getvalue()
