"""show, stats, strategies, tokenizers, validate, help"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
import reference
from case_files import sections
from cli.helpers import ENVIRONMENT, REPORT, Terminal, docxchunk
from docx_builder import docx

import docxchunk as docxchunk_package
from docxchunk import registry
from docxchunk.cli import COMMANDS
from docxchunk.cli.options import Command
from docxchunk.sidecar import reader

EARLIER = Path(__file__).parents[2] / "fixtures" / "upgrade" / "lease-0.2.0"


@pytest.fixture
def report(tmp_path):
    (tmp_path / "report.docx").write_bytes(REPORT)
    return tmp_path / "report.docx"


def test_help_names_every_command_and_fits_on_a_screen():
    said = docxchunk("--help").out
    assert all(f"  {name} " in said for name in COMMANDS)
    assert len(said.splitlines()) <= 40
    assert docxchunk("--help-all").out == said


ENDS = {name: each for name, each in reference.commands().items() if isinstance(each, Command)}


@pytest.mark.parametrize(("name", "command"), ENDS.items())
def test_help_fits_on_a_screen_and_help_all_has_every_option(name, command):
    words = name.removeprefix("docxchunk")
    shown, everything = (docxchunk(words, each).out for each in ("--help", "--help-all"))
    assert len(shown.splitlines()) <= 40
    assert max(map(len, (shown + everything).splitlines())) <= 80
    assert all(each.human_readable_name in shown for each in command.params if each.required)
    listed = re.findall(r"\n  (?:-\w, )?(--\S+)", everything.partition("\nOptions:")[2])
    names = [word for each in command.params for word in each.opts if word.startswith("--")]
    assert sorted(listed) == sorted([*names, *command.old_names, "--help"])
    more = f"\nMore options: {name} --help-all\n"
    assert shown.endswith(more) == (shown.removesuffix(more) != everything)


STYLED = re.compile("\x1b\\[([\\d;]+)m([^\x1b]*)\x1b\\[0m")


@pytest.mark.parametrize("case", sections("shown.txt"), ids=lambda case: case.title)
def test_what_show_prints(tmp_path, case):
    (tmp_path / "a.docx").write_bytes(docx(case.source))
    options = [f"--{name.replace('_', '-')}={value}" for name, value in case.settings.items()]
    for name, expected in case.results.items():
        view, on_terminal, _ = name.partition("_on_terminal")
        also = [] if view == "show" else [f"--{view}"]
        said = docxchunk(
            *("show", "a.docx", *also, *options),
            stream=Terminal if on_terminal else TextIOWrapper,
            **{"TERM": "xterm-256color", "COLUMNS": "80", "NO_COLOR": ""} if on_terminal else {},
        )
        shown = re.sub(r"(?<=≈ )\d\.\d\d", "0.99", said.out)  # confidences are learned
        shown = STYLED.sub(lambda text: f"{{{text[1]} {text[2]}}}", shown)
        assert (said.code, said.err) == (0, "")
        assert "\n".join(map(str.rstrip, shown.splitlines())).endswith(expected)


def test_show_of_a_parsed_folder_is_the_same(report):
    docxchunk("parse", report)
    said = [docxchunk("show", path, COLUMNS="400").out for path in (f"{report}.parsed", report)]
    assert re.sub(r"\.parsed| +(?=\n)", "", said[0]) == re.sub(r" +(?=\n)", "", said[1])


def test_the_figures_of_show_add_up(report):
    for arguments in ((), ("--depth", 1)):
        said = docxchunk("show", report, *arguments).out
        total, outline = (
            re.search(r"([\d,]+) characters ·", said),
            re.search(r"Outline\n.*?\n(.*?)\n\n", said, re.DOTALL),
        )
        assert sum(
            int(re.findall(r" (\d[\d,]*) *[█▏▎▍▌▋▊▉]*\s*$", line)[-1])
            for line in outline[1].splitlines()
        ) == int(total[1])
        kept, whole, left = re.search(
            r"Kept (\d+) of the (\d+) characters in the file, left out (\d+)",
            " ".join(said.split()),
        ).groups()
        assert int(kept) + int(left) == int(whole)


@pytest.mark.parametrize(
    ("given_path", "meant"),
    [
        ("in\\a report.docx", "in/a report.docx"),
        ("in/a reprt.docx", "in/a report.docx"),
        ("in/A Report", "in/a report.docx"),
        ("inn/a report.docx", "in/a report.docx"),
        ("C:\\files\\x.docx", ""),
        ("in/other.docx", ""),
        ("nowhere/at/all", ""),
    ],
)
@pytest.mark.parametrize("arguments", [["show"], ["read", 1], ["search", "x"]])
def test_a_path_that_does_not_exist_has_a_hint(tmp_path, given_path, meant, arguments):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a report.docx").write_bytes(REPORT)
    hint = f"; did you mean {meant}?" if meant else "."
    command, *others = arguments
    said = docxchunk(command, given_path, *others)
    assert said.code == 1
    assert f"{given_path} does not exist{hint}\n" in said.err


@pytest.mark.parametrize("command", ["parse", "chunk"])
def test_no_hint_is_looked_for_that_is_not_shown(tmp_path, command, monkeypatch):
    (tmp_path / "report.docx").write_bytes(REPORT)
    monkeypatch.setattr(reader, "path_like", pytest.fail)
    assert docxchunk(command, tmp_path, "-o", tmp_path / "out").code == 0


@pytest.mark.parametrize("data", [REPORT, b"# One\n\nHello world.", b""])
def test_a_document_is_read_from_standard_input(tmp_path, data, monkeypatch):
    name = "stdin.docx" if data in (REPORT, b"") else "stdin.md"

    def said(*arguments):
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(data)))
        return docxchunk(*arguments)

    if not data:
        assert said("read", "-", "One").err == "Error: The file is empty: it has no bytes.\n"
        return
    (tmp_path / name).write_bytes(data)
    for arguments in (
        ["read", "-", "One"],
        ["find", "-", "hello"],
        ["show", "-"],
        ["outline", "-"],
        ["diff", "-", name],
    ):
        command, _, *others = arguments
        of_file = docxchunk(command, name, *others).out.partition("Hints")[0]
        assert said(*arguments).out.strip() == of_file.strip() != ""
    printed = said("chunk", "-")
    assert printed.out == docxchunk("chunk", name, "-o", "-").out != ""
    assert (
        said("chunk", "-", "-o", "out").out == f"out/{name}.parsed/{Path(name).stem}.chunks.jsonl\n"
    )
    if data is REPORT:
        assert "give one with --out" in said("parse", "-").err
        assert said("parse", "-", "-o", "out").out == "out/stdin.docx.parsed\n"
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted([name, "out"])


def test_there_may_be_nothing_on_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", Terminal(BytesIO()))
    assert "There is nothing on standard input" in docxchunk("show -").err


def test_show_prints_the_existing_chunks(report):
    new = docxchunk("show", report, "--chunks").out
    docxchunk("chunk", report, "-n", 64)
    existing = docxchunk("show", report, "--chunks").out
    assert "at most 64 tokens" in existing
    assert existing == docxchunk("show", f"{report}.parsed", "--chunks").out
    others = docxchunk("show", report, "--chunks", "--track-changes", "all").out
    assert "{--old--}" in others
    assert "{--old--}" not in existing
    report.write_bytes(docx("<p>Another text.</p>"))
    assert "Another text." in docxchunk("show", report, "--chunks").out
    report.write_bytes(REPORT)
    assert docxchunk("show", report, "--chunks", "--strategy", "P").out == new
    docxchunk("chunk", report, "--track-changes", "all", "-f")
    assert "{--old--}" in docxchunk("show", report, "--chunks").out
    final = ("--track-changes", "final")
    assert docxchunk("show", report, "--chunks", "--strategy", "P", *final).out == new


@pytest.mark.parametrize("command", ["stats", "export", "validate", "chunk"])
def test_a_folder_with_documents_only_in_its_subfolders_names_the_option(tmp_path, command):
    (tmp_path / "docs" / "2024").mkdir(parents=True)
    (tmp_path / "docs" / "2024" / "a.docx").write_bytes(docx("<p>Text.</p>"))
    (tmp_path / "docs" / "notes.txt").write_text("Text.")
    assert docxchunk("chunk docs -r").code == 0
    above = docxchunk(command, "docs")
    assert (above.code, above.out) == (1, "")
    assert "; --recursive searches subfolders" in above.err
    assert docxchunk(command, "docs", "-r").code == 0
    inside = docxchunk(command, "docs/2024")
    assert inside.code == 0
    (tmp_path / "empty").mkdir()
    for path in (("empty", "-r"), ("docs/2024/missing", "-r"), ("docs/2024/missing",)):
        nothing = docxchunk(command, *path)
        assert nothing.code == 1
        assert "--recursive" not in nothing.err
        assert command != "chunk" or len(nothing.err.splitlines()) == 1


def test_stats(report):
    assert docxchunk("stats", report).err == (
        f"Error: There are no chunks at {report}: `docxchunk chunk` makes them.\n"
    )
    docxchunk("chunk", report)
    outs = [
        docxchunk("stats", path).out
        for path in (report, f"{report}.parsed", f"{report}.parsed/report.chunks.jsonl")
    ]
    assert len(set(outs)) == 1
    lines = [line.rstrip() for line in outs[0].splitlines()]
    assert lines[:2] == ["report.chunks.jsonl", "P · at most 2,000 tokens · o200k_base"]
    assert lines[3:6] == [
        "Tokens",
        f"        0 – 249  {'█' * 40}  2",
        f"      250 – 499{' ' * 44}·",
    ]
    shown = docxchunk("stats", report, stream=Terminal, TERM="xterm").out.splitlines()
    colours = [number for line in shown[4:12] for number in re.findall(r"\x1b\[(3\d)m", line)]
    assert colours == ["36"] * 6 + ["32"] * 2
    assert any("over the limit" in line for line in lines)
    assert max(map(len, lines)) <= 80
    assert docxchunk("stats", report.parent).out.splitlines()[0] == "report.chunks.jsonl"


def test_strategies_are_listed_without_model_libraries():
    hidden = tuple(
        "numpy scipy sklearn torch transformers sentence_transformers openai diskcache".split()
    )
    code = (
        f"import sys\nsys.modules.update(dict.fromkeys({hidden}))\nfrom docxchunk.cli import "
        "run\nrun()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "strategies"],
        capture_output=True,
        text=True,
        check=True,
        env=ENVIRONMENT,
    )
    said = docxchunk("strategies").out
    assert done.stdout.splitlines() == said.splitlines()
    assert "needs the package" not in said
    assert re.search(r"--set anchors= .* nearest \| furthest", said)
    assert all(name in said for name in registry.ENTRIES[registry.PluginKind.STRATEGY])
    assert "absolute_gradient" in said, "long lists of choices are wrapped, not cut"


def test_tokenizers():
    said = docxchunk("tokenizers").out
    assert all(name in said for name in ("o200k_base", "cl100k_base", "tokenizer.json"))


def test_one_strategy_with_its_documentation():
    said = docxchunk("strategies P").out
    assert re.search(r"--set target_ideal= +0\.75\s", said)
    assert re.search(r"--set guessed_headers= +0\.6\s", said)
    assert '- anchors: "nearest" makes chunks of even sizes' in said
    paragraphs = [text.split()[0] for text in re.split(r"\n\s*\n", said) if text.strip()]
    assert paragraphs == ["P", "Paragraph", "-", "All"]
    assert "Ask a language model" not in said, "only this strategy"
    assert (
        "There is no strategy named 'Q'; there are P, P-staged, R," in docxchunk("strategies Q").err
    )
    assert docxchunk("strategies Q").code == 2


def test_a_folder_of_an_earlier_version_is_read_and_made_again(tmp_path):
    folder = shutil.copytree(EARLIER, tmp_path / "lease.docx.parsed")
    why = "Its tracked changes and comments are not listed: docxchunk 0.2.0 parsed it."
    assert [block.page for block in docxchunk_package.read(folder).blocks] == [1, 2]
    assert docxchunk("validate", folder).code == 0
    assert docxchunk("read", folder, "1").out.startswith("[lease.docx, 1. Term, p. 1, ¶ 1-2]")
    assert "revisions-unknown  Its tracked changes" in docxchunk("show", folder).out
    for command in ("show --changes", "show --comments --json", "diff"):
        assert why in docxchunk(command, folder).err
    listed = docxchunk("show --changes", tmp_path).out
    assert listed == f"lease.docx: {why} Parse the Word file again.\n"
    (tmp_path / "lease.docx").write_bytes(
        docx(
            "<p style='Heading1'>1. Term</p><p>The lease ends in <del>two</del><ins>three</ins> "
            "years.</p><p style='Heading1'>2. Rent</p><p>None.</p>"
        )
    )
    assert docxchunk("diff", folder, "lease.docx").out.startswith("removed  2. Rent, p. 2, ¶ 4")
    assert "1 to upsert, 0 to update" in docxchunk("diff --index", folder, "lease.docx").out
    for source in (folder, "lease.docx"):
        assert docxchunk("chunk", source).code == 0
        assert docxchunk("validate", folder).code == 0
    assert "{+three+}" in docxchunk("show --changes", folder).out


@pytest.mark.foreign_files
def test_validate(report):
    docxchunk("chunk", report)
    assert docxchunk("validate", report.parent) == (0, "", "1 parsed folder checked, 0 failed.\n")
    file = report.with_name("report.docx.parsed") / "report.chunks.jsonl"
    file.write_text(file.read_text("utf-8").replace("Hello", "Hullo"), "utf-8")
    said = docxchunk("validate", report)
    assert said.code == 1
    assert f"\n{file}: chunk 1: its content is not the concatenation of its parts\n" in said.out
    assert docxchunk("validate", report.parent / "nowhere").code == 1
