"""show, stats, strategies, tokenizers, validate, help"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import replace
from io import BytesIO, TextIOWrapper
from pathlib import Path
from zipfile import ZipFile

import click
import pytest
from case_files import sections
from cli.helpers import ENVIRONMENT, REPORT, Terminal, docxchunk, run
from docx_builder import docx, zipped
from make_fixtures import DOCUMENTS

import docxchunk as docxchunk_package
from docxchunk import api, registry
from docxchunk.cli import COMMANDS
from docxchunk.cli.folders import print_sizes
from docxchunk.cli.show import hints, print_issues
from docxchunk.model.chunks import measured
from docxchunk.model.document import Issue, IssueCode
from docxchunk.model.options import ParseOptions


@pytest.fixture
def report(tmp_path):
    (tmp_path / "report.docx").write_bytes(REPORT)
    return tmp_path / "report.docx"


def test_help_names_every_command_and_imports_none():
    said = docxchunk("--help")
    assert said.code == 0
    assert all(f"  {name} " in said.out for name in COMMANDS)
    assert imported(("rich", "lxml", "tiktoken", "orjson"), "--help") == "[]"


def test_the_skill_is_printed_as_it_is():
    skill = Path(docxchunk_package.__file__).with_name("SKILL.md")
    assert docxchunk("mcp", "--skill").out == skill.read_text("utf-8")


def test_an_old_name_of_an_option_follows_the_new_one():
    options = re.findall(r"^ +(--[\w-]+)", docxchunk("parse", "--help").out, re.MULTILINE)
    assert options[options.index("--headings") + 1] == "--guess-headings"


def test_parsing_imports_neither_rich_nor_the_chunkers(report):
    assert (
        imported(
            ("rich", "tiktoken", "docxchunk.chunking", "multiprocessing"), "parse", str(report)
        )
        == "[]"
    )


def imported(names, *arguments):
    """Return which of these modules a command imports."""
    code = (
        f"import sys\nfrom docxchunk.cli import run\nrun()\nprint([name for name in {names} "
        "if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()[-1]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command):
    said = docxchunk(command, "--help")
    assert said.code == 0
    assert said.out.startswith(f"Usage: docxchunk {command}")
    assert max(map(len, said.out.splitlines())) <= 80


def test_show(report):
    said = docxchunk("show", report)
    lines = [line.rstrip() for line in said.out.splitlines()]
    assert (said.code, said.err) == (0, "")
    assert max(map(len, lines[: lines.index("Hints")])) <= 80
    assert any(line.strip().startswith("One") and "1 table" in line for line in lines)
    assert any(line.startswith("    Two") and "1 drawing" in line for line in lines)
    assert any("2 × 2" in line and line.endswith("header") for line in lines)
    end = " ".join(line.strip() for line in lines[lines.index("") :])
    assert re.search(
        r"Kept [\d,]+ of the [\d,]+ characters in the file, left out \d+ \(.*deleted text 3", end
    )
    assert "2 tracked changes: --changes lists them" in end
    assert [path.name for path in report.parent.iterdir()] == ["report.docx"]


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
            cwd=tmp_path,
            stream=Terminal if on_terminal else TextIOWrapper,
            **({"TERM": "xterm-256color", "COLUMNS": "80", "NO_COLOR": ""} if on_terminal else {}),
        )
        shown = re.sub(r"(?<=≈ )\d\.\d\d", "0.99", said.out)  # confidences are learned
        shown = STYLED.sub(lambda text: f"{{{text[1]} {text[2]}}}", shown)
        assert (said.code, said.err) == (0, "")
        assert "\n".join(map(str.rstrip, shown.splitlines())).endswith(expected)


def test_on_a_narrow_terminal_titles_are_cut_and_figures_are_not():
    lines = docxchunk("show", DOCUMENTS / "contract.docx", COLUMNS="45").out.splitlines()
    lines = [line.rstrip() for line in lines[: lines.index("Hints")]]
    assert max(map(len, lines)) <= 45
    assert "  1. Definitio…      ~1       1,162  ███████▊" in lines


@pytest.mark.parametrize(("name", "mark"), [("contract", "~"), ("sample-report", "")])
def test_only_estimated_pages_are_marked(name, mark):
    said = docxchunk("show", DOCUMENTS / f"{name}.docx").out
    outline = said.partition("Outline")[2].partition("\n\n")[0]
    pages = re.findall(r"  (~?)\d+ +[\d,]+ +[█▏▎▍▌▋▊▉]+", outline)
    assert set(pages) == {mark}


def test_show_of_a_parsed_folder_is_the_same(report):
    docxchunk("parse", report)
    said = [docxchunk("show", path, COLUMNS="400").out for path in (f"{report}.parsed", report)]
    assert re.sub(r"\.parsed| +(?=\n)", "", said[0]) == re.sub(r" +(?=\n)", "", said[1])


def test_a_word_file_is_shown_as_the_options_say_and_chunks_as_they_were_made(tmp_path):
    (tmp_path / "a.docx").write_bytes(docx("<p>Pay <del>ninety</del><ins>ten</ins> pounds.</p>"))
    docxchunk("chunk", "a.docx", "--track-changes", "all", cwd=tmp_path)
    for options, is_shown in (
        ((), True),
        (("--track-changes", "final"), False),
        (("--chunks",), True),
        (("--chunks", "--strategy", "P"), True),
        (("--chunks", "--strategy", "P", "--track-changes", "final"), False),
        (("--chunks", "--track-changes", "original"), True),
        (("--track-changes", "original"), True),
    ):
        said = docxchunk("show", "a.docx", "--blocks", *options, cwd=tmp_path)
        assert ("ninety" in said.out) is is_shown
        is_told = not options or options[-1] == "P"
        assert ("other parser options (track_changes all)" in said.err) is is_told


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
        kept, whole, left, more = re.search(
            r"Kept (\d+) of the (\d+) characters in the file, left out (\d+).*have (\d+) more",
            " ".join(said.split()),
        ).groups()
        assert (int(kept) + int(left), int(kept) + int(more)) == (int(whole), int(total[1]))


HINTS = [
    (
        "<p>" + "Words without end. " * 200 + "</p>",
        ("--headings", "marked"),
        "No headings are marked: --headings auto detects them",
    ),
    ("<p>a <del>bc</del></p>", (), "1 tracked change: --changes lists them"),
    (
        "<p>a <r><rPr><vanish/></rPr>bcd</r></p>",
        (),
        "Hidden text, 3 characters left out: --hidden-text",
    ),
]


@pytest.mark.parametrize(("content", "options", "hint"), HINTS)
def test_show_suggests_options(tmp_path, content, options, hint):
    (tmp_path / "a.docx").write_bytes(docx(content))
    (tmp_path / "plain.docx").write_bytes(docx("<p>Short.</p>"))
    (tmp_path / "headed.docx").write_bytes(
        docx(f"<p>Cover</p><p style='Heading1'>One</p>{HINTS[0][0]}")
    )
    assert hint in docxchunk("show", "a.docx", *options, cwd=tmp_path).out
    assert hint not in docxchunk("show", "headed.docx", *options, cwd=tmp_path).out
    said = docxchunk("show", "plain.docx", cwd=tmp_path).out.partition("Hints\n")[2]
    assert (
        said.split()
        == (
            "See its chunks in the terminal: docxchunk show plain.docx "
            "--chunks and in a "
            "browser: docxchunk report plain.docx"
        ).split()
    )


def test_a_document_of_unknown_options_has_hints():
    document = api.parse(docx(HINTS[0][0]), options=ParseOptions(headings="marked"))
    assert len([*hints(document)]) == 1
    assert [*hints(replace(document, options=None))] == []
    assert [*hints(replace(document, structured=False))] == []  # plain text has no headings


@pytest.mark.parametrize(
    ("length", "headings", "is_told"),
    [
        (2000, "marked", False),
        (2001, "marked", True),
        (2001, "guess", False),
        (2001, "auto", False),
    ],
)
def test_missing_headings_of_a_long_document_are_told_if_they_were_not_searched(
    length, headings, is_told
):
    options = ParseOptions(headings=headings)
    document = replace(api.parse(docx(f"<p>{'x' * length}</p>")), options=options)
    assert bool([*hints(document)]) is is_told


def test_commands_to_copy_are_not_broken(tmp_path):
    name = "a long name " * 10 + ".docx"
    (tmp_path / name).write_bytes(docx("<p>Short.</p>"))
    lines = docxchunk("show", name, cwd=tmp_path).out.splitlines()
    assert f"  and in a browser: docxchunk report '{name}'" in lines


@pytest.mark.parametrize(
    ("code", "place", "message", "shown"),
    [
        (IssueCode.PART_BROKEN, "word/a.xml", "It is cut.", "word/a.xml: It is cut."),
        (IssueCode.PART_BROKEN, "word/a.xml", "word/a.xml is cut.", "word/a.xml is cut."),
        (IssueCode.PART_BROKEN, "", "It is cut.", "It is cut."),
        (IssueCode.HEADING_EMPTY, "word/a.xml", "It is empty.", "It is empty."),
    ],
)
def test_a_serious_issue_is_shown_with_its_place(code, place, message, shown):
    document = replace(api.parse(docx("")), issues=(Issue(code, place, message),))
    said = run(click.command()(lambda: print_issues(document)))
    assert said.out.split("\n")[2].rstrip() == f"  1  {code}  {shown}"


def test_show_tells_whole_tables(report):
    assert " · whole table\n" in docxchunk("show", report, "--chunks").out
    assert "slice of a table" not in docxchunk("show", report, "--chunks").out
    table = "<tbl><tr><tc>a</tc></tr></tbl><p>Text.</p>"
    report.write_bytes(docx(table * 2))
    assert " · 2 whole tables\n" in docxchunk("show", report, "--chunks").out


def test_show_blocks_and_depth(report):
    said = docxchunk("show", report, "--blocks", "--depth", 1)
    assert "Hello new" in said.out
    assert "    Two" not in said.out


def test_show_of_a_missing_file(tmp_path):
    said = docxchunk("show", tmp_path / "no.docx")
    assert (said.code, said.out) == (1, "")
    assert said.err == f"Error: {tmp_path / 'no.docx'} does not exist.\n"


def test_show_of_a_folder_without_documents(tmp_path):
    assert docxchunk("show", ".", cwd=tmp_path) == (
        1,
        "",
        "Error: . holds no Word files.\n",
    )


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
    said = docxchunk(command, given_path, *others, cwd=tmp_path)
    assert said.code == 1
    assert f"{given_path} does not exist{hint}\n" in said.err


@pytest.mark.parametrize("data", [REPORT, b"# One\n\nHello world.", b""])
def test_a_document_is_read_from_standard_input(tmp_path, data, monkeypatch):
    name = "stdin.docx" if data in (REPORT, b"") else "stdin.md"

    def said(*arguments):
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(data)))
        return docxchunk(*arguments, cwd=tmp_path)

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
        of_file = docxchunk(command, name, *others, cwd=tmp_path).out.partition("Hints")[0]
        assert said(*arguments).out.strip() == of_file.strip() != ""
    printed = said("chunk", "-")
    assert printed.out == docxchunk("chunk", name, "-o", "-", cwd=tmp_path).out != ""
    assert (
        said("chunk", "-", "-o", "out").out == f"out/{name}.parsed/{Path(name).stem}.chunks.jsonl\n"
    )
    if data is REPORT:
        assert "give one with --out" in said("parse", "-").err
        assert said("parse", "-", "-o", "out").out == "out/stdin.docx.parsed\n"
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted([name, "out"])


def test_there_may_be_nothing_on_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", Terminal(BytesIO()))
    assert "There is nothing on standard input" in docxchunk("show", "-").err


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


def test_a_broken_part_is_named(tmp_path):
    with ZipFile(BytesIO(docx("<p>Text.</p>"))) as whole:
        files = {name: whole.read(name) for name in whole.namelist()}
    (tmp_path / "a.docx").write_bytes(zipped(files | {"word/styles.xml": b"<w:styles"}))
    assert ("word/styles.xml:1: The part was treated as missing") in docxchunk(
        "show", "a.docx", cwd=tmp_path, COLUMNS="200"
    ).out


@pytest.mark.parametrize("command", ["stats", "export", "validate", "chunk"])
def test_a_folder_with_documents_only_in_its_subfolders_names_the_option(tmp_path, command):
    (tmp_path / "docs" / "2024").mkdir(parents=True)
    (tmp_path / "docs" / "2024" / "a.docx").write_bytes(docx("<p>Text.</p>"))
    (tmp_path / "docs" / "notes.txt").write_text("Text.")
    assert docxchunk("chunk", "docs", "-r", cwd=tmp_path).code == 0
    above = docxchunk(command, "docs", cwd=tmp_path)
    assert (above.code, above.out) == (1, "")
    assert "; --recursive searches subfolders" in above.err
    assert docxchunk(command, "docs", "-r", cwd=tmp_path).code == 0
    inside = docxchunk(command, "docs/2024", cwd=tmp_path)
    assert inside.code == 0
    (tmp_path / "empty").mkdir()
    for path in (("empty", "-r"), ("docs/2024/missing", "-r"), ("docs/2024/missing",)):
        nothing = docxchunk(command, *path, cwd=tmp_path)
        assert nothing.code == 1
        assert "--recursive" not in nothing.err


@pytest.mark.parametrize("command", ["stats", "export", "validate"])
def test_parsed_folders_in_subfolders_are_counted_without_the_option(tmp_path, command):
    for name in ("a.docx", "b/b.docx", "b/c.docx"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(REPORT)
    docxchunk("chunk", tmp_path, "--recursive", "-o", tmp_path / "out")
    note = "note  out: Not read: 2 parsed folders in subfolders; --recursive reads them.\n"
    assert note in docxchunk(command, "out", cwd=tmp_path).err
    for arguments in (("out", "--recursive"), ("out/a.docx.parsed",)):
        assert "Not read" not in docxchunk(command, *arguments, cwd=tmp_path).err


@pytest.mark.parametrize(("cap", "style"), [(8, r"\x1b\[33m +1\x1b"), (9, r"\x1b\[1m +0\x1b")])
def test_chunks_over_the_limit_are_yellow(cap, style):
    chunks = [replace(chunk, tokens=9) for chunk in api.parse(docx("<p>a</p>")).chunks()]
    command = click.command()(lambda: print_sizes(measured(chunks, cap), cap))
    said = run(command, stream=Terminal, TERM="xterm")
    (row,) = [row for row in said.out.splitlines() if "oversize" in row]
    assert re.search(style, row)
    assert said.out.count("\x1b[33m") == (cap < 9)
    assert re.search(rf"mean fill +\x1b\[1m *{9 / cap:.2f}\x1b", said.out)


def test_stats_of_slices_only(tmp_path):
    (tmp_path / "a.docx").write_bytes(
        docx(f"<tbl>{'<tr><tc>Some words of a cell.</tc></tr>' * 90}</tbl>")
    )
    docxchunk("chunk", "a.docx", "-n", 64, cwd=tmp_path)
    lines = [line.split() for line in docxchunk("stats", "a.docx", cwd=tmp_path).out.splitlines()]
    assert [line[2] for line in lines if line[:2] in (["mean", "fill"], ["ideal", "size"])] == [
        "–",
        "–",
    ]


def test_stats_of_a_document_without_text(tmp_path):
    (tmp_path / "a.docx").write_bytes(docx(""))
    docxchunk("chunk", "a.docx", cwd=tmp_path)
    said = docxchunk("stats", "a.docx", cwd=tmp_path)
    assert (said.code, said.out.splitlines()[-1].rstrip()) == (0, "There are no chunks in it.")


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
    assert any("oversize" in line for line in lines)
    assert max(map(len, lines)) <= 80
    assert docxchunk("stats", report.parent).out.splitlines()[0] == "report.chunks.jsonl"


def test_strategies_are_listed_without_model_libraries():
    hidden = (
        "numpy",
        "scipy",
        "sklearn",
        "torch",
        "transformers",
        "sentence_transformers",
        "openai",
        "diskcache",
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
    assert "needs the package" not in done.stdout
    assert done.stdout.splitlines() == docxchunk("strategies").out.splitlines()


def test_strategies_and_tokenizers():
    said = docxchunk("strategies").out
    assert "--set anchors=" in said
    assert "nearest | furthest" in said
    assert all(name in said for name in registry.ENTRIES[registry.PluginKind.STRATEGY])
    assert "absolute_gradient" in said, "long lists of choices are wrapped, not cut"
    assert all(
        name in docxchunk("tokenizers").out
        for name in ("o200k_base", "cl100k_base", "tokenizer.json")
    )


def test_one_strategy_with_its_documentation():
    said = docxchunk("strategies", "P").out
    assert re.search(r"--set target_ideal= +0\.75\s", said)
    assert re.search(r"--set guessed_headers= +0\.6\s", said)
    assert '- anchors: "nearest" makes chunks of even sizes' in said
    paragraphs = [text.split()[0] for text in re.split(r"\n\s*\n", said) if text.strip()]
    assert paragraphs == ["P", "Paragraph", "-", "All"]
    assert "Ask a language model" not in said, "only this strategy"
    assert (
        "There is no strategy named 'Q'; there are P, P-staged, R,"
        in docxchunk("strategies", "Q").err
    )
    assert docxchunk("strategies", "Q").code == 2


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
    file.write_text("{}\n{}\n", "utf-8")
    assert f"{file}: line 2: 'chunk_id' is missing\n" in docxchunk("validate", report).out


@pytest.mark.foreign_files
def test_at_most_twenty_faults_of_a_folder_are_printed(report):
    docxchunk("chunk", report)
    blocks = report.with_name("report.docx.parsed") / "report.blocks.jsonl"
    blocks.write_text("{}\n" * 3, "utf-8")  # a fault for each key that is missing
    said = docxchunk("validate", report)
    assert len(said.out.splitlines()) == 20
    assert int(re.search(r"report\.docx\.parsed: (\d+) faults\.", said.err)[1]) > 20


def test_folders_are_checked_in_the_order_of_their_names(tmp_path):
    names = [f"{letter}.docx.parsed" for letter in "hcagebfd"]
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.blocks.jsonl").write_text("x", "utf-8")
    failed = docxchunk("validate", tmp_path).err.splitlines()[:-1]
    assert [line.partition(": ")[0] for line in failed] == [
        f"failed  {tmp_path / name}" for name in sorted(names)
    ]


def test_a_folder_run_of_chinese_names(tmp_path):
    (tmp_path / "合同 范本.docx").write_bytes(
        docx("<p style='Heading1'>第一章 总则</p><p>正文。</p>")
    )
    said = docxchunk("chunk", "合同 范本.docx", cwd=tmp_path)
    assert said.out == "合同 范本.docx.parsed/合同 范本.chunks.jsonl\n"
    assert "第一章 总则" in docxchunk("show", "合同 范本.docx", cwd=tmp_path).out


@pytest.mark.parametrize("name", ["kept", "kept.parsed"])
def test_chunks_of_other_blocks_are_told_in_a_folder_of_any_name(tmp_path, name):
    for file, text in (("a.docx", "One."), ("b.docx", "Two.")):
        (tmp_path / file).write_bytes(docx(f"<p>{text}</p>"))
        docxchunk("chunk", file, cwd=tmp_path)
    folder = (tmp_path / "a.docx.parsed").rename(tmp_path / name)
    assert docxchunk("stats", name, cwd=tmp_path).err == ""
    (tmp_path / "all.parsed").mkdir()
    shutil.copytree(folder, tmp_path / "all.parsed" / "a.docx.parsed")
    said = docxchunk("validate", "all.parsed", cwd=tmp_path)
    assert said == (0, "", "1 parsed folder checked, 0 failed.\n")
    (chunks,) = folder.glob("*.chunks.jsonl")
    (others,) = (tmp_path / "b.docx.parsed").glob("*.chunks.jsonl")
    chunks.write_bytes(others.read_bytes())
    assert "were not made from the blocks beside it" in " ".join(
        docxchunk("stats", name, cwd=tmp_path).err.split()
    )
