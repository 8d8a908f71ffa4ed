"""All errors are public and name the file concerned."""

from __future__ import annotations

import inspect
import io
import pickle
import re
from functools import partial

import pytest
from docx_builder import docx

import docxchunk
from docxchunk import api, errors
from docxchunk.model.ports import Models

NONE = Models()
ERRORS = [
    value
    for _, value in inspect.getmembers(errors, inspect.isclass)
    if value.__module__ == errors.__name__
]


def test_each_is_public_and_has_a_path():
    for error in ERRORS:
        assert getattr(docxchunk, error.__name__) is error
        assert error.__name__ in docxchunk.__all__
        assert issubclass(error, docxchunk.DocxchunkError)
        assert error("sentence").path == ""


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_its_text_is_the_sentence_in_another_process_too(error):
    details = [name for name in ("kind", "limit") if hasattr(error(), name)]
    made = error("A sentence.", *details)
    made.path = "a.docx"
    again = pickle.loads(pickle.dumps(made))  # noqa: S301 - our own bytes
    assert str(made) == str(again) == "A sentence."
    assert [getattr(again, name) for name in details] == details
    assert vars(again) == vars(made)


def test_a_hint_is_shown_in_another_process_too(tmp_path):
    (tmp_path / "report.docx").write_bytes(b"")
    with pytest.raises(docxchunk.MissingFileError) as caught:
        docxchunk.read(tmp_path / "report.doc")
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own bytes
    assert (
        str(caught.value)
        == str(again)
        == (f"{tmp_path / 'report.doc'} does not exist; did you mean {tmp_path / 'report.docx'}?")
    )


@pytest.mark.parametrize("function", [docxchunk.parse, docxchunk.chunk, docxchunk.read])
@pytest.mark.parametrize("data", [None, b"", b"no zip file"])
def test_unreadable_input_has_its_path(tmp_path, function, data):
    path = tmp_path / ("a.docx" if function is not docxchunk.read else "a.blocks.jsonl")
    if data is not None:
        path.write_bytes(data)
    if function is docxchunk.read and data == b"":
        return
    with pytest.raises(docxchunk.InputError) as caught:
        function(path)
    assert caught.value.path == str(path)


@pytest.mark.parametrize(
    ("function", "source", "sentence"),
    [
        (docxchunk.parse, "", "source is empty; it must be a path."),
        (docxchunk.chunk, "", "source is empty; it must be a path."),
        (docxchunk.read, "", "path is empty; it must be a path."),
        (docxchunk.read, None, "path is None; it must be text."),
        (
            docxchunk.parse,
            docxchunk.parse(docx("<p>a</p>")),
            (
                "source is of the type Document; it must be a path, bytes, a binary file or a "
                "docx.Document of python-docx."
            ),
        ),
        (docxchunk.parse_many, 3, "paths is 3; it must be a path or several paths."),
        (
            partial(docxchunk.search, question="a"),
            docxchunk.parse(docx("<p>a</p>")),
            "paths is <Document 'document.docx': 1 block>; it must be a path or several paths.",
        ),
    ],
)
def test_what_is_no_source_is_refused(function, source, sentence):
    with pytest.raises(docxchunk.UsageError) as caught:
        function(source)
    assert str(caught.value) == sentence


DOCUMENT = docxchunk.parse(docx("<p>a</p>"), name="a.docx")


@pytest.mark.parametrize(
    ("function", "arguments", "name"),
    [
        (docxchunk.parse, {"source": b"", "options": {}}, "options"),
        (docxchunk.parse, {"source": b"", "name": 5}, "name"),
        (docxchunk.parse, {"source": b"", "doc_id": 5}, "doc_id"),
        (docxchunk.chunk_text, {"text": b"a"}, "text"),
        (docxchunk.chunk_text, {"text": "a", "markdown": 1}, "markdown"),
        (docxchunk.chunk_text, {"text": "a", "name": 5}, "name"),
        (docxchunk.chunk_text, {"text": "a", "doc_id": 5}, "doc_id"),
        (api.units, {"document": "a.docx", "chunks": []}, "document"),
        (api.units, {"document": DOCUMENT, "chunks": [], "longest": "5"}, "longest"),
        (docxchunk.describe, {"document": DOCUMENT, "models": None}, "models"),
        (docxchunk.situate, {"document": "a", "chunks": [], "models": NONE}, "document"),
        (docxchunk.situate, {"document": DOCUMENT, "chunks": [], "models": None}, "models"),
        (
            docxchunk.situate,
            {"document": DOCUMENT, "chunks": [], "models": NONE, "max_tokens": "5"},
            "max_tokens",
        ),
        (docxchunk.write, {"document": "a.docx"}, "document"),
    ],
)
def test_an_argument_of_another_type_is_named(function, arguments, name):
    with pytest.raises(docxchunk.UsageError, match=f"^{name} is "):
        function(**arguments)


def test_chunks_are_not_compared_with_units():
    chunks = DOCUMENT.chunks()
    with pytest.raises(docxchunk.UsageError, match=r"^Chunks and units cannot be compared"):
        docxchunk.diff(chunks, DOCUMENT.units(chunks))


def test_chunks_of_two_documents_are_not_compared():
    other = docxchunk.parse(docx("<p>a</p>"), doc_id="doc-other")
    sentence = f"different documents cannot be compared ({DOCUMENT.doc_id}, doc-other): "
    assert docxchunk.diff(other, other.chunks()).actions == ()
    with pytest.raises(docxchunk.UsageError, match=re.escape(sentence)):
        docxchunk.diff(DOCUMENT, other)
    with pytest.raises(docxchunk.UsageError, match=re.escape(sentence)):
        docxchunk.diff([], [*DOCUMENT.chunks(), *other.chunks()])


def test_a_file_that_is_open_as_text_is_refused():
    with pytest.raises(docxchunk.UsageError, match="open it in binary mode"):
        docxchunk.parse(io.StringIO("text"))


@pytest.mark.parametrize(
    ("function", "name"), [(docxchunk.chunk, "iter_chunks"), (docxchunk.parse, "parse_many")]
)
def test_a_folder_of_documents_names_the_function_that_takes_it(tmp_path, function, name):
    with pytest.raises(docxchunk.MissingFileError) as caught:
        function(tmp_path)
    assert str(caught.value) == f"{tmp_path} is a folder of documents: use docxchunk.{name}."
    assert caught.value.path == str(tmp_path)
