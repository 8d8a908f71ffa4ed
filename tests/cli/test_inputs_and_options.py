"""Messages about skipped files, repeated options, replaced chunks and lost text."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
import zipfile
from dataclasses import fields
from enum import StrEnum
from pathlib import Path

import click
import pytest
from cli.helpers import ENVIRONMENT, REPORT, docxchunk, docxchunk_process, summary
from docx_builder import docx
from make_fixtures import DOCUMENTS

from docxchunk import api
from docxchunk.batch.many import parse_many
from docxchunk.cli.options import (
    PARSER,
    jobs,
    numbers,
    option_of,
    out,
    reading,
    settings_in,
    single,
)
from docxchunk.model.options import ChunkLimits, Limits, ParseOptions
from docxchunk.sidecar.chunks import read_chunks

SAMPLE = DOCUMENTS / "sample-report.docx"


def _cut(path):
    """Return the file with the first half of its main part."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, data[: len(data) // 2] if name == "word/document.xml" else data)
    return buffer.getvalue()


@pytest.fixture
def folder(tmp_path):
    for name in ("a.docx", "b.docx"):
        (tmp_path / name).write_bytes(REPORT)
    return tmp_path


def test_skipped_files_are_counted_with_the_reason(folder):
    for name in (
        "old.doc",
        "old.DOC",
        "letter.rtf",
        "scan.pdf",
        "notes.md",
        "picture.png",
        ".hidden.pdf",
    ):
        (folder / name).touch()
    said = docxchunk("parse", folder)
    assert said.code == 0
    rows = {line.split("  ")[0]: line for line in said.err.splitlines()}
    assert " ".join(rows["passed over"].split()) == (
        "passed over 5 2 .doc, 1 .rtf: --convert libreoffice reads them; 1 .md: name "
        "such files, or give a pattern; 1 .pdf: save as .docx first"
    )


def test_skipped_files_are_counted_beside_one_document_or_none(folder):
    (folder / "b.docx").unlink()
    (folder / "scan.pdf").touch()
    assert "passed over 1 .pdf: save as .docx first." in docxchunk("parse", folder).err
    (folder / "a.docx").unlink()
    assert ("passed over 1 .pdf: save as .docx first.") in docxchunk(
        "chunk", folder, "-o", folder / "out"
    ).err


def test_word_files_in_subfolders_are_counted(folder):
    below = folder / "2024"
    below.mkdir()
    for name in ("c.docx", "d.docm", "~$c.docx", "e.pdf"):
        shutil.copy(folder / "a.docx", below / name)
    said = docxchunk("chunk", folder)
    rows = {line.split("  ")[0]: line for line in said.err.splitlines()}
    assert " ".join(rows["passed over"].split()) == (
        "passed over 2 1 .docx, 1 .docm: in subfolders, which --recursive searches"
    )
    assert "subfolders" not in docxchunk("chunk", folder, "--recursive").err


def test_report_pages_are_not_counted_as_skipped(folder):
    docxchunk("report", folder, "-q")
    assert "passed over" not in docxchunk("parse", folder).err


@pytest.mark.parametrize("command", ["parse", "chunk"])
def test_lost_text_is_recorded_in_the_failures_file(folder, command):
    (folder / "cut.docx").write_bytes(_cut(SAMPLE))
    for _ in range(2):  # the second run reuses the result
        said = docxchunk(command, folder)
        (failure,) = map(json.loads, (folder / "failures.jsonl").read_text().splitlines())
        assert (failure["input"], failure["error"]) == ("cut.docx", "main-part-cut")
        assert "a part of its text is lost" in failure["message"]
        assert summary(said)["failed"] == "0"


@pytest.mark.parametrize("tokenizer", ["missing.json", "nowhere/tokenizer.json"])
def test_a_missing_tokenizer_is_reported_once(folder, tokenizer):
    said = docxchunk("chunk", folder, "-t", tokenizer, cwd=folder)
    assert (said.code, said.out) == (2, "")
    assert said.err.count("cannot be read") == 1
    assert sorted(path.name for path in folder.iterdir()) == ["a.docx", "b.docx"]


@pytest.mark.parametrize(
    "options",
    [
        ("-n", "256", "-n", "512"),
        ("--overlap", "1", "--overlap", "2"),
        ("-t", "o200k_base", "-t", "cl100k_base"),
        ("-s", "P", "-s", "R"),
    ],
)
def test_an_option_that_is_given_twice_is_refused(folder, options):
    said = docxchunk("chunk", folder, *options)
    assert (said.code, said.out) == (2, "")
    assert options[1] in said.err
    assert options[3] in said.err
    assert not (folder / "a.docx.parsed").exists()


@pytest.mark.parametrize(
    ("kind", "default", "about", "given"),
    [
        (None, None, "About.", "P"),
        (None, "P", "About.  [default: P]", "R"),
        (click.INT, 400, "About.  [default: 400]", 7),
    ],
)
def test_a_single_option_has_a_default_and_takes_one_value(kind, default, about, given):
    taken = []
    option = single("--name", "-n", metavar="NAME", about="About.", kind=kind, default=default)
    command = click.command()(option(lambda **values: taken.extend(values.values())))
    assert command.params[0].help == about
    for arguments in ([], ["-n", str(given)]):
        command.main(arguments, standalone_mode=False)
    assert taken == [default, given]
    with pytest.raises(click.BadParameter, match=rf"given 2 times \({given}, 5\); give it once"):
        command.main(["-n", str(given), "--name", "5"], standalone_mode=False)


@pytest.mark.parametrize(
    ("text", "number"), [(None, 2), ("auto", "auto"), ("1", 1), ("4", 4), ("0", None), ("x", None)]
)
def test_the_number_of_jobs_is_positive_or_chosen(text, number):
    taken = []
    command = click.command()(jobs(2)(lambda **values: taken.extend(values.values())))
    assert command.params[0].show_default
    arguments = [] if text is None else ["-j", text]
    if number is None:
        with pytest.raises(click.BadParameter):
            command.main(arguments, standalone_mode=False)
    else:
        command.main(arguments, standalone_mode=False)
        assert taken == [number]


@pytest.mark.parametrize("dash", [True, False])
def test_an_output_folder_may_be_standard_output_only_where_that_is_said(dash):
    taken = []
    command = click.command()(out(dash=dash)(lambda **values: taken.extend(values.values())))
    [option] = command.params
    assert ('"-"' in option.help) is dash
    assert option.metavar == ("DIR|-" if dash else "DIR")
    for arguments in ([], ["-o", "new"]):
        command.main(arguments, standalone_mode=False)
    assert taken == [None, Path("new")]
    if dash:
        command.main(["-o", "-"], standalone_mode=False)
        assert taken[-1] == Path("-")
    else:
        with pytest.raises(click.BadParameter, match="not standard output"):
            command.main(["-o", "-"], standalone_mode=False)


@pytest.mark.parametrize(
    ("text", "values"),
    [("1", (1,)), ("400, 2000,400,", (400, 2000)), ("2000,400", (400, 2000))]
    + [(text, None) for text in ("", ",", "0", "-1", "0,400", "400,many", "1.5")],
)
def test_a_list_of_numbers_is_sorted_and_each_is_positive(text, values):
    context = click.Context(click.Command("speed"))
    if values is None:
        with pytest.raises(click.BadParameter, match="positive whole numbers"):
            numbers(context, click.Option(["-n"]), text)
    else:
        assert numbers(context, click.Option(["-n"]), text) == values


@pytest.mark.parametrize(
    "setting", [*PARSER, *fields(ChunkLimits)], ids=lambda setting: setting.name
)
def test_an_option_has_the_name_values_and_default_of_its_setting(setting):
    taken = []
    command = click.command()(option_of(setting)(lambda **arguments: taken.append(arguments)))
    [option] = command.params
    name, default = setting.name.replace("_", "-"), setting.default
    if isinstance(default, bool):
        assert option.opts == [f"--no-{name}" if default else f"--{name}"]
        calls = [([], default), (option.opts, not default)]
    elif isinstance(default, StrEnum):
        assert (option.opts, option.show_default) == ([f"--{name}"], True)
        calls = [([], default), *(([*option.opts, str(each)], each) for each in type(default))]
    else:
        assert (option.opts, option.metavar) == ([f"--{name}"], "N")
        calls = [([], default), ([*option.opts, "7"], 7)]
    assert option.help == setting.metadata["help"]
    for arguments, value in calls:
        command.main(arguments, standalone_mode=False)
        assert settings_in(taken[-1], [setting]) == {setting.name: value}
        assert taken[-1] == {}


def test_options_of_the_parser_are_in_the_order_in_which_they_belong_together():
    read = []

    @click.command()
    @reading
    def command(*, options):
        read.append(options)

    names = [option.name for option in command.params]
    for setting in PARSER:
        if after := setting.metadata["after"]:
            name = f"no_{setting.name}" if setting.default is True else setting.name
            assert names.index(name) == names.index(after) + 1
    assert names[names.index("headings") + 1] == "guess_headings"
    assert names[-1] == "limits"
    for arguments, options in (
        ([], ParseOptions()),
        (["--guess-headings"], ParseOptions(headings="guess")),
        (["--no-assets", "--comments"], ParseOptions(assets=False, comments=True)),
        (["--raise-limit", "ratio=7"], ParseOptions(limits=Limits(ratio=7))),
    ):
        command.main(arguments, standalone_mode=False)
        assert read[-1] == options


def test_a_report_shows_several_sizes(folder):
    said = docxchunk("report", folder / "a.docx", "-n", "32", "-n", "64", "-o", "-")
    assert said.code == 0
    assert "32" in said.out
    assert "64" in said.out
    assert said.out.count('class="chunks"') == docxchunk(
        "report", folder / "a.docx", "-s", "P", "-s", "R", "-o", "-"
    ).out.count('class="chunks"')


def test_replaced_chunks_of_other_settings_are_reported(folder):
    docxchunk("chunk", folder, "-n", "256")
    said = docxchunk("chunk", folder, "-n", "512", "--set", "anchors=furthest")
    assert (
        "Chunks of other settings (max_tokens 256, anchors nearest) were replaced in 2 documents."
    ) in said.err
    assert (
        "replaced"
        not in docxchunk("chunk", folder, "-n", "512", "--set", "anchors=furthest", "-f").err
    )
    assert "replaced" not in docxchunk("chunk", folder, "-s", "R").err


def test_a_setting_given_twice_is_an_error(folder):
    said = docxchunk(
        "chunk", folder / "a.docx", "--set", "anchors=nearest", "--set", "anchors=nearest"
    )
    assert (said.code, said.out) == (2, "")
    assert "The setting 'anchors' is given twice" in said.err


@pytest.mark.parametrize("command", ["parse", "chunk"])
def test_a_limit_that_an_error_names_can_be_raised(folder, command):
    size = len(REPORT)
    refused = docxchunk(command, folder / "a.docx", "--raise-limit", f"file={size - 1}")
    assert refused.code == 1
    assert "raise the limit `file` if you trust it" in refused.err
    limits = ("--raise-limit", f"file={size}", "--raise-limit", "ratio=1000")
    assert docxchunk(command, folder / "a.docx", *limits).code == 0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["size=3"], "there is no limit 'size'; choose from file, entries, part, total, ratio,"),
        (["ratio"], "'' is not a valid integer range."),
        (["ratio=-1"], "-1 is not in the range x>=0."),
        (["ratio=²"], "'²' is not a valid integer range."),
        ([f"ratio={'9' * 5000}"], "is not a valid integer range."),
        (["ratio=60", "ratio=70"], "the limit 'ratio' is given twice; give it once."),
    ],
)
def test_a_limit_without_a_name_or_number_is_refused(folder, values, message):
    options = [option for value in values for option in ("--raise-limit", value)]
    refused = docxchunk("parse", folder / "a.docx", *options)
    assert refused.code == 2
    assert message in " ".join(refused.err.split())


def test_settings_that_are_recorded_only_when_set_count_as_other_settings(folder):
    docxchunk("chunk", folder / "a.docx")
    assert ("Chunks of other settings (tables json, reserve 0) were replaced") in docxchunk(
        "chunk", folder / "a.docx", "--tables", "text", "--reserve", "64"
    ).err
    assert ("Chunks of other settings (tables text, reserve 64) were replaced") in docxchunk(
        "chunk", folder / "a.docx"
    ).err


def test_replaced_chunks_of_other_parser_options_are_reported(tmp_path):
    (tmp_path / "a.docx").write_bytes(docx("<p>Hello <ins>new</ins><del>old</del></p>"))
    for strategy in "PR":
        docxchunk("chunk", "a.docx", "-s", strategy, cwd=tmp_path)
    said = docxchunk(
        "chunk", "a.docx", "--track-changes", "original", "--comments", "-n", 300, cwd=tmp_path
    ).err
    assert (
        "Chunks of other settings (track_changes final, comments False, max_tokens 2000) "
        "were replaced in 1 document."
    ) in said
    gone = (
        "It was read with other parser options before ({}), and the chunks of the earlier "
        "text are gone ({})"
    )
    assert gone.format("track_changes final, comments False", "a.R.chunks.jsonl") in said
    assert (
        gone.format("track_changes original, comments True", "a.chunks.jsonl")
        in docxchunk("parse", "a.docx", cwd=tmp_path).err
    )
    docxchunk("chunk", "a.docx", cwd=tmp_path)
    assert docxchunk("chunk", "a.docx", "--hidden-text", cwd=tmp_path).err == (
        "1 document: 1 chunk, 2 tokens, 0 failed.\n"
    ), "the text is the same"
    (tmp_path / "a.docx").write_bytes(docx("<p>Hello again</p>"))
    assert (
        "Its text has changed, and the chunks of the earlier text are gone "
        "(a.chunks.jsonl)" in docxchunk("parse", "a.docx", "--hidden-text", cwd=tmp_path).err
    )


def test_files_of_one_name_have_different_ids(folder):
    for name in ("one", "two"):
        (folder / name).mkdir()
        shutil.copy(folder / "a.docx", folder / name / "x.docx")
    said = docxchunk("parse", "one/x.docx", "two/x.docx", cwd=folder)
    assert said.err.count("this id depends on the path") == 2
    assert docxchunk("validate", "one", "two", cwd=folder).code == 0
    docxchunk("parse", "one/x.docx", cwd=folder)
    docxchunk("parse", "two/x.docx", cwd=folder)
    said = docxchunk("validate", "one", "two", cwd=folder)
    assert said.code == 1
    assert "has the doc_id of" in said.out


@pytest.mark.parametrize("command", ["parse", "chunk"])
def test_an_output_folder_below_a_file_is_refused_before_any_document(folder, command):
    said = docxchunk(command, folder, "-o", folder / "a.docx" / "deep" / "out")
    assert (said.code, said.out) == (2, "")
    assert said.err.count("a.docx is not a folder") == 1


@pytest.mark.parametrize(
    ("command", "hint"), [("parse", ""), ("chunk", " Use -o - to print the chunks.")]
)
def test_an_output_folder_with_the_name_of_a_file_is_refused(folder, command, hint):
    for name in ("out.TXT", "a.docx"):
        said = docxchunk(command, "a.docx", "-o", name, cwd=folder)
        assert (said.code, said.out) == (2, "")
        shown = " ".join(said.err.split())
        assert shown.endswith(f"{name} is the name of a file; give a folder.{hint}")
    (folder / "out.txt").mkdir()
    assert docxchunk(command, "a.docx", "-o", "out.txt", cwd=folder).code == 0


@pytest.mark.parametrize("name", ["report.txt", "report.md"])
def test_a_word_file_with_the_name_of_a_text_file_is_read(tmp_path, name):
    (tmp_path / name).write_bytes(REPORT)
    document = api.parse(tmp_path / name)
    assert api.chunk(tmp_path / name) == api.chunk(document)
    assert [outcome.result for outcome in parse_many(tmp_path / name)] == [document]
    (tmp_path / "other.docx").write_bytes(REPORT)
    assert summary(docxchunk("chunk", name, "other.docx", cwd=tmp_path))["skipped"] == "0"
    assert (
        summary(docxchunk("chunk", name, "other.docx", cwd=tmp_path))["skipped"] == "2  unchanged"
    )
    assert list(
        read_chunks(tmp_path / f"{name}.parsed" / "report.chunks.jsonl").chunks
    ) == api.chunk(document)


NAMES = ["n" * 250 + ".docx", "名" * 83 + ".docx", "a\udcff.docx", "a\x1b\n.docx"]


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="only Linux has such file names")
def test_names_that_are_long_or_no_text(tmp_path):
    for name in NAMES:
        shutil.copy(SAMPLE, tmp_path / name)
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
        *(["diff", name, SAMPLE] for name in NAMES),
    ):
        said = docxchunk_process(*command, cwd=tmp_path)
        assert said.code == 0, (command, said)
    shutil.copy(SAMPLE, tmp_path / "other.docx")
    assert "gone" not in docxchunk_process("parse", ".", "--prune", cwd=tmp_path).err
    # the report and the results are no inputs
    counts = docxchunk_process("chunk", ".", cwd=tmp_path).err.split()
    assert counts[:4] == ["documents", "5", "skipped", "4"]
    assert len(list((tmp_path / "tables").iterdir())) == 2 * len(NAMES) + 1
    for name in NAMES[:2]:
        (tmp_path / name).write_bytes(docx("<p>Changed.</p>"))
        assert "note" in docxchunk_process("stats", name, cwd=tmp_path).err


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
    said = docxchunk(*([command] if isinstance(command, str) else command), "n" * 300, cwd=tmp_path)
    assert said.code in (1, 2)
    assert "nnn" in said.err.splitlines()[0]
    assert "output" not in said.err
    assert "Traceback" not in said.err
    assert not list(tmp_path.iterdir())


def test_an_unreadable_folder_does_not_stop_the_others(tmp_path, monkeypatch):
    for name in ("a/locked/x.docx", "a/y.docx"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SAMPLE, tmp_path / name)
    listed = Path.iterdir

    def refuse(path):
        if path.name == "locked":
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(Path, "iterdir", refuse)
    said = docxchunk("parse", "a", "-r", cwd=tmp_path)
    assert (said.code, said.out) == (1, "a/y.docx.parsed\n")
    assert "failed  a/locked cannot be read (Permission denied).\n" in said.err
    said = docxchunk("parse", "a/locked", cwd=tmp_path)
    assert (said.code, said.err.splitlines()[0]) == (
        1,
        "failed  a/locked cannot be read (Permission denied).",
    )


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a privilege")
@pytest.mark.parametrize("path", ["loop", "*", "."])
def test_a_loop_of_links_is_a_file_that_cannot_be_read(tmp_path, path):
    (tmp_path / "loop.docx").symlink_to("loop.docx")
    (tmp_path / "loop").symlink_to("loop")
    said = docxchunk("parse", path, cwd=tmp_path)
    assert (said.code, said.out) == (1, "")
    assert "failed  loop" in said.err
    assert "cannot be read" in said.err


@pytest.mark.parametrize(
    "options",
    [("report", "-o"), ("export", "-o"), ("export", "--tables", "csv", "-o"), ("chunk", "--trace")],
)
@pytest.mark.parametrize("place", ["a.docx.parsed", "a.docx.parsed/x.html"])
def test_other_files_are_not_written_into_a_parsed_folder(folder, options, place):
    docxchunk("chunk", "a.docx", "-q", cwd=folder)
    before = sorted((folder / "a.docx.parsed").iterdir())
    said = docxchunk(options[0], "a.docx", *options[1:], place, cwd=folder)
    assert (said.code, said.out) == (2, "")
    assert "parsed folder" in " ".join(said.err.split())
    assert sorted((folder / "a.docx.parsed").iterdir()) == before


@pytest.mark.parametrize("columns", ["0", "x", "", "200"])
def test_a_terminal_of_any_width_gets_text(folder, columns):
    assert "Outline" in docxchunk("show", "a.docx", cwd=folder, COLUMNS=columns).out


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
@pytest.mark.parametrize(("closed", "code"), [(">&-", 0), ("2>&-", 0)])
def test_a_closed_stream_does_not_stop_the_run(folder, closed, code):
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m docxchunk chunk a.docx {closed}"],
        cwd=folder,
        capture_output=True,
        check=False,
        env=ENVIRONMENT,
    )
    assert (done.returncode, b"Traceback" in done.stderr) == (code, False)
    assert (folder / "a.docx.parsed/a.chunks.jsonl").exists()
