"""The commands that read a document in parts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from cli.helpers import ENVIRONMENT, docxchunk
from docx_builder import docx

from docxchunk import api
from docxchunk.retrieval.reading import Reader

CONTRACT = Path(__file__).parents[2] / "fixtures" / "documents" / "contract.docx"

QUOTE = "may ask once for an extension"


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (
            ("outline",),
            "1. Definitions (about p. 1, 256 tokens)\n2. Object of the agreement (274 tokens)\n",
        ),
        (("read", "3(b)"), "[contract.docx, 3. Term > 3(b), about p. 1, ¶ 21]\n- (b) Costs that"),
        (("find", r"\d+ weeks", "--match=regex"), "35 times in contract.docx:\n"),
        (
            ("read", "3(b)", "--view", "section"),
            "[contract.docx, 3. Term, about p. 1, ¶ 19-27]\n# 3.",
        ),
        (("read", "4. Extension", "--view", "tables"), "There are no tables."),
        (("cite", QUOTE), "Found word for word.\n[contract.docx, 4. Ext"),
    ],
)
def test_an_answer_is_printed(arguments, shown):
    command, *others = arguments
    result = docxchunk(command, CONTRACT, *others)
    assert result.code == 0
    assert result.out.startswith(shown)


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (
            ("read", CONTRACT, "99"),
            1,
            "has no section or clause '99': its sections go from '1' to '60'.",
        ),
        (("read", "nowhere.docx", "1"), 1, "nowhere.docx"),
        (("cite", CONTRACT, "the"), 2, "too short to be a quotation"),
        (("find", CONTRACT, "(", "--match=regex"), 2, "is not a regular expression"),
        (("read", CONTRACT.parent, "1"), 2, "documents: give one of them, for example"),
    ],
)
def test_an_error_is_one_sentence(arguments, code, sentence):
    result = docxchunk(*arguments)
    assert result.code == code
    assert sentence in result.err
    assert len(result.err.splitlines()) == 1


def test_a_quotation_is_looked_for_elsewhere(tmp_path):
    other = tmp_path / "documents"
    other.mkdir()
    (other / "sale.docx").write_bytes(docx("<p>The buyer waives every right to a refund.</p>"))
    (other / "bad.docx").write_bytes(b"no")
    quote = "the buyer waives every right"
    result = docxchunk("cite", CONTRACT, quote, "--elsewhere", other / "sale.docx")
    assert result.out.startswith(
        "Not in this document, but found word for word in another one.\n[sale.docx, about p. 1, ¶ 1, "
    )
    missing = docxchunk("cite", CONTRACT, quote)
    assert (missing.code, missing.out, missing.err) == (1, "", "Not found in this document.\n")


def test_rules_are_printed_edited_and_used(tmp_path):
    (tmp_path / "sale.docx").write_bytes(docx("<p style='Heading1'>Price</p><p>It is ten.</p>"))
    rules = docxchunk("outline", "sale.docx", "--rules", cwd=tmp_path).out
    assert '"heading 1" = 1' in rules
    edited = rules.replace('"heading 1" = 1', '"heading 1" = 3')
    (tmp_path / "house.toml").write_text(edited, "utf-8")
    docxchunk("parse", "sale.docx", "--rules", "house.toml", cwd=tmp_path)
    assert api.read(tmp_path / "sale.docx.parsed").blocks[0].level == 3
    parsed = docxchunk("outline", "sale.docx.parsed", "--rules", cwd=tmp_path)
    assert (parsed.code, parsed.out) == (1, "")
    applied = docxchunk("outline", "sale.docx", "--rules", "house.toml", cwd=tmp_path)
    assert (applied.code, applied.out) == (2, "")
    assert "use docxchunk show sale.docx --rules FILE" in applied.err
    (tmp_path / "house.toml").write_text('"heading 1" = "none"', "utf-8")
    wrong = docxchunk("chunk", "sale.docx", "--rules", "house.toml", cwd=tmp_path)
    assert (wrong.code, wrong.out) == (2, "")
    assert wrong.err == (
        'Error: house.toml: The rule "heading 1" has the level \'none\'; it must be 1 to 9, "no" or '
        '"auto".\n'
    )


@pytest.mark.parametrize(
    ("command", "asked"),
    [
        ("read", "Price"),
        ("find", "ten euros"),
        ("define", "Fee"),
        ("references", "Annex B"),
        ("cite", "means ten euros a week"),
    ],
)
def test_rules_hold_for_each_command(command, asked, tmp_path):
    text = "<p style='Heading1'>Price</p><p>“Fee” means ten euros a week (see Annex B).</p>"
    (tmp_path / "sale.docx").write_bytes(docx(text + "<p style='Heading2'>Annex B</p><p>None.</p>"))
    (tmp_path / "house.toml").write_text('"heading 1" = "no"', "utf-8")
    (tmp_path / "empty.toml").write_text("", "utf-8")
    plain, same, ruled = (
        docxchunk(command, "sale.docx", asked, *rules, cwd=tmp_path)
        for rules in ([], ["--rules", "empty.toml"], ["--rules", "house.toml"])
    )
    assert plain == same
    assert "Price" in plain.out
    assert ruled.out != plain.out


def test_the_outline_of_a_folder_has_a_line_for_each_document(tmp_path):
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "sale.docx").write_bytes(docx("<p style='Heading1'>Price</p><p>Ten.</p>"))
    (tmp_path / "bad.docx").write_bytes(b"no")
    result = docxchunk("outline", tmp_path)
    assert (result.code, result.out) == (
        0,
        "below/sale.docx: 1 section, about 1 page, 5 tokens\n",
    )
    assert "bad.docx" in result.err
    record = json.loads(docxchunk("outline", tmp_path, "--json").out)
    assert (record["document"], record["sections"], record["note"]) == ("below/sale.docx", 1, "")
    docxchunk("parse", tmp_path / "below")
    one = docxchunk("outline", tmp_path / "below" / "sale.docx")
    assert one.out == "Price (about p. 1)\n"
    assert docxchunk("outline", tmp_path / "below" / "sale.docx.parsed") == one


@pytest.mark.parametrize(
    ("arguments", "code", "out", "err"),
    [
        (("find", "no such words"), 1, "", "'no such words' does not occur.\n"),
        (
            ("find", r"zebra|\d{9}"),
            *(1, "", "'zebra|\\d{9}' does not occur. It was not read as a regular expression.\n"),
        ),
        (
            ("define", "zebra"),
            *(
                1,
                "",
                "No definition of 'zebra' was recognized in contract.docx. It does not occur.\n",
            ),
        ),
        (("cite", "the rent of the whole house"), 1, "", "Not found in this document.\n"),
        (("cite", "may ask once for an extension of six years"), 1, "Altered: the document", ""),
        (("cite", "may ask once for … extension of five years"), 0, "Found word for word in p", ""),
        (
            ("references", "3"),
            0,
            "No reference to another place was recognized in it.\nNo reference to it was recognized.",
            "",
        ),
    ],
)
def test_what_is_not_found_ends_with_1(arguments, code, out, err):
    command, *others = arguments
    result = docxchunk(command, CONTRACT, *others)
    assert (result.code, result.err) == (code, err)
    assert result.out.startswith(out)
    assert bool(result.out) is bool(out)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("outline",), lambda reader: reader.outline()),
        (("find", "ICE rink"), lambda reader: reader.find("ICE rink")[1]),
        (("references", "3"), lambda reader: [reader.references("3")]),
        (("cite", "may ask once for an extension"), lambda reader: [reader.cite(QUOTE)]),
        (("find", "no such words"), lambda _: []),
    ],
)
def test_json_lines_are_the_objects_of_the_library(arguments, expected):
    command, *others = arguments
    lines = docxchunk(command, CONTRACT, *others, "--json").out.splitlines()
    objects = expected(Reader(api.parse(CONTRACT)))
    assert [json.loads(line) for line in lines] == json.loads(
        json.dumps(list(map(asdict, objects)))
    )


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
def test_the_exit_code_is_that_of_the_answer_although_nobody_reads_it():
    reading, writing = os.pipe()
    os.close(reading)
    quote = f"{QUOTE} of six years"
    command = [sys.executable, "-m", "docxchunk", "cite", CONTRACT, quote, "--json"]
    environment = ENVIRONMENT | {"PYTHONUNBUFFERED": ""}
    done = subprocess.run(
        command, stdout=writing, stderr=subprocess.PIPE, check=False, env=environment
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")


def test_a_pipe_gets_each_line_whole(tmp_path):
    cells = [f"a long cell with the number {n}" for n in range(9)]
    rows = "".join(f"<tr>{''.join(f'<tc>{each}</tc>' for each in cells)}</tr>" for _ in "ab")
    (tmp_path / "wide.docx").write_bytes(docx(f"<tbl>{rows}</tbl>"))
    for command in (("read", "#1"), ("find", "number 8"), ("search", "number")):
        tool, *others = command
        paths = ["wide.docx", *others]
        assert " | ".join(cells)[:280] in docxchunk(tool, *paths).out


READING = {
    "outline": ("outline", "{}"),
    "read": ("read", "{}", "Term"),
    "find": ("find", "{}", "days"),
    "find comments": ("find", "{}", "enough"),
    "define": ("define", "{}", "Fee"),
    "references": ("references", "{}", "Term"),
    "cite": ("cite", "{}", "The lease ends after thirty sixty days"),
    "search": ("search", "{}", "days of notice", "--no-index-cache"),
    "show": ("show", "{}", "--blocks"),
    "show changes": ("show", "{}", "--changes"),
    "show chunks": ("show", "{}", "--chunks"),
    "export": ("export", "{}", "--document", "-o", "-"),
    "diff": ("diff", "{}"),
    "report": ("report", "{}", "-o", "-"),
    "chunk": ("chunk", "{}", "-o", "-"),
}


@pytest.mark.parametrize("arguments", READING.values(), ids=READING)
def test_all_commands_read_an_up_to_date_parsed_folder(arguments, tmp_path):
    source = docx(
        '<comments><comment id="0" author="A"><p>Is it enough?</p></comment></comments>'
        '<p style="Heading1">Term</p><p>“Fee” means ten. The lease ends after '
        '<del author="A">thirty</del><ins author="A">sixty</ins> days<comment-mark id="0"/> of '
        "notice.</p>"
    )
    (tmp_path / "a.docx").write_bytes(source)
    options = ("--track-changes", "all", "--comments")
    assert docxchunk("parse a.docx", *options).code == 0

    def said(name):
        return docxchunk(*(each.format(name) for each in arguments))

    file, folder = said("a.docx"), said("a.docx.parsed")
    assert "a.docx" in file.err
    assert "read from its parsed folder, which has other parser options (track_changes all, " in (
        file.err
    )
    assert file.out.replace("a.docx.parsed", "a.docx") == folder.out.replace(
        "a.docx.parsed", "a.docx"
    )
    (tmp_path / "a.docx").write_bytes(docx("<p>Another text of two days, a “Fee”.</p>"))
    assert "parsed folder" not in said("a.docx").err
