"""The numbers that lines begin with, at the boundaries of their rules."""

from __future__ import annotations

import pytest
from case_files import Section, sections

from docxchunk.language.numbers import number_of


@pytest.mark.parametrize("case", sections("numbers/beginnings.txt"), ids=lambda case: case.title)
def test_number(case):
    assert results(case) == case.results


def results(case: Section) -> dict[str, str]:
    return {"": "\n".join(map(_shown, case.source.split("\n")))}


def _shown(text: str) -> str:
    number = number_of(text)
    if number is None:
        return f"{text} none"
    value = ".".join(map(str, number.path))
    rank = f" r{number.rank}" if number.rank else ""
    inserted = f" +{number.inserted}" if number.inserted else ""
    cut = number.length
    return f"{text[:cut]}|{text[cut:]} {number.kind} {value}{rank}{inserted}"
