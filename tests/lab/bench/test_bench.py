"""Measurements: their rows, ratios and counts. No test checks a duration."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from cli.helpers import REPORT, docxchunk
from docx_builder import docx

from benchmarks.other_readers import installed
from docxchunk.errors import NotWordError
from docxchunk.lab.bench.models import embedding_rates, scoring_rates, sentences
from docxchunk.lab.bench.speed import speed
from docxchunk.lab.bench.words import file_words, kept_words


@pytest.fixture
def report(tmp_path):
    (tmp_path / "report.docx").write_bytes(REPORT)
    return tmp_path / "report.docx"


def test_ratios_are_to_the_floor(report):
    found = speed([report, report], ["P", "R"], 1, [400, 2000])
    assert [row.name for row in found.chunking] == [
        "encode once",
        *(f"docxchunk chunk, {way}" for way in ("P, 400", "P, 2,000", "R, 400", "R, 2,000")),
    ]
    assert [row.name for row in found.reading][:2] == ["inflate, parse XML", "docxchunk parse"]
    for rows in found[:2]:
        assert rows[0].ratio == 1
        assert all(row.ratio == pytest.approx(row.seconds / rows[0].seconds) for row in rows)


def test_each_reader_has_its_memory_and_its_words(report):
    found = speed([report, report], [], 1)
    floor, own, *_ = found.reading
    assert found.words == 2 * sum(file_words(report).values()) > 0
    assert (floor.kept, own.kept, own.failed) == (None, found.words, 0)
    assert all(row.memory > 1 << 20 for row in found.reading)


def test_programs_that_are_installed_read_a_file(report):
    programs = {program.name: program for program in installed()}
    assert {"docxchunk", "python-docx"} <= {*programs}
    for name in ("docxchunk", "python-docx"):
        assert programs[name].version
        assert kept_words(str(programs[name].start()(report)), file_words(report)) > 0


def refuse(path: Path):
    raise OSError(path)


def start_with_a_missing_package():
    raise ModuleNotFoundError("No module named 'other'")


def start_refusing():
    """Imported by name in the process that measures the memory."""
    return refuse


def test_a_file_that_a_program_cannot_read_is_counted(report):
    others = {"other 1": start_refusing, "other 2": start_with_a_missing_package}
    rows = speed([report], [], 1, others=others).reading[2:]
    assert [(row.name, row.kept, row.failed) for row in rows] == [
        ("other 1", 0, 1),
        ("other 2", 0, 1),
    ]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("<p>One two</p><p>three</p>", "one two three"),
        ("<p>It is <del>not</del> <ins>so</ins>.</p>", "it is so"),
        ("<p>水系统 v2</p>", "水 系 统 v2"),
        ("<tbl><tr><tc>a</tc><tc>a</tc></tr></tbl>", "a a"),
    ],
)
def test_words_are_those_of_the_text(tmp_path, body, words):
    (tmp_path / "a.docx").write_bytes(docx(body))
    assert file_words(tmp_path / "a.docx") == Counter(words.split())


def test_a_file_that_is_not_a_zip_is_an_error(tmp_path):
    (tmp_path / "a.docx").write_text("no zip")
    with pytest.raises(NotWordError, match="is not a ZIP file"):
        speed([tmp_path / "a.docx"], [], 1)


def test_rates_of_an_embedder():
    pytest.importorskip("numpy", reason="the extra semantic is not installed")
    from docxchunk.backends.embeddings import hashing

    asked = hashing().costs.asked
    (rate,) = embedding_rates(hashing(), 20)
    # once to get ready, once together, once one by one
    assert hashing().costs.asked - asked == 3 * 20
    assert rate.tokens_a_second > 0
    assert sentences(20) == sentences(20) != sentences(21)[:20]


def test_rates_of_a_scorer():
    pytest.importorskip("torch", reason="the extra llm is not installed")
    from backends.language_models.tiny_models import scorer

    made = scorer()
    losses, endings = scoring_rates(made, 20)
    assert made.costs.asked == 2 * 3 + 2 * 2 + 20
    assert losses.gain > 0
    assert endings.gain > 0


def test_the_command(report):
    said = docxchunk(
        "bench", "speed", report, "--rounds", "1", "-s", "R", "--max-tokens", "400,200"
    )
    assert said.code == 0, said.err
    there = ("docxchunk parse", "1.00 ×", "docxchunk chunk, R, 200", "words kept")
    assert [word for word in there if word not in said.out] == []
    assert "docxchunk chunk, P" not in said.out
    assert docxchunk("bench", "models")[::2] == (
        2,
        "Error: There is nothing to measure: give --embedder or --scorer.\n",
    )
    pytest.importorskip("numpy", reason="the extra semantic is not installed")
    said = docxchunk("bench", "models", "--embedder", "hashing", "--texts", "20")
    assert (said.code, "hashing  sentences" in said.out) == (0, True), said.err
