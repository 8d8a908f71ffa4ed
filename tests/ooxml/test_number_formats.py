"""Number formats: examples and laws."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from case_files import each_row
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.ooxml.number_formats import FORMATS, IN_WORDS, formatter

FIXTURE = Path(__file__).parents[2] / "fixtures" / "numbers" / "formats.txt"
ROWS = dict(line.split(maxsplit=1) for line in FIXTURE.read_text(encoding="utf-8").splitlines()[2:])
INJECTIVE_TO = {  # formats that begin again, or write nothing
    **dict.fromkeys(("bullet", "none"), 1),
    **dict.fromkeys(("ganada", "chosung"), 14),
    **dict.fromkeys(("aiueo", "aiueoFullWidth"), 46),
    **dict.fromkeys(("iroha", "irohaFullWidth"), 48),
    "ideographZodiacTraditional": 60,
    "chicago": 120,
    **dict.fromkeys(("arabicAlpha", "arabicAbjad"), 392),
    "hindiConsonants": 540,
    **dict.fromkeys(("upperLetter", "lowerLetter"), 780),
    **dict.fromkeys(("russianLower", "russianUpper"), 870),
}


@pytest.mark.parametrize("name", ROWS)
def test_format(name):
    pairs = [pair.partition("=")[::2] for pair in ROWS[name].split()]
    assert [f"{number}={FORMATS[name](int(number))}" for number, _ in pairs] == [
        f"{n}={text.replace('_', ' ')}" for n, text in pairs
    ]


@pytest.mark.parametrize("name", sorted(IN_WORDS))
@pytest.mark.parametrize("tag", ["fr", "FR-ca", "zh-CN", "nl-NL"])
def test_numbers_in_words_of_other_languages_are_digits(name, tag):
    assert formatter(name, "", tag)(21) == "21"


@pytest.mark.parametrize("tag", ["en-GB", "EN", ""])
def test_numbers_in_words_are_english(tag):
    assert formatter("ordinalText", "", tag)(21) == "Twenty-first"
    assert formatter("upperRoman", "", tag)(4) == "IV"


def test_every_standard_format_has_a_row():
    assert set(ROWS) == set(FORMATS)
    assert len(FORMATS) == 62  # and "custom"


def test_numbers_differ_until_a_format_restarts():
    for name, written in FORMATS.items():
        last = INJECTIVE_TO.get(name, 1000)
        assert (name, len({written(number) for number in range(1, last + 1)})) == (name, last)


@given(st.sampled_from(sorted(FORMATS)), st.integers(0, 2**40))
def test_numbers_are_short(name, number):
    assert len(FORMATS[name](number)) <= 120


@given(st.integers(1, 3999))
def test_roman_numerals_read_back(number):
    values = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
    digits = [values[letter] for letter in FORMATS["lowerRoman"](number)]
    assert sum(-a if a < b else a for a, b in zip(digits, [*digits[1:], 0], strict=True)) == number


@given(st.integers(1, 99_999_999))
def test_chinese_numbers_read_back(number):
    assert _read(FORMATS["chineseCountingThousand"](number)) == number


def _read(text):
    total = 0
    for part, unit in re.findall(r"([^万亿]+)([万亿]?)", text):
        value = digit = 0
        for sign in part.replace("〇", ""):
            if sign in "十百千":
                value += (digit or 1) * {"十": 10, "百": 100, "千": 1000}[sign]
                digit = 0
            else:
                digit = "〇一二三四五六七八九".index(sign)
        total += (value + digit) * {"": 1, "万": 10**4, "亿": 10**8}[unit]
    return total


@pytest.mark.parametrize(
    ("pattern", "number", "text"),
    [
        ("001, 002, 003, ...", 12, "012"),
        ("00001, 00002, ...", 12, "00012"),
        ("1, 2, 3, ...", 12, "12"),
    ],
)
def test_custom_format_is_recognised_by_its_first_numbers(pattern, number, text):
    show = formatter("custom", pattern)
    assert show is not None
    assert show(number) == text


@each_row("ooxml")
def test_unknown_format_is_none(name, custom):
    assert formatter(name, custom) is None
