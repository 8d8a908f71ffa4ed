"""The command line `docxchunk`."""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn

import click

from docxchunk.cli.lazy_group import INTERRUPTED, LazyGroup
from docxchunk.cli.streams import make_printable
from docxchunk.errors import DocxchunkError, UsageError
from docxchunk.markup.names import one_line
from docxchunk.version import __version__

EXAMPLES = """\b
Examples:
  docxchunk parse report.docx            writes report.docx.parsed/
  docxchunk chunk report.docx            the same and its chunks, of up to 2000 tokens
  docxchunk chunk docs -r -o out         a folder and its subfolders
  docxchunk chunk report.docx -o - | jq -r .content
  docxchunk show report.docx             outline, tables and issues
  docxchunk report report.docx           an HTML page that shows its chunks
  docxchunk stats report.docx.parsed     sizes of the chunks

Exit codes: 0 success, also for damaged files that were read as far as possible;
1 an input failed (the others are done) or the output cannot be written;
2 wrong usage; 130 Ctrl-C."""


@click.group(
    cls=LazyGroup, epilog=EXAMPLES, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="docxchunk")
def docxchunk() -> None:
    """Turn Word files into blocks, tables, equations and chunks that follow the document's own
    structure.
    """


def run(command: click.Command = docxchunk) -> int:
    """Run a command and return its exit code. Print one sentence for each error that docxchunk
    raises.
    """
    try:
        command()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except UsageError as error:
        return _said(str(error), 2)
    except DocxchunkError as error:
        return _said(str(error), 1)
    except MemoryError:
        return _said("There is not enough memory.", 1)
    except OSError as error:
        return (
            _unwritten(error)
            if error.filename is None
            else _said(f"{os.fsdecode(error.filename)}: {error.strerror or error}.", 1)
        )
    return 0


def main(command: click.Command = docxchunk) -> NoReturn:
    """Run a command and exit the process.

    Without worker processes, exit through `os._exit`: freeing the vocabulary of the tokenizer takes
    longer than parsing a small file.
    """
    make_printable()
    try:
        code = _flushed(run(command))
    except KeyboardInterrupt:
        code = INTERRUPTED
    if "multiprocessing" in sys.modules:
        if code == INTERRUPTED:
            _end_processes()
        sys.exit(code)
    os._exit(code)


def _end_processes() -> None:
    """Kill the worker processes after Ctrl-C and ignore further interrupts."""
    from docxchunk.batch.processes import kill_processes

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    kill_processes()


def _flushed(code: int) -> int:
    """Flush standard output; return the exit code, or 1 if the flush fails."""
    try:
        sys.stdout.flush()
    except OSError as error:
        return code or _unwritten(error)
    return code


def _unwritten(error: OSError) -> int:
    sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115 - for the interpreter to flush into
    if isinstance(error, BrokenPipeError):  # the reader closed the pipe
        return 0
    return _said(f"The output cannot be written: {error.strerror or error}.", 1)


def _said(sentence: str, code: int) -> int:
    from docxchunk.cli.messages import with_options

    print(f"Error: {one_line(with_options(sentence))}", file=sys.stderr, flush=True)  # noqa: T201 - a message for the user
    return code
