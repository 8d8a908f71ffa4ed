"""Readable views of documents, for cases and golden files.

`VIEWS` are the views by name; the hash in an object's id, the same in the whole document, is left
out (`tb-0001`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from docxchunk.content.table_texts import header_rows
from docxchunk.model.blocks import Block, Line, LineKind, Position
from docxchunk.model.document import Document
from docxchunk.model.objects import Drawing, Spot, Table

_HASH = re.compile(r"\b(tb|im|eq)-[0-9a-f]{32}-(?=\d{4}\b)")


def short(text: str) -> str:
    return _HASH.sub(r"\1-", text)


def contents(document: Document) -> str:
    """Return the contents of the blocks, separated by empty lines."""
    return short("\n\n".join(block.content for block in document.blocks))


def changes(document: Document) -> str:
    """Return each tracked change: what it did, author and date, words with those beside them, and
    place.
    """
    return "\n".join(
        f"{each.kind} {each.part} {each.author} {each.date} "
        f"|{each.before}[{each.text}]{each.after}{f' ({each.move})' if each.move else ''}"
        f" @ {_spot(document, each.spot)}".replace("\n", "⏎").replace("\t", "⇥")
        for each in document.changes
    )


def comments(document: Document) -> str:
    """Return each comment: id, author and date, text, what it is about, thread, and place."""
    return "\n".join(
        f"{each.id} {each.author} {each.date} |{each.text}| on [{each.anchor}]"
        f"{f' reply to {each.parent}' if each.parent else ''}{' done' if each.done else ''}"
        f" @ {_spot(document, each.spot)}".replace("\n", "⏎")
        for each in document.comments
    )


def _spot(document: Document, spot: Spot) -> str:
    headings = {block.id: block.heading or "-" for block in document.blocks} | {"": "nowhere"}
    row = "" if spot.row is None else f" row {spot.row}"
    return f"{headings[spot.block_id]} ¶{spot.paragraph}{row}{spot.within and f', {spot.within}'}"


def outline(document: Document) -> str:
    """Return level, number, source, session type and path of each block. The source of an inferred
    heading has its confidence and the signals for it.
    """
    return "\n".join(_head(block, document.report.guesses) for block in document.blocks)


def lines(document: Document) -> str:
    """Return every line with its metadata."""
    return short("\n\n".join("\n".join(_lines(block)) for block in document.blocks))


def tables(document: Document) -> str:
    return short("\n".join(map(_table, document.tables.values())))


def _table(item: Table) -> str:
    size, merged = f"{item.row_count}x{item.column_count}", [tuple(merge) for merge in item.merged]
    said = {
        "caption": item.caption,
        "header": item.header,
        "guess": item.header_guess,
        "merged": merged,
        "nested": " ".join(item.nested),
    }
    return _row(item.id, size, item.format, **said)


def headers(document: Document) -> str:
    """Return the header rows of each table, their source (the confidence of inferred ones, and the
    signals for them), and the number of header columns.
    """
    return short("\n".join(map(_header, document.tables.values())))


def _header(item: Table) -> str:
    known = (
        "marked"
        if item.header
        else f"{item.header_confidence} {', '.join(item.header_signals)}"
        if item.header_guess
        else ""
    )
    rows = " / ".join(" | ".join(row) for row in header_rows(item, 0)) or "no header"
    return (
        f"{item.id} {rows}{f' ({known})' if known else ''}; columns that name rows: "
        f"{item.header_columns}"
    )


def equations(document: Document) -> str:
    return short(
        "\n".join(_row(e.id, e.content, caption=e.caption) for e in document.equations.values())
    )


def drawings(document: Document) -> str:
    return short("\n".join(map(_drawing, document.drawings.values())))


def _drawing(item: Drawing) -> str:
    data = [list(row) for row in item.data]
    return _row(
        item.id,
        item.kind,
        item.format,
        item.path,
        item.src,
        name=item.name,
        alt=item.alt,
        caption=item.caption,
        data=data,
    )


def notes(document: Document) -> str:
    return short(
        "\n".join(
            _row(
                n.kind,
                n.number,
                f"|{n.text}",
                author=n.author,
                date=n.date,
                anchor=n.anchor,
                parent=n.parent,
                done=n.done,
            )
            for n in document.notes
        )
    )


def issues(document: Document) -> str:
    return "\n".join(issue.code for issue in document.issues)


def dropped(document: Document) -> str:
    return "\n".join(f"{reason}: {count}" for reason, count in document.report.dropped.items())


def positions(document: Document) -> str:
    """Return first and last paraId, body elements and paragraph numbers of each block."""
    return "\n".join(
        _position(p) if (p := block.position) else "nowhere" for block in document.blocks
    )


def _position(position: Position) -> str:
    first, last = position.paragraphs or (0, 0)
    return (
        f"{position.first or '-'} {position.last or '-'} "
        f"{position.elements[0]}..{position.elements[1]} ¶ {first}..{last}"
    )


def places(document: Document) -> str:
    """Return every line with paragraph number, body element and paraId."""
    found = (
        (line, text)
        for block in document.blocks
        for line, text in zip(block.lines, block.content.split("\n"), strict=True)
    )
    return short(
        "\n".join(
            f"¶ {line.paragraph} "
            f"@{line.element}{f' {line.para_id}' if line.para_id else ''} "
            f"|{text}"
            for line, text in found
        )
    )


def references(document: Document) -> str:
    """Return the headings of the blocks that each block refers to."""
    heads = {block.id: block.heading for block in document.blocks}
    return "\n".join(
        f"{block.heading} -> {', '.join(heads[key] for key in block.refers_to)}"
        for block in document.blocks
        if block.refers_to
    )


def title(document: Document) -> str:
    return document.title


View = Callable[[Document], str]
VIEWS: dict[str, View] = {
    view.__name__: view
    for view in (
        contents,
        outline,
        lines,
        tables,
        headers,
        equations,
        drawings,
        notes,
        changes,
        comments,
        issues,
        dropped,
        positions,
        places,
        references,
        title,
    )
}


def golden(document: Document) -> str:
    """Return all views in one text."""
    blocks = "\n\n".join(
        f"== {_head(block, document.report.guesses)}\n" + "\n".join(_lines(block))
        for block in document.blocks
    )
    apart = "\n\n".join(
        f"== {name}\n{said}"
        for name in "tables equations drawings notes issues dropped".split()
        if (said := VIEWS[name](document))
    )
    counts = ", ".join(
        f"{count} {name.replace('_', ' ')}"
        for name, count in document.report.objects.items()
        if count
    )
    return (
        f"{document.name}: {document.title or 'no title'}\n{counts}; "
        f"{document.report.emitted} characters\n\n{short(blocks)}\n\n{apart}"
    ).strip() + "\n"


def _head(block: Block, guesses: Mapping[str, Sequence[str]]) -> str:
    said = [f"level {block.level}", block.session_type]
    said += [f"number {block.number}"] if block.number else []
    said += [f"by {block.heading_source}"] if block.heading_source else []
    if block.confidence is not None:
        said[-1] += f" {block.confidence} ({', '.join(guesses[block.id])})"
    said += [f"page {page}"] if (page := _page(block.page, block)) else []
    return (
        f"{', '.join(said)}: {' > '.join((*block.parent_headings, block.heading))}"
    ).removesuffix(": ")


def _lines(block: Block) -> Iterable[str]:
    for line, text in zip(block.lines, block.content.split("\n"), strict=True):
        yield f"{_known(line)} |{text}"


def _page(page: int | None, block: Block) -> str:
    """Return the page; "" for an estimate of page 1, which carries no information."""
    if block.page_is_estimate:
        return f"~{page}" if page != 1 else ""
    return str(page or "")


def _known(line: Line) -> str:
    """Return the metadata of a line: kind, list level, style if unusual, and so on."""
    is_deep = line.depth or line.kind is LineKind.LIST
    said = [f"{line.kind} {line.depth}" if is_deep else str(line.kind)]
    said += (
        [f"({line.style})"]
        if line.style and line.style != "Normal" and line.kind is not LineKind.HEADING
        else []
    )
    said += [f"no. {line.number}"] if line.number else []
    said += ["bold"] if line.bold else []
    said += [f"p. {line.page}"] if line.page and not line.page_is_estimate else []
    return " ".join([*said, *(f"-> {link}" for link in line.links)])


def _row(*values: str, **named: object) -> str:
    """Return values, then `name=value` for non-empty values, quoted if they contain blanks."""
    said = (
        (name, value if isinstance(value, str) and " " not in value else repr(value))
        for name, value in named.items()
        if value
    )
    return " ".join([*filter(None, values), *(f"{name}={value}" for name, value in said)])
