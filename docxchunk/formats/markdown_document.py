"""Render a whole document as CommonMark with the tables and footnotes of GitHub Flavored
Markdown.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import PurePosixPath
from typing import Final, NamedTuple
from urllib.parse import quote

from docxchunk.formats.markdown import caption_of, inline, markdown, with_description
from docxchunk.markup.tables import attribute, has_table
from docxchunk.markup.tags import Describe, unescape_text
from docxchunk.model.blocks import Block, Line, LineKind
from docxchunk.model.document import Document

_NUMBER: Final = re.compile(r"\d{1,9}[.)]")
_BLOCK_MARK: Final = re.compile(r"#{1,6}(?=\s|$)|>|[-+*](?=\s)|```|~~~|(?:[-=_*]\s*){3,}$")
# kinds whose markup is made by docxchunk
_WRITTEN: Final = (
    LineKind.HEADING,
    LineKind.TABLE,
    LineKind.EQUATION,
    LineKind.DRAWING,
    LineKind.NOTE,
)


_PICTURE: Final = re.compile(
    r'(?P<start><drawing\b[^<>]*?) path=(?P<quote>\\?")(?P<path>[^"\\]*)(?P=quote)'
)
_NOT_IN_LINKS: Final = re.compile(r"[\x00-\x1f\x7f\"#%&<>?\\\ud800-\udfff]")
_NOTE_LABEL: Final = re.compile(
    r"(?P<note>^)?\[\^(?P<label>[^\]\s]+)\](?(note)(?P<end>: )?)", re.MULTILINE
)


class _ListItem(NamedTuple):
    """A list item: its level, and the columns of its marker and its text."""

    depth: int
    mark: int
    text: int


def document_markdown(document: Document) -> str:
    """Return the blocks, followed by the referenced notes that are not in a block. A line of a
    block is a paragraph or a list item.

    Characters that would start a heading, list or quotation by accident are escaped, and so is text
    that looks like a link, a picture or an HTML tag; other characters are not. The text of a
    Markdown file stays as it is.
    """
    if document.format == "md":
        return "".join(f"{unescape_text(block.content)}\n" for block in document.blocks)
    describe = partial(_alternative, document)
    parts = [part for block in document.blocks for part in _parts(block, describe)]
    text = _with_unique_labels("\n\n".join(filter(None, (*parts, *_notes(document, describe)))))
    return f"{text}\n" if text else ""


def joined_markdown(texts: Iterable[str]) -> str:
    """Return several documents as one, separated by horizontal rules. Notes of the second document
    get the labels `1.2`, `2.2`: Markdown has one of each.
    """
    return "\n---\n\n".join(
        text if number == 1 else _with_labels_of(number, text)
        for number, text in enumerate(texts, 1)
    )


def with_pictures_in(document: Document, folder: str | None) -> Document:
    """Return the document with picture paths that begin with `folder`. If `folder` is None, or the
    file of a picture is missing, the picture is replaced by its description.
    """

    def moved(tag: re.Match[str]) -> str:
        path = html.unescape(tag["path"])
        is_there = folder is not None and PurePosixPath(path).name in document.assets
        return (
            (f"{tag['start']} path={tag['quote']}{_in_link(f'{folder}/{path}')}{tag['quote']}")
            if is_there
            else tag["start"]
        )

    blocks = (
        replace(block, content=_PICTURE.sub(moved, block.content))
        if "<drawing" in block.content
        else block
        for block in document.blocks
    )
    return replace(document, blocks=tuple(blocks))


def _in_link(path: str) -> str:
    """Return the path with characters that end a link or a tag percent-encoded."""
    return _NOT_IN_LINKS.sub(
        lambda sign: quote(sign[0].encode("utf-8", "surrogateescape")), path.removeprefix("./")
    )


def _with_labels_of(number: int, text: str) -> str:
    notes = {mark["label"] for mark in _NOTE_LABEL.finditer(text) if mark["end"]}
    return _NOTE_LABEL.sub(
        lambda mark: (
            f"[^{mark['label']}.{number}]{mark['end'] or ''}" if mark["label"] in notes else mark[0]
        ),
        text,
    )


def _alternative(document: Document, tag: str) -> str:
    """Return the alternative text of a picture, else its caption, with the description by a
    model.
    """
    drawing = document.drawings.get(attribute(tag, "id"))
    return (
        with_description(drawing.alt, tag)
        if drawing is not None and drawing.alt
        else caption_of(tag)
    )


def _parts(block: Block, describe: Describe) -> Iterator[str]:
    """Yield the paragraphs, tables and lists of a block as Markdown."""
    texts = block.content.split("\n")
    if len(texts) != len(block.lines):
        yield markdown(block.content, describe)
        return
    for is_list, group in groupby(
        zip(block.lines, texts, strict=True), key=lambda pair: pair[0].kind is LineKind.LIST
    ):
        if is_list:
            yield "\n".join(_list_lines(list(group), describe))
        else:
            yield from (_paragraph(line, text, describe) for line, text in group)


def _paragraph(line: Line, text: str, describe: Describe) -> str:
    if has_table(text):
        return markdown(text, describe)
    return markdown(text if line.kind in _WRITTEN else _escaped(text), describe)


def _escaped(text: str) -> str:
    text = text.lstrip()
    return f"\\{text}" if _BLOCK_MARK.match(text) else text


def _list_lines(pairs: list[tuple[Line, str]], describe: Describe) -> Iterator[str]:
    """Yield the lines of a list, indented so that CommonMark nests them as Word does."""
    above: list[_ListItem] = []
    before = None
    for line, text in pairs:
        shown = inline(text, describe)
        if above and line.number is None and line.para_id is not None and line.para_id == before:
            yield f"{' ' * above[-1].text}{_escaped(shown)}"
            continue
        while above and above[-1].depth >= line.depth:
            above.pop()
        mark, shown = _marked(line.number or "", shown)
        column = above[-1].text if above else 0
        above.append(_ListItem(line.depth, column, column + len(mark) + 1))
        before = line.para_id
        yield f"{' ' * column}{mark} {_escaped(shown)}".rstrip()


def _marked(number: str, text: str) -> tuple[str, str]:
    """Return the marker and the text of a list item. A number that Markdown does not support, such
    as (a), stays in the text.
    """
    rest = text.removeprefix(number).lstrip()
    if _NUMBER.fullmatch(number):
        return number, rest
    return "-", text if any(map(str.isalnum, number)) else rest


def _notes(document: Document, describe: Describe) -> Iterator[str]:
    marks = list(_NOTE_LABEL.finditer("\n".join(block.content for block in document.blocks)))
    referred, defined = (
        {mark["label"] for mark in marks},
        {mark["label"] for mark in marks if mark["end"]},
    )
    for note in document.notes:
        if note.number in referred and note.number not in defined:
            yield inline(f"[^{note.number}]: {note.text}", describe)


def _with_unique_labels(text: str) -> str:
    """Give the second note with a label, and its reference, the label `1-2`: numbers may restart in
    each section, and Markdown finds only the first note.

    The n-th reference to a label belongs to its n-th note. Labels with other numbers of references
    and notes stay as they are.
    """
    counts = Counter(
        (mark["label"], mark["end"] is not None) for mark in _NOTE_LABEL.finditer(text)
    )
    repeated = {
        label
        for (label, is_note), number in counts.items()
        if is_note and number > 1 and counts[label, False] == number
    }
    seen: Counter[tuple[str, bool]] = Counter()

    def unique(mark: re.Match[str]) -> str:
        key = mark["label"], mark["end"] is not None
        seen[key] += 1
        return (
            f"[^{mark['label']}-{seen[key]}]{mark['end'] or ''}"
            if mark["label"] in repeated and seen[key] > 1
            else mark[0]
        )

    return _NOTE_LABEL.sub(unique, text) if repeated else text
