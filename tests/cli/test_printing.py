"""Bars, leaders and the tables that have them."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console
from rich.text import Text

from docxchunk.cli.printing import Leader, bar


@pytest.mark.parametrize(
    ("value", "full", "shown"),
    [
        (0, 8, ""),
        (1, 8, "█"),
        (1, 64, "▏"),
        (1, 10_000, "▏"),  # a positive value is never invisible
        (15, 64, "█▉"),
        (8, 8, "████████"),
        (0, 0, ""),
        (5, 0, "▏"),
    ],
)
def test_a_bar_has_eighths_of_a_block(value, full, shown):
    assert bar(value, full, 8) == shown


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("a", "a ........"),
        ("a" * 7, "aaaaaaa .."),
        ("a" * 8, "aaaaaaaa"),
        ("a" * 10, "aaaaaaaaaa"),
        ("a" * 11, "aaaaaaaaa…"),
    ],
)
def test_a_leader_fills_its_column_with_at_least_two_dots_or_none(title, shown):
    console = Console(file=StringIO(), width=10)
    console.print(Leader(Text(title)))
    assert console.file.getvalue().rstrip() == shown
