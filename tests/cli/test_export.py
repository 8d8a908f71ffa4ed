"""docxchunk export"""

from __future__ import annotations

import csv
import json
import re
import shutil
import sys
from io import StringIO
from pathlib import Path
from urllib.parse import unquote

import pytest
from cli.helpers import REPORT, docxchunk, docxchunk_process, summary
from docx_builder import docx

from docxchunk.formats.tables import COLUMNS
from docxchunk.sidecar.chunks import read_chunks

CONTRACT = Path(__file__).parents[2] / "fixtures" / "documents" / "contract.docx"


@pytest.fixture
def chunks(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.docx").write_bytes(REPORT)
        docxchunk("chunk", f"{name}.docx", cwd=tmp_path)
    return tmp_path


def test_json_lines_of_all_to_standard_output(chunks):
    said = docxchunk("export", ".", cwd=chunks)
    expected = [
        chunk.chunk_id
        for name in ("a", "b")
        for chunk in read_chunks(chunks / f"{name}.docx.parsed" / f"{name}.chunks.jsonl").chunks
    ]
    assert [json.loads(line)["chunk_id"] for line in said.out.splitlines()] == expected
    assert (said.code, said.err) == (0, "")


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
    assert docxchunk("export", "a.docx", "-o", name, cwd=chunks) == (0, f"{name}\n", "")
    assert (chunks / name).read_text("utf-8").startswith(start)
    assert docxchunk("export", "a.docx", "-o", "other", "--format", "json", cwd=chunks).code == 0
    assert json.loads((chunks / "other").read_text("utf-8"))


def test_flat_records_name_their_document(chunks):
    said = docxchunk("export", "a.docx.parsed", "b.docx", "--flat", cwd=chunks)
    records = [json.loads(line) for line in said.out.splitlines()]
    assert [record["source"] for record in records if record["chunk_order_index"] == 0] == [
        "a.docx",
        "b.docx",
    ]
    assert all(record["citation"].startswith(record["source"]) for record in records)
    shutil.copy(chunks / "a.docx.parsed" / "a.chunks.jsonl", chunks / "alone.chunks.jsonl")
    assert (
        json.loads(
            docxchunk("export", "alone.chunks.jsonl", "--flat", cwd=chunks).out.splitlines()[0]
        )["source"]
        == "alone"
    )


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("fmt", ["jsonl", "parquet"])
def test_units(chunks, fmt, flat):
    if fmt == "parquet":
        parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    arguments = ("export", "a.docx", "--units", "--format", fmt, "-o", "x", *["--flat"] * flat)
    said = docxchunk(*arguments, cwd=chunks)
    assert (said.code, said.err) == (
        1,
        "Error: a.docx.parsed/a.chunks.jsonl has no units: `docxchunk chunk --units` writes them.\n",
    )
    assert not (chunks / "x").exists()
    docxchunk("chunk", "a.docx", "--units", cwd=chunks)
    assert docxchunk(*arguments, cwd=chunks) == (0, "x\n", "")
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


def test_units_of_plain_text_have_no_page(tmp_path):
    (tmp_path / "a.txt").write_text("Text.", "utf-8")
    docxchunk("chunk", "a.txt", "--units", cwd=tmp_path)
    (record,) = docxchunk("export", "a.txt", "--units", "--flat", cwd=tmp_path).out.splitlines()
    record = json.loads(record)
    assert (record["citation"], record["source"], "page" in record) == ("a.txt", "a.txt", False)


def test_units_beside_no_document_keep_their_citations(chunks):
    docxchunk("chunk", "a.docx", "--units", cwd=chunks)
    for kind in ("chunks", "units"):
        shutil.copy(chunks / f"a.docx.parsed/a.{kind}.jsonl", chunks / f"alone.{kind}.jsonl")
    alone, own = (
        list(map(json.loads, docxchunk("export", path, "--units", cwd=chunks).out.splitlines()))
        for path in ("alone.chunks.jsonl", "a.docx")
    )
    assert docxchunk("export", "alone.chunks.jsonl", cwd=chunks).err == ""
    assert {record["source"] for record in alone} == {"alone"}
    assert [{**record, "source": "a.docx"} for record in alone] == own


def test_units_keep_their_citations_below_the_folder(tmp_path):
    (tmp_path / "docs" / "a").mkdir(parents=True)
    shutil.copy(CONTRACT, tmp_path / "docs/a")
    docxchunk("chunk", "docs", "-r", "--units", "-n", "300", "-o", "out", cwd=tmp_path)
    file = tmp_path / "out/a/contract.docx.parsed/contract.units.jsonl"
    own = [json.loads(line)["citation"] for line in file.read_text("utf-8").splitlines()[1:]]
    assert any(", 3. Term, about p. 1, ¶" in citation for citation in own)
    said = docxchunk("export", "out", "-r", "--units", cwd=tmp_path)
    exported = [json.loads(line)["citation"] for line in said.out.splitlines()]
    assert exported == [f"a/{citation}" for citation in own]


@pytest.mark.parametrize("arguments", [(), ("--flat",)])
def test_exports_have_the_text_to_embed(chunks, arguments):
    said = docxchunk("export", "a.docx", *arguments, cwd=chunks)
    file = read_chunks(chunks / "a.docx.parsed/a.chunks.jsonl")
    assert [json.loads(line)["embed_text"] for line in said.out.splitlines()] == [
        chunk.embed_text for chunk in file.chunks
    ]


@pytest.mark.parametrize("fmt", ["jsonl", "json", "parquet"])
def test_chunks_of_several_documents_name_their_source(chunks, fmt):
    parquet = (
        pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: no Parquet")
        if fmt == "parquet"
        else None
    )
    assert docxchunk("export", ".", "--format", fmt, "-o", "new/x", cwd=chunks).code == 0
    text = (chunks / "new/x").read_text("utf-8", "replace")
    records = (
        parquet.read_table(chunks / "new/x").to_pylist()
        if parquet
        else json.loads(text if fmt == "json" else f"[{','.join(text.splitlines())}]")
    )
    assert {record["source"] for record in records} == {"a.docx", "b.docx"}
    assert all(record["citation"].startswith(f"{record['source']}, ") for record in records)


@pytest.fixture
def two_of_one_name(tmp_path):
    for name in ("a", "b"):
        (tmp_path / "docs" / name).mkdir(parents=True)
        (tmp_path / "docs" / name / "spec.docx").write_bytes(REPORT)
    docxchunk("chunk", "docs", "-r", "--units", "-o", "out", cwd=tmp_path)
    return tmp_path


@pytest.mark.parametrize("options", [(), ("--flat",), ("--units",), ("--units", "--flat")])
@pytest.mark.parametrize("folder", ["out", "./out/", "out/../out", "."])
def test_documents_of_one_name_have_the_path_below_the_folder(two_of_one_name, folder, options):
    said = docxchunk("export", folder, "-r", *options, cwd=two_of_one_name)
    records = list(map(json.loads, said.out.splitlines()))
    above = "out/" if folder == "." else ""
    assert dict.fromkeys(record["source"] for record in records) == dict.fromkeys(
        [f"{above}a/spec.docx", f"{above}b/spec.docx"]
    )
    assert all(record["citation"].startswith(f"{record['source']}, ") for record in records)


@pytest.mark.parametrize(
    "path", ["out/a", "out/a/spec.docx.parsed", "out/a/spec.docx.parsed/spec.chunks.jsonl"]
)
def test_one_document_keeps_its_bare_name(two_of_one_name, path):
    said = docxchunk("export", path, "-r", cwd=two_of_one_name)
    assert {json.loads(line)["source"] for line in said.out.splitlines()} == {"spec.docx"}


def test_tables_of_parsed_folders_name_their_documents(two_of_one_name):
    docxchunk("export", "out", "-r", "--tables", "csv", "-o", "tables", cwd=two_of_one_name)
    index = csv.DictReader(StringIO((two_of_one_name / "tables/tables.csv").read_text("utf-8")))
    assert [row["document"] for row in index] == ["a/spec.docx", "b/spec.docx"]


def test_chunks_as_markdown_have_citations(chunks):
    comments = re.findall(
        r"^<!-- chunk-\w+, \d+ tokens, (.*) -->$",
        docxchunk("export", ".", "--format", "markdown", cwd=chunks).out,
        re.MULTILINE,
    )
    assert [*dict.fromkeys(comment.partition(",")[0] for comment in comments)] == [
        "a.docx",
        "b.docx",
    ]


CHANGES = {
    "the last line is cut": (lambda lines: lines[:-1], "declares 5 chunks, but there are 4"),
    "a line within is cut": (
        lambda lines: [*lines[:2], *lines[3:]],
        "declares 5 chunks, but there are 4",
    ),
    "a line is there twice": (
        lambda lines: [*lines, lines[-1]],
        "declares 5 chunks, but there are 6",
    ),
    "two files are joined": (lambda lines: lines + lines, "Several chunk files were joined"),
    "the parts of two files are joined": (
        lambda lines: [*lines[:-1], lines[0]],
        "Several chunk files were joined",
    ),
    "lines are in another order": (
        lambda lines: [lines[0], *reversed(lines[1:])],
        "changed after it was written",
    ),
    "a line replaces another": (
        lambda lines: [*lines[:-1], lines[1]],
        "changed after it was written",
    ),
    "a value is changed": (
        lambda lines: [line.replace("Hello", "Hallo") for line in lines],
        "changed after it was written",
    ),
    "the first line is changed": (
        lambda lines: [lines[0].replace('"P"', '"R"'), *lines[1:]],
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
    docxchunk("chunk", "a.docx", "-n", "32", "--overlap", 0, cwd=chunks)
    file = chunks / "a.docx.parsed" / "a.chunks.jsonl"
    file.write_text("".join(alter(file.read_text("utf-8").splitlines(keepends=True))), "utf-8")
    said = docxchunk(*command.split(), "a.docx.parsed", cwd=chunks)
    assert (said.code, said.out) == (1, "")
    assert sentence in said.err


def test_chunk_files_with_other_blanks_are_read(chunks):
    file = chunks / "a.docx.parsed" / "a.chunks.jsonl"
    before = docxchunk("export", "a.docx", cwd=chunks)
    file.write_bytes(
        b"\r\n".join(
            json.dumps(json.loads(line)).encode() for line in file.read_bytes().splitlines()
        )
    )
    assert docxchunk("export", "a.docx", cwd=chunks) == before


def test_a_failed_export_writes_nothing(chunks):
    said = docxchunk("export", "nowhere", "-o", "x.json", cwd=chunks)
    assert (said.code, said.err) == (
        1,
        "Error: There are no chunks at nowhere: `docxchunk chunk` makes them.\n",
    )
    assert docxchunk("export", "a.docx", "--format", "doc", cwd=chunks).code == 2
    assert ("There is no format named 'txt'; there are jsonl,") in docxchunk(
        "export", "a.docx", "-o", "x.txt", cwd=chunks
    ).err
    assert docxchunk("export", "a.docx", "-o", "x", cwd=chunks) == (
        2,
        "",
        "Error: x has no suffix to choose a format by: add one, or give --format.\n",
    )
    broken = chunks / "b.docx.parsed" / "b.chunks.jsonl"
    broken.write_bytes(broken.read_bytes() + b"{")
    assert docxchunk("export", ".", "-o", "x.json", cwd=chunks).code == 1
    assert not [
        path
        for path in chunks.iterdir()
        if path.name not in {f"{name}.docx{end}" for name in "ab" for end in ("", ".parsed")}
    ]


def test_parquet(chunks):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: no Parquet")
    assert docxchunk("export", ".", "-o", "x.parquet", "--flat", cwd=chunks).code == 0
    rows = parquet.read_table(chunks / "x.parquet").to_pylist()
    assert {row["source"] for row in rows} == {"a.docx", "b.docx"}


def test_a_missing_extra_is_named(chunks):
    (chunks / "pyarrow.py").write_text("raise ModuleNotFoundError('no', name='pyarrow')", "utf-8")
    said = docxchunk_process("export", "a.docx", "-o", "x.parquet", cwd=chunks)
    assert said == (
        1,
        "",
        (
            "Error: The format 'parquet' needs the package pyarrow: pip install "
            '"docxchunk[parquet]"\n'
        ),
    )
    assert not (chunks / "x.parquet").exists()


def test_chunks_that_are_named_twice_are_written_once(chunks):
    assert docxchunk("export", "a.docx.parsed", "a.docx", "./a.docx", cwd=chunks) == docxchunk(
        "export", "a.docx", cwd=chunks
    )


def test_whole_documents_as_markdown(chunks):
    (chunks / "new.docx").write_bytes(REPORT)
    said = docxchunk("export", "a.docx.parsed", "--document", cwd=chunks)
    assert (said.code, said.err) == (0, "")
    picture = "![a picture](a.docx.parsed/a.blocks.assets/image1.png)"
    assert picture in said.out
    assert docxchunk(
        "export", "new.docx", "--document", "--format", "markdown", cwd=chunks
    ).out == said.out.replace(picture, "a picture")
    assert not (chunks / "new.docx.parsed").exists()
    both = docxchunk("export", "a.docx", "b.docx.parsed", "--document", "-o", "x.md", cwd=chunks)
    assert (both.code, both.out, summary(both)["documents"]) == (0, "x.md\n", "2")
    assert (chunks / "x.md").read_text(
        "utf-8"
    ) == f"{said.out}\n---\n\n{said.out.replace('a.docx.parsed/a.', 'b.docx.parsed/b.')}"


@pytest.mark.parametrize("given", ["docs", "docs/a b/r#1?.docx", "docs/a b/r#1?.docx.parsed"])
@pytest.mark.parametrize("out", ["x.md", "docs/a b/x.md", "new/folder/x.md"])
def test_links_to_pictures_lead_from_the_exported_file_to_the_pictures(tmp_path, given, out):
    (tmp_path / "docs" / "a b").mkdir(parents=True)
    (tmp_path / "docs" / "a b" / "r#1?.docx").write_bytes(REPORT)
    docxchunk("parse", given.removesuffix(".parsed"), "-r", cwd=tmp_path)
    assert docxchunk("export", given, "-r", "--document", "-o", out, cwd=tmp_path).code == 0
    found = [
        unquote(target)
        for target in re.findall(
            r"!\[a picture\]\(<?(.*?)>?\)", (tmp_path / out).read_text("utf-8")
        )
    ]
    assert [((tmp_path / out).parent / target).read_bytes() for target in found] == [b"\x89PNG"]
    next(tmp_path.rglob("*.png")).unlink()
    docxchunk("export", given, "-r", "--document", "-o", out, cwd=tmp_path)
    assert "![" not in (tmp_path / out).read_text("utf-8")


def test_whole_documents_have_no_other_format(chunks):
    assert (
        "--document writes Markdown"
        in docxchunk("export", "a.docx", "--document", "-o", "x.json", cwd=chunks).err
    )
    assert (
        "--document writes no chunks"
        in docxchunk("export", "a.docx", "--document", "--flat", cwd=chunks).err
    )


def test_notes_of_several_documents_have_labels_of_their_own(tmp_path):
    for name in "ab":
        content = (
            "<p>Text<fn id='2'/> [^x]</p><footnotes><footnote id='2'><p>Note of "
            f"{name}</p></footnote></footnotes>"
        )
        (tmp_path / f"{name}.docx").write_bytes(docx(content))
    said = docxchunk("export", ".", "--document", cwd=tmp_path).out
    assert said == (
        "Text[^1] [^x]\n\n[^1]: Note of a\n\n---\n\nText[^1.2] [^x]\n\n[^1.2]: Note of b\n"
    )


def test_whole_documents_without_those_that_cannot_be_read(tmp_path):
    (tmp_path / "a.docx").write_bytes(docx("<p>Alpha.</p>"))
    (tmp_path / "bad.docx").write_bytes(b"junk")
    (tmp_path / "old.pdf").write_bytes(b"%PDF-1.4")
    said = docxchunk("export", ".", "--document", "-o", "x.md", cwd=tmp_path)
    assert (said.code, (tmp_path / "x.md").read_text("utf-8")) == (1, "Alpha.\n")
    assert said.err.startswith("failed  bad.docx: This is not a .docx: it is not a ZIP file.\n")
    assert "\npassed over" in said.err
    assert "1 .pdf: save as .docx first" in said.err
    said = docxchunk("export", "bad.docx", "nowhere", "--document", "-o", "y.md", cwd=tmp_path)
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
    said = docxchunk("export", "docs", "-r", "--tables", "csv", "-o", "out", cwd=tmp_path)
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


def test_tables_of_documents_of_one_name_are_not_written_over_each_other(tmp_path):
    for name in ("a/x.docx", "b/x.docx"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(REPORT)
    said = docxchunk("export", "a", "b", "--tables", "csv", "-o", "out", cwd=tmp_path)
    assert (said.code, said.out) == (2, "")
    assert "a/x.docx and b/x.docx would both be written" in said.err
    (tmp_path / "file").touch()
    said = docxchunk("export", "a", "--tables", "csv", "-o", "file", cwd=tmp_path)
    assert (said.code, "writes a file for each table" in said.err) == (2, True)
    pytest.importorskip("xlsxwriter")
    for _ in range(2):  # an older workbook is replaced
        said = docxchunk("export", "a", "b", "--tables", "xlsx", "-o", "x.xlsx", cwd=tmp_path)
        assert (said.code, said.out, summary(said)["tables"]) == (0, "x.xlsx\n", "2")


def test_cells_of_csv_files_are_protected_unless_they_are_to_be_exact(tmp_path):
    (tmp_path / "=a.docx").write_bytes(
        docx("<tbl><tr><tc>=1+1</tc><tc>-5</tc></tr><tr><tc>@b</tc><tc>c</tc></tr></tbl>")
    )
    export = ("export", "=a.docx", "--tables", "csv", "-o", "out")
    assert docxchunk(*export, cwd=tmp_path).code == 0
    assert (tmp_path / "out/=a.docx.table-1.csv").read_bytes() == (
        b"column 1,column 2\r\n'=1+1,-5\r\n'@b,c\r\n"
    )
    assert (
        (tmp_path / "out/tables.csv")
        .read_text("utf-8")
        .splitlines()[1]
        .startswith("'=a.docx.table-1,'=a.docx,")
    )
    assert docxchunk(*export, "--exact-cells", cwd=tmp_path).code == 0
    assert (tmp_path / "out/=a.docx.table-1.csv").read_bytes() == (
        b"column 1,column 2\r\n=1+1,-5\r\n@b,c\r\n"
    )


def test_tables_as_a_workbook(chunks):
    openpyxl = pytest.importorskip(
        "openpyxl", reason="openpyxl is not installed: no workbook can be read"
    )
    assert (
        docxchunk(
            "export", "a.docx.parsed", "b.docx", "--tables", "xlsx", "-o", "x.xlsx", cwd=chunks
        ).code
        == 0
    )
    book = openpyxl.load_workbook(chunks / "x.xlsx")
    assert book.sheetnames == ["Tables", "1 One", "2 One"]
    assert [cell.value for cell in book["Tables"]["B"]] == ["document", "a.docx", "b.docx"]


def test_chunks_and_units_as_csv(chunks):
    docxchunk("chunk", "a.docx", "b.docx", "--units", "-n", "20", cwd=chunks)
    records = [
        json.loads(x) for x in docxchunk("export", "a.docx", "b.docx", cwd=chunks).out.splitlines()
    ]
    assert docxchunk("export", "a.docx", "b.docx", "-o", "x.csv", cwd=chunks) == (0, "x.csv\n", "")
    with (chunks / "x.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = ("source", "citation", "context", "content", "embed_text", "chunk_id", "doc_id")
    assert [[row[name] for name in names] for row in rows] == [
        [record[name] for name in names] for record in records
    ]
    assert [int(row["tokens"]) for row in rows] == [record["tokens"] for record in records]
    units = csv.DictReader(
        StringIO(docxchunk("export", "a.docx", "--units", "--format", "csv", cwd=chunks).out)
    )
    assert [row["unit_id"][:5] for row in units].count("unit-") == len(
        docxchunk("export", "a.docx", "--units", cwd=chunks).out.splitlines()
    )


def test_flat_records_as_csv_have_all_fields(chunks):
    flat = docxchunk("export", "a.docx", "--flat", cwd=chunks).out.splitlines()
    rows = list(
        csv.DictReader(
            StringIO(docxchunk("export", "a.docx", "--flat", "--format", "csv", cwd=chunks).out)
        )
    )
    for row, line in zip(rows, flat, strict=True):
        texts = {
            name: str(value).lower() if isinstance(value, bool) else str(value)
            for name, value in json.loads(line).items()
        }
        assert {name: value for name, value in row.items() if value} == {
            name: value for name, value in texts.items() if value
        }


def test_a_chunk_that_is_like_a_formula_is_text_in_csv(tmp_path):
    (tmp_path / "a.docx").write_bytes(docx("<p>=1+1</p>"))
    docxchunk("chunk", "a.docx", "-q", cwd=tmp_path)
    assert ",'=1+1,'=1+1," in docxchunk("export", "a.docx", "--format", "csv", cwd=tmp_path).out
    exact = docxchunk("export", "a.docx", "--format", "csv", "--exact-cells", cwd=tmp_path)
    assert ",=1+1,=1+1," in exact.out
    assert docxchunk("export", "a.docx", "--exact-cells", cwd=tmp_path).code == 2


def test_chunks_as_a_workbook(chunks):
    openpyxl = pytest.importorskip(
        "openpyxl", reason="openpyxl is not installed: no workbook can be read"
    )
    assert docxchunk("export", ".", "-o", "x.xlsx", cwd=chunks) == (0, "x.xlsx\n", "")
    (sheet,) = openpyxl.load_workbook(chunks / "x.xlsx")
    header, *rows = sheet.iter_rows(values_only=True)
    assert header == tuple(name for name in COLUMNS if name not in ("kind", "unit_id"))
    records = list(map(json.loads, docxchunk("export", ".", cwd=chunks).out.splitlines()))
    assert [(row[header.index("citation")], row[header.index("tokens")]) for row in rows] == [
        (record["citation"], record["tokens"]) for record in records
    ]


def test_tables_as_parquet(chunks):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: no Parquet")
    assert docxchunk("export", "a.docx", "--tables", "parquet", "-o", "out", cwd=chunks).code == 0
    found = parquet.read_table(chunks / "out" / "a.docx.table-1.parquet")
    assert found.to_pylist() == [{"a": "1", "b": "2"}]
    assert found.schema.metadata[b"header"] == b"marked"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["csv"], "--tables csv writes a file for each table: give the folder for them, -o DIR."),
        (
            ["xlsx", "-o", "x.csv"],
            "--tables xlsx writes one workbook: give its name, -o FILE.xlsx.",
        ),
        (
            ["xlsx", "-o", "x.xlsx", "--exact-cells"],
            "--exact-cells is for CSV: the other formats store text as text.",
        ),
        *(
            (
                ["csv", "-o", "out", option],
                (
                    "--tables writes only tables: it cannot be used with "
                    "--format, --strategy, --flat, --units or --document."
                ),
            )
            for option in ("--flat", "--units", "--document", "--strategy=P", "--format=csv")
        ),
    ],
)
def test_wrong_usage_of_tables(tmp_path, arguments, sentence):
    assert docxchunk("export", "a.docx", "--tables", *arguments, cwd=tmp_path) == (
        2,
        "",
        f"Error: {sentence}\n",
    )


@pytest.mark.parametrize(
    ("fmt", "module", "extra"), [("xlsx", "xlsxwriter", "xlsx"), ("parquet", "pyarrow", "parquet")]
)
def test_a_missing_extra_of_tables_is_named_before_any_work(
    tmp_path, monkeypatch, fmt, module, extra
):
    monkeypatch.setitem(sys.modules, module, None)
    out = "x.xlsx" if fmt == "xlsx" else "x"
    said = docxchunk("export", "nowhere.docx", "--tables", fmt, "-o", out, cwd=tmp_path)
    assert said == (
        1,
        "",
        f'Error: --tables {fmt} needs the package {module}: pip install "docxchunk[{extra}]"\n',
    )


@pytest.mark.parametrize("command", [("export",), ("stats",), ("validate",)])
def test_a_document_that_has_changed_since_is_named(chunks, command):
    assert "changed since" not in docxchunk(*command, "a.docx", "b.docx", cwd=chunks).err
    (chunks / "a.docx").write_bytes(docx("<p>Another text.</p>"))
    said = docxchunk(*command, "a.docx.parsed", "b.docx", cwd=chunks)
    assert (
        "note  a.docx: The file has changed since it was parsed: `docxchunk chunk` chunks it "
        "again.\n"
    ) in said.err
    assert (said.code, said.err.count("note")) == (0, 1)


def test_a_strategy_without_chunks_is_told_how_to_make_them(tmp_path):
    (tmp_path / "report.docx").write_bytes(REPORT)
    docxchunk("chunk", "report.docx", cwd=tmp_path)
    said = docxchunk("export", "report.docx", "-s", "R", cwd=tmp_path)
    assert (said.code, said.out) == (2, "")
    assert "There are no chunks of the strategy R: `docxchunk chunk --strategy R`" in said.err


def test_flat_units_of_a_text_file_have_no_page(tmp_path):
    (tmp_path / "a.md").write_text("# One\n\nSome text.\n")
    (tmp_path / "b.docx").write_bytes(docx("<p>Some text.</p>"))
    docxchunk("chunk", "a.md", "b.docx", "--units", "-o", "out", cwd=tmp_path)
    lines = docxchunk("export", "out", "-r", "--units", "--flat", cwd=tmp_path).out.splitlines()
    pages = {record["source"]: record.get("page") for record in map(json.loads, lines)}
    assert pages == {"a.md": None, "b.docx": 1}
