"""Headings whose marks are hidden (benchmarks/headings.py)."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner
from docx_builder import docx

from benchmarks import headings

TEXT = "The quick brown fox jumps over the lazy dog, and the dog lies where it lay before. "
SOURCE = "".join(
    f'<p style="Heading{level}"><r b="1" sz="{36 - 4 * level}">{title}</r></p><p>{TEXT * 5}</p>'
    for title, level in zip(
        ("Foxes", "Red foxes", "Grey foxes", "Dogs", "Lazy dogs", "Quick dogs"),
        (1, 2, 2, 1, 2, 2),
        strict=True,
    )
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.docx").write_bytes(docx(SOURCE))
    return tmp_path


@pytest.mark.parametrize(
    ("kind", "left"), [(kind, 2 * (kind == "part")) for kind in headings.COPIES]
)
def test_copies_have_the_text_without_the_marks(folder, kind, left):
    (document,) = headings.documents([folder])
    copy = headings.copy_of(document.items, kind)
    assert [item.raw for item in copy] == [item.raw for item in document.items]
    assert len(headings.marked_in(copy)) == left


def test_the_figures_of_copies(folder):
    rows = CliRunner().invoke(headings.command, ["measure", str(folder)]).output.splitlines()
    assert rows[0].startswith("copy,group")
    assert "look,all,,1,6,1.000,1.000,1.000,1.000" in rows


def test_a_strong_prior_keeps_the_weights_and_a_weak_one_fits(folder):
    (document,) = headings.documents([folder])
    lines = headings.lines_of(document, "look")
    assert lines is not None
    today = np.zeros(lines.values.shape[1])
    assert np.abs(headings.fitted([lines], today, prior=1e-6)).max() < 1e-3
    assert headings.f1_of([lines], headings.fitted([lines], today)) == 1
