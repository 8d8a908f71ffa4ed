"""docxchunk chunk"""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from time import monotonic

import pytest
from cli.helpers import REPORT, docxchunk, summary
from docx_builder import docx

from docxchunk import api
from docxchunk.sidecar.chunks import read_chunks
from docxchunk.version import __version__

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
    said = docxchunk("chunk", "long.docx", cwd=long)
    assert (said.code, said.out) == (0, "long.docx.parsed/long.chunks.jsonl\n")
    file = read_chunks(long / "long.docx.parsed" / "long.chunks.jsonl")
    assert list(file.chunks) == api.chunk(long / "long.docx")
    assert (file.strategy, file.cap, file.tokenizer) == ("P", 2000, "o200k_base")
    assert docxchunk("validate", long / "long.docx.parsed").code == 0


def test_each_strategy_has_its_own_file(long):
    docxchunk("chunk", long / "long.docx")
    docxchunk(
        "chunk",
        long / "long.docx",
        "--strategy",
        "R",
        "--max-tokens",
        300,
        "--overlap",
        20,
        "--tokenizer",
        "cl100k_base",
    )
    names = sorted(path.name for path in (long / "long.docx.parsed").glob("*.chunks.jsonl"))
    assert names == ["long.R.chunks.jsonl", "long.chunks.jsonl"]
    assert docxchunk("validate", long / "long.docx.parsed").code == 0


def test_a_dash_prints_the_lines_and_writes_nothing(long):
    said = docxchunk("chunk", "long.docx", "-o", "-", "--max-tokens", 256, cwd=long)
    chunks = [json.loads(line) for line in said.out.splitlines()]
    assert [chunk["content"] for chunk in chunks] == [
        chunk.content for chunk in api.chunk(long / "long.docx", max_tokens=256)
    ]
    assert [path.name for path in long.iterdir()] == ["long.docx"]
    assert said.err.startswith(f"1 document: {len(chunks)} chunks, ")


def test_chunks_of_a_parsed_folder_equal_those_of_the_word_file(long):
    docxchunk("parse", "long.docx", "-o", "out", cwd=long)
    lines = [
        docxchunk("chunk", path, "-o", "-", cwd=long).out
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
    docxchunk("parse", "long.docx", cwd=long)
    said = docxchunk("chunk", "long.docx.parsed", "--comments", "--doc-id", "mine", cwd=long)
    assert (
        "note  long.docx.parsed: It is already parsed: give the Word file to apply the "
        "parser options and --doc-id."
    ) in said.err
    assert (
        "give the Word file to apply --doc-id."
        in docxchunk("chunk", "long.docx.parsed", "--doc-id", "mine", cwd=long).err
    )
    quiet = docxchunk("chunk", "long.docx.parsed", "--doc-id", "mine", "-q", "-f", cwd=long)
    assert quiet == (0, "", "")


def test_the_summary_is_a_table(tmp_path):
    (tmp_path / "notes.doc").write_bytes(b"old")
    for name in "abcdefghijk":
        (tmp_path / f"{name}.docx").write_bytes(docx("<p>Hello world.</p>"))
    one = docxchunk("chunk", "a.docx", cwd=tmp_path)
    assert one.err == "1 document: 1 chunk, 3 tokens, 0 failed.\n"
    docxchunk("chunk", "b.docx", cwd=tmp_path)
    start = monotonic()
    rows = docxchunk("chunk", ".", cwd=tmp_path).err.splitlines()
    seconds = monotonic() - start
    parts = [re.fullmatch(r"(.{11})  ( *[\d.]+)(?:  (.*))?", row).groups() for row in rows]
    assert len({len(number) for _, number, _ in parts}) == 1
    assert float(parts[-1][1]) <= seconds + 0.1
    assert [(name.rstrip(), number.lstrip(), note) for name, number, note in parts[:-1]] == [
        ("documents", "11", None),
        ("skipped", "2", "unchanged"),
        ("chunks", "11", None),
        ("tokens", "33", None),
        ("passed over", "1", "1 .doc: --convert libreoffice reads them"),
        ("failed", "0", None),
    ]


def test_blocks_in_the_current_folder(tmp_path):
    (tmp_path / "bad.blocks.jsonl").write_text("x", "utf-8")
    said = docxchunk("chunk", "bad.blocks.jsonl", cwd=tmp_path)
    assert (said.code, said.err.splitlines()[0]) == (
        1,
        (
            "failed  bad.blocks.jsonl: bad.blocks.jsonl is not JSON (unexpected character, "
            "expected a JSON value: line 1 column 1 (char 0))."
        ),
    )
    (tmp_path / "good.blocks.jsonl").write_text(
        '{"type": "meta"}\n[1]\n{"type": "content", "content": "Text."}\n', "utf-8"
    )
    said = docxchunk("chunk", "good.blocks.jsonl", cwd=tmp_path)
    assert (said.code, said.err.partition(":")[0]) == (0, "note  good.blocks.jsonl")


def test_chunks_of_a_parsed_folder_go_into_the_output_folder(long):
    docxchunk("parse", "long.docx", cwd=long)
    said = docxchunk("chunk", "long.docx.parsed", "-o", "new", cwd=long)
    assert said.out == "new/long.docx.parsed/long.chunks.jsonl\n"
    assert not (long / "long.docx.parsed" / "long.chunks.jsonl").exists()


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


@pytest.mark.parametrize("name", ["notes.txt", "notes.md"])
def test_plain_text_is_chunked_by_r_with_a_message(tmp_path, name):
    (tmp_path / name).write_text("A line\n\n" + "Words and words. " * 900, "utf-8")
    said = docxchunk("chunk", name, cwd=tmp_path)
    assert said.code == 0
    assert "no structure" in said.err
    file = tmp_path / f"{name}.parsed" / "notes.chunks.jsonl"
    meta, *chunks = map(json.loads, file.read_text("utf-8").splitlines())
    assert meta["structured"] is False
    assert len(chunks) == meta["chunks"] > 1
    assert docxchunk("validate", file.parent).code == 0


def test_options_take_precedence_over_environment_variables(long):
    def cap(*options, **environment):
        docxchunk("chunk", long / "long.docx", "-q", *options, **environment)
        return json.loads(
            (long / "long.docx.parsed" / "long.chunks.jsonl").read_text("utf-8").splitlines()[0]
        )["settings"]

    assert (cap()["max_tokens"], cap()["overlap"]) == (2000, 100)
    settings = cap(CHUNK_P_SIZE="300", CHUNK_OVERLAP_SIZE="7")
    assert (settings["max_tokens"], settings["overlap"]) == (300, 7)
    assert cap(CHUNK_P_OVERLAP_SIZE="8", CHUNK_OVERLAP_SIZE="7")["overlap"] == 8
    assert (
        cap("--max-tokens", 400, "--overlap", 9, CHUNK_P_SIZE="300", CHUNK_P_OVERLAP_SIZE="8")[
            "overlap"
        ]
        == 9
    )


def test_settings_of_the_strategy(long):
    docxchunk(
        "chunk",
        long / "long.docx",
        "--set",
        "anchors=furthest",
        "--set",
        "merge_top_level=no",
        "--set",
        "target_ideal=0.2",
        "--contextualize",
    )
    settings = json.loads(
        (long / "long.docx.parsed" / "long.chunks.jsonl").read_text("utf-8").splitlines()[0]
    )["settings"]
    assert (
        settings["anchors"],
        settings["merge_top_level"],
        settings["target_ideal"],
        settings["contextualize"],
    ) == ("furthest", False, 0.2, True)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--strategy", "Q"], "no strategy named 'Q'"),
        (["--tokenizer", "gpt9"], "no tokenizer named 'gpt9'"),
        (["--max-tokens", "5"], "fewer than 32"),
        (["--overlap", "-1"], "overlap is -1"),
        (
            ["--overlap", "3000"],
            "Error: --overlap is 3000 and --max-tokens 2000; the overlap must not be larger.",
        ),
        (["--set", "anchors"], "key=value"),
        (["--set", "anchors=best"], "must be nearest or furthest"),
        (["--set", "merge_top_level=2"], "must be true or false"),
        (["--set", "target_ideal=much"], "must be a number"),
        (["--set", "odd=1"], "no setting 'odd'"),
        (["--trace", "-"], "this option writes files, not standard output"),
        (["--prune", "-o", "-"], "--prune removes parsed folders"),
        (["--engine", "ray"], "--engine ray writes Parquet: it needs --out DIR"),
        (["--engine", "ray", "-o", "-"], "--engine ray writes Parquet: it needs --out DIR"),
        (["--engine", "ray", "-o", "out", "--trace", "t"], "and has no --trace"),
        (["--engine", "ray", "-o", "out", "--units"], "--units writes beside chunk files"),
        (["--engine", "ray", "-o", "out", "--prune"], "--prune removes parsed folders"),
        (["--strategy", "R", "--set", "anchors=nearest"], "no setting 'anchors'; it has none"),
    ],
)
def test_wrong_usage_is_reported_before_any_work(long, options, sentence):
    said = docxchunk("chunk", "long.docx", *options, cwd=long)
    assert (said.code, said.out) == (2, "")
    assert sentence in said.err
    assert [path.name for path in long.iterdir()] == ["long.docx"]


def test_an_environment_variable_must_be_a_number(long):
    said = docxchunk("chunk", "long.docx", cwd=long, CHUNK_P_SIZE="many")
    assert said.code == 2
    assert "CHUNK_P_SIZE is 'many'" in said.err


def test_the_trace_has_a_line_for_each_stage(long):
    docxchunk("chunk", "long.docx", "--trace", "trace.jsonl", "--max-tokens", 256, cwd=long)
    steps = [json.loads(line) for line in (long / "trace.jsonl").read_text("utf-8").splitlines()]
    assert [step["stage"] for step in steps][-3:] == ["merge", "bridge", "number_parts"]
    assert [piece["text"] for piece in steps[-1]["pieces"]] == [
        chunk.content for chunk in api.chunk(long / "long.docx", max_tokens=256)
    ]


def test_a_trace_that_cannot_be_written(long):
    said = docxchunk("chunk", "long.docx", "--trace", "long.docx/trace.jsonl", cwd=long)
    assert said.code == 1
    assert said.err.splitlines()[-1] == "Error: long.docx is in the way: a file of that name."


def test_a_trace_that_cannot_be_written_is_reported_before_any_work(long):
    assert docxchunk("chunk", "long.docx", "--trace", "long.docx/trace.jsonl", cwd=long).out == ""
    assert [path.name for path in long.iterdir()] == ["long.docx"]


@pytest.mark.parametrize("option", ["--out", "--trace"])
def test_an_empty_path_is_wrong_usage(long, option):
    said = docxchunk("chunk", "long.docx", option, "", cwd=long)
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
    return int(summary(said)["skipped"].split()[0])


def test_unchanged_documents_are_skipped(two):
    first = docxchunk("chunk", two)
    before = {path: path.stat().st_ino for path in two.glob("*/*")}
    again = docxchunk("chunk", two)
    assert summary(again) == summary(first) | {"skipped": "2  unchanged"}
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


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: lines[:-1],
        lambda lines: lines + lines[1:2],
        lambda lines: [lines[0], *reversed(lines[1:])],
    ],
)
def test_altered_chunks_are_written_again(two, change):
    skipped(two)
    chunks = two / "b.docx.parsed" / "b.chunks.jsonl"
    whole = chunks.read_text("utf-8")
    chunks.write_text("".join(change(whole.splitlines(keepends=True))), "utf-8")
    said = docxchunk("chunk", two)
    assert summary(said)["skipped"].startswith("1 ")
    assert (
        "note  b.docx: Its chunk file was changed after it was written, and is made again."
    ) in said.err
    assert chunks.read_text("utf-8") == whole


def test_edited_blocks_are_chunked_again(two):
    skipped(two)
    said = docxchunk("chunk", two)
    assert "edited" not in said.err
    blocks = two / "b.docx.parsed" / "b.blocks.jsonl"
    blocks.write_text(blocks.read_text("utf-8").replace("More text", "More words"), "utf-8")
    said = docxchunk("chunk", two)
    assert summary(said)["skipped"].startswith("1 ")
    assert (
        "note  b.docx: Its parsed folder was edited after it was written, and is used as it is"
    ) in said.err
    assert "More words" in (two / "b.docx.parsed" / "b.chunks.jsonl").read_text("utf-8")
    (two / "b.docx").unlink()
    assert skipped(two) == 2  # now the input is the parsed folder
    blocks.write_text(blocks.read_text("utf-8").replace("More words", "Words"), "utf-8")
    assert skipped(two) == 1


def test_chunks_of_another_version_are_written_again(two):
    skipped(two)
    chunks = two / "b.docx.parsed" / "b.chunks.jsonl"
    whole = chunks.read_text("utf-8")
    chunks.write_text(
        whole.replace(f'"engine_version":"{__version__}"', '"engine_version":"0.0.1"'), "utf-8"
    )
    assert skipped(two) == 1
    assert chunks.read_text("utf-8") == whole


def test_the_failures_file_is_removed_when_nothing_fails(two):
    (two / "c.docx").write_bytes(b"%PDF-1.7")
    for options, file in (
        ([], two / "failures.jsonl"),
        (["-o", two / "out"], two / "out" / "failures.jsonl"),
    ):
        said = docxchunk("chunk", two, *options)
        assert (said.code, summary(said)["failed"]) == (1, "1  1 PdfError")
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


def test_single_files_and_standard_output_have_no_failures_file(two):
    (two / "c.docx").write_bytes(b"%PDF-1.7")
    assert docxchunk("chunk", two / "c.docx", "-o", two / "out").code == 1
    assert docxchunk("chunk", two, "-o", "-").code == 1
    assert sorted(path.name for path in two.iterdir()) == ["a.docx", "b.docx", "c.docx"]


@pytest.mark.foreign_files
def test_leftovers_of_a_killed_run_are_not_foreign_files(two):
    skipped(two)
    (two / "b.docx.parsed" / ".docxchunk-0123456789abcdef.new").touch()
    (two / "b.docx").write_bytes(docx("<p>Other.</p>"))
    assert skipped(two) == 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_chunks_of_several_files_come_in_order(tmp_path, jobs):
    for name in "abc":
        (tmp_path / f"{name}.docx").write_bytes(REPORT)
    (tmp_path / "b.docx").write_bytes(b"PK\x03\x04 no zip")
    said = docxchunk("chunk", tmp_path, "-o", "-", "--jobs", jobs)
    assert said.code == 1
    assert list(dict.fromkeys(json.loads(line)["doc_id"] for line in said.out.splitlines())) == [
        api.parse(tmp_path / f"{name}.docx").doc_id for name in "ac"
    ]
    assert said.err.count("failed  b.docx: ") == 1


def test_undecodable_text_fails(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"\xff\x00\x00")
    (tmp_path / "b.md").write_bytes(b" \n")
    said = docxchunk("chunk", tmp_path / "a.txt", tmp_path / "b.md")
    assert said.code == 1
    assert [
        line.split(":")[0]
        for line in said.err.splitlines()
        if line.startswith("failed ") and ":" in line
    ] == ["failed  a.txt"]
    assert summary(said)["failed"] == "1  1 NotWordError"


def test_a_strategy_with_an_embedder(tmp_path):
    pytest.importorskip("numpy", reason="the extra semantic is not installed")
    (tmp_path / "a.docx").write_bytes(
        docx("".join(f"<p>Sentence {n} is here. It says {n * 7} things.</p>" for n in range(9)))
    )
    said = docxchunk(
        "chunk",
        "a.docx",
        "--strategy",
        "V",
        "--embedder",
        "hashing",
        "--max-tokens",
        "64",
        "-o",
        "-",
        cwd=tmp_path,
    )
    assert (said.code, said.out.count("chunk_order_index") > 1) == (0, True)
    assert (
        docxchunk(
            "chunk",
            "a.docx",
            "-s",
            "V",
            "-n",
            "64",
            "-o",
            "-",
            cwd=tmp_path,
            DOCXCHUNK_EMBEDDER="hashing",
        ).out
        == said.out
    )
    assert docxchunk("chunk", "a.docx", "-s", "V", "--embedder", "nonsense", cwd=tmp_path)[::2] == (
        2,
        (
            "Error: There is no embedder named 'nonsense'; there are minilm, hashing; the "
            "folder of a model also works.\n"
        ),
    )
    # P needs no model
    assert docxchunk("chunk", "a.docx", "--embedder", "nonsense", cwd=tmp_path).code == 0


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (Path.unlink, "x.docx.parsed has no blocks: parse the Word file again."),
        (
            partial(Path.write_text, data=""),
            (
                "x.docx.parsed: x.docx.parsed/x.blocks.jsonl: The file is empty. "
                "Parse the Word file again."
            ),
        ),
    ],
)
def test_a_damaged_parsed_folder_is_told_in_one_sentence(tmp_path, damage, sentence):
    (tmp_path / "x.docx").write_bytes(REPORT)
    docxchunk("parse", "x.docx", cwd=tmp_path)
    damage(tmp_path / "x.docx.parsed" / "x.blocks.jsonl")
    said = docxchunk("chunk", "x.docx.parsed", "-q", cwd=tmp_path)
    assert said == (1, "", f"failed  {sentence}\n")
    assert not list(tmp_path.rglob("*.chunks.jsonl"))


def test_another_document_of_the_same_name_is_told_of(tmp_path):
    """Without a creation date, the id is made of the name alone."""
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.docx").write_bytes(docx(f"<p>{folder}</p>"))
    first = docxchunk("chunk", "a/x.docx", "-o", "out", cwd=tmp_path)
    assert "note" not in first.err
    second = docxchunk("chunk", "b/x.docx", "-o", "out", cwd=tmp_path)
    assert "note  x.docx: Its id is made of its name alone, and replaces another" in second.err
    assert "note" not in docxchunk("chunk", "b/x.docx", "-o", "out", "-n", 99, cwd=tmp_path).err
    named = docxchunk("chunk", "a/x.docx", "-o", "out", "--doc-id", "mine", cwd=tmp_path)
    assert "note" not in named.err
    third = docxchunk("parse", "b/x.docx", "-o", "out", cwd=tmp_path)
    assert "It replaces what was made of another document of this name (mine)." in third.err


def test_an_export_of_documents_with_one_id_says_so(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.docx").write_bytes(docx(f"<p>{folder}</p>"))
        docxchunk("chunk", f"{folder}/x.docx", cwd=tmp_path)
    said = docxchunk("export", "a/x.docx", "b/x.docx", cwd=tmp_path)
    assert said.err == (
        "note  b/x.docx.parsed/x.chunks.jsonl: It has the document id of "
        "a/x.docx.parsed/x.chunks.jsonl: chunk both in one run, or give --doc-id.\n"
    )
    docxchunk("chunk", "a/x.docx", "b/x.docx", cwd=tmp_path)
    assert not docxchunk("export", "a/x.docx", "b/x.docx", cwd=tmp_path).err
