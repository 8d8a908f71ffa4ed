"""Mistakes lose no files, and missing text is reported."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from zipfile import ZipFile

import pytest
from cli.helpers import docxchunk, summary
from docx_builder import docx
from make_fixtures import DOCUMENTS

SAMPLE = DOCUMENTS / "sample-report.docx"


@pytest.fixture
def report(tmp_path):
    return shutil.copy(SAMPLE, tmp_path / "report.docx")


@pytest.mark.parametrize("command", [("chunk", "--trace"), ("export", "-o")])
def test_a_document_is_not_overwritten(report, command):
    docxchunk("chunk", report, "-q")
    said = docxchunk(command[0], report, command[1], report)
    assert said.code == 2
    assert "is a document" in said.err
    assert report.read_bytes() == SAMPLE.read_bytes()


def test_the_chunks_of_two_strategies_are_not_mixed(report):
    for strategy in ("P", "R"):
        docxchunk("chunk", report, "-s", strategy, "-q")
    said = docxchunk("export", report)
    assert (said.code, said.out) == (2, "")
    assert "several strategies" in said.err
    assert docxchunk("export", report, "-s", "R").out.count("\n") < docxchunk(
        "chunk", report, "-n", "64", "-o", "-"
    ).out.count("\n")


@pytest.mark.parametrize("command", ["parse", "chunk"])
def test_lost_text_of_a_truncated_file_is_reported(report, command):
    report.write_bytes(SAMPLE.read_bytes()[:3000])
    for options in ((), (), ("--quiet",)):  # the later runs reuse the result
        said = docxchunk(command, report, *options)
        assert (said.code, said.err.count("part of its text is lost")) == (0, 1)


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        ({"word/styles.xml": None}, "part-missing"),
        ({"word/styles.xml": b"<cut"}, "part-broken"),
        ({"[Content_Types].xml": None}, "package-repaired"),
        ({"word/document.xml": None, "word/styles.xml": b""}, ""),
    ],
)
def test_damaged_files_are_counted(tmp_path, damage, code):
    with ZipFile(SAMPLE) as whole, ZipFile(tmp_path / "damaged.docx", "w") as damaged:
        for name in whole.namelist():
            if (data := damage.get(name, whole.read(name))) is not None:
                damaged.writestr(name, data)
    shutil.copy(SAMPLE, tmp_path / "whole.docx")
    for run in ("parse", "chunk", "chunk"):
        said = docxchunk(run, tmp_path)
        rows, failures = (
            summary(said),
            [
                json.loads(line)
                for line in (tmp_path / "failures.jsonl").read_text("utf-8").splitlines()
            ],
        )
        assert [failure["input"] for failure in failures] == ["damaged.docx"]
        if code:
            assert (said.code, rows["failed"], rows["damaged"]) == (
                0,
                "0",
                f"1 (1 {code})",
            )
            assert failures[0]["error"] == code
            assert f"note  damaged.docx: {failures[0]['message']}" in said.err
        else:
            assert (said.code, rows["failed"].partition(" ")[0], rows.get("damaged")) == (
                1,
                "1",
                None,
            )
    if code:
        assert (
            docxchunk("chunk", tmp_path / "damaged.docx")
            .err.splitlines()[-1]
            .endswith(f" 0 failed, 1 damaged (1 {code}).")
        )


@pytest.fixture
def two(tmp_path):
    for name in ("kept", "sub/old"):
        (tmp_path / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "docs" / f"{name}.docx").write_bytes(docx(f"<p>Text of {name}.</p>"))
    return tmp_path


@pytest.mark.parametrize("command", ["parse", "chunk"])
@pytest.mark.parametrize("out", [(), ("-o", "out")])
def test_what_was_made_of_documents_that_are_gone_is_named_and_removed(two, command, out):
    place = two / (out[1] if out else "docs")
    run = (command, "docs", "-r", *out)
    docxchunk(*run)
    (two / "docs/sub/old.docx").rename(two / "elsewhere.docx")
    said = docxchunk(*run)
    assert said.code == 0
    assert (
        f"note  1 parsed folder: The documents are gone ({place.name}/sub/old.docx.parsed); "
        "--prune removes"
    ) in said.err
    assert (place / "sub/old.docx.parsed").is_dir()
    said = docxchunk(*run, "--prune")
    assert (said.code, said.err.count("failed  ")) == (0, 0)
    assert f"what was made of them is removed ({place.name}/sub/old.docx.parsed)" in said.err
    assert sorted(path.name for path in place.rglob("*.parsed")) == ["kept.docx.parsed"]
    assert not (two / "out/sub").exists()
    assert "gone" not in docxchunk(*run).err


def test_only_what_was_made_of_documents_that_are_gone_is_removed(two):
    docxchunk("chunk docs -r -o out")
    (two / "docs/kept.docx").write_bytes(b"no longer readable")  # still there
    (two / "docs/sub/notes.md").write_text("# Notes", "utf-8")
    docxchunk("chunk docs/sub/notes.md -o out/sub")
    assert docxchunk("chunk docs -r -o out --prune").code == 1
    assert len(list((two / "out").rglob("*.parsed"))) == 3
    (two / "docs/sub/old.docx").unlink()
    (two / "out/sub/old.docx.parsed/mine.txt").write_text("mine", "utf-8")
    said = docxchunk("chunk docs -r -o out --prune")
    assert (said.code, "contains 'mine.txt', which docxchunk did not write" in said.err) == (
        1,
        True,
    )
    (two / "docs/kept.docx").unlink()
    said = docxchunk("chunk docs -r -o out --prune")
    assert (said.code, "so nothing is removed" in said.err) == (1, True)
    assert len(list((two / "out").rglob("*.parsed"))) == 3
    for wrong in (("out/kept.docx.parsed",), ("docs", "-o", "-")):
        assert docxchunk("chunk", *wrong, "--prune").code == 2


def cut_last(lines):
    return lines[:-1]


def joined(lines):
    return lines + lines


def turned(lines):
    return [lines[0], *reversed(lines[1:])]


def without_first(lines):
    return lines[1:]


def with_nuls(lines):
    return [lines[0][:500] + b"\0" * 99 + lines[0][500:], *lines[1:]]


def without_any(lines):
    return []


READING = (
    "chunk -n 256 -o -",
    "export --document",
    "export --tables csv -o tables",
    "report -o page.html",
    "show",
)
ALTERED = [
    *(
        (f"blocks.jsonl {change.__name__}", command, change)
        for command in READING
        for change in (cut_last, joined, without_first, without_any, with_nuls)
    ),
    *(
        (f"{name}.json", command, None)
        for command in READING
        for name in ("tables", "equations", "drawings")
    ),
    *(
        (f"blocks.jsonl {turned.__name__}", command, turned)
        for command in ("chunk -n 256 -o -", "export --document", "export", "stats", "validate")
    ),
    *(
        ("notes.json", command, None)
        for command in ("chunk -n 256 -o -", "export --document", "validate")
    ),
    *(
        (name, command, None)
        for command in ("export", "export --flat", "stats")
        for name in ("blocks.jsonl", "tables.json")
    ),
]


@pytest.fixture(scope="module")
def chunked(tmp_path_factory):
    """A folder with a document and its parsed folder."""
    folder = tmp_path_factory.mktemp("chunked")
    shutil.copy(SAMPLE, folder / "report.docx")
    docxchunk("chunk", folder / "report.docx", "-n", "256", "-q")
    return folder


@pytest.mark.foreign_files
@pytest.mark.parametrize(
    ("name", "command", "change"),
    ALTERED,
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_no_command_reads_an_altered_parsed_folder_without_a_word(
    chunked, tmp_path, name, command, change
):
    folder = shutil.copytree(chunked, tmp_path / "docs")
    file = folder / "report.docx.parsed" / f"report.{name.split()[0]}"
    file.write_bytes(
        b"".join(change(file.read_bytes().splitlines(keepends=True)))
    ) if change else file.unlink()
    said = docxchunk(*command.split(), "report.docx.parsed", cwd=folder)
    assert "Traceback" not in said.err
    assert (
        said.code == 1 or "note  " in said.err or (command == "show" and "line-ignored" in said.out)
    ), said


@pytest.mark.foreign_files
@pytest.mark.parametrize("command", ["parse", "chunk"])
@pytest.mark.parametrize("change", [cut_last, joined, without_first, without_any])
def test_a_parsed_folder_that_lost_something_is_made_again(report, command, change):
    docxchunk("chunk", report, "-q")
    folder = report.with_name("report.docx.parsed")
    whole = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    for name in ("blocks.jsonl", "tables.json", "equations.json", "report.json"):
        file = folder / f"report.{name}"
        file.write_bytes(b"".join(change(file.read_bytes().splitlines(keepends=True))))
        assert docxchunk(command, report).code == 0
        if command == "parse":
            docxchunk("chunk", report, "-q")
        assert {
            path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()
        } == whole, name


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("chunk -o -", 1),
        ("export", 1),
        ("stats", 1),
        ("show", 1),
        ("chunk", 0),
        ("parse", 0),
    ],
)
def test_a_standard_output_that_is_closed_loses_no_data_unseen(report, command, code):
    docxchunk("chunk", report, "-q")
    called = shlex.join([sys.executable, "-m", "docxchunk", *command.split(), str(report)])
    done = subprocess.run(
        ["sh", "-c", f"{called} >&-"], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == code, done.stderr
    assert ("The output cannot be written" in done.stderr) == bool(code)


@pytest.mark.parametrize("documents", [1, 6])  # six do not fit into a pipe
def test_head_ends_a_run_quietly(report, documents):
    folder = report.parent / "several"
    folder.mkdir()
    for number in range(documents):
        shutil.copy(DOCUMENTS / "contract.docx", folder / f"{number}.docx")
    called = shlex.join(
        [sys.executable, "-m", "docxchunk", "chunk", str(folder), "-n", "256", "-o", "-"]
    )
    done = subprocess.run(
        ["bash", "-c", f"{called} --quiet | head -1 >/dev/null; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("options", [("show", "--blocks"), ("show", "--chunks", "-n", "32")])
def test_a_reader_that_closes_the_pipe_is_no_failure(tmp_path, options):
    (tmp_path / "long.docx").write_bytes(docx(f"<p>{'Some words. ' * 30}</p>" * 500))
    command = [sys.executable, "-m", "docxchunk", *options, tmp_path / "long.docx"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_show_refuses_a_folder_of_several_documents(report):
    shutil.copy(report, report.with_name("other.docx"))
    said = docxchunk("show", report.parent)
    assert (said.code, said.out) == (2, "")
    sentence = f"{report.parent} is a folder with 2 documents: give one of them, for example "
    assert said.err == f"Error: {sentence}{report.with_name('other.docx')}.\n"


def test_chunks_of_unchanged_text_are_kept_and_removed_ones_are_reported(report):
    chunks = report.with_name("report.docx.parsed") / "report.R.chunks.jsonl"
    docxchunk("chunk", report, "-s", "R", "-q")
    made = chunks.read_bytes()
    said = docxchunk("chunk", report, "--hidden-text")  # the document has no hidden text
    assert "report.R" not in said.err
    assert chunks.read_bytes() == made
    assert docxchunk("validate", report).code == 0
    said = docxchunk("parse", report, "--footnotes", "notes")
    assert "report.R.chunks.jsonl, report.chunks.jsonl" in said.err
    assert not chunks.exists()


@pytest.mark.foreign_files
def test_a_failed_run_leaves_the_older_files_unchanged(report):
    docxchunk("chunk", report, "-q")
    folder = report.with_name("report.docx.parsed")
    (folder / "mine.txt").write_text("mine")
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    said = docxchunk("chunk", report, "--footnotes", "notes")
    assert (said.code, "contains 'mine.txt', which docxchunk did not write" in said.err) == (
        1,
        True,
    )
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_a_folder_of_text_files_needs_a_pattern(tmp_path):
    for name in ("a.md", "b.txt"):
        (tmp_path / name).write_text("Some text.", "utf-8")
    said = docxchunk("chunk", tmp_path)
    assert said.code == 1
    assert "*.md'" in said.err
    assert docxchunk("chunk", f"{tmp_path}/*.*", "-q").code == 0
