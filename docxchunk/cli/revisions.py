"""Print the tracked changes and comments of documents."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import orjson
from rich.text import Text

from docxchunk.cli.console import Reporter
from docxchunk.cli.printing import STRONG, prose

if TYPE_CHECKING:
    from docxchunk.retrieval.answers import Listed
    from docxchunk.retrieval.reading import Reader


def print_revisions(
    readers: Iterable[Reader], which: Sequence[Listed], *, is_folder: bool, as_json: bool
) -> int:
    """Print the tracked changes or comments of a document; for a folder, a line for each document
    that has some. As JSON, print a line for each change and comment. Return how many there are.
    """
    from docxchunk.retrieval import answers

    if as_json:
        return sum(_print_records(reader, each) for reader in readers for each in which)
    number = 0
    several = list(readers)
    for each in which:
        answer = (
            answers.documents_with(several, each)
            if is_folder
            else answers.revisions(several[0], each)
        )
        number += len(answer.objects)
        if answer.has_places:
            prose(_styled(answer.text))
        else:
            Reporter().say(answer.text)
    return number


def _print_records(reader: Reader, which: Listed) -> int:
    items = reader.changes() if which == "changes" else reader.comments()
    for item in items:
        record = {"document": reader.document.name, "type": which.removesuffix("s"), **asdict(item)}
        sys.stdout.buffer.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
    return len(items)


def _styled(text: str) -> Text:
    """Return an answer with coloured words: deleted ones red, inserted ones green."""
    styled = Text(text)
    styled.highlight_regex(r"(?m)^\[.*\]$", STRONG)
    styled.highlight_regex(r"\[-.*?-\]", "red")
    styled.highlight_regex(r"\{\+.*?\+\}", "green")
    return styled
