"""docxchunk chunk"""

from __future__ import annotations

import json
import re

import pytest
from case_files import each_row
from cli.helpers import REPORT, docxchunk, summary
from docx_builder import docx

from docxchunk import api
from docxchunk.sidecar.chunks import read_chunks

LONG = docx(
    "".join(
        f"<p style='Heading{1 + n % 3}'>Part "
        f"{n}</p>" + f"<p>{'Some words that fill a page. ' * 12}</p>" * 3
        for n in range(12)
    )
)


@pytest.fixture
def long(tmp_path):
    (tmp_path / "long.docx").write_bytes(LONG)
    return tmp_path


def test_chunks_equal_those_of_the_library(long):
    said = docxchunk("chunk long.docx")
    assert (said.code, said.out) == (0, "long.docx.parsed/long.chunks.jsonl\n")
    file = read_chunks(long / "long.docx.parsed" / "long.chunks.jsonl")
    assert list(file.chunks) == api.chunk(long / "long.docx")
    assert (file.strategy, file.cap, file.tokenizer) == ("P", 2000, "o200k_base")
    assert docxchunk("validate", long / "long.docx.parsed").code == 0


def test_chunks_of_a_parsed_folder_equal_those_of_the_word_file(long):
    docxchunk("parse long.docx -o out")
    lines = [
        docxchunk("chunk", path, "-o", "-").out
        for path in (
            "long.docx",
            "out/long.docx.parsed",
            "out/long.docx.parsed/long.blocks.jsonl",
            "out",
        )
    ]
    assert lines[0]
    assert len(set(lines)) == 1


def test_options_of_the_parser_and_ids_do_not_apply_to_parsed_folders(long):
    docxchunk("parse long.docx")
    said = docxchunk("chunk long.docx.parsed --comments --doc-id mine")
    assert (
        "note  long.docx.parsed: It is already parsed: give the Word file to apply the "
        "parser options and --doc-id."
    ) in said.err
    assert (
        "give the Word file to apply --doc-id."
        in docxchunk("chunk long.docx.parsed --doc-id mine").err
    )
    quiet = docxchunk("chunk long.docx.parsed --doc-id mine -q -f")
    assert quiet == (0, "", "")


def test_the_summary_is_a_sentence(tmp_path):
    (tmp_path / "notes.doc").write_bytes(b"old")
    for name in "abcdefghijk":
        (tmp_path / f"{name}.docx").write_bytes(docx("<p>Hello world.</p>"))
    for paths, sentences in (
        ("a.docx b.docx", r"2 documents in \d\.\d s: 2 chunks, 6 tokens, 0 failed\.\n"),
        (
            ".",
            r"""11 documents in \d\.\d s: 11 chunks, 33 tokens, 2 unchanged, 0 failed\.
passed over 1 \.doc: --convert libreoffice reads them\.
""",
        ),
    ):
        assert re.fullmatch(sentences, docxchunk("chunk", *paths.split()).err)


@pytest.mark.parametrize("name", ["notes.md", "NOTES.MARKDOWN"])
def test_headings_of_markdown_files_count(tmp_path, name):
    text = (
        "# Terms\n\n- one\n- two\n\n```\n# no heading\n```\n## Fees <table>\n| a | b |\n|---|---|\n"
    )
    (tmp_path / name).write_text(text)
    said = docxchunk("chunk", tmp_path / name, "-o", "-")
    (chunk,) = map(json.loads, said.out.splitlines())
    assert [heading["heading"] for heading in chunk["headings"]] == ["Terms", "Fees <table>"]
    assert "chunked by R" not in said.err
    assert [
        line for line in docxchunk("export", tmp_path / name, "--document").out.splitlines() if line
    ] == [line for line in text.splitlines() if line]


@each_row("cli", options=str.split)
def test_wrong_usage_is_reported_before_any_work(long, options, sentence):
    said = docxchunk("chunk long.docx", *options)
    assert (said.code, said.out) == (2, "")
    assert sentence in said.err
    assert [path.name for path in long.iterdir()] == ["long.docx"]


def test_the_trace_has_a_line_for_each_stage_and_each_cut(long):
    docxchunk("chunk long.docx --trace trace.jsonl --max-tokens 256")
    lines = [json.loads(line) for line in (long / "trace.jsonl").read_text("utf-8").splitlines()]
    steps = [line for line in lines if "stage" in line]
    assert [step["stage"] for step in steps][-3:] == ["merge", "bridge", "number_parts"]
    chunks = api.chunk(long / "long.docx", max_tokens=256)
    assert [piece["text"] for piece in steps[-1]["pieces"]] == [chunk.content for chunk in chunks]
    cuts = [line["cut"] for line in lines if "cut" in line]
    assert [cut["right"] for cut in cuts] == [chunk.tokens for chunk in chunks[1:]]


def test_why_a_chunk_begins_and_ends_where_it_does(long):
    said = docxchunk("show long.docx --why 2 -n 256").out
    explained = said[said.index("Chunk 2 of") :]
    assert len(explained.splitlines()) <= 10
    assert "It begins between " in explained
    costs, total = re.search(r"here +\d+ \| \d+ +(.+) = (\S+)", explained).groups()
    assert sum(map(float, costs.split("+"))) == pytest.approx(float(total))
    assert "There is no chunk 99" in docxchunk("show long.docx --why 99").err


@pytest.mark.parametrize("option", ["--out", "--trace"])
def test_an_empty_path_is_wrong_usage(long, option):
    said = docxchunk("chunk long.docx", option, "")
    assert said.code == 2
    assert "is a variable not set?" in said.err
    assert [path.name for path in long.iterdir()] == ["long.docx"]


@pytest.fixture
def two(tmp_path):
    (tmp_path / "a.docx").write_bytes(LONG)
    (tmp_path / "b.docx").write_bytes(REPORT)
    return tmp_path


def skipped(folder, *options, **environment):
    said = docxchunk("chunk", folder, *options, **environment)
    assert said.code == 0
    return int(summary(said)["unchanged"])


def test_unchanged_documents_are_skipped(two):
    first = docxchunk("chunk", two)
    before = {path: path.stat().st_ino for path in two.glob("*/*")}
    again = docxchunk("chunk", two)
    assert summary(again) == summary(first) | {"unchanged": "2"}
    assert again.out == first.out
    assert {path: path.stat().st_ino for path in two.glob("*/*")} == before


@pytest.mark.slow
def test_changed_settings_and_files_are_chunked_again(two):
    assert skipped(two) == 0
    for options in (
        ["--max-tokens", 300],
        ["--overlap", 3],
        ["--contextualize"],
        ["--drop-toc"],
        ["--set", "anchors=furthest"],
        ["--tokenizer", "cl100k_base"],
        ["--comments"],
    ):
        assert skipped(two, *options) == 0, options
        assert skipped(two, *options) == 2, options
    (two / "b.docx").write_bytes(docx("<p>Other.</p>"))
    assert skipped(two, "--comments") == 1
    assert skipped(two, "--comments", "--force") == 0
    assert skipped(two, "--comments", "--trace", two / "trace.jsonl") == 0


def test_the_failures_file_is_removed_when_nothing_fails(two):
    (two / "c.docx").write_bytes(b"%PDF-1.7")
    for options, file in (
        ([], two / "failures.jsonl"),
        (["-o", two / "out"], two / "out" / "failures.jsonl"),
    ):
        said = docxchunk("chunk", two, *options)
        assert (said.code, summary(said)["failed"]) == (1, "1 (1 PdfError)")
        (line,) = map(json.loads, file.read_text("utf-8").splitlines())
        assert list(line) == ["input", "path", "error", "message"]
        assert (line["input"], line["path"], line["error"]) == (
            "c.docx",
            str(two / "c.docx"),
            "PdfError",
        )
        assert f"failed  c.docx: {line['message']}" in said.err
    (two / "c.docx").write_bytes(REPORT)
    for options in ([], ["-o", two / "out"]):
        assert skipped(two, *options) == 2
    assert list(two.rglob("failures.jsonl")) == []


def test_a_strategy_with_an_embedder(tmp_path):
    pytest.importorskip("numpy", reason="the extra semantic is not installed")
    (tmp_path / "a.docx").write_bytes(
        docx("".join(f"<p>Sentence {n} is here. It says {n * 7} things.</p>" for n in range(9)))
    )
    said = docxchunk("chunk a.docx --strategy V --embedder hashing --max-tokens 64 -o -")
    assert (said.code, said.out.count("chunk_order_index") > 1) == (0, True)
    assert docxchunk("chunk a.docx -s V -n 64 -o -", DOCXCHUNK_EMBEDDER="hashing").out == said.out
    assert docxchunk("chunk a.docx -s V --embedder nonsense")[::2] == (
        2,
        (
            "Error: There is no embedder named 'nonsense'; there are minilm, hashing; a "
            "name on the hub, a folder and URL#MODEL also work.\n"
        ),
    )
    # P needs no model
    assert docxchunk("chunk a.docx --embedder nonsense").code == 0


def test_another_document_of_the_same_name_is_told_of(tmp_path):
    """Without a creation date, the id is made of the name alone."""
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.docx").write_bytes(docx(f"<p>{folder}</p>"))
    first = docxchunk("chunk a/x.docx -o out")
    assert "note" not in first.err
    second = docxchunk("chunk b/x.docx -o out")
    assert "note  x.docx: Its id is made of its name alone, and replaces another" in second.err
    assert "note" not in docxchunk("chunk b/x.docx -o out -n 99").err
    named = docxchunk("chunk a/x.docx -o out --doc-id mine")
    assert "note" not in named.err
    third = docxchunk("parse b/x.docx -o out")
    assert "It replaces what was made of another document of this name (mine)." in third.err


def test_an_export_of_documents_with_one_id_says_so(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.docx").write_bytes(docx(f"<p>{folder}</p>"))
        docxchunk("chunk", f"{folder}/x.docx")
    said = docxchunk("export a/x.docx b/x.docx")
    assert said.err == (
        "note  b/x.docx.parsed/x.chunks.jsonl: It has the document id of "
        "a/x.docx.parsed/x.chunks.jsonl: chunk both in one run, or give --doc-id.\n"
    )
    docxchunk("chunk a/x.docx b/x.docx")
    assert not docxchunk("export a/x.docx b/x.docx").err
