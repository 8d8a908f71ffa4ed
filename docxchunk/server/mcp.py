"""The tools over the Model Context Protocol (https://modelcontextprotocol.io), by way of its official SDK."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from docxchunk.errors import DocxchunkError
from docxchunk.server import tools
from docxchunk.server.library import Library
from docxchunk.version import __version__

_ABOUT: Final = (
    "Word documents of one folder. Search, or read outline and sections, then answer from what you read. "
    "Give the citation of each passage that you use; `cite` checks a quotation and says where it stands."
)
_READS: Final = ToolAnnotations(read_only_hint=True, open_world_hint=False)

DocumentName = Annotated[str, Field(description="The name of a document, as list_documents gives it.")]


def server(folder: Path) -> MCPServer:
    """A server of the documents below a folder. Raises UsageError where that is no folder."""
    library = Library(folder)
    mcp = MCPServer("docxchunk", instructions=_ABOUT, version=__version__, log_level="WARNING")

    @mcp.tool(annotations=_READS, structured_output=True)
    def list_documents() -> list[str]:
        """The names of all documents."""
        with _told():
            return tools.list_documents(library)

    @mcp.tool(annotations=_READS, structured_output=True)
    def outline(document: DocumentName) -> tools.Outline:
        """The title of a document, and its sections with heading, level and page."""
        with _told():
            return tools.outline(library, document)

    @mcp.tool(annotations=_READS, structured_output=True)
    def read_section(
        document: DocumentName,
        section: Annotated[str, Field(description="The name of the section, as outline or search gives it.")],
        start: Annotated[int, Field(description="The character to begin at: next_start of the answer before.")] = 0,
    ) -> tools.Section:
        """The text of a section and of those below it, as Markdown; at most 20,000 characters at once."""
        with _told():
            return tools.read_section(library, document, section, start)

    @mcp.tool(annotations=_READS, structured_output=True)
    def search(
        query: Annotated[str, Field(description="Words to look for; other forms of a word are not found.")],
        limit: Annotated[int, Field(description="The most passages that come back, 1 to 20.")] = 5,
        document: Annotated[str, Field(description="The name of the one document to search; all where it is empty.")] = "",
    ) -> list[tools.Hit]:
        """The passages of up to 400 tokens that fit the words of a query best (BM25), each with its citation."""
        with _told():
            return tools.search(library, query, limit, document)

    @mcp.tool(annotations=_READS, structured_output=True)
    def cite(document: DocumentName, quote: Annotated[str, Field(description="Words of the document, as they stand there.")]) -> tools.Quotation:
        """Where a quotation stands: document, headings, page and paragraph. An error where the document does not say it."""
        with _told():
            return tools.cite(library, document, quote)

    return mcp


@contextmanager
def _told() -> Iterator[None]:
    """What docxchunk raises on purpose, as an answer that the model can read."""
    try:
        yield
    except DocxchunkError as error:
        raise ToolError(str(error)) from error
