"""Read the cases in fixtures/cases/*.txt.

    == title                                  or with parser options: == title ; track_changes=all comments=yes
    <p>compact XML, see docx_builder.py</p>
    --                                        then the contents of the blocks, separated by blank lines,
    the expected content                      or, after `-- tables` and so on, another view of the document; see views.py
    !! reason                                 optional last line: the case is expected to fail

Text before the first case describes the file.
"""

from __future__ import annotations

import re
from dataclasses import fields
from enum import Enum
from pathlib import Path
from typing import NamedTuple

import pytest
from docx_builder import PIXEL, docx
from views import VIEWS

from docxchunk import api
from docxchunk.model.document import Document
from docxchunk.model.options import Embedded, Footnotes, HeadersFooters, Headings, ParseOptions, Strikethrough, TrackChanges

CASES = Path(__file__).parents[1] / "fixtures" / "cases"
_ENUMS: dict[str, type[Enum]] = {
    "track_changes": TrackChanges,
    "headers_footers": HeadersFooters,
    "footnotes": Footnotes,
    "headings": Headings,
    "strikethrough": Strikethrough,
    "embedded": Embedded,
}
_VIEW = re.compile(r"^--(?: (\w+))?$\n?", re.MULTILINE)
_PART = re.compile(r"^@@ (\S+)\n(.*?)(?=^@@ |\Z)", re.MULTILINE | re.DOTALL)


class Case(NamedTuple):
    title: str
    options: ParseOptions
    source: str  # compact XML of the package
    parts: dict[str, bytes | str]  # other parts of the package: `@@ charts/chart1.xml`
    expected: dict[str, str]  # by the name of the view

    def document(self) -> Document:
        return api.parse(docx(self.source, self.parts), options=self.options, name="document.docx")

    def check(self) -> None:
        document = self.document()
        assert {name: VIEWS[name](document) for name in self.expected} == self.expected


def cases(name: str) -> list[object]:
    """Return the cases of a file for `pytest.mark.parametrize`."""
    blocks = re.split(r"^== ", (CASES / f"{name}.txt").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return [_case(block) for block in blocks]


def _case(block: str) -> object:
    head, _, rest = block.partition("\n")
    title, _, options = head.partition(" ; ")
    rest, _, reason = rest.partition("\n!! ")
    source, *views = _VIEW.split(rest)
    expected = {name or "contents": text.strip("\n") for name, text in zip(views[::2], views[1::2], strict=True)}
    body, *_ = source.partition("\n@@ ")
    said = {part: text.encode() if part.startswith("chunks/") else text for part, text in _PART.findall(source)}  # chunks are no XML
    parts: dict[str, bytes | str] = {"media/a.png": PIXEL, "media/b.png": PIXEL + b"b"} | said
    case = Case(title.strip(), _options(options), body, parts, expected)
    return pytest.param(case, id=case.title, marks=[pytest.mark.xfail(reason=reason.strip(), strict=True)] if reason else [])


def _options(text: str) -> ParseOptions:
    known = {field.name for field in fields(ParseOptions)}
    pairs = dict(pair.split("=") for pair in text.split())
    assert known.issuperset(pairs), pairs
    return ParseOptions(**{k: _ENUMS[k](v) if k in _ENUMS else v == "yes" for k, v in pairs.items()})
