"""The command `docxchunk`: the only package that talks to a person."""

from __future__ import annotations

import sys

import click

from docxchunk.cli.group import LazyGroup
from docxchunk.errors import DocxchunkError, UsageError
from docxchunk.version import __version__

EXAMPLES = """\b
Examples:
  docxchunk parse report.docx            writes report.docx.parsed/
  docxchunk chunk report.docx            and its chunks, of up to 2000 tokens
  docxchunk chunk docs -r -o out         a folder and those below it
  docxchunk chunk report.docx -o - | jq -r .content
  docxchunk show report.docx             what is in it
  docxchunk stats report.docx.parsed     how the chunks came out

Exit codes: 0 all well, 1 an input failed (the others are done), 2 usage."""


@click.group(cls=LazyGroup, epilog=EXAMPLES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="docxchunk")
def docxchunk() -> None:
    """Turn Word files into blocks, tables, equations and chunks that follow the document's own structure."""


def main() -> None:
    """Runs the command line. Whatever docxchunk raises on purpose ends in one sentence."""
    try:
        docxchunk()
    except UsageError as error:
        _end(error, 2)
    except (DocxchunkError, MemoryError) as error:
        _end(error, 1)


def _end(error: BaseException, code: int) -> None:
    click.echo(f"Error: {error or 'There is not enough memory.'}", err=True)
    sys.exit(code)
