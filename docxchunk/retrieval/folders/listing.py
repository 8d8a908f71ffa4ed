"""What a listing of documents says of each, and the choice of documents by their metadata."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Final

from docxchunk.batch.inputs import Input
from docxchunk.errors import InputError
from docxchunk.language.folding import alike
from docxchunk.language.patterns import pattern
from docxchunk.model.document import Property
from docxchunk.model.metadata import Metadata
from docxchunk.model.options import Limits
from docxchunk.model.wording import counted, one_line, shortened
from docxchunk.reader.properties import title_in
from docxchunk.retrieval.finding.names import NO_TEXT
from docxchunk.retrieval.reading import Reader
from docxchunk.sources import bytes_in

LONGEST_NAME: Final = 100  # characters of a name in a message
_LONGEST_TITLE: Final = 100
_MOST_VALUES: Final = 10  # in a message
_TEMPLATE_TITLE: Final = pattern(
    r"untitled|document\s?\d*|dokument\s?\d*|title|titel|template|microsoft word|"
    r"(?:microsoft )?(?:word|powerpoint)\b.*|.{0,100}\b(?:ab\.cde|xx\.xxx)\b.*|\W*|"
    r"\[[^\]]*\]|<[^>]*>",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """A document of a folder.

    - `document`: its name.
    - `title`: its title, or the name without its suffix if it has none.
    - `sections`, `pages`, `tokens`: how many there are. `pages` is 0 if unknown.
    - `page_is_estimate`: whether the number of pages is an estimate.
    - `is_damaged`: whether a part of the text may be lost.
    - `changes`, `comments`: how many tracked changes and comments there are.
    - `properties`, `metadata`: those of the document.
    - `note`: why nothing of this is known: the document is not read yet, or cannot be read.
    """

    document: str
    title: str = ""
    sections: int = 0
    pages: int = 0
    page_is_estimate: bool = False
    tokens: int = 0
    is_damaged: bool = False
    changes: int = 0
    comments: int = 0
    note: str = ""
    properties: Metadata = field(default_factory=dict, hash=False)
    metadata: Metadata = field(default_factory=dict, hash=False)

    def has(self, part: str) -> bool:
        """Return whether the name, the title or a value of the metadata has a part, in any case and
        with any accents.
        """
        texts = (self.document, self.title, *map(str, self.metadata.values()))
        return _comparable(part) in _comparable("\n".join(texts))

    @property
    def values(self) -> Metadata:
        """The values for filters: the properties, replaced by metadata of the same names."""
        return {**self.properties, **self.metadata}

    def with_given(self, metadata: Metadata | None) -> DocumentLine:
        """Return the line with the metadata that are given for the document, if any are."""
        return self if metadata is None else replace(self, metadata=metadata)

    def fits(self, where: Metadata) -> bool:
        """Return whether the document has these values, in any case and with any accents."""
        values = self.values
        return all(
            name in values and _comparable(values[name]) == _comparable(value)
            for name, value in where.items()
        )

    def __str__(self) -> str:
        facts = [
            "damaged" if self.is_damaged else "",
            counted(self.changes, "tracked change") if self.changes else "",
            counted(self.comments, "comment") if self.comments else "",
            counted(self.sections, "section"),
            "about " * self.page_is_estimate + counted(self.pages, "page") if self.pages else "",
            f"{self.tokens:,} tokens",
            *(f"{name}: {one_line(str(value))}" for name, value in self.metadata.items()),
        ]
        if self.note:
            note = f"{self.title} ({self.note})" if self.title else self.note
            return f"{self.document}: {note}"
        if not self.sections:
            return NO_TEXT.format(self.document)
        about = ", ".join(filter(None, facts))
        is_named = self.title != PurePath(self.document).stem
        return f"{self.document}: {f'{self.title} ({about})' if is_named else about}"


def _comparable(value: Property) -> str:
    """Return a value for comparison."""
    return alike(str(value)).lower()


def none_fits(lines: Sequence[DocumentLine], where: Metadata) -> str:
    """Return a sentence that says that no document has these values, and which values there are."""
    for name, value in where.items():
        if any(line.fits({name: value}) for line in lines):
            continue
        if known := sorted({str(line.values[name]) for line in lines if name in line.values}):
            lacking, kind = f"{name}={value}", "values"
        else:
            lacking, kind = f"a value named {name}", "names"
            known = list(dict.fromkeys(n for line in lines for n in (*line.metadata, *line.values)))
        return f"No document has {_listed([lacking])} ({kind}: {_listed(known)})."
    return "Each of these values is that of a document, but no document has all of them."


def _listed(texts: Iterable[str]) -> str:
    """Return some texts in one line; "…" stands for the others, and "none" for no texts."""
    first = [shortened(one_line(text), LONGEST_NAME) for text in texts]
    return ", ".join((*first[:_MOST_VALUES], *["…"] * (len(first) > _MOST_VALUES))) or "none"


def unread(item: Input) -> DocumentLine:
    """Return what a listing says of a document that is not read yet. The title is the one in its
    properties.
    """
    title = ""
    with suppress(InputError):
        title = title_in(bytes_in(item.source, Limits()), Limits())
    return DocumentLine(item.label, _title(item.label, title), note="not read yet")


def _title(name: str, title: str) -> str:
    """Return a title on one line. If it says nothing, return the name without its suffix."""
    title = shortened(" ".join(title.split()), _LONGEST_TITLE)
    return PurePath(name).stem if _TEMPLATE_TITLE.fullmatch(title) else title


def about(reader: Reader) -> DocumentLine:
    """Return what a listing of documents says of a document."""
    document = reader.document
    return DocumentLine(
        document.name,
        _title(document.name, document.title),
        len(document.blocks),
        max((line.page or 0 for block in document.blocks for line in block.lines), default=0),
        any(block.page_is_estimate for block in document.blocks),
        reader.tokens,
        reader.is_damaged,
        len(document.changes),
        len(document.comments),
        properties=document.properties,
        metadata=document.metadata,
    )
