"""The public functions: parse, chunk, write, read.

Other modules are imported when a function is called, to keep the import of docxchunk fast.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from hashlib import sha256
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import (
    IO,
    TYPE_CHECKING,
    Final,
    Literal,
    NamedTuple,
    Protocol,
    TypedDict,
    Union,
    Unpack,
    cast,
    overload,
    runtime_checkable,
)

from docxchunk.errors import (
    EmptyFileError,
    InputError,
    LegacyWordError,
    LimitError,
    MissingFileError,
    MissingModelError,
    ModelError,
    RtfError,
    UsageError,
    about,
)
from docxchunk.markup.names import name_of, text_name
from docxchunk.model.document import Document
from docxchunk.model.fields import expect, member
from docxchunk.model.issues import Issue, IssueCode
from docxchunk.model.options import DEFAULT_LIMITS, ChunkLimits, Convert, Limits, ParseOptions
from docxchunk.model.ports import NO_MODELS, Models
from docxchunk.model.units import LONGEST

if TYPE_CHECKING:
    from docxchunk.chunking import Strategy
    from docxchunk.chunking.diff import Diff
    from docxchunk.model.blocks import Block
    from docxchunk.model.chunks import Chunk, TableForm
    from docxchunk.model.ports import Tokenizer
    from docxchunk.model.units import Unit

StrPath = str | PathLike[str]
Setting = str | int | float | bool | None
Tables = Literal["json", "markdown", "html", "text"]
TokenizerChoice = Union[StrPath, Callable[[str], int], "Tokenizer"]

DEFAULT_MAX_TOKENS = DEFAULT_LIMITS.max_tokens
DEFAULT_OVERLAP = DEFAULT_LIMITS.overlap
DEFAULT_TOKENIZER = "o200k_base"
DEFAULT_TABLES: Final = "json"
_UNNAMED = "document.docx"


@runtime_checkable
class Saveable(Protocol):
    """A `docx.Document` of python-docx."""

    def save(self, path_or_stream: IO[bytes]) -> None: ...


Source = StrPath | bytes | bytearray | memoryview | IO[bytes] | Saveable


class InputKind(StrEnum):
    """How an input path is read."""

    WORD = "word"  # also any other file; the reader identifies it
    PARSED = "parsed"  # a parsed folder or a .blocks.jsonl
    TEXT = "text"


def kind_of(path: Path) -> InputKind:
    """Return how a path is read. For files, only the name decides; see `kind_in`."""
    from docxchunk.reader.text_files import SUFFIXES

    if os.path.isdir(path) or path.suffix == ".jsonl":  # noqa: PTH112 - as in `sidecar.paths.is_folder`
        return InputKind.PARSED
    return InputKind.TEXT if path.suffix.lower() in SUFFIXES else InputKind.WORD


def kind_in(kind: InputKind, data: bytes) -> InputKind:
    """Return how a file of this kind with these bytes is read: a ZIP file with the name of a text
    file is a Word file.
    """
    return InputKind.WORD if kind is InputKind.TEXT and data.startswith(b"PK\x03\x04") else kind


class Naming(NamedTuple):
    """The name and id of a document.

    - `name`: the file name: report.docx.
    - `label`: the text that the id is derived from: the name, or a path relative to an input
      folder.
    - `doc_id`: the id, if given; "" otherwise.
    """

    name: str
    label: str
    doc_id: str = ""


def parse_as(kind: InputKind, data: bytes, naming: Naming, options: ParseOptions) -> Document:
    """Return the document in the bytes of a file. Raise the errors of `parse`."""
    if kind_in(kind, data) is InputKind.TEXT:
        from docxchunk.reader.ids import doc_id_of
        from docxchunk.reader.text_files import read_text_file

        return read_text_file(
            data, naming.name, text_name(naming.doc_id) or doc_id_of(naming.label)
        )
    from docxchunk.reader.document import read_document

    if not data:
        raise EmptyFileError("The file is empty: it has no bytes.")
    try:
        return read_document(data, naming.name, options, text_name(naming.doc_id), naming.label)
    except (LegacyWordError, RtfError) as error:
        if options.convert is Convert.NONE:
            raise
        return _converted(data, naming, options, error.kind)
    except RecursionError:
        raise LimitError("Elements are nested too deep to be read.", "depth") from None


def _converted(data: bytes, naming: Naming, options: ParseOptions, kind: str) -> Document:
    """Return the document in a .doc or .rtf file. Its format, hash and id are those of the original
    file; its positions are those of the converted one.
    """
    from docxchunk.backends.libreoffice import to_docx
    from docxchunk.reader.ids import foreign_id

    docx = to_docx(data, kind, options.limits)
    identifier, issues = (naming.doc_id, ()) if naming.doc_id else foreign_id(data, naming.label)
    document = parse_as(
        InputKind.WORD,
        docx,
        naming._replace(doc_id=identifier),
        replace(options, convert=Convert.NONE),
    )
    converted = Issue(
        IssueCode.CONVERTED,
        "",
        f"LibreOffice converted it from .{kind}: "
        "positions and pages are those of the "
        "converted file.",
    )
    return replace(
        document,
        format=kind,
        source_sha256=sha256(data).hexdigest(),
        options=options,
        issues=(converted, *issues, *document.issues),
    )


def parse(
    source: Source,
    *,
    options: ParseOptions | None = None,
    doc_id: str | None = None,
    name: str | None = None,
) -> Document:
    """Return the document in a Word file.

    `source` is a path, bytes, a binary file object or a `docx.Document` of python-docx. `options`
    says how to read it. `name` replaces the name of the document, or supplies it for a source
    without one. `doc_id` is the id of the document; the ids of its blocks and chunks are derived
    from it. Without it, the id is a hash of the file name and of the creation date in the document
    properties (or else the `w15:docId` in the settings, or else the name only). It stays the same
    when the document is edited or moved. Documents with the same name and date, such as copies in
    several folders, need different values of `doc_id` or `name`. The id of bytes without a name is
    a hash of their content, which changes with every edit; the issue `id-from-content` reports it.
    Raise UsageError for arguments of a wrong type, and InputError or a subclass, with its `path`,
    if the file cannot be read.
    """
    chosen = ParseOptions() if options is None else expect("options", options, ParseOptions)
    label = text_name(expect("name", name or "", str))
    with about(_path_of(source)):
        data, file_name = _bytes_of(source, chosen.limits)
        naming = Naming(
            label or file_name or _UNNAMED, label or file_name, expect("doc_id", doc_id or "", str)
        )
        return parse_as(InputKind.WORD, data, naming, chosen)


class ChunkSettings(TypedDict, total=False):
    """The keyword arguments of `chunk`, with the same defaults."""

    strategy: str | Strategy
    max_tokens: int
    overlap: int
    tokenizer: TokenizerChoice
    contextualize: bool
    drop_toc: bool
    tables: TableForm | Tables
    reserve: int
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
    tables: TableForm | Tables = DEFAULT_TABLES,
    reserve: int = 0,
    settings: Mapping[str, Setting] | None = None,
    models: Models = NO_MODELS,
) -> list[Chunk]:
    """Return the chunks of a document, in reading order.

    - `source`: a Document, or anything that `parse` accepts, a parsed folder or a text file, which
      is read first.
    - `strategy`: the name of a strategy (`docxchunk strategies` lists them) or a strategy object.
    - `max_tokens`: the maximum number of tokens per chunk; no chunk exceeds it.
    - `overlap`: the maximum number of tokens repeated when a single paragraph is split; never more
      than a quarter of `max_tokens`.
    - `tokenizer`: counts tokens; see `tokenizer`.
    - `contextualize`: put the heading path before the text; it counts towards `max_tokens`.
    - `drop_toc`: leave out tables of contents.
    - `tables`: how tables are shown: "json" (as stored), "markdown", "html" or "text". In the last
      three, equations are LaTeX between dollar signs and pictures are a few words.
    - `reserve`: tokens of `max_tokens` that are kept free for what `Chunk.embed_text` adds: the
      header, and the sentence of `situate`. With 1 or more, `embed_text` has at most `max_tokens`.
    - `settings`: settings of the strategy, by name, if `strategy` is a name.
    - `models`: the models that the strategy may use.

    Raise UsageError for invalid settings, MissingModelError if the strategy needs a model that is
    not given, and the errors of `parse`.
    """
    from docxchunk.chunking import run
    from docxchunk.chunking.strategy import named_strategy
    from docxchunk.model.chunks import TableForm

    expect("models", models, Models)
    expect("settings", settings or {}, Mapping)  # type: ignore[type-abstract]
    if settings and not isinstance(strategy, str):
        raise UsageError(
            f"settings is {dict(settings)!r}; it applies to a strategy given by "
            "its name: give the settings to the object."
        )
    recipe = named_strategy(strategy, settings or {}) if isinstance(strategy, str) else strategy
    if isinstance(recipe, type) or not hasattr(recipe, "stages"):
        raise UsageError(
            f"{recipe!r} is not a strategy: give a name (`docxchunk strategies` "
            "lists them) or an object such as P()."
        )
    limits = ChunkLimits(
        max_tokens=max_tokens,
        overlap=overlap,
        contextualize=contextualize,
        drop_toc=drop_toc,
        tables=member("tables", tables, TableForm),
        reserve=reserve,
    ).with_checked_overlap()
    document = source if isinstance(source, Document) else _document_of(source)
    return list(run(document, recipe, limits, _tokenizer(tokenizer), models).chunks)


class UnitSettings(TypedDict, total=False):
    """The keyword arguments of `units`, with the same defaults."""

    longest: int
    tokenizer: TokenizerChoice


def units(
    document: Document,
    chunks: Iterable[Chunk],
    *,
    longest: int = LONGEST,
    tokenizer: TokenizerChoice = DEFAULT_TOKENIZER,
) -> list[Unit]:
    """Return the units of chunks of a document, in their order: small texts to search and to read
    by themselves.

    A unit is some whole sentences, up to about `longest` characters; a caption; or a row of a
    table. A small table is also a unit as a whole. `tokenizer` counts their tokens; see
    `tokenizer`. Raise UsageError for invalid arguments.
    """
    from docxchunk.chunking.search_units import units_of

    expect("document", document, Document)
    if expect("longest", longest, int) < 1:
        raise UsageError(f"longest is {longest}; it must be 1 or more.")
    return units_of(document, chunks, _tokenizer(tokenizer), longest)


def chunk_text(
    text: str,
    *,
    markdown: bool = False,
    name: str = "text",
    doc_id: str | None = None,
    **settings: Unpack[ChunkSettings],
) -> list[Chunk]:
    """Return the chunks of a text. Settings and errors are those of `chunk`.

    With `markdown`, Markdown headings ("## Terms", except in fenced code) divide the text into
    blocks. A text without headings is chunked with the strategy R unless `strategy` is given.
    `name` is the name of the document. Without a `doc_id`, its id is a hash of the text.
    """
    from docxchunk.reader.ids import doc_id_of
    from docxchunk.reader.text_files import read_markdown, text_document

    expect("text", text, str)
    # tokenizers reject lone surrogates
    content = (
        text.removeprefix("\ufeff").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    )
    content = content.replace("\0", "\ufffd")  # as in CommonMark 0.31.2, 2.3
    read_text = read_markdown if expect("markdown", markdown, bool) else text_document
    document = read_text(
        content,
        text_name(expect("name", name, str)),
        text_name(expect("doc_id", doc_id or doc_id_of("", content), str)),
    )
    chosen: ChunkSettings = {**settings} if document.structured else {"strategy": "R", **settings}
    return chunk(document, **chosen)


def tokenizer(choice: TokenizerChoice = "o200k_base") -> Tokenizer:
    """Return the tokenizer for a name, a path or a function.

    `choice` is "o200k_base", "cl100k_base", the path of a Hugging Face `tokenizer.json`, a
    tokenizer object, or any function from str to int.
    """
    from docxchunk.backends.tokenizers import tokenizer as named

    return named(choice)


def models(  # noqa: PLR0913 - one by keyword for each kind
    embedder: str = "",
    scorer: str = "",
    completer: str = "",
    *,
    describer: str = "",
    device: Literal["auto", "cpu", "cuda"] = "auto",
    cache: bool = True,
) -> Models:
    """Return the models that strategies, `describe` and `situate` may use.

    "" means none, or the model named by the environment variable DOCXCHUNK_EMBEDDER,
    DOCXCHUNK_SCORER, DOCXCHUNK_COMPLETER or DOCXCHUNK_DESCRIBER.

    - `embedder`: "minilm", "hashing" or the folder of a sentence-transformers model. By default,
      minilm is used if it is installed.
    - `scorer`: the folder of a causal language model for transformers.
    - `completer`: such a folder, or the URL of an OpenAI-compatible server, with #MODEL appended if
      it serves several models.
    - `describer`: the URL of such a server with a vision language model, for `describe`.
    - `device`: "auto", "cpu" or "cuda".
    - `cache`: keep answers in the cache folder of the user.

    Nothing is downloaded. Raise UsageError, MissingExtraError, MissingModelError or ModelError.
    """
    from docxchunk.backends.loading import ModelChoice
    from docxchunk.backends.loading import models as chosen

    return chosen(
        ModelChoice(embedder, scorer, completer, device, cache, describer).with_environment()
    )


def describe(document: Document, models: Models) -> Document:
    """Return the document with descriptions of its pictures (PNG, JPEG, GIF, WebP) by
    `models.describer`.

    A description is part of the tag of its picture, and therefore of the text of chunks, and of
    `Drawing.description`; `described` names the model. Ids stay the same. Raise MissingModelError
    without a describer, ModelError if it does not answer.
    """
    from docxchunk.markup.descriptions import pictures, with_descriptions

    describer = expect("models", models, Models).describer
    if describer is None:
        raise MissingModelError(
            "There is no model that describes pictures: give one, "
            'models=docxchunk.models(describer="URL#MODEL").'
        )
    by_id = dict(pictures(document))
    texts = describer.describe(list(by_id.values())) if by_id else []
    if len(texts) != len(by_id):
        raise ModelError(
            f"The model {describer.name} was asked about {len(by_id)} pictures, "
            f"and {len(texts)} answers came back."
        )
    return with_descriptions(document, dict(zip(by_id, texts, strict=True)), describer.name)


def situate(
    document: Document,
    chunks: Sequence[Chunk],
    models: Models,
    *,
    max_tokens: int | None = None,
    tokenizer: TokenizerChoice = DEFAULT_TOKENIZER,
) -> list[Chunk]:
    """Return the chunks of a document with a sentence by `models.completer` about the place of each
    in the document: `Chunk.situation`, part of `embed_text`.

    The sentence has at most 100 tokens. With `max_tokens`, it is cut after a word so that
    `embed_text` has at most that many: give the `max_tokens` and `tokenizer` of `chunk`, and
    `reserve` there. It is "" if the model gives none. Contents and ids stay the same. Raise
    UsageError for invalid arguments, MissingModelError without a completer, ModelError if it does
    not answer.
    """
    from docxchunk.chunking.situating import EmbedLimit, situated

    expect("document", document, Document)
    expect("models", models, Models)
    if others := {chunk.doc_id for chunk in chunks} - {document.doc_id}:
        raise UsageError(
            f"Chunks of another document ({', '.join(sorted(others))}) cannot be "
            f"situated in {document.doc_id}."
        )
    if max_tokens is not None and expect("max_tokens", max_tokens, int) < 1:
        raise UsageError(f"max_tokens is {max_tokens}; it must be 1 or more.")
    return list(
        situated(document, chunks, models, EmbedLimit(_tokenizer(tokenizer), max_tokens)).chunks
    )


_tokenizer = tokenizer  # alias for use in functions that have a parameter of that name


@overload
def diff(old: Document | Iterable[Chunk], new: Document | Iterable[Chunk]) -> Diff[Chunk]: ...
@overload
def diff(old: Iterable[Unit], new: Iterable[Unit]) -> Diff[Unit]: ...
def diff(
    old: Document | Iterable[Chunk | Unit], new: Document | Iterable[Chunk | Unit]
) -> Diff[Chunk] | Diff[Unit]:
    """Compare two chunkings of a document, or the units of two chunkings. `actions` of the result
    lists the changes to apply to an index of them.

    A Document is chunked with the defaults of `chunk`. Raise UsageError if the chunks are from
    different documents, whose ids cannot be compared.
    """
    from docxchunk.chunking.diff import diff as compare

    olds, news = _records_of("old", old), _records_of("new", new)
    if len({type(record) for record in (*olds, *news)}) > 1:
        raise UsageError("Chunks and units cannot be compared with each other.")
    if len(documents := {record.doc_id for record in (*olds, *news)}) > 1:
        raise UsageError(
            "Chunks of different documents cannot be compared "
            f"({', '.join(sorted(documents))}): give both parsings one doc_id."
        )
    return cast("Diff[Chunk] | Diff[Unit]", compare(olds, news))


def _records_of(name: str, side: Document | Iterable[Chunk | Unit]) -> list[Chunk | Unit]:
    from docxchunk.model.chunks import Chunk
    from docxchunk.model.units import Unit

    found: list[Chunk | Unit]
    if isinstance(side, Document):
        found = [*chunk(side)]
    else:
        found = list(side) if isinstance(side, Iterable) else [side]
    if any(not isinstance(each, (Chunk, Unit)) for each in found):
        raise UsageError(
            f"{name} is a {type(side).__name__}; it must be a Document, its chunks or its units."
        )
    return found


def write(document: Document, folder: StrPath = ".") -> Path:
    """Write the parsed folder `folder`/NAME.parsed and return its path. It replaces an older one
    atomically. Raise OutputError if that fails.
    """
    from docxchunk.sidecar.writer import write as write_folder

    with about(folder):
        return write_folder(expect("document", document, Document), Path(folder))


def read(path: StrPath) -> Document:
    """Return the document in a parsed folder or .blocks.jsonl, written by docxchunk or by a
    LightRAG parser. Raise MissingFileError or SidecarError.
    """
    from docxchunk.sidecar.reader import read as read_folder

    place = _given("path", path)
    with about(place):
        return read_folder(place)


def read_blocks(path: StrPath) -> tuple[Block, ...]:
    """Return the blocks in a parsed folder or .blocks.jsonl. Raise MissingFileError or
    SidecarError.
    """
    return read(path).blocks


class SeedChunk(TypedDict):
    """A chunk as a dict with six keys (docs/design/staged-chunking.md, Interface and output)."""

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
    """Return the chunks of the blocks at `blocks_path`, by P with `sizes="seed"`. The signature is
    that of docs/design/staged-chunking.md.

    If there are no blocks or they cannot be read, `content` is chunked by R instead. Raise
    UsageError for invalid settings.
    """
    from docxchunk.chunking import P, Sizes

    document = _blocks_or_text(blocks_path, content)
    chunks = chunk(
        document,
        strategy=P(sizes=Sizes.SEED),
        max_tokens=chunk_token_size,
        overlap=chunk_overlap_token_size,
        tokenizer=tokenizer,
    )
    return [
        SeedChunk(
            tokens=cut.tokens,
            content=cut.content,
            chunk_order_index=cut.chunk_order_index,
            heading=cut.heading,
            parent_headings=list(cut.parent_headings),
            level=cut.level,
        )
        for cut in chunks
    ]


def _blocks_or_text(blocks_path: StrPath | None, content: str) -> Document:
    from docxchunk.reader.text_files import read_plain_text

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
    path, options = _given("source", source), ParseOptions()
    kind = kind_of(path)
    if kind is InputKind.PARSED:
        return read(path)
    with about(path):
        return parse_as(
            kind, bytes_in(path, options.limits), Naming(name_of(path), name_of(path)), options
        )


def _given(name: str, path: StrPath) -> Path:
    """Return the path of an argument. Raise UsageError if it is empty, which would mean the current
    folder, or no path.
    """
    text = path if isinstance(path, PathLike) else expect(name, path, str)
    if not text:
        raise UsageError(f"{name} is empty; it must be a path.")
    return Path(text)


def bytes_in(path: Path, limits: Limits) -> bytes:
    """Return the bytes of a file or pipe. Raise LimitError if it is too large, before reading it;
    MissingFileError if it cannot be read.
    """
    try:
        with path.open("rb") as file:
            limits.admit_file(os.fstat(file.fileno()).st_size)
            data = file.read(limits.file + 1)  # the size of a pipe is unknown
    except (OSError, ValueError) as error:  # ValueError: the path contains a NUL character
        raise MissingFileError(
            f"The file {str(path)!r} cannot be read ({getattr(error, 'strerror', None) or error}).",
            str(path),
        ) from error
    limits.admit_file(len(data))
    return data


def _bytes_of(source: Source, limits: Limits) -> tuple[bytes, str]:
    """Return the bytes of a source and its file name, "" if it has none."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), ""
    if isinstance(source, (str, PathLike)):
        path = _given("source", source)
        return bytes_in(path, limits), name_of(path)
    if isinstance(source, Saveable):
        buffer = BytesIO()
        source.save(buffer)
        return buffer.getvalue(), ""
    if not hasattr(source, "read"):
        raise UsageError(
            f"source is a {type(source).__name__}; it must be a path, bytes, a "
            "binary file or a docx.Document of python-docx."
        )
    data = source.read(limits.file + 1)
    if not isinstance(data, bytes):
        raise UsageError("The file is open as text; open it in binary mode.")
    limits.admit_file(len(data))
    return data, name_of(Path(_path_of(source)))


def _path_of(source: Source) -> str:
    """Return the path of a source; "" if unknown. The `name` of a file object may be None or a file
    descriptor.
    """
    path = source if isinstance(source, (str, PathLike)) else getattr(source, "name", "")
    return os.fsdecode(path) if isinstance(path, (str, bytes, PathLike)) else ""
