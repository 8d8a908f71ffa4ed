"""docxchunk export"""

from __future__ import annotations

import json
import re
from urllib.parse import unquote

import pytest
from cli.helpers import REPORT, docxchunk, docxchunk_process, summary
from docx_builder import docx

from docxchunk.formats.tables import COLUMNS


@pytest.fixture
def chunks(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.docx").write_bytes(REPORT)
        docxchunk("chunk", f"{name}.docx")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("x.json", "[\n{"),
        ("x.md", "<!-- chunk-"),
        ("x.markdown", "<!-- "),
        ("x.JSONL", '{"tokens"'),
        ("x.ndjson", "{"),
    ],
)
def test_the_format_follows_the_file_name(chunks, name, start):
    assert docxchunk("export a.docx -o", name) == (0, f"{name}\n", "")
    assert (chunks / name).read_text("utf-8").startswith(start)
    assert docxchunk("export a.docx -o other --format json").code == 0
    assert json.loads((chunks / "other").read_text("utf-8"))


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("fmt", ["jsonl", "parquet"])
def test_units(chunks, fmt, flat):
    if fmt == "parquet":
        parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    arguments = ("export", "a.docx", "--units", "--format", fmt, "-o", "x", *["--flat"] * flat)
    said = docxchunk(*arguments)
    assert (said.code, said.err) == (
        1,
        "Error: a.docx.parsed/a.chunks.jsonl has no units: `docxchunk chunk --units` writes them.\n",
    )
    assert not (chunks / "x").exists()
    docxchunk("chunk a.docx --units")
    assert docxchunk(*arguments) == (0, "x\n", "")
    if fmt == "parquet":
        records = parquet.read_table(chunks / "x").to_pylist()
    else:
        records = list(map(json.loads, (chunks / "x").read_text("utf-8").splitlines()))
    lines = (chunks / "a.docx.parsed/a.units.jsonl").read_text("utf-8").splitlines()[1:]
    assert [record["index_text"] for record in records] == [
        json.loads(line)["index_text"] for line in lines
    ]
    assert {record["source"] for record in records} == {"a.docx"}
    assert isinstance(records[0]["parts"], str) is flat


@pytest.fixture
def two_of_one_name(tmp_path):
    for name in ("a", "b"):
        (tmp_path / "docs" / name).mkdir(parents=True)
        (tmp_path / "docs" / name / "spec.docx").write_bytes(REPORT)
    docxchunk("chunk docs -r --units -o out")
    return tmp_path


@pytest.mark.parametrize("options", [(), ("--flat",), ("--units",), ("--units", "--flat")])
@pytest.mark.parametrize("folder", ["out", "./out/", "out/../out", "."])
def test_documents_of_one_name_have_the_path_below_the_folder(two_of_one_name, folder, options):
    said = docxchunk("export", folder, "-r", *options)
    records = list(map(json.loads, said.out.splitlines()))
    above = "out/" if folder == "." else ""
    assert dict.fromkeys(record["source"] for record in records) == dict.fromkeys(
        [f"{above}a/spec.docx", f"{above}b/spec.docx"]
    )
    assert all(record["citation"].startswith(f"{record['source']}, ") for record in records)


CHANGES = {
    "the last line is cut": (lambda lines: lines[:-1], "declares 5 chunks, but there are 4"),
    "two files are joined": (lambda lines: lines + lines, "Several chunk files were joined"),
    "lines are in another order": (
        lambda lines: [lines[0], *reversed(lines[1:])],
        "changed after it was written",
    ),
    "the first line is cut": (lambda lines: lines[1:], "does not begin with a line of metadata"),
    "a line is cut within": (lambda lines: [*lines[:-1], lines[-1][:40]], "is not JSON"),
}


@pytest.mark.foreign_files
@pytest.mark.parametrize(
    "command", ["export", "export --flat", "stats", "report -o - ", "diff --index a.docx.parsed"]
)
@pytest.mark.parametrize("change", CHANGES)
def test_changed_chunk_files_are_refused(chunks, command, change):
    alter, sentence = CHANGES[change]
    docxchunk("chunk a.docx -n 32 --overlap 0")
    file = chunks / "a.docx.parsed" / "a.chunks.jsonl"
    file.write_text("".join(alter(file.read_text("utf-8").splitlines(keepends=True))), "utf-8")
    said = docxchunk(*command.split(), "a.docx.parsed")
    assert (said.code, said.out) == (1, "")
    assert sentence in said.err


def test_a_failed_export_writes_nothing(chunks):
    said = docxchunk("export nowhere -o x.json")
    assert (said.code, said.err) == (
        1,
        "Error: There are no chunks at nowhere: `docxchunk chunk` makes them.\n",
    )
    assert docxchunk("export a.docx --format doc").code == 2
    assert ("There is no format named 'txt'; there are jsonl,") in docxchunk(
        "export a.docx -o x.txt"
    ).err
    assert docxchunk("export a.docx -o x") == (
        2,
        "",
        "Error: x has no suffix to choose a format by: add one, or give --format.\n",
    )
    broken = chunks / "b.docx.parsed" / "b.chunks.jsonl"
    broken.write_bytes(broken.read_bytes() + b"{")
    assert docxchunk("export . -o x.json").code == 1
    assert not [
        path
        for path in chunks.iterdir()
        if path.name not in {f"{name}.docx{end}" for name in "ab" for end in ("", ".parsed")}
    ]


def test_a_missing_extra_is_named(chunks):
    (chunks / "pyarrow.py").write_text("raise ModuleNotFoundError('no', name='pyarrow')", "utf-8")
    said = docxchunk_process("export a.docx -o x.parquet")
    assert said == (
        1,
        "",
        (
            "Error: The format 'parquet' needs the package pyarrow: pip install "
            '"docxchunk[parquet]"\n'
        ),
    )
    assert not (chunks / "x.parquet").exists()


def test_whole_documents_as_markdown(chunks):
    (chunks / "new.docx").write_bytes(REPORT)
    said = docxchunk("export a.docx.parsed --document")
    assert (said.code, said.err) == (0, "")
    picture = "![a picture](a.docx.parsed/a.blocks.assets/image1.png)"
    assert picture in said.out
    assert docxchunk("export new.docx --document --format markdown").out == said.out.replace(
        picture, "a picture"
    )
    assert not (chunks / "new.docx.parsed").exists()
    both = docxchunk("export a.docx b.docx.parsed --document -o x.md")
    assert (both.code, both.out, summary(both)["document"]) == (0, "x.md\n", "2")
    assert (chunks / "x.md").read_text(
        "utf-8"
    ) == f"{said.out}\n---\n\n{said.out.replace('a.docx.parsed/a.', 'b.docx.parsed/b.')}"


@pytest.mark.parametrize("given", ["docs", "docs/a b/r#1?.docx", "docs/a b/r#1?.docx.parsed"])
@pytest.mark.parametrize("out", ["x.md", "docs/a b/x.md", "new/folder/x.md"])
def test_links_to_pictures_lead_from_the_exported_file_to_the_pictures(tmp_path, given, out):
    (tmp_path / "docs" / "a b").mkdir(parents=True)
    (tmp_path / "docs" / "a b" / "r#1?.docx").write_bytes(REPORT)
    docxchunk("parse", given.removesuffix(".parsed"), "-r")
    assert docxchunk("export", given, "-r", "--document", "-o", out).code == 0
    found = [
        unquote(target)
        for target in re.findall(
            r"!\[a picture\]\(<?(.*?)>?\)", (tmp_path / out).read_text("utf-8")
        )
    ]
    assert [((tmp_path / out).parent / target).read_bytes() for target in found] == [b"\x89PNG"]
    next(tmp_path.rglob("*.png")).unlink()
    docxchunk("export", given, "-r", "--document", "-o", out)
    assert "![" not in (tmp_path / out).read_text("utf-8")


def test_whole_documents_without_those_that_cannot_be_read(tmp_path):
    (tmp_path / "a.docx").write_bytes(docx("<p>Alpha.</p>"))
    (tmp_path / "bad.docx").write_bytes(b"junk")
    (tmp_path / "old.pdf").write_bytes(b"%PDF-1.4")
    said = docxchunk("export . --document -o x.md")
    assert (said.code, (tmp_path / "x.md").read_text("utf-8")) == (1, "Alpha.\n")
    assert said.err.startswith("failed  bad.docx: This is not a .docx: it is not a ZIP file.\n")
    assert "\npassed over" in said.err
    assert "1 .pdf: save as .docx first" in said.err
    said = docxchunk("export bad.docx nowhere --document -o y.md")
    assert (said.code, said.out) == (1, "")
    assert {
        "failed  nowhere does not exist.",
        "failed  bad.docx: This is not a .docx: it is not a ZIP file.",
    } <= set(said.err.splitlines())
    assert not (tmp_path / "y.md").exists()


def test_tables_as_a_file_for_each(tmp_path):
    for name in ("a/x", "b/x"):
        (tmp_path / "docs" / f"{name}.docx").parent.mkdir(parents=True)
        (tmp_path / "docs" / f"{name}.docx").write_bytes(REPORT)
    (tmp_path / "docs" / "bad.docx").write_bytes(b"no")
    said = docxchunk("export docs -r --tables csv -o out")
    assert said.code == 1
    assert "failed  bad.docx: This is not a .docx" in said.err
    files = sorted(
        path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.csv")
    )
    assert files == ["a/x.docx.table-1.csv", "b/x.docx.table-1.csv", "tables.csv"]
    assert said.out.splitlines() == [f"out/{file}" for file in files]
    assert (tmp_path / "out" / files[0]).read_bytes() == b"a,b\r\n1,2\r\n"
    assert [
        line.split(",")[:2]
        for line in (tmp_path / "out" / "tables.csv").read_text("utf-8").splitlines()[1:]
    ] == [[files[0][:-4], "a/x.docx"], [files[1][:-4], "b/x.docx"]]
    assert not list(tmp_path.rglob("*.parsed"))


def test_cells_of_csv_files_are_protected(tmp_path):
    (tmp_path / "=a.docx").write_bytes(
        docx("<tbl><tr><tc>=1+1</tc><tc>-5</tc></tr><tr><tc>@b</tc><tc>c</tc></tr></tbl>")
    )
    export = ("export", "=a.docx", "--tables", "csv", "-o", "out")
    assert docxchunk(*export).code == 0
    assert (tmp_path / "out/=a.docx.table-1.csv").read_bytes() == (
        b"column 1,column 2\r\n'=1+1,-5\r\n'@b,c\r\n"
    )
    assert (
        (tmp_path / "out/tables.csv")
        .read_text("utf-8")
        .splitlines()[1]
        .startswith("'=a.docx.table-1,'=a.docx,")
    )


def test_chunks_as_a_workbook(chunks):
    openpyxl = pytest.importorskip(
        "openpyxl", reason="openpyxl is not installed: no workbook can be read"
    )
    assert docxchunk("export . -o x.xlsx") == (0, "x.xlsx\n", "")
    (sheet,) = openpyxl.load_workbook(chunks / "x.xlsx")
    header, *rows = sheet.iter_rows(values_only=True)
    assert header == tuple(name for name in COLUMNS if name not in ("kind", "unit_id"))
    records = list(map(json.loads, docxchunk("export .").out.splitlines()))
    assert [(row[header.index("citation")], row[header.index("tokens")]) for row in rows] == [
        (record["citation"], record["tokens"]) for record in records
    ]


@pytest.mark.parametrize("command", [("export",), ("stats",), ("validate",)])
def test_a_document_that_has_changed_since_is_named(chunks, command):
    assert "changed since" not in docxchunk(*command, "a.docx", "b.docx").err
    (chunks / "a.docx").write_bytes(docx("<p>Another text.</p>"))
    said = docxchunk(*command, "a.docx.parsed", "b.docx")
    assert (
        "note  a.docx: The file has changed since it was parsed: `docxchunk chunk` chunks it "
        "again.\n"
    ) in said.err
    assert (said.code, said.err.count("note")) == (0, 1)


def test_a_strategy_without_chunks_is_told_how_to_make_them(tmp_path):
    (tmp_path / "report.docx").write_bytes(REPORT)
    docxchunk("chunk report.docx")
    said = docxchunk("export report.docx -s R")
    assert (said.code, said.out) == (2, "")
    assert "There are no chunks of the strategy R: `docxchunk chunk --strategy R`" in said.err
