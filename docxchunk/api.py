"""Parse, chunk, write, read: the only module that sees both halves. What it needs is imported when it is called, so that a command starts fast."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol, TypedDict, Union, runtime_checkable

from docxchunk.errors import EmptyFileError, InputError, LimitError, MissingFileError, UsageError
from docxchunk.model.document import Document
from docxchunk.model.options import ParseOptions
from docxchunk.model.ports import NO_MODELS, Models

if TYPE_CHECKING:
    from docxchunk.chunking import Strategy
    from docxchunk.chunking.diff import Diff
    from docxchunk.model.blocks import Block
    from docxchunk.model.chunks import Chunk
    from docxchunk.model.ports import Tokenizer

StrPath = str | PathLike[str]
Setting = str | int | float | bool | None
TokenizerChoice = Union[StrPath, Callable[[str], int], "Tokenizer"]

DEFAULT_MAX_TOKENS = 2000
DEFAULT_OVERLAP = 100
DEFAULT_TOKENIZER = "o200k_base"
_UNNAMED = "document.docx"


@runtime_checkable
class Saveable(Protocol):
    """A `docx.Document` of python-docx."""

    def save(self, path_or_stream: IO[bytes]) -> None: ...


Source = StrPath | bytes | bytearray | memoryview | IO[bytes] | Saveable


class InputKind(StrEnum):
    """What is made of a path."""

    WORD = "word"  # also what has a name of no known kind: the reader says what it is
    PARSED = "parsed"  # a parsed folder or a .blocks.jsonl
    TEXT = "text"


def kind_of(path: Path) -> InputKind:
    """What a path is taken for, by its name alone where it is no folder."""
    from docxchunk.reader.plain_text import SUFFIXES

    if path.is_dir() or path.suffix == ".jsonl":
        return InputKind.PARSED
    return InputKind.TEXT if path.suffix.lower() in SUFFIXES else InputKind.WORD


def parse_as(kind: InputKind, data: bytes, name: str, doc_id: str | None = None, options: ParseOptions | None = None) -> Document:
    """The document in the bytes of a file of that kind: text is taken as it is, anything else is parsed."""
    if kind is InputKind.TEXT:
        from docxchunk.reader.identity import doc_id_of
        from docxchunk.reader.plain_text import read_plain_text

        return read_plain_text(data, name, doc_id or doc_id_of(name))
    return parse(data, options=options, doc_id=doc_id, name=name)


def parse(source: Source, *, options: ParseOptions | None = None, doc_id: str | None = None, name: str | None = None) -> Document:
    """The document in a Word file: a path, bytes, a file object or a `docx.Document`.

    `name` is what the document is called where the source does not say; `doc_id` is made of the name unless given.
    Raises InputError, or one of its kin, where the file cannot be read.
    """
    from docxchunk.reader.document import read_document

    data, found = _bytes_of(source)
    if not data:
        raise EmptyFileError("The file is empty: it has no bytes.")
    try:
        return read_document(data, name or found, options or ParseOptions(), doc_id)
    except RecursionError:
        raise LimitError("Elements are nested too deep to be read.", "depth") from None


def chunk(  # noqa: PLR0913 - settings by keyword
    source: Document | Source,
    *,
    strategy: str | Strategy = "P",
    max_tokens: int = DEFAULT_MAX_TOKENS,
    overlap: int = DEFAULT_OVERLAP,
    tokenizer: TokenizerChoice = "o200k_base",
    contextualize: bool = False,
    drop_toc: bool = False,
    settings: Mapping[str, Setting] | None = None,
    models: Models = NO_MODELS,
) -> list[Chunk]:
    """The chunks of a document, in reading order. Anything else than a Document is parsed first.

    No chunk is over `max_tokens` tokens. `overlap` is the most tokens shown twice where one paragraph has to be split. With `contextualize`,
    the heading path stands before the text and counts; with `drop_toc`, tables of contents are left out. `settings` are those of the
    strategy, by name (`docxchunk strategies` lists them), `models` what it may ask.
    Raises UsageError for settings that make no sense, MissingModelError where the strategy needs a model that is not given.
    """
    from docxchunk.chunking import Limits, run
    from docxchunk.chunking.named import named_strategy

    document = source if isinstance(source, Document) else _document_of(source)
    recipe = named_strategy(strategy, settings or {}) if isinstance(strategy, str) else strategy
    if isinstance(recipe, type) or not hasattr(recipe, "stages"):
        raise UsageError(f"{recipe!r} is no strategy: give a name (`docxchunk strategies` lists them) or an object such as P().")
    limits = Limits(max_tokens, overlap, contextualize, drop_toc)
    return list(run(document, recipe, limits, _tokenizer(tokenizer), models).chunks)


def tokenizer(choice: TokenizerChoice = "o200k_base") -> Tokenizer:
    """What counts tokens: "o200k_base", "cl100k_base", the path of a Hugging Face `tokenizer.json`, or any function str -> int."""
    from docxchunk.backends import tokenizer as named

    return named(choice)


def models(embedder: str = "", scorer: str = "", completer: str = "", *, device: str = "auto", cache: bool = True) -> Models:
    """The models that strategies may ask; "" is none, or what DOCXCHUNK_EMBEDDER, DOCXCHUNK_SCORER and DOCXCHUNK_COMPLETER say.

    `embedder` is "minilm", "hashing" or the folder of a sentence-transformers model; without one, minilm is taken where it is installed. `scorer` is
    the folder of a transformers model, `completer` such a folder or the URL of an OpenAI-compatible server, with #MODEL where it has several.
    `device` is "auto", "cpu" or "cuda". With `cache`, answers are kept in a folder of the user's. Nothing is downloaded.
    Raises UsageError, MissingExtraError, MissingModelError, ModelError.
    """
    from docxchunk.backends.choosing import ModelChoice
    from docxchunk.backends.choosing import models as chosen

    return chosen(ModelChoice(embedder, scorer, completer, device, cache).with_environment())


_tokenizer = tokenizer  # the functions above have a parameter of that name


def diff(old: Sequence[Chunk], new: Sequence[Chunk]) -> Diff:
    """What became of each chunk between two chunkings of one document, and in `actions` what an index of them has to do.

    Raises UsageError where the chunks are not of one document: their ids could not be compared.
    """
    from docxchunk.chunking.diff import diff as compare

    if len(documents := {chunk.doc_id for chunk in (*old, *new)}) > 1:
        raise UsageError(f"Chunks of different documents cannot be compared ({', '.join(sorted(documents))}): give both parsings one doc_id.")
    return compare(old, new)


def write(document: Document, folder: StrPath = ".") -> Path:
    """Writes `folder`/NAME.parsed, whole, in place of an older one; its path. Raises OutputError, and then leaves what was there."""
    from docxchunk.sidecar.writer import write as write_folder

    return write_folder(document, Path(folder))


def read(path: StrPath) -> Document:
    """The document in a parsed folder or a .blocks.jsonl: ours, or what a parser of LightRAG wrote. Raises MissingFileError or SidecarError."""
    from docxchunk.sidecar.reader import read as read_folder

    return read_folder(Path(path))


def read_blocks(path: StrPath) -> tuple[Block, ...]:
    """The blocks in a parsed folder or a .blocks.jsonl."""
    return read(path).blocks


class SeedChunk(TypedDict):
    """A chunk as seed 002, 3.3, has it."""

    tokens: int
    content: str
    chunk_order_index: int
    heading: str
    parent_headings: list[str]
    level: int


def chunking_by_paragraph_semantic(
    tokenizer: TokenizerChoice,
    content: str,
    chunk_token_size: int = DEFAULT_MAX_TOKENS,
    chunk_overlap_token_size: int = DEFAULT_OVERLAP,
    *,
    blocks_path: StrPath | None = None,
) -> list[SeedChunk]:
    """P by the interface of its specification (seed 002, 3.1 and 3.3): the chunks of the blocks at `blocks_path`.

    Where that is missing, unreadable or has no block, `content` is chunked by R (seed 002, 10).
    """
    from docxchunk.chunking import P, Sizes

    document = _blocks_or_text(blocks_path, content)
    found = chunk(document, strategy=P(sizes=Sizes.SEED), max_tokens=chunk_token_size, overlap=chunk_overlap_token_size, tokenizer=tokenizer)
    return [
        SeedChunk(
            tokens=c.tokens, content=c.content, chunk_order_index=c.chunk_order_index, heading=c.heading, parent_headings=list(c.parent_headings), level=c.level
        )
        for c in found
    ]


def _blocks_or_text(blocks_path: StrPath | None, content: str) -> Document:
    from docxchunk.reader.plain_text import read_plain_text

    if blocks_path is not None:
        try:
            document = read(blocks_path)
        except InputError:
            document = None
        if document is not None and document.blocks:
            return document
    return read_plain_text(content.encode("utf-8", "surrogatepass"), "content.txt", "doc-content")


def _document_of(source: Source) -> Document:
    if not isinstance(source, (str, PathLike)):
        return parse(source)
    path = Path(source)
    kind = kind_of(path)
    return read(path) if kind is InputKind.PARSED else parse_as(kind, *_bytes_of(path))


def _bytes_of(source: Source) -> tuple[bytes, str]:
    """The bytes of a source, and what it is called."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), _UNNAMED
    if isinstance(source, (str, PathLike)):
        path = Path(source)
        try:
            return path.read_bytes(), path.name
        except OSError as error:
            raise MissingFileError(f"The file {str(path)!r} cannot be read ({error.strerror or error}).") from error
    if isinstance(source, Saveable):
        buffer = BytesIO()
        source.save(buffer)
        return buffer.getvalue(), _UNNAMED
    if not hasattr(source, "read"):
        raise UsageError(f"{type(source).__name__} is no document: give a path, bytes, a binary file or a python-docx Document.")
    data = source.read()
    if not isinstance(data, bytes):
        raise UsageError("The file is open as text; open it in binary mode.")
    return data, Path(str(getattr(source, "name", _UNNAMED))).name
