"""Parse, chunk, write, read: the only module that sees both halves. What it needs is imported when it is called, so that a command starts fast."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple, Protocol, TypedDict, Union, Unpack, runtime_checkable

from docxchunk.errors import EmptyFileError, InputError, LimitError, MissingFileError, UsageError, about
from docxchunk.model.document import Document
from docxchunk.model.fields import expect
from docxchunk.model.options import Limits, ParseOptions
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


class Naming(NamedTuple):
    """`name` is what a document is called: report.docx. Its id is `doc_id` or, where that is empty, made of `label`: the name, or a path below a folder."""

    name: str
    label: str
    doc_id: str = ""


def parse_as(kind: InputKind, data: bytes, naming: Naming, options: ParseOptions) -> Document:
    """The document in the bytes of a file of that kind: text is taken as it is, anything else is parsed."""
    if kind is InputKind.TEXT:
        from docxchunk.reader.identity import doc_id_of
        from docxchunk.reader.plain_text import read_plain_text

        return read_plain_text(data, naming.name, naming.doc_id or doc_id_of(naming.label))
    from docxchunk.reader.document import read_document

    if not data:
        raise EmptyFileError("The file is empty: it has no bytes.")
    try:
        return read_document(data, naming.name, options, naming.doc_id, naming.label)
    except RecursionError:
        raise LimitError("Elements are nested too deep to be read.", "depth") from None


def parse(source: Source, *, options: ParseOptions | None = None, doc_id: str | None = None, name: str | None = None) -> Document:
    """The document in a Word file: a path, bytes, a binary file object or a `docx.Document`.

    `name` is what the document is called where the source does not say, or says something else. `doc_id` is its id, of which the ids of its blocks and
    chunks are made. Without one, the id is a hash of the name of the file and of the date on which the document was created, as its properties have it
    (else of the `w15:docId` in its settings, else of the name alone): it stays the same when the document is edited or moved. Documents that share name
    and date, as copies in several folders do, need a `doc_id` or a `name` each. Bytes without a name get an id made of their content, which changes with
    every edit, and an issue `id-from-content`.
    Raises UsageError for arguments of a wrong type, and InputError, or one of its kin, with its `path`, where the file cannot be read.
    """
    chosen = ParseOptions() if options is None else expect("options", options, ParseOptions)
    label = expect("name", name or "", str)
    with about(_path_of(source)):
        data, found = _bytes_of(source, chosen.limits)
        naming = Naming(label or found or _UNNAMED, label or found, expect("doc_id", doc_id or "", str))
        return parse_as(InputKind.WORD, data, naming, chosen)


class ChunkSettings(TypedDict, total=False):
    """The settings of `chunk`, by the same names and with the same defaults."""

    strategy: str | Strategy
    max_tokens: int
    overlap: int
    tokenizer: TokenizerChoice
    contextualize: bool
    drop_toc: bool
    settings: Mapping[str, Setting] | None
    models: Models


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

    expect("models", models, Models)
    expect("settings", settings or {}, Mapping)  # type: ignore[type-abstract]
    recipe = named_strategy(strategy, settings or {}) if isinstance(strategy, str) else strategy
    if isinstance(recipe, type) or not hasattr(recipe, "stages"):
        raise UsageError(f"{recipe!r} is no strategy: give a name (`docxchunk strategies` lists them) or an object such as P().")
    limits = Limits(max_tokens, overlap, contextualize, drop_toc)
    document = source if isinstance(source, Document) else _document_of(source)
    return list(run(document, recipe, limits, _tokenizer(tokenizer), models).chunks)


def chunk_text(text: str, *, markdown: bool = False, name: str = "text", doc_id: str | None = None, **settings: Unpack[ChunkSettings]) -> list[Chunk]:
    """The chunks of a text; the settings, and what it raises, are those of `chunk`.

    With `markdown`, the headings in it ("## Terms"; not in fenced code) are those of the document. A text without headings is chunked by R, unless `strategy`
    says otherwise. `name` is what the document is called; without a `doc_id`, its id is a hash of the text.
    """
    from docxchunk.reader.identity import doc_id_of
    from docxchunk.reader.markdown import read_markdown
    from docxchunk.reader.plain_text import text_document

    content = expect("text", text, str).encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # no lone surrogates: tokenizers know none
    read_text = read_markdown if expect("markdown", markdown, bool) else text_document
    document = read_text(content, expect("name", name, str), expect("doc_id", doc_id or doc_id_of("", content), str))
    chosen: ChunkSettings = {**settings} if document.structured else {"strategy": "R", **settings}
    return chunk(document, **chosen)


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

    with about(folder):
        return write_folder(expect("document", document, Document), Path(folder))


def read(path: StrPath) -> Document:
    """The document in a parsed folder or a .blocks.jsonl: ours, or what a parser of LightRAG wrote. Raises MissingFileError or SidecarError."""
    from docxchunk.sidecar.reader import read as read_folder

    with about(path):
        return read_folder(Path(path))


def read_blocks(path: StrPath) -> tuple[Block, ...]:
    """The blocks in a parsed folder or a .blocks.jsonl."""
    return read(path).blocks


class SeedChunk(TypedDict):
    """A chunk as a dict of six fields (docs/design/staged-chunking.md, Interface and output)."""

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
    """The chunks of the blocks at `blocks_path`, by P with `sizes="seed"`: the function has the interface of the specification of P.

    Where the blocks are missing or cannot be read, or there are none, `content` is chunked by R. Raises UsageError for settings that make no sense.
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
    path, options = Path(source), ParseOptions()
    kind = kind_of(path)
    if kind is InputKind.PARSED:
        return read(path)
    with about(path):
        return parse_as(kind, bytes_in(path, options.limits), Naming(path.name, path.name), options)


def bytes_in(path: Path, limits: Limits) -> bytes:
    """The bytes of a file, or of whatever can be read like one. Raises LimitError, before it is read, where it is too large; MissingFileError."""
    try:
        with path.open("rb") as file:
            limits.admit_file(os.fstat(file.fileno()).st_size)
            data = file.read(limits.file + 1)  # a pipe has no size
    except OSError as error:
        raise MissingFileError(f"The file {str(path)!r} cannot be read ({error.strerror or error}).", str(path)) from error
    limits.admit_file(len(data))
    return data


def _bytes_of(source: Source, limits: Limits) -> tuple[bytes, str]:
    """The bytes of a source, and its file name; "" where it has none."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), ""
    if isinstance(source, (str, PathLike)):
        return bytes_in(Path(source), limits), Path(source).name
    if isinstance(source, Saveable):
        buffer = BytesIO()
        source.save(buffer)
        return buffer.getvalue(), ""
    if not hasattr(source, "read"):
        raise UsageError(f"{type(source).__name__} is no document: give a path, bytes, a binary file or a python-docx Document.")
    data = source.read(limits.file + 1)
    if not isinstance(data, bytes):
        raise UsageError("The file is open as text; open it in binary mode.")
    limits.admit_file(len(data))
    return data, Path(_path_of(source)).name


def _path_of(source: Source) -> str:
    """The path of a source, which a file object may not know: a temporary one is called None, one of a file descriptor by a number."""
    path = source if isinstance(source, (str, PathLike)) else getattr(source, "name", "")
    return os.fsdecode(path) if isinstance(path, (str, bytes, PathLike)) else ""
