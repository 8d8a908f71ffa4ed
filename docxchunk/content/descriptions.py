"""Add descriptions of pictures to a document.

A description is stored in the tag of its picture as the attribute `description`; the attribute
`described` names the model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from docxchunk.content.tags import escape_attribute
from docxchunk.model.document import Document, Items
from docxchunk.model.objects import Drawing, DrawingKind, Table
from docxchunk.model.ports import Picture

LONGEST: Final = 800
"""The maximum length of a description, in characters. A longer one is cut after the last sentence
that fits.
"""

_MEDIA: Final = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
}
_TAG: Final = re.compile(r'<drawing id=(?P<quote>\\?")(?P<id>[^"\\]*)(?P=quote)[^<>]*?(?= />)')
_DESCRIPTION: Final = re.compile(r' (?:description|described)=\\?"[^"]*"')
# characters that need escaping in JSON or are not allowed in XML
_UNFIT: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\\]")
_SENTENCE: Final = re.compile(r"[.!?](?=\s)|[\u3002\uff01\uff1f]")


def pictures(document: Document) -> Iterator[tuple[str, Picture]]:
    """Yield drawing ids and pictures, for PNG, JPEG, GIF and WebP pictures whose bytes are
    available.
    """
    for drawing in document.drawings:
        media, data = (
            _MEDIA.get(drawing.format.lower(), ""),
            document.assets.get(PurePosixPath(drawing.path).name),
        )
        if drawing.kind is DrawingKind.PICTURE and media and data:
            yield drawing.id, Picture(data, media, _about(drawing))


def with_descriptions(document: Document, texts: Mapping[str, str], model: str) -> Document:
    """Return the document with descriptions of its pictures. `texts` maps ids of drawings to
    descriptions; empty ones are ignored. `model` is the name of the model.
    """
    model = _clean(model)
    descriptions = {
        identifier: short for identifier, text in texts.items() if (short := _short(text))
    }
    drawings = {
        item.id: replace(item, description=descriptions[item.id], described=model)
        if item.id in descriptions
        else item
        for item in document.drawings
    }

    def described(content: str) -> str:
        return (
            _TAG.sub(lambda tag: _with_description(tag, drawings.get(tag["id"])), content)
            if "<drawing" in content
            else content
        )

    def table(item: Table) -> Table:
        header, guess = (text and described(text) for text in (item.header, item.header_guess))
        return replace(item, content=described(item.content), header=header, header_guess=guess)

    return replace(
        document,
        blocks=tuple(replace(block, content=described(block.content)) for block in document.blocks),
        tables=Items({item.id: table(item) for item in document.tables}),
        drawings=Items(drawings),
        describer=model,
    )


def _about(drawing: Drawing) -> str:
    """Return heading path, caption and alternative text of a picture, one per line."""
    path = " > ".join(filter(None, (*drawing.parent_headings, drawing.heading)))
    facts = (("Heading", path), ("Caption", drawing.caption), ("Alternative text", drawing.alt))
    return "\n".join(f"{name}: {text}" for name, text in facts if text)


def _with_description(tag: re.Match[str], drawing: Drawing | None) -> str:
    if drawing is None or not drawing.described:
        return tag[0]
    values = (("description", drawing.description), ("described", drawing.described))
    quote = tag["quote"]
    return _DESCRIPTION.sub("", tag[0]) + "".join(
        f" {name}={quote}{escape_attribute(value)}{quote}" for name, value in values
    )


def _short(text: str) -> str:
    """Return a text on one line, cut after a sentence if it is longer than `LONGEST`."""
    line = _clean(text)
    if len(line) <= LONGEST:
        return line
    ends = [
        match.end() for match in _SENTENCE.finditer(line[: LONGEST + 1]) if match.end() <= LONGEST
    ]
    return line[: ends[-1]] if ends else line[:LONGEST].rstrip()


def _clean(text: str) -> str:
    return " ".join(_UNFIT.sub(" ", text).split())
