"""Messages about skipped files, repeated options, replaced chunks and lost text."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

import pytest
from case_files import each_row
from cli.helpers import REPORT, docxchunk, summary
from docx_builder import docx
from make_fixtures import DOCUMENTS

SAMPLE = DOCUMENTS / "sample-report.docx"


@pytest.fixture
def folder(tmp_path):
    for name in ("a.docx", "b.docx"):
        (tmp_path / name).write_bytes(REPORT)
    return tmp_path


def test_skipped_files_are_counted_with_the_reason(folder):
    for name in "old.doc old.DOC letter.rtf scan.pdf notes.md picture.png .hidden.pdf".split():
        (folder / name).touch()
    said = docxchunk("parse", folder)
    assert said.code == 0
    assert said.err.splitlines()[-1] == (
        "passed over 2 .doc, 1 .rtf: --convert libreoffice reads them; 1 .md: name "
        "such files, or give a pattern; 1 .pdf: save as .docx first."
    )


def test_word_files_in_subfolders_are_counted(folder):
    below = folder / "2024"
    below.mkdir()
    for name in ("c.docx", "d.docm", "~$c.docx", "e.pdf"):
        shutil.copy(folder / "a.docx", below / name)
    said = docxchunk("chunk", folder)
    assert said.err.splitlines()[-1] == (
        "passed over 1 .docx, 1 .docm: in subfolders, which --recursive searches."
    )
    assert "subfolders" not in docxchunk("chunk", folder, "--recursive").err


@pytest.mark.parametrize("command", ["parse", "chunk"])
def test_a_limit_that_an_error_names_can_be_raised(folder, command):
    size = len(REPORT)
    refused = docxchunk(command, folder / "a.docx", "--raise-limit", f"file={size - 1}")
    assert refused.code == 1
    assert "raise the limit `file` if you trust it" in refused.err
    limits = ("--raise-limit", f"file={size}", "--raise-limit", "ratio=1000")
    assert docxchunk(command, folder / "a.docx", *limits).code == 0


@each_row("cli", values=str.split)
def test_a_limit_without_a_name_or_number_is_refused(folder, values, message):
    options = [option for value in values for option in ("--raise-limit", value)]
    refused = docxchunk("parse", folder / "a.docx", *options)
    assert refused.code == 2
    assert message in " ".join(refused.err.split())


def test_replaced_chunks_of_other_parser_options_are_reported(tmp_path):
    (tmp_path / "a.docx").write_bytes(docx("<p>Hello <ins>new</ins><del>old</del></p>"))
    for strategy in "PR":
        docxchunk("chunk a.docx -s", strategy)
    said = docxchunk("chunk a.docx --track-changes original --comments -n 300").err
    gone = (
        "It was read with other parser options before ({}), and the chunks of the earlier "
        "text are gone ({})"
    )
    assert gone.format("track_changes final, comments False", "a.R.chunks.jsonl") in said
    assert (
        gone.format("track_changes original, comments True", "a.chunks.jsonl")
        in docxchunk("parse a.docx").err
    )
    docxchunk("chunk a.docx")
    assert docxchunk("chunk a.docx --hidden-text").err == (
        "1 document: 1 chunk, 2 tokens, 0 failed.\n"
    ), "the text is the same"
    (tmp_path / "a.docx").write_bytes(docx("<p>Hello again</p>"))
    assert (
        "Its text has changed, and the chunks of the earlier text are gone "
        "(a.chunks.jsonl)" in docxchunk("parse a.docx --hidden-text").err
    )


def test_files_of_one_name_have_different_ids(folder):
    for name in ("one", "two"):
        (folder / name).mkdir()
        shutil.copy(folder / "a.docx", folder / name / "x.docx")
    said = docxchunk("parse one/x.docx two/x.docx")
    assert said.err.count("this id depends on the path") == 2


NAMES = ["n" * 250 + ".docx", "名" * 83 + ".docx", "a\udcff.docx", "a\x1b\n.docx"]


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="only Linux has such file names")
def test_names_that_are_long_or_no_text(tmp_path):
    for name in NAMES:
        (tmp_path / name).write_bytes(REPORT)
    for command in (
        ["chunk", *NAMES],
        ["chunk", "."],
        ["stats", *NAMES],
        ["validate", *NAMES],
        ["export", *NAMES],
        *(["show", name, "--chunks"] for name in NAMES),
        ["report", *NAMES],
        ["export", *NAMES, "--tables", "csv", "-o", "tables"],
        ["chunk", ".", "-o", "out"],
        *(["diff", name, NAMES[0]] for name in NAMES),
    ):
        said = docxchunk(*command)
        assert said.code == 0, (command, said)
    shutil.copy(SAMPLE, tmp_path / "other.docx")
    assert "gone" not in docxchunk("parse . --prune").err
    # the report and the results are no inputs
    counts = summary(docxchunk("chunk ."))
    assert (counts["document"], counts["unchanged"]) == ("5", "4")
    assert len(list((tmp_path / "tables").iterdir())) == len(NAMES) + 1
    for name in NAMES[:2]:
        (tmp_path / name).write_bytes(docx("<p>Changed.</p>"))
        assert "note" in docxchunk("stats", name).err


@pytest.mark.parametrize(
    "command",
    [
        "parse",
        "chunk",
        "show",
        "report",
        "stats",
        "validate",
        "export",
        "mcp",
        ("diff", SAMPLE),
        ("parse", SAMPLE, "-o"),
    ],
)
def test_a_name_that_no_file_can_have_is_one_sentence(tmp_path, command):
    if command == "mcp":
        pytest.importorskip("mcp", reason="mcp is not installed")
    said = docxchunk(*([command] if isinstance(command, str) else command), "n" * 300)
    assert said.code in (1, 2)
    assert "nnn" in said.err.splitlines()[0]
    assert "output" not in said.err
    assert "Traceback" not in said.err
    assert not list(tmp_path.iterdir())


def refusing(list_folder):
    def refuse(path="."):
        if Path(path).name == "locked":
            raise PermissionError(13, "Permission denied", str(path))
        return list_folder(path)

    return refuse


def test_an_unreadable_folder_does_not_stop_the_others(tmp_path, monkeypatch):
    for name in ("a/locked/x.docx", "a/y.docx"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SAMPLE, tmp_path / name)
    for lister in ("listdir", "scandir"):
        monkeypatch.setattr(os, lister, refusing(getattr(os, lister)))
    said = docxchunk("parse a -r")
    assert (said.code, said.out) == (1, "a/y.docx.parsed\n")
    assert "failed  a/locked cannot be read (Permission denied).\n" in said.err
    said = docxchunk("parse a/locked")
    assert (said.code, said.err.splitlines()[0]) == (
        1,
        "failed  a/locked cannot be read (Permission denied).",
    )


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a privilege")
@pytest.mark.parametrize("path", ["loop", "*", "."])
def test_a_loop_of_links_is_a_file_that_cannot_be_read(tmp_path, path):
    (tmp_path / "loop.docx").symlink_to("loop.docx")
    (tmp_path / "loop").symlink_to("loop")
    said = docxchunk("parse", path)
    assert (said.code, said.out) == (1, "")
    assert "failed  loop" in said.err
    assert "cannot be read" in said.err


@pytest.mark.parametrize(
    "options",
    [("report", "-o"), ("export", "-o"), ("export", "--tables", "csv", "-o"), ("chunk", "--trace")],
)
@pytest.mark.parametrize("place", ["a.docx.parsed", "a.docx.parsed/x.html"])
def test_other_files_are_not_written_into_a_parsed_folder(folder, options, place):
    docxchunk("chunk a.docx -q")
    before = sorted((folder / "a.docx.parsed").iterdir())
    said = docxchunk(options[0], "a.docx", *options[1:], place)
    assert (said.code, said.out) == (2, "")
    assert "parsed folder" in " ".join(said.err.split())
    assert sorted((folder / "a.docx.parsed").iterdir()) == before


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("parse a.docx b.docx --doc-id x", "--doc-id names one document, but there are several"),
        ("chunk a.docx -s P -s R", "'--strategy' / '-s': given 2 times; give it once."),
        ("chunk a.docx --set anchors=nearest --set anchors=nearest", "'anchors' is given twice"),
        ("parse a.docx -o out.TXT", "out.TXT is the name of a file; give a folder."),
        ("chunk a.docx -o a.docx", "is the name of a file; give a folder. Use -o - to print the"),
        ("parse a.docx ''", "A path is empty; is a variable not set?"),
        ("parse a.docx --prune", "--prune needs the folder of the documents."),
        ("chunk a.docx -o a.docx.parsed", "is the name of a parsed folder; give the folder to"),
        ("chunk a.docx -o a.docx/deep/out", "a.docx is not a folder"),
        ("export a.docx --document -o x.json", "--document writes Markdown: give a file that"),
        ("export a.docx --document --flat", "--document writes no chunks: it cannot be used"),
        (
            "export a.docx --tables csv",
            "--tables csv writes a file for each table: give their folder",
        ),
        (
            "export a.docx --tables xlsx -o x.csv",
            "writes one workbook: give its name, -o FILE.xlsx.",
        ),
        ("export a.docx --tables csv -o out --flat", "--tables writes only tables: it cannot be"),
        ("export a.docx -o x", "x has no suffix to choose a format by"),
        ("show a.docx -n 64", "Chunking options need --chunks or --why."),
        ("show a.docx --json", "--json needs --changes or --comments."),
        ("show a.docx --changes --chunks", "--changes prints a list: it excludes --blocks and"),
        ("report a.docx b.docx -o x.html", "x.html is one page, but there are several inputs"),
        ("diff a.docx b.docx --stat --json", "--stat and --json exclude each other."),
        ("diff a.docx b.docx --html x.html --index --json", "--html and --index exclude each"),
    ],
)
def test_wrong_usage_is_one_sentence_before_any_work(folder, command, sentence):
    (folder / "empty").mkdir()
    docxchunk("chunk a.docx")
    before = sorted(folder.rglob("*"))
    said = docxchunk(*shlex.split(command))
    assert (said.code, said.out) == (2, "")
    assert sentence in " ".join(said.err.split())
    assert sorted(folder.rglob("*")) == before
