"""The tools of a library, called with the SDK's own client."""

from __future__ import annotations

import shutil
import sys
from contextlib import asynccontextmanager

import pytest
from cli.helpers import ENVIRONMENT, REPORT, docxchunk, docxchunk_process
from docx_builder import docx

from docxchunk.errors import MissingFileError, UsageError

pytest.importorskip("mcp", reason="mcp is not installed: no server")

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from docxchunk.server.mcp import server

LEASE = docx(
    "<p style='Heading1'>Rent</p><p>The rent is 1,200 a month.</p>"
    "<p style='Heading2'>Late payment</p><p>A late payment bears interest of 8 "
    "percent.</p><p>The tenant pays it.</p>"
    "<p style='Heading1'>Term</p><p>The lease ends in <b>May</b> 2031.</p>"
)


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "docs"
    (place / "2024").mkdir(parents=True)
    (place / "2024" / "lease.docx").write_bytes(LEASE)
    (place / "report.docx").write_bytes(REPORT)
    (tmp_path / "secret.docx").write_bytes(LEASE)
    return place


def asked(folder, *calls):
    """Call tools in order; return the results or the error texts."""

    async def ask():
        async with Client(server(folder)) as client:
            return [_answer(await client.call_tool(tool, arguments)) for tool, arguments in calls]

    return anyio.run(ask)


def _answer(result):
    if result.is_error:
        return result.content[0].text.partition(": ")[2]
    found = result.structured_content
    return found["result"] if set(found) == {"result"} else found


def outline(folder, name="2024/lease.docx"):
    (found,) = asked(folder, ("outline", {"document": name}))
    return {section["heading"]: section["section"] for section in found["sections"]}


def test_documents_and_their_sections(folder):
    names, lease = asked(
        folder, ("list_documents", {}), ("outline", {"document": "2024/lease.docx"})
    )
    assert names == ["2024/lease.docx", "report.docx"]
    assert [(line["heading"], line["label"], line["level"]) for line in lease["sections"]] == [
        ("Rent", "", 1),
        ("Late payment", "", 2),
        ("Term", "", 1),
    ]


def test_a_long_outline_is_given_in_pieces(folder, monkeypatch):
    monkeypatch.setattr("docxchunk.server.tools.MOST_SECTIONS", 2)
    calls = [("outline", {"document": "2024/lease.docx", "start": start}) for start in (0, 2, 4)]
    first, second, refused = asked(folder, *calls)
    assert [line["heading"] for found in (first, second) for line in found["sections"]] == [
        "Rent",
        "Late payment",
        "Term",
    ]
    assert (first["next_start"], second["next_start"]) == (2, None)
    assert refused == "start is 4; the document has 3 sections."


def test_a_section_is_read_with_those_below_it(folder):
    (found,) = asked(
        folder,
        ("read_section", {"document": "2024/lease.docx", "section": outline(folder)["Rent"]}),
    )
    assert found == {
        "document": "2024/lease.docx",
        "path": "Rent",
        "text": "# Rent\n\nThe rent is 1,200 a month.\n\n## Late payment\n\nA late payment "
        "bears interest of 8 percent.\n\nThe tenant pays it.\n",
        "citation": "2024/lease.docx, Rent, about p. 1, ¶ 1-5",
        "next_start": None,
    }


def test_a_long_section_is_read_in_pieces(folder, monkeypatch):
    monkeypatch.setattr("docxchunk.server.tools.MOST_CHARACTERS", 30)
    call = {"document": "2024/lease.docx", "section": outline(folder)["Late payment"]}
    text, start = "", 0
    while start is not None:
        (found,) = asked(folder, ("read_section", {**call, "start": start}))
        text, start = text + found["text"], found["next_start"]
    assert text == (
        "## Late payment\n\nA late payment bears interest of 8 percent.\n\nThe tenant pays it.\n"
    )
    (refused,) = asked(folder, ("read_section", {**call, "start": 1000}))
    assert refused == f"start is 1000; the section has {len(text)} characters."


def test_search_finds_and_cites(folder):
    found, within, nothing, refused = asked(
        folder,
        ("search", {"query": "interest of a late payment"}),
        ("search", {"query": "rent", "document": "report.docx"}),
        ("search", {"query": "submarine"}),
        ("search", {"query": "rent", "limit": 0}),
    )
    assert (found[0]["document"], found[0]["section"]) == (
        "2024/lease.docx",
        outline(folder)["Rent"],
    )
    assert found[0]["citation"].startswith("2024/lease.docx, Rent")
    assert (within, nothing, refused) == ([], [], "limit is 0; it must be 1 to 20.")


def test_a_quotation_is_cited_or_refused(folder):
    one, across, sections, marked, refused = asked(
        folder,
        ("cite", {"document": "2024/lease.docx", "quote": "interest of 8 percent"}),
        ("cite", {"document": "2024/lease.docx", "quote": "8 percent. The tenant pays"}),
        ("cite", {"document": "2024/lease.docx", "quote": "The tenant pays it. Term"}),
        ("cite", {"document": "2024/lease.docx", "quote": "ends in May 2031"}),
        ("cite", {"document": "2024/lease.docx", "quote": "interest of 9 percent"}),
    )
    assert one["citation"] == "2024/lease.docx, Rent > Late payment, about p. 1, ¶ 4"
    assert across["citation"] == "2024/lease.docx, Rent > Late payment, about p. 1, ¶ 4-5"
    assert sections["citation"] == (
        "2024/lease.docx, Rent > Late payment through Term, about p. 1, ¶ 5-6"
    )
    assert marked["citation"] == "2024/lease.docx, Term, about p. 1, ¶ 7"
    assert refused == (
        "2024/lease.docx does not have these words: quote it word for word, "
        "without leaving "
        "out any."
    )


@pytest.mark.parametrize(
    "merged",
    ["", "<tr><tc merge='restart'>K</tc><tc>9</tc></tr><tr><tc merge='continue'/><tc>8</tc></tr>"],
)
def test_a_quotation_of_a_table_has_no_markup(tmp_path, merged):
    rows = (
        "<tr header='1'><tc>City</tc><tc>Rent</tc></tr><tr><tc>Bonn</tc><tc>800 &amp; "
        f'"more" a month</tc></tr>{merged}'
    )
    (tmp_path / "t.docx").write_bytes(docx(f"<tbl>{rows}</tbl>"))
    (found,) = asked(
        tmp_path, ("cite", {"document": "t.docx", "quote": 'Rent Bonn 800 & "more" a month'})
    )
    assert found["text"] == 'Rent | Bonn | 800 & "more" a month'


def test_a_quotation_has_no_escapes_and_entities(tmp_path):
    cell = "<tc><p>first line</p><p>second line</p></tc>"
    (tmp_path / "t.docx").write_bytes(
        docx(f"<p>Let x &lt; y.</p><tbl><tr><tc>Case</tc>{cell}</tr></tbl><p>End.</p>")
    )
    before, inside, across = asked(
        tmp_path,
        ("cite", {"document": "t.docx", "quote": "Let x < y."}),
        ("cite", {"document": "t.docx", "quote": "line second"}),
        ("cite", {"document": "t.docx", "quote": "second line End."}),
    )
    assert before["text"] == "Let x < y."
    assert inside["text"] == "line second"
    assert across["text"].split() == ["second", "line", "End."]


def test_a_file_that_changes_is_read_again_and_others_are_not(folder, monkeypatch):
    from docxchunk.server import library
    from docxchunk.server.library import Library

    parsed = []
    monkeypatch.setattr(
        library,
        "document_of",
        lambda job, real=library.document_of: parsed.append(job.item.label) or real(job),
    )
    known = Library(folder)
    assert known.search("rent", 5)
    assert known.search("rent", 5)
    assert parsed == ["2024/lease.docx", "report.docx"]
    (folder / "2024" / "lease.docx").write_bytes(docx("<p>A submarine.</p>"))
    assert [found.name for found in known.search("submarine", 5)] == ["2024/lease.docx"]
    (folder / "2024" / "lease.docx").unlink()
    assert not known.search("submarine", 5)
    assert parsed == ["2024/lease.docx", "report.docx", "2024/lease.docx"]


def test_files_that_cannot_be_read_do_not_stop_a_search(folder):
    (folder / "bad.docx").write_bytes(b"no")
    found, refused = asked(
        folder, ("search", {"query": "rent"}), ("outline", {"document": "bad.docx"})
    )
    assert found
    assert refused == "This is not a .docx: it is not a ZIP file."


@pytest.mark.parametrize(
    "error",
    [
        ValueError("no"),
        MemoryError(),
        RecursionError(),
        MissingFileError("{folder}/bad.docx cannot be read."),
    ],
)
def test_an_error_in_one_file_does_not_stop_a_search_or_tell_the_folder(folder, monkeypatch, error):
    from docxchunk.server import library

    def parse(job):
        if job.item.name == "bad.docx":
            raise type(error)(str(error).format(folder=folder))
        return document_of(job)

    document_of = library.document_of
    monkeypatch.setattr(library, "document_of", parse)
    (folder / "bad.docx").write_bytes(b"no")
    found, refused = asked(
        folder, ("search", {"query": "rent"}), ("outline", {"document": "bad.docx"})
    )
    assert found
    assert refused.endswith(".")
    assert str(folder) not in refused


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="only Linux has such file names")
def test_names_that_are_no_text_are_listed_and_read(folder):
    for name in ("\udcff.docx", r"\xff.docx", "\x1b[1m\n.docx"):
        (folder / name).write_bytes(LEASE)
    listed, found = asked(
        folder, ("list_documents", {}), ("search", {"query": "rent", "limit": 20})
    )
    assert set(listed) == {"2024/lease.docx", "report.docx", r"\xff.docx", r"\x1b[1m\n.docx"}
    assert {hit["document"] for hit in found} == set(listed) - {"report.docx"}


@pytest.mark.parametrize(
    "name",
    [
        "../secret.docx",
        "/etc/passwd",
        "2024/../../secret.docx",
        "",
        ".",
        "2024",
        "linked.docx",
        "away/secret.docx",
        "x.docx.parsed",
    ],
)
def test_nothing_but_the_documents_of_the_folder_can_be_read(folder, name):
    (folder / "linked.docx").symlink_to(folder.parent / "secret.docx")
    (folder / "away").symlink_to(folder.parent)
    docxchunk("parse", "secret.docx", cwd=folder.parent)
    shutil.copytree(folder.parent / "secret.docx.parsed", folder / "x.docx.parsed")
    blocks = folder / "x.docx.parsed" / "secret.blocks.jsonl"
    blocks.unlink()
    blocks.symlink_to(folder.parent / "secret.docx.parsed" / "secret.blocks.jsonl")
    refused = f"There is no document {name!r}: call list_documents for the names."
    answers = asked(
        folder,
        ("list_documents", {}),
        ("outline", {"document": name}),
        ("read_section", {"document": name, "section": "x"}),
        ("cite", {"document": name, "quote": "rent"}),
        ("search", {"query": "rent", "document": name or "."}),
    )
    assert answers == [
        ["2024/lease.docx", "report.docx"],
        refused,
        refused,
        refused,
        refused if name else refused.replace("''", "'.'"),
    ]


def test_nothing_is_written(folder):
    before = sorted(folder.parent.rglob("*"))
    asked(folder, ("search", {"query": "rent"}), ("outline", {"document": "report.docx"}))
    assert sorted(folder.parent.rglob("*")) == before


def test_parsed_folders_are_documents_too(folder):
    docxchunk("parse", "report.docx", cwd=folder)
    (folder / "report.docx").unlink()
    names, found = asked(folder, ("list_documents", {}), ("search", {"query": "world"}))
    assert names == ["2024/lease.docx", "report.docx.parsed"]
    assert [hit["document"] for hit in found] == ["report.docx.parsed"]


def test_a_folder_is_needed(folder):
    with pytest.raises(UsageError, match="is not a folder"):
        server(folder / "report.docx")


@asynccontextmanager
async def _over_stdio(folder):
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "docxchunk", "mcp", str(folder)], env=ENVIRONMENT
    )
    async with Client(stdio_client(command)) as client:
        yield client


def test_the_command_serves_over_standard_input_and_output(folder):
    async def ask():
        async with _over_stdio(folder) as client:
            tools = (await client.list_tools()).tools
            return {tool.name: tool.annotations.read_only_hint for tool in tools}, _answer(
                await client.call_tool("search", {"query": "rent"})
            )

    tools, found = anyio.run(ask)
    assert tools == dict.fromkeys(
        ("list_documents", "outline", "read_section", "search", "cite"), True
    )
    assert found[0]["document"] == "2024/lease.docx"


def test_a_missing_extra_is_named(tmp_path):
    (tmp_path / "mcp.py").write_text("raise ModuleNotFoundError('no', name='mcp')", "utf-8")
    said = docxchunk_process("mcp", ".", cwd=tmp_path)
    assert said == (
        1,
        "",
        'Error: docxchunk mcp needs the package mcp: pip install "docxchunk[mcp]"\n',
    )
