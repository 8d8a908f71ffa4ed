"""The search: what is found, and that the index follows the documents."""

from __future__ import annotations

import json
import shutil

import pytest
from cli.helpers import docxchunk as command
from cli.helpers import docxchunk_process
from docx_builder import docx

pytest.importorskip("bm25s", reason="bm25s is not installed: no search")

import docxchunk
from docxchunk.backends.bm25 import words
from docxchunk.errors import MissingFileError, UsageError
from docxchunk.retrieval.collection import Collection

LEASE = docx(
    "<p style='Heading1'>Rent</p><p>The rent is 1,200 a month.</p>"
    "<p style='Heading2'>Late payment</p><p>A late payment bears interest of 8 percent.</p>"
    "<p style='Heading1'>Term</p><p>The lease ends in May 2031.</p>"
)
SUPPLY = docx("<p style='Heading1'>Delivery</p><p>Pipes of clause 6.13.1 come in June.</p>")


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DOCXCHUNK_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "docs"
    place.mkdir()
    (place / "lease.docx").write_bytes(LEASE)
    (place / "supply.docx").write_bytes(SUPPLY)
    return place


def contents(collection, question):
    return [hit.unit.content for hit in collection.search(question)]


def test_the_best_place_comes_first_with_its_citation(folder):
    hit, *_ = docxchunk.search(folder, "interest of a late payment")
    assert hit.unit.content == "A late payment bears interest of 8 percent."
    assert hit.unit.citation == "lease.docx, Rent > Late payment, about p. 1, ¶ 4"
    assert (hit.document, hit.words) == ("lease.docx", ("interest", "late", "payment"))


def test_a_question_without_a_known_word_has_no_hit(folder):
    assert docxchunk.search(folder, "zebra") == []
    assert docxchunk.search(folder, "") == []


def test_a_number_with_dots_is_one_word(folder):
    assert contents(Collection.at(folder), "6.13.1") == ["Pipes of clause 6.13.1 come in June."]
    assert words("Clause 6.13.1, 8.2a: 漢字") == ["clause", "6.13.1", "8.2a", "漢", "字", "漢字"]


def test_a_search_may_be_limited_to_one_document(folder):
    collection = Collection.at(folder)
    assert {hit.document for hit in collection.search("June May", within="supply.docx")} == {
        "supply.docx"
    }
    assert collection.search("June", within="unknown.docx") == []


@pytest.mark.parametrize("keep", [True, False])
def test_the_index_follows_the_documents(folder, keep):
    collection = Collection.at(folder, keep=keep)
    assert contents(collection, "June") == ["Pipes of clause 6.13.1 come in June."]
    (folder / "supply.docx").write_bytes(
        docx("<p style='Heading1'>Delivery</p><p>Pipes come in December.</p>")
    )
    (folder / "third.docx").write_bytes(docx("<p>June is in the third.</p>"))
    assert contents(collection, "June") == ["June is in the third."]
    assert contents(Collection.at(folder, keep=keep), "December") == ["Pipes come in December."]
    (folder / "third.docx").unlink()
    assert contents(collection, "June") == []


def test_a_kept_index_gives_the_same_hits(folder):
    first = Collection.at(folder).search("the lease ends")
    again = Collection.at(folder).search("the lease ends")
    assert first
    assert first == again


def test_a_damaged_index_is_made_again(folder, tmp_path):
    first = Collection.at(folder).search("lease")
    for file in (tmp_path / "cache").rglob("*.npy"):
        file.write_bytes(b"x")
    assert Collection.at(folder).search("lease") == first


def test_a_document_that_cannot_be_read_does_not_stop_the_others(folder):
    (folder / "broken.docx").write_bytes(b"PK\x03\x04 no")
    collection = Collection.at(folder)
    assert contents(collection, "June")
    ((name, sentence),) = collection.failures
    assert name == "broken.docx"
    assert sentence


def test_a_missing_path_is_an_error():
    with pytest.raises(MissingFileError):
        docxchunk.search("nowhere.docx", "June")


def test_a_parsed_folder_is_searched_by_its_chunks(folder):
    command("chunk", "lease.docx", "-n", "64", cwd=folder)
    parsed = folder / "lease.docx.parsed"
    lines = (parsed / "lease.chunks.jsonl").read_text().splitlines()
    ids = {json.loads(text).get("chunk_id") for text in lines}
    assert {hit.unit.chunk_id for hit in docxchunk.search(parsed, "rent lease payment")} <= ids


def test_the_command_prints_places_and_json(folder):
    shown = command("search", "lease.docx", "late payment", "--limit", "1", cwd=folder)
    assert shown.out == (
        "1  lease.docx, Rent > Late payment, about p. 1, ¶ 4\n"
        "A late payment bears interest of 8 percent.\n\n"
    )
    (record,) = map(
        json.loads,
        command(
            "search", ".", "late payment", "--limit", "1", "--json", cwd=folder
        ).out.splitlines(),
    )
    assert (record["rank"], record["document"], record["words"]) == (
        1,
        "lease.docx",
        ["late", "payment"],
    )


def test_many_questions_from_a_file(folder):
    (folder / "q.jsonl").write_text('{"id": "a", "question": "June"}\n\n{"question": "May"}\n')
    command("search", ".", "--queries", "q.jsonl", "--out", "hits.jsonl", cwd=folder)
    hits = [json.loads(text) for text in (folder / "hits.jsonl").read_text().splitlines()]
    assert [(hit["query"], hit["rank"]) for hit in hits[:2]] == [("a", 1), ("3", 1)]
    assert hits[1]["content"] == "The lease ends in May 2031."


@pytest.mark.parametrize("text", ["no JSON", '{"id": 1}', "[1]"])
def test_a_line_without_a_question_is_refused(folder, text):
    (folder / "q.jsonl").write_text(text)
    result = command("search", ".", "--queries", "q.jsonl", cwd=folder)
    assert result.code == 2
    assert 'q.jsonl, line 1: it must be JSON with a "question".' in result.err


def test_units_are_written_beside_the_chunks_and_checked(folder):
    command("chunk", "lease.docx", "--units", cwd=folder)
    parsed = folder / "lease.docx.parsed"
    meta, *lines = map(json.loads, (parsed / "lease.units.jsonl").read_text().splitlines())
    assert meta["units"] == len(lines) == 3
    assert command("validate", "lease.docx.parsed", cwd=folder).code == 0
    command("chunk", "lease.docx", "-n", "64", cwd=folder)  # other chunks: the units are outdated
    assert not (parsed / "lease.units.jsonl").exists()
    command("chunk", "lease.docx", "-n", "64", "--units", cwd=folder)
    shutil.copy(parsed / "lease.units.jsonl", folder / "copy")
    with (parsed / "lease.units.jsonl").open("a") as file:
        file.write(json.dumps({**lines[0], "tokens": -1}) + "\n")
    assert command("validate", "lease.docx.parsed", cwd=folder).code == 1
    command("chunk", "lease.docx", "-n", "64", "--units", cwd=folder)
    assert (parsed / "lease.units.jsonl").read_bytes() == (folder / "copy").read_bytes()


def test_units_are_printed_instead_of_chunks(folder):
    result = command("chunk", "lease.docx", "--units", "-o", "-", cwd=folder)
    assert [json.loads(text)["kind"] for text in result.out.splitlines()] == ["text"] * 3


def test_the_limit_of_units_is_checked(folder):
    document = docxchunk.parse(folder / "lease.docx")
    with pytest.raises(UsageError, match="longest is 0; it must be 1 or more"):
        document.units(document.chunks(), longest=0)


@pytest.mark.parametrize("missing", ["numpy", "bm25s"])
def test_a_missing_extra_is_named(folder, missing):
    (folder / f"{missing}.py").write_text(f"raise ModuleNotFoundError('no', name='{missing}')")
    result = docxchunk_process("search", "lease.docx", "rent", cwd=folder)
    assert (result.code, result.out) == (1, "")
    assert result.err == (
        f'Error: The search by words needs the package {missing}: pip install "docxchunk[search]"\n'
    )
