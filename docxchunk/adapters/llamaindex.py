"""Read Word files, parse nodes and search in them for LlamaIndex (extra `llamaindex`).

from llama_index.core import SimpleDirectoryReader
from docxchunk.adapters.llamaindex import DocxNodeParser, DocxReader

documents = SimpleDirectoryReader("reports", file_extractor={".docx": DocxReader()}).load_data()
nodes = DocxNodeParser(max_tokens=512).get_nodes_from_documents(documents)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from docxchunk import api
from docxchunk.adapters import (
    TEXTS,
    ChunkLoader,
    Parent,
    Result,
    metadata,
    read_all,
    results,
)
from docxchunk.batch.inputs import WORD
from docxchunk.batch.many import check_settings
from docxchunk.model.chunks import Chunk
from docxchunk.model.document import Document as Parsed
from docxchunk.model.fields import member
from docxchunk.model.metadata import Metadata
from docxchunk.model.options import ParseOptions
from docxchunk.reader.text_files import read_plain_text
from docxchunk.records.blocks import text_of
from docxchunk.records.chunks import FlatRecord
from docxchunk.registry import extra_for
from docxchunk.sidecar.names import is_parsed

with extra_for("The adapter for LlamaIndex", "llama-index-core", "llamaindex"):
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.bridge.pydantic import Field
    from llama_index.core.callbacks import CallbackManager
    from llama_index.core.node_parser import NodeParser
    from llama_index.core.readers.base import BaseReader
    from llama_index.core.schema import (
        BaseNode,
        Document,
        NodeRelationship,
        NodeWithScore,
        QueryBundle,
        RelatedNodeInfo,
        TextNode,
    )

if TYPE_CHECKING:
    from docxchunk.retrieval.folders.collection import Collection

# the metadata that a language model sees; the rest is for stores. None is embedded.
READ = ("citation",)


class DocxReader(BaseReader):
    """Read one Document for a file, or for each file of a folder: the text of its blocks, and its
    path in `file_path`.

    With settings of `docxchunk.chunk` or with `text`, read one Document for each chunk, with the id
    and metadata of the chunk. Its text is `Chunk.embed_text` or, with text="content", the content
    as it is stored.

    `options` are those of the parser. With on_error="skip", the logger `docxchunk.adapters` warns
    of a file that cannot be read.
    """

    def __init__(
        self,
        *,
        options: ParseOptions | None = None,
        on_error: str = "raise",
        text: str | None = None,
        **settings: Unpack[api.ChunkSettings],
    ) -> None:
        self._loader = ChunkLoader(options, on_error, TEXTS[0] if text is None else text, settings)
        self._reads_chunks = bool(settings) or text is not None

    def lazy_load_data(
        self, file: str | PathLike[str], extra_info: Mapping[str, object] | None = None
    ) -> Iterator[Document]:
        """Yield the documents, with `extra_info` added to their metadata. Raise the errors of
        `docxchunk.parse`, and for chunks those of `docxchunk.chunk`.
        """
        return (self._chunks if self._reads_chunks else self._files)(file, extra_info or {})

    def _files(
        self, file: str | PathLike[str], extra_info: Mapping[str, object]
    ) -> Iterator[Document]:
        for path, parsed in read_all(file, self._loader.policy):
            about = {"file_path": str(path), "file_name": parsed.name, "title": parsed.title}
            hidden = [*about]
            yield Document(
                id_=parsed.doc_id,
                text=text_of(parsed.blocks),
                metadata={**extra_info, **about},
                excluded_embed_metadata_keys=hidden,
                excluded_llm_metadata_keys=hidden,
            )

    def _chunks(
        self, file: str | PathLike[str], extra_info: Mapping[str, object]
    ) -> Iterator[Document]:
        for chunk, text, flat in self._loader.chunks_at(file):
            yield Document(
                id_=chunk.chunk_id,
                text=text,
                metadata={**extra_info, **flat},
                excluded_embed_metadata_keys=[*flat],
                excluded_llm_metadata_keys=_not_read(flat),
                relationships=_relationships(chunk),
            )


class DocxNodeParser(NodeParser):
    """Make one node for each chunk, with the id of the chunk. Previous, next, parent and child
    chunks become relationships.

    The text of a node is `Chunk.embed_text`: readable tables, with title and headings before the
    text. No metadata are embedded with it. A language model sees the citation, too. The content as
    it is stored is in the metadata as `chunk_content`.

    If the `file_path` of a document is a Word file or a parsed folder, the file or folder is read
    again, with headings and tables. The options of the parser are the default ones: for others,
    give the settings to `DocxReader`. Other documents are plain text.
    """

    strategy: str = Field(default="P", description="Chunking strategy, see `docxchunk strategies`.")
    max_tokens: int = Field(
        default=api.DEFAULT_MAX_TOKENS, description="Maximum tokens of a chunk."
    )
    overlap: int = Field(
        default=api.DEFAULT_OVERLAP,
        description="Maximum overlap in tokens where a paragraph is split.",
    )
    tokenizer: str = Field(default="o200k_base", description="Tokenizer name or tokenizer.json.")
    contextualize: bool = Field(default=False, description="Put the heading path before the text.")
    tables: api.Tables = Field(
        default=api.DEFAULT_TABLES, description="Table format: json, markdown, html or text."
    )
    reserve: int = Field(
        default=0,
        description="Tokens reserved for title and headings: the text stays within max_tokens.",
    )

    def model_post_init(self, context: object) -> None:
        """Check the settings. Pydantic reports a wrong setting as a ValidationError;
        MissingModelError and MissingExtraError are raised as they are.
        """
        super().model_post_init(context)
        check_settings(**self._settings())

    @classmethod
    def class_name(cls) -> str:
        return "DocxNodeParser"

    def _settings(self) -> api.ChunkSettings:
        return {
            "strategy": self.strategy,
            "max_tokens": self.max_tokens,
            "overlap": self.overlap,
            "tokenizer": self.tokenizer,
            "contextualize": self.contextualize,
            "tables": self.tables,
            "reserve": self.reserve,
        }

    def _parse_nodes(
        self,
        nodes: Sequence[BaseNode],
        show_progress: bool = False,  # noqa: ARG002, FBT001, FBT002 - the signature of LlamaIndex
        **kwargs: object,  # noqa: ARG002
    ) -> list[BaseNode]:
        return [node for document in nodes for node in self._nodes_of(document)]

    def _nodes_of(self, document: BaseNode) -> Iterator[BaseNode]:
        path, parsed = _parsed(document)
        source = {NodeRelationship.SOURCE: document.as_related_node_info()}
        for chunk in api.chunk(parsed, **self._settings()):
            flat = metadata(chunk, parsed, path)
            yield TextNode(
                id_=chunk.chunk_id,
                text=chunk.embed_text,
                metadata=flat,
                excluded_embed_metadata_keys=[*flat, *document.excluded_embed_metadata_keys],
                excluded_llm_metadata_keys=[*_not_read(flat), *document.excluded_llm_metadata_keys],
                relationships={**source, **_relationships(chunk)},
            )


class DocxRetriever(BaseRetriever):
    """Search a `docxchunk.Collection` by words, and return the best units for a question. A node is
    a unit (some sentences or a row of a table), with its citation in the metadata.

    With parent="chunk" or "section", a node is the text around the unit in its chunk or section,
    below its headings. All nodes together have at most `max_tokens` tokens, shared about equally,
    and each has the citation of its text. No unit is returned twice. With `where`, only documents
    with these values are searched: see `docxchunk.Collection.search`. Raise UsageError for other
    values.
    """

    def __init__(  # noqa: PLR0913 - options by keyword
        self,
        collection: Collection,
        *,
        similarity_top_k: int = 10,
        parent: str = Parent.NONE,
        max_tokens: int = 2000,
        where: Metadata | None = None,
        callback_manager: CallbackManager | None = None,
    ) -> None:
        self._collection, self._top_k = collection, similarity_top_k
        self._parent, self._max_tokens = member("parent", parent, Parent), max_tokens
        self._where = where or {}
        super().__init__(callback_manager=callback_manager)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        best_texts = results(
            self._collection,
            query_bundle.query_str,
            self._top_k,
            self._parent,
            self._max_tokens,
            where=self._where,
        )
        return [NodeWithScore(node=_node(best), score=best.hit.score) for best in best_texts]


def _node(result: Result) -> TextNode:
    flat = result.metadata
    return TextNode(
        id_=result.hit.unit.unit_id,
        text=result.text,
        metadata=flat,
        excluded_embed_metadata_keys=[*flat],
        excluded_llm_metadata_keys=_not_read(flat),
    )


def _not_read(flat: FlatRecord) -> list[str]:
    """Return the names of the metadata that a language model does not see."""
    return [name for name in flat if name not in READ]


def _parsed(node: BaseNode) -> tuple[str, Parsed]:
    path = str(node.metadata.get("file_path", ""))
    if path and (Path(path).suffix.lower() in WORD or is_parsed(Path(path))):
        return path, api.read(path) if is_parsed(Path(path)) else api.parse(
            path, doc_id=node.node_id
        )
    text = node.get_content().encode("utf-8", "replace")
    return path or node.node_id, read_plain_text(
        text, Path(path).name or f"{node.node_id}.txt", node.node_id
    )


def _relationships(chunk: Chunk) -> dict[NodeRelationship, RelatedNodeInfo | list[RelatedNodeInfo]]:
    single = {
        NodeRelationship.PREVIOUS: chunk.prev,
        NodeRelationship.NEXT: chunk.next,
        NodeRelationship.PARENT: chunk.parent,
    }
    relationships: dict[NodeRelationship, RelatedNodeInfo | list[RelatedNodeInfo]] = {
        name: RelatedNodeInfo(node_id=value) for name, value in single.items() if value
    }
    if chunk.children:
        children = [RelatedNodeInfo(node_id=child) for child in chunk.children]
        relationships[NodeRelationship.CHILD] = children
    return relationships
