"""Many files from Python."""

from __future__ import annotations

import os

import numpy as np
import pytest
from docx_builder import docx

import docxchunk
from docxchunk import MissingFileError, NotWordError, UsageError
from docxchunk.errors import MissingModelError
from docxchunk.model.ports import Models


def characters(text: str) -> int:
    """A tokenizer that can be pickled."""
    return len(text)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "below").mkdir()
    (tmp_path / "a.docx").write_bytes(docx("<p>One.</p>"))
    (tmp_path / "b.docx").write_bytes(b"%PDF-1.7")
    (tmp_path / "below" / "c.docx").write_bytes(docx("<p>Two.</p>"))
    (tmp_path / "d.pdf").write_bytes(b"%PDF-1.7")
    return tmp_path


@pytest.mark.parametrize("processes", [1, 2, "auto"])
def test_errors_are_returned_and_do_not_stop_other_files(folder, processes):
    paths = [folder, folder / "nowhere.docx"]
    found = list(docxchunk.parse_many(paths, processes=processes))
    assert [outcome.path for outcome in found] == [
        folder / "a.docx",
        folder / "b.docx",
        folder / "below" / "c.docx",
        folder / "nowhere.docx",
    ]
    assert [outcome.result and outcome.result.blocks[0].content for outcome in found] == [
        "One.",
        None,
        "Two.",
        None,
    ]
    assert [type(outcome.error) for outcome in found] == [
        type(None),
        docxchunk.PdfError,
        type(None),
        MissingFileError,
    ]
    assert isinstance(found[1].error, NotWordError)
    assert [outcome.error.path for outcome in found if outcome.error] == [
        str(folder / "b.docx"),
        str(folder / "nowhere.docx"),
    ]
    assert sorted(path.name for path in folder.rglob("*")) == [
        "a.docx",
        "b.docx",
        "below",
        "c.docx",
        "d.pdf",
    ]


@pytest.mark.parametrize("processes", [1, 2, "auto"])
def test_iter_chunks_equals_chunking_each_document(folder, processes):
    found = list(
        docxchunk.iter_chunks(folder, processes=processes, max_tokens=40, tokenizer=characters)
    )
    assert [outcome.result for outcome in found if outcome.error is None] == [
        docxchunk.chunk(outcome.result, max_tokens=40, tokenizer=characters)
        for outcome in docxchunk.parse_many(folder)
        if outcome.result
    ]


def test_any_function_can_count_tokens_in_this_process(folder):
    def count(text):
        return len(text)

    (outcome,) = docxchunk.iter_chunks(folder / "a.docx", tokenizer=count)
    assert outcome.result[0].tokens == len(outcome.result[0].content)
    with pytest.raises(UsageError, match="cannot be sent to another process"):
        docxchunk.iter_chunks(folder / "a.docx", tokenizer=count, processes=2)


def test_one_path_and_options(folder):
    (only,) = docxchunk.parse_many(
        str(folder / "a.docx"), options=docxchunk.ParseOptions(comments=True)
    )
    assert only.result.options.comments is True
    assert docxchunk.write(only.result, folder).name == "a.docx.parsed"
    docxchunk.write(only.result, folder / "parsed")
    for path in (folder / "a.docx.parsed", folder / "parsed"):
        (again,) = docxchunk.iter_chunks(path)
        assert again.result == docxchunk.chunk(folder / "a.docx")


@pytest.mark.parametrize(
    ("settings", "error", "sentence"),
    [
        ({"max_tokens": 3}, UsageError, "max_tokens is 3"),
        ({"processes": 0}, UsageError, 'processes is 0; it must be 1 or more, or "auto"'),
        ({"processes": "all"}, UsageError, "processes is"),
        (
            {"processes": 2, "tokenizer": lambda text: len(text) + 1},
            UsageError,
            "cannot be sent to another process",
        ),
        ({"strategy": "V"}, MissingModelError, r'models=docxchunk\.models\(embedder="FOLDER"\)'),
        ({"options": {}}, UsageError, "options is"),
        ({"tokenizer": "nowhere.json"}, MissingFileError, "nowhere.json"),
    ],
)
def test_wrong_settings_are_refused_before_any_file(folder, settings, error, sentence):
    with pytest.raises(error, match=sentence):
        docxchunk.iter_chunks(folder, **settings)


def failing(text: str) -> int:
    """A tokenizer that fails for one of the texts."""
    if "Two" in text:
        raise ValueError("too hard")
    return len(text)


@pytest.mark.parametrize("processes", [1, 2])
def test_the_exception_of_a_tokenizer_is_named(folder, processes):
    one, two = docxchunk.iter_chunks(
        [folder / "a.docx", folder / "below"], tokenizer=failing, processes=processes
    )
    assert [chunk.content for chunk in one.result] == ["One."]
    assert str(two.error) == "The tokenizer function failed (ValueError: too hard)."
    assert two.error.path == str(folder / "below" / "c.docx")


class Vectors:
    """An embedder that remembers the threads that asked."""

    name = fingerprint = "vectors"

    def __init__(self):
        self.processes = set()

    def embed(self, texts):
        self.processes.add(os.getpid())
        return np.ones((len(texts), 2), np.float32) / 2**0.5


def test_models_that_are_given_are_asked_in_threads_of_this_process(folder):
    """So nothing has to be sent to another process."""
    vectors = Vectors()
    found = docxchunk.iter_chunks(
        folder,
        processes=2,
        strategy="V",
        models=Models(embedder=vectors),
        tokenizer=lambda text: len(text),  # noqa: PLW0108 - it cannot be sent
    )
    assert [outcome.error is None for outcome in found] == [True, False, True]
    assert vectors.processes <= {os.getpid()}
