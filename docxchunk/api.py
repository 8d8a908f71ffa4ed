"""The public functions: parse, chunk, write, read.

Other modules are imported when a function is called, to keep the import of docxchunk fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypedDict, Union, Unpack, cast, overload

from docxchunk import sources
from docxchunk.errors import MissingFileError, MissingModelError, ModelError, UsageError, about
from docxchunk.model.chunks import LONGEST_UNIT, Chunk, Slice, TableForm, Unit
from docxchunk.model.document import Document, IssueCode
from docxchunk.model.fields import expect, member, whole
from docxchunk.model.metadata import Metadata, checked_metadata
from docxchunk.model.options import (
    DEFAULT_LIMITS,
    ChunkLimits,
    ParseOptions,
    Setting,
    given_options,
)
from docxchunk.model.ports import NO_MODELS, Models
from docxchunk.model.wording import name_of, text_name
from docxchunk.sidecar.names import PARSED, is_folder, is_parsed
from docxchunk.sources import InputKind, Naming, Source, StrPath, given_path

if TYPE_CHECKING:
    from docxchunk.chunking import Strategy
    from docxchunk.chunking.diff import Diff
    from docxchunk.chunking.situating import Situating
    from docxchunk.model.blocks import Block
    from docxchunk.model.ports import Tokenizer

Tables = Literal["json", "markdown", "html", "text"]
TokenizerChoice = Union[StrPath, Callable[[str], int], "Tokenizer"]

DEFAULT_MAX_TOKENS = DEFAULT_LIMITS.max_tokens
DEFAULT_OVERLAP = DEFAULT_LIMITS.overlap
DEFAULT_TOKENIZER = "o200k_base"
DEFAULT_TABLES: Final = "json"
_UNNAMED = "document.docx"


def parse(
    source: Source,
    *,
    options: ParseOptions | None = None,
    doc_id: str | None = None,
    name: str | None = None,
    metadata: Metadata | None = None,
) -> Document:
    """Return the document in a Word file.

    `source` is a path, bytes, a binary file object or a `docx.Document` of python-docx. `options`
    says how to read it. `name` is the name of the document; by default, the name of the file.
    `doc_id` is the id of the document; the ids of its blocks and chunks are derived from it.
    Without it, the id is a hash of the file name and of the creation date of the document
    (docs/concepts/ids.md). It stays the same when the document is edited or moved. Documents with
    the same name and date, such as copies in several folders, need different values of `doc_id` or
    `name`. The id of bytes without a name is a hash of their content, which changes with every
    edit; the issue `id-from-content` reports it. `metadata` are values to keep with the document,
    by name: text, numbers and booleans. Raise UsageError for arguments of a wrong type, and
    InputError or a subclass, with its `path`, if the file cannot be read.
    """
    values = checked_metadata(metadata or {})
    chosen = given_options(options)
    label = text_name(expect("name", name or "", str))
    if isinstance(source, (str, PathLike)):
        _refuse_folder(given_path("source", source), "parse_many")
    with about(sources.path_of(source)):
        data, file_name = sources.bytes_of(source, chosen.limits)
        naming = Naming(
            label or file_name or _UNNAMED, label or file_name, expect("doc_id", doc_id or "", str)
        )
        document = sources.parse_as(InputKind.WORD, data, naming, chosen)
    return replace(document, metadata=values)


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

    - `source`: a Document, anything that `parse` accepts, a parsed folder, or a text file.
    - `strategy`: the name of a strategy (`docxchunk strategies` lists them) or a strategy object.
    - `max_tokens`: the maximum number of tokens per chunk; no chunk exceeds it.
    - `overlap`: the maximum number of tokens that are repeated where a paragraph is split; never
      more than a quarter of `max_tokens`.
    - `tokenizer`: counts tokens; see `tokenizer`.
    - `contextualize`: put the heading path before the text; it counts towards `max_tokens`.
    - `drop_toc`: leave out tables of contents.
    - `tables`: how tables are shown: "json" (as stored), "markdown", "html" or "text". In the last
      three, equations are LaTeX between dollar signs and pictures are a few words.
    - `reserve`: how many of the `max_tokens` are kept free for the header and the situation that
      `Chunk.embed_text` adds. With 1 or more, `embed_text` has at most `max_tokens` tokens.
    - `settings`: settings of the strategy, by name, if `strategy` is a name.
    - `models`: the models that the strategy may use.

    Raise UsageError for invalid settings, MissingModelError if the strategy needs a model that is
    not given, and the errors of `parse`.
    """
    from docxchunk.chunking import run
    from docxchunk.chunking.strategy import named_strategy

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
    longest: int = LONGEST_UNIT,
    tokenizer: TokenizerChoice = DEFAULT_TOKENIZER,
) -> list[Unit]:
    """Return the units of chunks of a document, in their order: small texts to search and to read
    by themselves.

    A unit is some whole sentences, up to about `longest` characters; a caption; or a row of a
    table. A small table is also a unit as a whole. `tokenizer` counts their tokens; see
    `tokenizer`. Raise UsageError for invalid arguments, such as chunks of another document.
    """
    from docxchunk.chunking.search_units import units_of

    blocks = {block.id for block in expect("document", document, Document).blocks}
    of_document = _checked_chunks(chunks)
    parts = (part for chunk in of_document for part in chunk.parts)
    if not blocks.issuperset(part.block for part in parts if isinstance(part, Slice)):
        raise UsageError(f"The chunks are not of this document, {document.name}.")
    return units_of(document, of_document, _tokenizer(tokenizer), whole("longest", longest, 1))


def _checked_chunks(chunks: Iterable[Chunk]) -> list[Chunk]:
    """Return chunks as a list. Raise UsageError if the argument is not an iterable of chunks."""
    checked = list(chunks) if isinstance(chunks, Iterable) else [chunks]
    if any(not isinstance(chunk, Chunk) for chunk in checked):
        raise UsageError(f"chunks is of the type {type(chunks).__name__}; it must be chunks.")
    return checked


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

    "" means the model that an environment variable names, or none: DOCXCHUNK_EMBEDDER,
    DOCXCHUNK_SCORER, DOCXCHUNK_COMPLETER or DOCXCHUNK_DESCRIBER.

    - `embedder`: the folder of a sentence-transformers model, or "hashing".
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

    A description is in the tag of its picture, and so in the text of chunks, and in
    `Drawing.description`. `Drawing.described` is the name of the model. Ids stay the same. Raise
    MissingModelError without a describer, and ModelError if the describer does not answer.
    """
    from docxchunk.content.descriptions import pictures, with_descriptions

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
    """Return the chunks of a document, each with a `situation`: a sentence by `models.completer`
    about the place of the chunk in the document, which is part of `embed_text`.

    The sentence has at most 100 tokens. If the model writes none, it is "". With `max_tokens`, it
    is cut after a word so that `embed_text` has at most this many tokens. This needs chunks that
    `chunk` made with the same `max_tokens` and `tokenizer`, and with a `reserve`. Contents and ids
    stay the same. Raise UsageError for invalid arguments, MissingModelError without a completer,
    and ModelError if the completer does not answer.
    """
    expect("document", document, Document)
    expect("models", models, Models)
    if other_ids := {chunk.doc_id for chunk in chunks} - {document.doc_id}:
        raise UsageError(
            f"Chunks of another document ({', '.join(sorted(other_ids))}) cannot be "
            f"situated in {document.doc_id}."
        )
    if max_tokens is not None:
        max_tokens = whole("max_tokens", max_tokens, 1)
    return list(
        situating(_tokenizer(tokenizer), max_tokens).situated(document, chunks, models).chunks
    )


def situating(tokenizer: Tokenizer, max_tokens: int | None) -> Situating:
    """Return an object that gives each chunk a `situation`, a sentence about its place in the
    document. With `max_tokens`, `embed_text` has at most this many tokens.
    """
    from docxchunk.chunking.situating import Situating

    return Situating(tokenizer, max_tokens)


_tokenizer = tokenizer  # alias for use in functions that have a parameter of that name


@overload
def diff(old: Document | Iterable[Chunk], new: Document | Iterable[Chunk]) -> Diff[Chunk]: ...
@overload
def diff(old: Iterable[Unit], new: Iterable[Unit]) -> Diff[Unit]: ...
def diff(
    old: Document | Iterable[Chunk | Unit], new: Document | Iterable[Chunk | Unit]
) -> Diff[Chunk] | Diff[Unit]:
    """Compare the chunks, or the units, of two versions of a document. `actions` of the result
    lists the changes that an index needs.

    A Document is chunked with the defaults of `chunk`. Raise UsageError if the chunks are from
    different documents, because their ids cannot be compared.
    """
    from docxchunk.chunking.diff import diff as compare

    olds, news = _records_of("old", old), _records_of("new", new)
    if len({type(record) for record in (*olds, *news)}) > 1:
        raise UsageError("Chunks and units cannot be compared with each other.")
    if len(documents := {record.doc_id for record in (*olds, *news)}) > 1:
        raise UsageError(
            f"Chunks of different documents cannot be compared ({', '.join(sorted(documents))}): "
            "their ids contain the doc_id. Parse both versions with one: "
            'docxchunk.parse(path, doc_id="report").'
        )
    return cast("Diff[Chunk] | Diff[Unit]", compare(olds, news))


def _records_of(name: str, side: Document | Iterable[Chunk | Unit]) -> list[Chunk | Unit]:
    records: list[Chunk | Unit]
    if isinstance(side, Document):
        records = [*chunk(side)]
    else:
        records = list(side) if isinstance(side, Iterable) else [side]
    if any(not isinstance(record, (Chunk, Unit)) for record in records):
        raise UsageError(
            f"{name} is of the type {type(side).__name__}; it must be a Document, its chunks "
            "or its units."
        )
    return records


def write(document: Document, folder: StrPath = ".") -> Path:
    """Write the parsed folder `folder`/NAME.parsed and return its path. An older folder is replaced
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

    checked_path = given_path("path", path)
    with about(checked_path):
        return read_folder(checked_path)


def heading_rules(source: Source, *, options: ParseOptions | None = None) -> str:
    """Return rules that describe which lines of a Word file are headings, as a TOML file to edit:
    `read_rules` reads it. Raise InputError as `parse` does.
    """
    from docxchunk.reader.document import heading_rules as listed
    from docxchunk.reader.headings.rules import rules_text

    options = given_options(options)
    data, name = sources.bytes_of(source, options.limits)
    with about(sources.path_of(source)):
        return rules_text(listed(data, options), name or "a document")


def read_blocks(path: StrPath) -> tuple[Block, ...]:
    """Return the blocks in a parsed folder or .blocks.jsonl. Raise MissingFileError or
    SidecarError.
    """
    return read(path).blocks


def _document_of(source: Source) -> Document:
    if not isinstance(source, (str, PathLike)):
        document = parse(source)
        for issue in document.issues:
            if issue.code is IssueCode.ID_FROM_CONTENT:
                import logging  # slow to import

                logging.getLogger("docxchunk").warning(issue.message)
        return document
    path, options = given_path("source", source), ParseOptions()
    kind, name = sources.kind_of(path), name_of(path)
    if kind is InputKind.PARSED:
        _refuse_folder(path, "iter_chunks")
        return read(path)
    with about(path):
        return sources.parse_as(
            kind, sources.bytes_in(path, options.limits), Naming(name, name), options
        )


def _refuse_folder(path: Path, function: str) -> None:
    """Raise MissingFileError for a folder of documents, with the name of the function to use."""
    if is_folder(path) and path.suffix != PARSED and not is_parsed(path):
        raise MissingFileError(
            f"{path} is a folder of documents: use docxchunk.{function}.", str(path)
        )
