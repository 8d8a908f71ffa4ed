"""Split text into sentences at final punctuation and line breaks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from docxchunk.evaluation.passages import SourceText
from docxchunk.evaluation.spans import Span

_END: Final = re.compile(r"""[。！？；…]+["'”’」』）)\]]*|[.!?]+["'”’)\]]*(?=\s)|\n+""")


def sentences(text: str) -> Iterator[Span]:
    """Yield the spans of the sentences in order, without surrounding white space."""
    start = 0
    for end in [*(match.end() for match in _END.finditer(text)), len(text)]:
        found = text[start:end].strip()
        if found:
            begin = text.index(found, start)
            yield begin, begin + len(found)
        start = end


def sentences_of(sources: Sequence[SourceText]) -> list[Span]:
    """Return the spans of the sentences of a corpus, in order."""
    return [(source.offset + start, source.offset + end) for source in sources for start, end in sentences(source.text)]
