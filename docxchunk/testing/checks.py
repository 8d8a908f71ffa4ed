"""The checks: laws, held against many inputs."""

from __future__ import annotations

import io
import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import is_dataclass, replace
from itertools import cycle, pairwise
from typing import Final

from docxchunk.chunking import Chunking, Limits, P, Strategy, run
from docxchunk.formats import Format
from docxchunk.markup.records.chunks import chunk_record
from docxchunk.markup.records.fields import Record
from docxchunk.markup.records.flat import flat_record
from docxchunk.model.document import Document
from docxchunk.model.ports import TokenEnds, Tokenizer
from docxchunk.testing.documents import ADDITIVE, WHOLE, sample_documents
from docxchunk.testing.laws import all_laws

Run = Callable[[Document, Strategy, Limits, Tokenizer], Chunking]

LIMITS: Final = (
    Limits(2000, 100),
    Limits(256, 32),
    Limits(64, 0, contextualize=True),
    Limits(700, 0),
    Limits(130, 200, contextualize=True),
    Limits(32, 8),
)


def check_strategy(strategy: Strategy, documents: Iterable[Document] | None = None, run: Run = run) -> None:
    """Nothing is lost or out of order, no chunk is over the limit, counts are exact, parts make up the content, ids outlive a renaming of blocks,
    and the same input gives the same chunks: for each document (30 odd ones, unless given), at one of several limits, with two tokenizers in turn.
    `run` is what chunks, for strategies that need more than that.
    """
    assert is_dataclass(strategy), "a strategy is a frozen dataclass"
    assert strategy == replace(strategy), "settings that are equal make equal strategies"
    tokenizers: Iterator[Tokenizer] = cycle((ADDITIVE, WHOLE, ADDITIVE))
    for document, limits, tokenizer in zip(documents or sample_documents(), cycle(LIMITS), tokenizers, strict=False):
        result = run(document, strategy, limits, tokenizer)
        all_laws(document, result, limits, tokenizer, strategy.name)
        assert run(document, strategy, limits, tokenizer) == result, "the same input gave other chunks"
        assert json.loads(json.dumps(dict(result.settings))) == result.settings, "settings are plain values"
        renamed = replace(document, blocks=tuple(replace(block, id=f"other-{n}") for n, block in enumerate(document.blocks)))
        assert _ids(run(renamed, strategy, limits, tokenizer)) == _ids(result), "ids depend on what blocks are called"


def _ids(result: Chunking) -> list[str]:
    return [chunk.chunk_id for chunk in result.chunks]


def check_tokenizer(tokenizer: Tokenizer) -> None:
    """Counts are whole numbers and stay the same, there is a name and a fingerprint, and what `additive_over_newlines` promises is so."""
    assert tokenizer.name, "a tokenizer has a name"
    assert tokenizer.fingerprint == tokenizer.fingerprint != "", "a fingerprint is the same when it is asked for again"
    assert tokenizer.count("") == 0, "nothing is no token"
    texts = [block.content for document in sample_documents(8) for block in document.blocks]
    for text in (*texts, *(line for content in texts for line in content.split("\n"))):
        count = tokenizer.count(text)
        assert type(count) is int, "a count is a whole number"
        assert count > 0 or not text.strip(), f"no token in {text!r}"
        assert tokenizer.count(text) == count, "the same text was counted in two ways"
    if tokenizer.additive_over_newlines:
        for text in texts:
            _check_seams(tokenizer, text)
            if isinstance(tokenizer, TokenEnds):
                _check_ends(tokenizer, tokenizer.token_ends(text), text)


def _check_seams(tokenizer: Tokenizer, text: str) -> None:
    """The two promises of `Tokenizer`."""
    for seam in ("\n", "\n\n"):
        lines = [line for line in text.split("\n") if line.strip() and not line[0].isspace() and line[0] != "/"]
        parts = sum(tokenizer.count(line + seam) for line in lines[:-1]) + (tokenizer.count(lines[-1]) if lines else 0)
        assert tokenizer.count(seam.join(lines)) == parts, f"counts do not add up over {seam!r} in {seam.join(lines)!r}"
    for line in text.split("\n"):
        for place, (before, after) in enumerate(pairwise(line[:200]), 1):
            if before.isalnum() and after in " .,;:!?()":
                assert tokenizer.count(line[:place]) + tokenizer.count(line[place:]) == tokenizer.count(line), f"counts do not add up at {place} in {line!r}"


def _check_ends(tokenizer: Tokenizer, ends: Sequence[int] | None, text: str) -> None:
    """The promise of `TokenEnds`: as many ends before a word's end as the text up to there counts."""
    if ends is None:
        return
    assert (ends[0], ends[-1], len(ends)) == (0, len(text), tokenizer.count(text) + 1), f"not an end for each token of {text!r}"
    for place, (before, after) in enumerate(pairwise(text[:200]), 1):
        if before.isalnum() and after in " .,;:!?()":
            assert bisect_right(ends, place) - 1 == tokenizer.count(text[:place]), f"the ends do not tell the tokens before {place} in {text!r}"


def check_format(write: Format, read: Callable[[bytes], Sequence[Record]] | None = None) -> None:
    """Any number of chunks, nested or flat, is taken as it comes; the file stays open; the same chunks make the same bytes.

    With `read`, the inverse: what is read is what was written.
    """
    chunks = [chunk for document in sample_documents(4) for chunk in run(document, P(), Limits(256), ADDITIVE).chunks]
    nested = [json.loads(json.dumps(chunk_record(chunk))) for chunk in chunks]
    flat = [flat_record(chunk, "report.docx") for chunk in chunks]
    for records in ([], nested[:1], nested, flat):
        data = _written(write, iter(records))
        assert data == _written(write, records), "the same chunks made other bytes"
        if read is not None:
            assert list(read(data)) == records, "what is read is not what was written"


def _written(write: Format, records: Iterable[Record]) -> bytes:
    file = io.BytesIO()
    write(records, file)
    assert not file.closed, "the file is its owner's to close"
    return file.getvalue()
