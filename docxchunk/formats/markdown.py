"""Render content and whole documents as Markdown: CommonMark with the pipe tables and footnotes of
GitHub Flavored Markdown, equations between dollar signs, pictures as images. HTML tables, which may
have merged cells, stay HTML.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import PurePath, PurePosixPath
from typing import BinaryIO, Final, NamedTuple
from urllib.parse import quote

from docxchunk.content.tables import TableContent, attribute, tables
from docxchunk.content.tags import (
    OBJECT,
    Describe,
    Replacement,
    escape_pipes,
    replaced,
    unescape_text,
)
from docxchunk.language.patterns import pattern
from docxchunk.model.blocks import Block, Line, LineKind, TableFormat
from docxchunk.model.document import Document
from docxchunk.records import Fields, Record

_TYPED_SIGNS = r"""(?<!\\)(?P<slashes>\\*+)<(?=[A-Za-z/!?])  # HTML
      (?!/?(?:table|thead|tbody|tr|td|th|br|sup|sub|del|strong|em|u|mark|a)
         (?:[ ](?:id|format|rowspan|colspan|color|href)="[^"<>]*")*>)
    | (?P<note>\[\^[^\[\]\s]+\]:)  # a footnote, of one word that may be an address
      (?P<target>{target})
    | \](?=[(:])  # a link, a picture, a link reference definition"""
_TYPED, _TYPED_IN_TARGET = (
    pattern(_TYPED_SIGNS.replace("{target}", target), re.IGNORECASE | re.MULTILINE | re.VERBOSE)
    for target in (r"(?:[ \t]*+(?!<?https?:)(?=[^\s:&\\]*+[:&\\])(?=\S*+[ \t]*$)\S++)?", "")
)
_COMMENT_END = pattern(r"--(?=!?>)")  # HTML, 13.2.5.51 and 13.2.5.52
_MARKDOWN = (".md", ".markdown")
_RULE = "\n---\n\n"
_BREAKS = pattern(r"\n+")
_INDENTATION = re.compile(r"^[ \t]+", re.MULTILINE)
_PARAGRAPHS = re.compile(r"(?<!\|)\n+|\n+(?!\|)")  # the rows of a pipe table stay together


def write(records: Iterable[Record], file: BinaryIO) -> None:
    """Write chunks or units with a rule between them. Before each is a comment with id, tokens and
    citation, or the heading path if there is no citation.

    Chunks of a Markdown file are not escaped.
    """
    for number, record in enumerate(records):
        fields = Fields(record, "The chunk")
        location = _COMMENT_END.sub("-- ", fields.text("citation") or fields.text("context"))
        name = fields.text("unit_id") or fields.text("chunk_id")
        about = (name, f"{fields.integer('tokens')} tokens", location)
        content = markdown(
            fields.text("content"),
            escape=PurePath(fields.text("source")).suffix.lower() not in _MARKDOWN,
        )
        text = f"{_RULE if number else ''}<!-- {', '.join(filter(None, about))} -->\n\n{content}\n"
        file.write(text.encode("utf-8", "replace"))


def caption_of(drawing: str) -> str:
    """Return the caption of a drawing tag, with the description by a model."""
    return with_description(html.unescape(attribute(drawing, "caption")), drawing)


def with_description(text: str, drawing: str) -> str:
    """Return a text, and in parentheses the description in a drawing tag and the name of the model
    that wrote it; only the text if the tag has no description.
    """
    description, model = (
        html.unescape(attribute(drawing, name)) for name in ("description", "described")
    )
    return " ".join(filter(None, (text, f"({model}: {description})" if description else "")))


def markdown(content: str, describe: Describe = caption_of, *, escape: bool = True) -> str:
    r"""Return the content of a block or chunk as Markdown. Every line is a paragraph.

    With `escape`, what the author typed does not become a link, a picture or HTML: `[x](y)` is
    written as `[x]\(y)`, `<b>` as `\<b>`. Other Markdown characters are not escaped.
    """
    return "\n\n".join(filter(None, _paragraphs(content, describe, escape=escape)))


def _paragraphs(content: str, describe: Describe, *, escape: bool) -> Iterator[str]:
    at = 0
    for table in tables(content):
        yield _text(content[at : table.start], describe, escape=escape)
        yield _table(table, describe)
        at = table.end
    yield _text(content[at:], describe, escape=escape)


def _text(content: str, describe: Describe, *, escape: bool) -> str:
    text = inline(content, describe, escape=escape).strip("\n")
    if escape:  # Markdown shows the backslashes in indented text
        text = _INDENTATION.sub("", text)
    return _PARAGRAPHS.sub("\n\n", text)


def inline(content: str, describe: Describe, *, escape: bool = True) -> str:
    """Return text outside of tables as Markdown. Equations and pictures are converted. With
    `escape`, the text that the author typed stays text.
    """
    replacements = (
        Replacement(*tag.span(), _object(tag, describe))
        for tag in (OBJECT.finditer(content) if "<" in content else ())
    )
    return replaced(content, replacements, _escaped if escape else str)


def _escaped(text: str) -> str:
    return _TYPED.sub(_typed, text) if "<" in text or "]" in text else text


def _typed(typed: re.Match[str]) -> str:
    """Return what the author typed with an escape (CommonMark 0.31.2, 2.4). Backslashes before it
    are escaped, too, because they would cancel the escape.

    A renderer without footnotes reads `[^1]: a:b` as the address of the link `[^1]` (4.7), unless
    more text follows.
    """
    if typed["note"]:
        return (
            (f"{typed['note']}{_TYPED_IN_TARGET.sub(_typed, typed['target'])} <!-- -->")
            if typed["target"]
            else typed["note"]
        )
    return "]\\" if typed["slashes"] is None else f"{typed['slashes'] * 2}\\<"


def _object(tag: re.Match[str], describe: Describe) -> str:
    """Return an equation or a picture. Blanks, which mean nothing in LaTeX, keep renderers without
    mathematics from seeing links and HTML in an equation.
    """
    if tag["latex"] is not None:
        latex = re.sub(r"\](?=\()|<(?=[A-Za-z/!?])", r"\g<0> ", tag["latex"])
        return f"$${latex}$$" if tag["id"] else f"${latex}$"
    target = html.unescape(attribute(tag[0], "path") or attribute(tag[0], "src"))
    text = re.sub(r"[\\\[\]]|<(?=[A-Za-z/!?])", r"\\\g<0>", describe(tag[0]))
    if not target:
        return text
    return f"![{text}]({_target(target)})"


def _target(path: str) -> str:
    """Return a link destination (CommonMark 0.31.2, 6.3): in angle brackets if it has blanks or
    parentheses, and without characters that end it there.
    """
    destination = re.sub(r"[^\S ]|[<>\\]", lambda sign: quote(sign[0]), path)
    return f"<{destination}>" if re.search("[ ()]", destination) else destination


def _table(table: TableContent, describe: Describe) -> str:
    """Return a pipe table with the first row as header, which GitHub Flavored Markdown requires."""
    if table.format is not TableFormat.JSON:
        return f"<table>{table.text}</table>"
    rows = [table.texts(row) for row in range(len(table.rows))]
    width = max(map(len, rows))
    lines = [_row(row, width, describe) for row in rows]
    return "\n".join((lines[0], "|" + " --- |" * width, *lines[1:]))


def _row(cells: Sequence[str], width: int, describe: Describe) -> str:
    texts = [_BREAKS.sub("<br>", escape_pipes(inline(cell, describe))) for cell in cells]
    return "| " + " | ".join((*texts, *[""] * (width - len(texts)))) + " |"


_NUMBER: Final = pattern(r"\d{1,9}[.)]")
_BLOCK_MARK: Final = re.compile(r"#{1,6}(?=\s|$)|>|[-+*](?=\s)|```|~~~|(?:[-=_*]\s*){3,}$")
# kinds whose markup is made by docxchunk
_WRITTEN: Final = (
    LineKind.HEADING,
    LineKind.TABLE,
    LineKind.EQUATION,
    LineKind.DRAWING,
    LineKind.NOTE,
)


_PICTURE_PATH: Final = pattern(
    r'(?P<start><drawing\b[^<>]*?) path=(?P<quote>\\?")(?P<path>[^"\\]*)(?P=quote)'
)
_NOT_IN_LINKS: Final = pattern(r"[\x00-\x1f\x7f\"#%&<>?\\\ud800-\udfff]")
_NOTE_LABEL: Final = re.compile(
    r"(?P<note>^)?\[\^(?P<label>[^\[\]\s]+)\](?(note)(?P<end>:(?: |$))?)", re.MULTILINE
)


class _ListItem(NamedTuple):
    """A list item: its level, and the column of its text."""

    depth: int
    text: int


def document_markdown(document: Document) -> str:
    """Return the blocks, followed by the referenced notes that are not in a block. A line of a
    block is a paragraph or a list item.

    Characters that would start a heading, list or quotation by accident are escaped, as is text
    that looks like a link, a picture or an HTML tag. Other characters are not escaped. The text of
    a Markdown file stays as it is.
    """
    if document.format == "md":
        return "".join(f"{unescape_text(block.content)}\n" for block in document.blocks)
    describe = partial(_alternative, document)
    parts = [part for block in document.blocks for part in _parts(block, describe)]
    text = _with_unique_labels("\n\n".join(filter(None, (*parts, *_notes(document, describe)))))
    return f"{text}\n" if text else ""


def joined_markdown(texts: Iterable[str]) -> str:
    """Return several documents as one, separated by horizontal rules. Notes of the second document
    get the labels `1.2`, `2.2`, because labels must be unique in Markdown.
    """
    return "\n---\n\n".join(
        text if number == 1 else _with_labels_of(number, text)
        for number, text in enumerate(texts, 1)
    )


def with_pictures_in(document: Document, folder: str | None) -> Document:
    """Return a copy of the document in which the path of each picture begins with `folder`, where
    the file of the picture is. A picture without a file, or any if `folder` is None, loses its
    path: in Markdown, its description stands for it.
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
        replace(block, content=_PICTURE_PATH.sub(moved, block.content))
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
    """Return the alternative text of a picture, or its caption if it has none. The description that
    a model wrote is added.
    """
    drawing = document.drawings.get(attribute(tag, "id"))
    return (
        with_description(drawing.alt, tag)
        if drawing is not None and drawing.alt
        else caption_of(tag)
    )


def _parts(block: Block, describe: Describe) -> Iterator[str]:
    texts = block.content.split("\n")
    if len(texts) != len(block.lines):  # those of another parser
        yield markdown(block.content, describe)
        return
    for is_list, group in groupby(
        zip(block.lines, texts, strict=True), key=lambda pair: pair[0].kind is LineKind.LIST
    ):
        if is_list:
            yield "\n".join(_list_lines(list(group), describe))
        else:
            yield from (
                markdown(text if line.kind in _WRITTEN else _escaped_start(text), describe)
                for line, text in group
            )


def _escaped_start(text: str) -> str:
    text = text.lstrip()
    return f"\\{text}" if _BLOCK_MARK.match(text) else text


def _list_lines(pairs: list[tuple[Line, str]], describe: Describe) -> Iterator[str]:
    """Yield the lines of a list, indented so that CommonMark nests them as Word does."""
    above: list[_ListItem] = []
    before = None
    for line, text in pairs:
        item_text = inline(text, describe)
        if above and line.number is None and line.para_id is not None and line.para_id == before:
            yield f"{' ' * above[-1].text}{_escaped_start(item_text)}"
            continue
        while above and above[-1].depth >= line.depth:
            above.pop()
        mark, item_text = _marked(line.number or "", item_text)
        column = above[-1].text if above else 0
        above.append(_ListItem(line.depth, column + len(mark) + 1))
        before = line.para_id
        yield f"{' ' * column}{mark} {_escaped_start(item_text)}".rstrip()


def _marked(number: str, text: str) -> tuple[str, str]:
    """Return the marker and the text of a list item. A number that Markdown does not support, such
    as (a), stays in the text.
    """
    unnumbered = text.removeprefix(number).lstrip()
    if _NUMBER.fullmatch(number):
        return number, unnumbered
    return "-", text if any(map(str.isalnum, number)) else unnumbered


def _notes(document: Document, describe: Describe) -> Iterator[str]:
    marks = list(_NOTE_LABEL.finditer("\n".join(block.content for block in document.blocks)))
    referred, defined = (
        {mark["label"] for mark in marks},
        {mark["label"] for mark in marks if mark["end"]},
    )
    for note in document.notes:
        if note.number in referred and note.number not in defined:
            yield inline(f"[^{note.number}]: {note.text}".rstrip(), describe)


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
