"""The documents at some paths, and whether they have changed."""

from __future__ import annotations

from cli.helpers import docxchunk as command
from docx_builder import docx

from docxchunk.retrieval.folders import library
from docxchunk.retrieval.folders.library import Library, inputs_at, inputs_below, state_of


def test_the_readers_used_last_are_kept_up_to_a_size(tmp_path, monkeypatch):
    for name in "abc":
        (tmp_path / f"{name}.docx").write_bytes(docx("<p>Ten bytes.</p>"))
    documents = Library(lambda: inputs_below(tmp_path))
    monkeypatch.setattr(library, "_MOST_KEPT", 250)  # two of them
    a, b = documents.reader("a.docx"), documents.reader("b.docx")
    assert documents.reader("a.docx") is a
    c = documents.reader("c.docx")  # in place of b
    assert documents.reader("a.docx") is a
    assert documents.reader("c.docx") is c
    assert documents.reader("b.docx") is not b
    monkeypatch.setattr(library, "_MOST_KEPT", 0)  # the last one, always
    assert documents.reader("a.docx") is documents.reader("a.docx")
    (tmp_path / "a.docx").write_bytes(docx("<p>Other text.</p>"))
    assert documents.reader("a.docx") is not a


def sizes(*files):
    return sum(file.stat().st_size for file in files)


def last_change(*files):
    statuses = [file.stat() for file in files]
    return max(time for each in statuses for time in (each.st_mtime_ns, each.st_ctime_ns))


def test_the_state_of_a_document_is_that_of_its_file_and_of_the_records_in_its_folder(tmp_path):
    path, folder = tmp_path / "rent.docx", tmp_path / "rent.docx.parsed"
    path.write_bytes(docx("<p>Rent.</p>"))
    (word,) = inputs_at([str(tmp_path)])
    before = state_of(word)
    assert before == (str(path), "rent.docx", last_change(path), sizes(path))
    assert command("parse", path).code == 0
    records = list(folder.glob("*.jsonl"))
    parsed = state_of(word)
    assert parsed.size == sizes(path, *records)
    assert parsed.changed > before.changed
    (folder / "notes.txt").write_text("No record.")
    assert state_of(word) == parsed
    path.unlink()
    assert state_of(word)[2:] == (0, -1)  # it cannot be read
    (alone,) = inputs_at([str(tmp_path)])
    assert state_of(alone)[1:] == ("rent.docx", last_change(*records), sizes(*records))
