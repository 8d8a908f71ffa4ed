"""Read the cases in fixtures/. All files of cases have one format.

    == title ; track_changes=all comments=yes
    the source
    --
    the expected result
    !! reason

The settings after the title are optional. A case with several results has `-- name` before each. The
last line is optional: the case is expected to fail for this reason.

Text before the first case describes the file, and the notation of its sources. Only files with a
case on each line (numbers/formats.txt, numbers/words.txt, sentences.txt) have formats of their own.

The sections of fixtures/rows/ are tables. The title is the name of a test, and each line is a row
for it (see `each_row`):

    input | input => expected result   # a remark after three blanks

Texts have the escapes of Python, and {ab*30} is "ab" thirty times.

`python tests/case_files.py outline` writes the results of a view anew, in all files of
fixtures/cases/. Read the difference before you commit it.

In fixtures/cases/, the source is compact XML (see docx_builder.py), the settings are options of the
parser, and the result is the contents of the blocks, separated by blank lines, or another view of
the document (`-- tables`); see views.py.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import partial, wraps
from inspect import Signature, signature
from pathlib import Path
from typing import NamedTuple

import pytest
from _pytest.mark import ParameterSet
from docx_builder import PIXEL, docx
from views import VIEWS

from docxchunk import api
from docxchunk.model.document import Document
from docxchunk.model.options import ParseOptions

FIXTURES = Path(__file__).parents[1] / "fixtures"
CASES = FIXTURES / "cases"
_DEFAULTS = ParseOptions()
_VIEW = re.compile(r"^--(?: (\w+))?$\n?", re.MULTILINE)
_BETWEEN = re.compile(r"(?<![^ ])(?:\||=>)(?![^ ])")
_REMARK = re.compile(r"(?:^|   )# .*$", re.MULTILINE)
_REPEATED = re.compile(r"\{([^{}]+)\*(\d+)\}")
_FAULTS = (Exception, pytest.fail.Exception)
_PART = re.compile(r"^@@ (\S+)\n(.*?)(?=^@@ |\Z)", re.MULTILINE | re.DOTALL)


Test = Callable[..., None]


class Section(NamedTuple):
    """A case as it is written. `results` are by name; the name of the only one is ""."""

    title: str
    settings: dict[str, str]
    source: str
    results: dict[str, str]
    failure: str  # why the case is expected to fail

    @property
    def expected(self) -> str:
        return self.results[""]


def sections(path: str) -> list[Section]:
    """Return the cases of a file of fixtures/."""
    return [
        _section(block)
        for block in re.split(r"^== ", (FIXTURES / path).read_text("utf-8"), flags=re.MULTILINE)[1:]
    ]


def _section(block: str) -> Section:
    head, _, rest = block.partition("\n")
    title, _, settings = head.partition(" ; ")
    rest, _, failure = rest.partition("\n!! ")
    source, *parts = _VIEW.split(rest)
    results = {
        name or "": text.strip("\n") for name, text in zip(parts[::2], parts[1::2], strict=True)
    }
    return Section(
        title.strip(),
        dict(pair.split("=", 1) for pair in settings.split()),
        source.removesuffix("\n"),
        results,
        failure.strip(),
    )


class Case(NamedTuple):
    title: str
    options: ParseOptions
    source: str  # compact XML of the package
    parts: dict[str, bytes | str]  # other parts of the package: `@@ charts/chart1.xml`
    expected: dict[str, str]  # by the name of the view

    def document(self) -> Document:
        return api.parse(docx(self.source, self.parts), options=self.options, name="document.docx")

    def check(self) -> None:
        assert self.expected, "the case has no result"
        document = self.document()
        assert {name: VIEWS[name](document) for name in self.expected} == self.expected


def cases(name: str) -> list[object]:
    """Return the cases of a file for `pytest.mark.parametrize`."""
    return [_case(section) for section in sections(f"cases/{name}.txt")]


def _case(section: Section) -> ParameterSet:
    body, *_ = section.source.partition("\n@@ ")
    # chunks are no XML, and custom XML has names of its own
    said = {
        part: text.encode() if part.startswith(("chunks/", "customXml/")) else text
        for part, text in _PART.findall(section.source + "\n")
    }
    parts: dict[str, bytes | str] = {"media/a.png": PIXEL, "media/b.png": PIXEL + b"b"} | said
    expected = {name or "contents": text for name, text in section.results.items()}
    case = Case(section.title, _options(section.settings), body, parts, expected)
    return pytest.param(
        case,
        id=case.title,
        marks=[pytest.mark.xfail(reason=section.failure, strict=True)] if section.failure else [],
    )


def _options(words: dict[str, str]) -> ParseOptions:
    """Return the options with these values; "yes" and "no" are those of a flag."""
    values = {
        name: word == "yes" if isinstance(getattr(_DEFAULTS, name), bool) else word
        for name, word in words.items()
    }
    return ParseOptions(**values)


def each_row(path: str, /, **readers: Callable[[str], object]) -> Callable[[Test], Test]:
    """Call a test with each row of its table in fixtures/rows/; all rows that fail are told.

    The columns are the last parameters of the test. Their values are texts, or what a reader makes
    of them.
    """

    def decorated(test: Test) -> Test:
        rows = rows_of(path, test.__name__.removeprefix("test_").replace("_", " "))
        parameters = list(signature(test).parameters.values())
        columns = [parameter.name for parameter in parameters[-len(rows[0]) :]]

        @wraps(test)
        def run(**fixtures: object) -> None:
            faults = [
                fault
                for row in rows
                if (fault := _fault(partial(test, **fixtures, **_values(columns, row, readers))))
            ]
            if faults:
                raise BaseExceptionGroup(f"{len(faults)} of {len(rows)} rows", faults)

        run.__signature__ = Signature(parameters[: -len(columns)])
        return run

    return decorated


def rows_of(path: str, title: str) -> list[list[str]]:
    [source] = [case.source for case in sections(f"rows/{path}.txt") if case.title == title]
    lines = _REMARK.sub("", source).split("\n")
    return [[cell.strip(" ") for cell in _BETWEEN.split(line)] for line in lines if line]


def _values(
    columns: list[str], row: list[str], readers: dict[str, Callable[[str], object]]
) -> dict[str, object]:
    return {
        name: readers.get(name, str)(_text(cell)) for name, cell in zip(columns, row, strict=True)
    }


def _text(cell: str) -> str:
    whole = _REPEATED.sub(lambda found: found[1] * int(found[2]), cell)
    return whole.encode("latin-1", "backslashreplace").decode("unicode_escape")


def _fault(test: partial[None]) -> BaseException | None:
    """Return why a row fails, with the row."""
    try:
        test()
    except _FAULTS as fault:
        fault.add_note(f"row: {test.keywords}"[:1000])
        return fault
    return None


def yes(word: str) -> bool:
    return {"yes": True, "no": False}[word]


def or_none(text: str) -> str | None:
    return text or None


def each_number(text: str) -> list[int]:
    return [*map(int, text.split())]


def each_span(text: str) -> list[tuple[int, int]]:
    """Read "0-3 5-9"."""
    return [(int(start), int(end)) for start, end in (span.split("-") for span in text.split())]


def each_text(text: str) -> list[str]:
    return text.split("; ") if text else []


def update(view: str) -> None:
    """Write the results of a view in all files of cases anew."""
    for path in sorted(CASES.glob("*.txt")):
        text, at = path.read_text("utf-8"), 0
        for section in sections(f"cases/{path.name}"):
            at = text.index(f"\n== {section.title}", at) + 1
            if view in section.results and not section.failure:
                start = text.index(f"\n-- {view}\n", at) + len(f"\n-- {view}\n")
                old, new = section.results[view], VIEWS[view](_case(section).values[0].document())
                text = (
                    text[:start] + new + "\n" * (bool(new) and not old) + text[start + len(old) :]
                )
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        update(name)
