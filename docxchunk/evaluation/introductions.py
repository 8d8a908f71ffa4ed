"""Find the sentence before a table that introduces it, such as a caption."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from docxchunk.evaluation.passages import Passage, PassageIndex, SourceText
from docxchunk.evaluation.spans import Span, holds
from docxchunk.markup.tables import TableTag, rows, tables
from docxchunk.model.blocks import Block

_TAG: Final = re.compile(r"<[^>]*>")


class Introduced(NamedTuple):
    """The introducing sentence and the first row of a table, as spans of the corpus."""

    introduction: Span
    first_row: Span


def introduced(source: SourceText, sentences: Sequence[Span]) -> Iterator[Introduced]:
    """Yield the tables directly after a paragraph, with its last sentence. `sentences` are those of the corpus in order.

    Tables at the start of a document, after a heading or after another table are skipped.
    """
    for start, block in zip(source.starts, source.document.blocks, strict=True):
        base = source.offset + start
        for table in tables(block.content):
            found = rows(block.content, table)
            if found and _follows_words(block, table):
                first, last = found[1][0]
                yield Introduced(sentences[bisect_right(sentences, base + table.start, key=lambda span: span[1]) - 1], (base + first, base + last))


def _follows_words(block: Block, table: TableTag) -> bool:
    before = block.content[: table.start].rstrip()
    start = before.rfind("\n") + 1
    is_heading = start == 0 and block.level > 0
    return not is_heading and not before.endswith("</table>") and any(map(str.isalnum, _TAG.sub("", before[start:])))


def kept_together(found: Iterable[Introduced], passages: Sequence[Passage], index: PassageIndex) -> list[bool]:
    """Return for each table whether one passage contains both its introduction and its first row."""
    return [
        any(holds(passages[number].spans, each.introduction) and holds(passages[number].spans, each.first_row) for number in index.touching(each))
        for each in found
    ]
