"""`docxchunk chunk` with models on a server: chunks, metadata, and errors."""

from __future__ import annotations

import json
import re

import pytest
from backends.language_models.chat_server import completion, refusal, serving
from cli.helpers import docxchunk
from docx_builder import docx

from docxchunk import tokenizer
from docxchunk.model.chunks import Chunk

TEXT = docx(
    "".join(
        f"<p>Paragraph {n} is about the water of the tank. It says so twice.</p>" for n in range(12)
    )
)


@pytest.fixture
def book(tmp_path):
    (tmp_path / "book.docx").write_bytes(TEXT)
    return tmp_path


def meta(folder, strategy):
    return json.loads(
        next(folder.glob(f"*.parsed/*{strategy}.chunks.jsonl")).read_text("utf-8").split("\n")[0]
    )


@pytest.mark.parametrize("name", ["/models/of/somebody/tiny.gguf", "tiny.gguf"])
def test_paths_of_models_and_keys_are_never_written(book, name):
    pytest.importorskip("openai", reason="the extra api is not installed")
    with serving(lambda asked, _: completion(named(asked)), (name,)) as served:
        said = docxchunk("chunk book.docx -s LumberChunker --completer", served.url, "--trace", "trace.jsonl", OPENAI_API_KEY="sk-very-secret", DOCXCHUNK_CACHE=str(book / "cache"))  # fmt: skip
        assert (said.code, served.keys[0]) == (0, "Bearer sk-very-secret"), said.err
        assert meta(book, "LumberChunker")["models"] == {"completer": "tiny.gguf"}
    whole = (
        b"".join(path.read_bytes() for path in book.rglob("*") if path.is_file())
        + (said.out + said.err).encode()
    )
    assert b"sk-very-secret" not in whole
    assert b"somebody" not in whole


def named(asked):
    """Return an answer that names the third of the shown paragraphs."""
    shown = re.findall(r"^ID (\d{4}):", asked["messages"][-1]["content"], re.MULTILINE)
    return f"Answer: ID {shown[2]}"


MALFORMED = [
    completion("I would say it changes somewhere in the middle."),
    completion("Answer: ID 9999"),
    completion(None),
    completion("Answer: ID 0000"),
    refusal(503, "busy"),
    completion("**Answer:** `ID 0007`"),
]


def test_unusable_and_late_answers_still_give_whole_chunks(book):
    """The model sees three paragraphs at a time. It gives two unusable answers twice; then the
    server is busy once, and answers.

    The last five paragraphs fit into one chunk without a question.
    """
    pytest.importorskip("openai", reason="the extra api is not installed")
    with serving(lambda asked, number: MALFORMED[number]) as served:
        said = docxchunk(
            "chunk book.docx -s LumberChunker --set theta=60 --completer",
            served.url,
            "-o",
            "-",
            "--no-model-cache",
        )
    assert said.code == 0, said.err
    contents = [json.loads(line)["content"] for line in said.out.splitlines()]
    assert (
        "The model named none of the paragraphs it was shown: they form one chunk. (2 times)"
    ) in said.err
    assert [list(map(int, re.findall(r"Paragraph (\d+)", content))) for content in contents] == [
        [0, 1, 2],
        [3, 4, 5],
        [6],
        [7, 8, 9, 10, 11],
    ]


def test_a_refusing_server_is_one_sentence_and_writes_nothing(book):
    pytest.importorskip("openai", reason="the extra api is not installed")
    with serving(lambda *_: refusal(403, "not for you")) as served:
        said = docxchunk("chunk book.docx -s LLM --completer", served.url, "--no-model-cache")
    assert (said.code, said.out) == (1, "")
    assert re.search(r"book\.docx.*refused \(403: not for you\)", said.err)
    assert "Traceback" not in said.err
    assert not list(book.glob("**/*.chunks.jsonl"))


def test_situations_are_written_with_the_model_and_change_no_id(book):
    pytest.importorskip("openai", reason="the extra api is not installed")

    def chunked(*options):
        said = docxchunk(
            "chunk book.docx -n 64 --reserve 24", *options, DOCXCHUNK_CACHE=str(book / "cache")
        )
        assert said.code == 0, said.err
        return [
            json.loads(line)
            for line in (book / "book.docx.parsed/book.chunks.jsonl")
            .read_text("utf-8")
            .splitlines()
        ]

    plain_meta, *plain = chunked()
    with serving(
        lambda *_: completion(
            "From the book about tanks:\nthis part is on the water "
            "of the tank, " + "and more of it " * 20
        )
    ) as served:
        situating = ("--situate", "--completer", f"{served.url}#m")
        first, *chunks = chunked(*situating)
        assert len(served.requests) == len(chunks) > 1
        written = (book / "book.docx.parsed/book.chunks.jsonl").stat()
        chunked(*situating)
        # not written again
        assert (book / "book.docx.parsed/book.chunks.jsonl").stat().st_ino == written.st_ino
        chunked(*situating, "--force")
        assert len(served.requests) == len(chunks)
    assert first == plain_meta | {
        "models": {"completer": "m"},
        "situated_by": first["situated_by"],
        "contents_sha256": first["contents_sha256"],
    }
    assert all(
        chunk.pop("situation").startswith("From the book about tanks: this part")
        for chunk in (dict(chunk) for chunk in chunks)
    )
    assert all(tokenizer().count(Chunk.from_dict(chunk).embed_text) <= 64 for chunk in chunks)
    assert [
        {name: value for name, value in chunk.items() if name != "situation"} for chunk in chunks
    ] == plain
    assert docxchunk("validate book.docx.parsed").code == 0
    assert chunked() == [plain_meta, *plain]
