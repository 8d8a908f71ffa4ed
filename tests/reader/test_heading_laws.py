"""Laws of what headings are inferred from: their numbers, and typed tables of contents."""

import re

import pytest
from case_files import each_row, each_text, sections, yes
from hypothesis import given
from hypothesis import strategies as st
from paragraph import PARAGRAPH

from docxchunk.language.numbers import Number, number_of
from docxchunk.ooxml.formatting import Look
from docxchunk.ooxml.number_formats import formatter
from docxchunk.reader.headings.contents import is_contents, typed_contents
from docxchunk.reader.headings.lines import body_of, orders, parents, series_of


@pytest.mark.parametrize(
    ("pattern", "number_format", "most"),
    [
        ("{} Aims", "decimal", 999),
        ("{}) Aims", "decimal", 999),
        ("({}) Aims", "decimal", 999),
        ("Article {} Aims", "decimal", 9999),
        ("Article {} Aims", "upperRoman", 49),
        ("Chapter {}", "lowerRoman", 49),
        ("{}. Aims", "upperRoman", 37),
        ("第{}条 Aims", "chineseCountingThousand", 9999),
        ("第{}章", "chineseCounting", 10),
        ("{}、Aims", "chineseCounting", 10),
    ],
)
@given(data=st.data())
def test_a_number_means_what_word_counted(pattern, number_format, most, data):
    value = data.draw(st.integers(1, most))
    write = formatter(number_format, "")
    assert write is not None
    number = number_of(pattern.format(write(value)))
    assert number is not None
    assert number.path == (value,)


KEYS = st.sampled_from("ab")
VALUES = st.integers(1, 4)


@given(st.lists(st.tuples(VALUES, KEYS), max_size=14))
def test_a_number_continues_the_last_series_that_it_may(lines):
    numbers = {index: Number("decimal", (value,), 1) for index, (value, _) in enumerate(lines)}
    keys = {index: key for index, (_, key) in enumerate(lines)}
    series = series_of(numbers, keys)
    assert sorted(index for members in series for index in members) == list(numbers)
    of_index = {index: members for members in series for index in members}
    for index, (value, key) in enumerate(lines):
        members = of_index[index]
        before = members[members.index(index) - 1] if members[0] != index else None
        ends = sorted(  # of the series that have begun, the last one first
            (
                max(member for member in each if member < index)
                for each in series
                if each[0] < index
            ),
            reverse=True,
        )
        ways = (
            [end for end in ends if lines[end] == (value - 1, key)],
            [end for end in ends if lines[end][0] == value - 1],
            [end for end in ends if lines[end] == (value, key)],
            [end for end in ends if lines[end] == (value - 2, key)],  # one number is left out
        )
        fitting = next(filter(None, ways), [None])
        assert before == (fitting[0] if value > 1 else None)


PATHS = st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=3).map(tuple), max_size=8)


@given(PATHS)
def test_a_parent_is_followed_by_its_first_child(paths):
    numbers = {index: Number("decimal", path, 1) for index, path in enumerate(paths)}
    assert list(parents(numbers)) == [
        (index, index + 1)
        for index, path in enumerate(paths[:-1])
        if paths[index + 1][:-1] == path and paths[index + 1][-1] == 1
    ]


@given(PATHS)
def test_an_automatic_number_out_of_order_is_forgotten(paths):
    """Whatever stands between, the others have the order that they have without it."""
    numbers = [Number("decimal", path, 1) for path in paths]
    shown = orders((number, True) for number in numbers)
    kept = [n for n, order in zip(numbers, shown, strict=True) if order != "out_of_order"]
    assert orders((number, True) for number in kept) == [
        order for order in shown if order != "out_of_order"
    ]


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        ([(1,), (2,), (3,)], "in_order in_order in_order"),
        ([(2,), (2,)], "ascending out_of_order"),
        ([(2, 2), (2, 2)], "ascending ascending"),  # 2.2 and 2.2a
        ([(1,), (3,), (2,)], "in_order ascending out_of_order"),
        ([(1,), (1, 1), (1, 2), (2,), (2, 1)], "in_order in_order in_order in_order in_order"),
        ([(1,), (2, 1)], "in_order ascending"),
    ],
)
def test_the_order_of_a_number(paths, expected):
    numbers = [Number(f"decimal{len(path)}", path, 1) for path in paths]
    assert " ".join(orders((number, False) for number in numbers)) == expected


@each_row("reader", is_entry=yes)
def test_a_page_number_makes_the_fourth_entry(line, is_entry):
    texts = ["Aims→1", "Means→2", "Ends→3", line, "x", "y", "z", "Aims", "Means", "Ends"]
    items = [PARAGRAPH._replace(raw=text.replace("→", "\t")) for text in texts]
    assert typed_contents(items) == (set(range(4)) if is_entry else set())


@each_row("reader", lines=each_text, expected=yes)
def test_a_section_is_a_table_of_contents(title, lines, expected):
    assert is_contents(title, [line.replace("→", "\t") for line in lines]) is expected


@pytest.mark.parametrize("case", sections("contents.txt"), ids=lambda case: case.title)
def test_contents(case):
    assert results(case) == case.results


def results(case):
    source = re.sub(r"L(\d+)", lambda match: "x" * int(match[1]), case.source)
    items = [PARAGRAPH._replace(raw=raw) for raw in source.replace("→", "\t").split("\n")]
    entries = typed_contents(items)
    return {"": "".join("e" if index in entries else "-" for index in range(len(items)))}


@given(st.lists(st.sampled_from("ABCD"), min_size=8, max_size=14))
def test_a_table_of_contents_stands_before_all_that_it_names(letters):
    texts = ["Contents", *(f"Title {letter}" for letter in letters)]
    items = [PARAGRAPH._replace(raw=text) for text in texts]
    entries = typed_contents(items)
    if entries:
        assert entries == set(range(min(entries), max(entries) + 1))
        assert max(entries) < len(texts) - 4


@pytest.mark.parametrize(("length", "size"), [(10, 20), (9, 30)])
def test_without_running_text_the_smallest_size_of_a_fifth_counts(length, size):
    small, large = (PARAGRAPH._replace(look=Look(size=size)) for size in (20, 30))
    items = [
        *[large._replace(raw="x" * 40)] * 2,
        small._replace(raw="x" * 10),
        small._replace(raw="x" * length, look=Look(size=20, bold=True)),
    ]
    assert body_of(items).size == size
