"""Serve the tools over the Model Context Protocol (https://modelcontextprotocol.io) with its
official SDK.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from docxchunk.errors import DocxchunkError
from docxchunk.markup.names import one_line
from docxchunk.server import tools
from docxchunk.server.library import Library
from docxchunk.version import __version__

_ABOUT: Final = (
    "Word documents of one folder. Search, or read outline and sections, then answer "
    "from what you read. "
    "Give the citation of each passage that you use; `cite` checks a quotation and "
    "returns its citation."
)
_READS: Final = ToolAnnotations(read_only_hint=True, open_world_hint=False)

DocumentName = Annotated[
    str, Field(description="The name of a document, as list_documents gives it.")
]


def server(folder: Path) -> MCPServer:
    """Return a server for the documents below a folder. Raise UsageError if it is not a folder."""
    library = Library(folder)
    mcp = MCPServer("docxchunk", instructions=_ABOUT, version=__version__, log_level="WARNING")

    @mcp.tool(annotations=_READS, structured_output=True)
    def list_documents() -> list[str]:
        """Return the names of all documents."""
        with _tool_errors(library):
            return tools.list_documents(library)

    @mcp.tool(annotations=_READS, structured_output=True)
    def outline(
        document: DocumentName,
        start: Annotated[
            int, Field(description="The section to start at: next_start of the previous answer.")
        ] = 0,
    ) -> tools.Outline:
        """Return the title of a document, and its sections with heading, level and page, at most
        500 in one answer.
        """
        with _tool_errors(library):
            return tools.outline(library, document, start)

    @mcp.tool(annotations=_READS, structured_output=True)
    def read_section(
        document: DocumentName,
        section: Annotated[
            str, Field(description="The name of the section, as outline or search gives it.")
        ],
        start: Annotated[
            int, Field(description="The character to start at: next_start of the previous answer.")
        ] = 0,
    ) -> tools.Section:
        """Return the text of a section with its subsections as Markdown, at most 20,000 characters
        in one answer.
        """
        with _tool_errors(library):
            return tools.read_section(library, document, section, start)

    @mcp.tool(annotations=_READS, structured_output=True)
    def search(
        query: Annotated[str, Field(description="Words to search for. They are not stemmed.")],
        limit: Annotated[int, Field(description="Maximum number of passages, 1 to 20.")] = 5,
        document: Annotated[
            str, Field(description="The name of the document to search; empty: all documents.")
        ] = "",
    ) -> list[tools.Hit]:
        """Return the best passages for the words of a query (BM25), of up to 400 tokens, each with
        its citation.
        """
        with _tool_errors(library):
            return tools.search(library, query, limit, document)

    @mcp.tool(annotations=_READS, structured_output=True)
    def cite(
        document: DocumentName,
        quote: Annotated[str, Field(description="A verbatim quotation of the document.")],
    ) -> tools.Quotation:
        """Return the citation of a quotation: document, headings, page and paragraph. An error if
        the document does not contain it.
        """
        with _tool_errors(library):
            return tools.cite(library, document, quote)

    return mcp


@contextmanager
def _tool_errors(library: Library) -> Iterator[None]:
    """Turn errors of docxchunk into tool errors, which the model can read. They do not tell where
    the folder is.
    """
    try:
        yield
    except DocxchunkError as error:
        raise ToolError(one_line(str(error).replace(f"{library.folder}{os.sep}", ""))) from error
