"""The commands that read a document in parts: read, find, define, references, cite."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import TYPE_CHECKING

import click

from docxchunk.batch.inputs import Input, Scan, find_each
from docxchunk.batch.jobs import ParseJob, Reading, document_of
from docxchunk.cli.console import Reporter
from docxchunk.cli.printing import plain
from docxchunk.errors import DocxchunkError, InputError, UsageError, about

if TYPE_CHECKING:
    from docxchunk.retrieval.answers import View
    from docxchunk.retrieval.reading import Reader

EXAMPLES = """\b
Examples:
  docxchunk read contract.docx "8.2(a)"
  docxchunk read contract.docx "Limitation of liability" --max-tokens 500
  docxchunk find contract.docx "third party"
  docxchunk define contract.docx Affiliate
  docxchunk references contract.docx 8.2
  docxchunk read contract.docx "Annex B" --view tables
  docxchunk cite contract.docx "within thirty days of the invoice\""""


def _reader(path: str) -> Reader:
    """Return the reader of the document at a path."""
    inputs = find_each([path], Scan(parsed=True))
    if len(inputs) != 1 or not isinstance(inputs[0], (Input, DocxchunkError)):
        raise UsageError(f"{path} is a folder of documents: give one of them.")
    return _reader_of(inputs[0])


def _readers(paths: Sequence[str]) -> Iterator[Reader]:
    """Yield the readers of the documents at some paths and below them. Tell which cannot be
    read.
    """
    for item in find_each(paths, Scan(recursive=True, parsed=True)):
        if not isinstance(item, (Input, DocxchunkError)):
            continue
        try:
            yield _reader_of(item)
        except InputError as error:
            Reporter(quiet=False).alert(error.path or "", str(error))


def _reader_of(item: Input | DocxchunkError) -> Reader:
    from docxchunk import api
    from docxchunk.retrieval.reading import Reader

    if isinstance(item, DocxchunkError):
        raise item
    with about(item.label):
        return Reader(document_of(ParseJob(item, Reading())), api.tokenizer().count)


def _document(command: Callable[..., str]) -> Callable[..., None]:
    """Let a function of a reader be a command of a path that prints the answer."""

    @click.argument("path", metavar="PATH")
    @wraps(command)
    def run(path: str, **arguments: object) -> None:
        plain(command(_reader(path), **arguments))

    return run


@click.command(epilog=EXAMPLES)
@_document
@click.argument("section")
@click.option(
    "--max-tokens",
    default=1000,
    show_default=True,
    type=click.IntRange(50, 8000),
    metavar="N",
    help="Maximum size of the answer; it ends with a whole sentence.",
)
@click.option("--start", default=0, metavar="N", help="The character to go on from.")
@click.option(
    "--view",
    default="text",
    show_default=True,
    type=click.Choice(["text", "section", "parent", "tables"]),
    help="Its text, with what is below it; what stands around it in its section, or in the one "
    "above, as much as fits; or its tables.",
)
def read(reader: Reader, section: str, max_tokens: int, start: int, view: View) -> str:
    """Read a section or clause of a document, with what is below it.

    SECTION is the number that the document prints, such as 8.2, 8.2(a) or "Annex B", the heading,
    or a citation that docxchunk printed. PATH is a Word file, a parsed folder, plain text or
    Markdown. `docxchunk show` prints the outline.
    """
    from docxchunk.retrieval import answers

    return answers.read(reader, section, max_tokens, start, view)


@click.command()
@_document
@click.argument("phrase")
@click.option("--regex", is_flag=True, help="PHRASE is a regular expression.")
@click.option(
    "--limit",
    default=20,
    show_default=True,
    type=click.IntRange(1),
    metavar="N",
    help="Maximum number of places to print.",
)
def find(reader: Reader, phrase: str, *, regex: bool, limit: int) -> str:
    """Print how often a phrase occurs in a document, and where. Case does not matter."""
    from docxchunk.retrieval import answers

    return answers.find(reader, phrase, is_pattern=regex, limit=limit)


@click.command()
@_document
@click.argument("term")
def define(reader: Reader, term: str) -> str:
    """Print where a term is defined in a document: "X" means ..., (the "X")."""
    from docxchunk.retrieval import answers

    return answers.define(reader, term)


@click.command()
@_document
@click.argument("section")
def references(reader: Reader, section: str) -> str:
    """Print what a section or clause of a document refers to, and what refers to it.

    SECTION is a number or heading, as in docxchunk read.
    """
    from docxchunk.retrieval import answers

    return answers.references(reader, section)


@click.command()
@_document
@click.argument("quote")
@click.option(
    "--elsewhere",
    multiple=True,
    metavar="PATH",
    help="A document or folder to look in if the document does not have the quotation; repeatable.",
)
def cite(reader: Reader, quote: str, elsewhere: tuple[str, ...]) -> str:
    """Check a quotation: print whether it is found in a document word for word (with all its
    places), found elsewhere, stitched of several places, altered (with the difference), or not
    found.

    Case, punctuation and white space do not matter. A citation in brackets before or after the
    quotation is checked, too: after an edit of the document, the quotation may have moved to
    another section. PATH is a Word file, a parsed folder, plain text or Markdown.
    """
    from docxchunk.retrieval import answers

    return answers.cite(reader, quote, _readers(elsewhere) if elsewhere else ())
