"""The command line `docxchunk`."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, Final, NoReturn

import click

from docxchunk.cli.console import make_printable
from docxchunk.errors import DocxchunkError, UnknownNameError, UsageError
from docxchunk.model.wording import one_line
from docxchunk.version import __version__

GROUPS: Final = {
    "Read": {
        "show": "Show the outline, tables and issues of a document.",
        "outline": "List the sections of a document, or the documents of a folder.",
        "read": "Read a section or clause by its number or heading.",
        "define": "Show where a term is defined.",
        "references": "Show what refers to a section or clause, and what it refers to.",
    },
    "Search": {
        "search": "Find the places of documents that fit a question.",
        "find": "Find a phrase or regular expression.",
        "cite": "Check a quotation, and cite it.",
        "mcp": "Serve the documents of a folder to language models (MCP).",
    },
    "Compare": {
        "diff": "Show what changed between two versions; update an index.",
        "report": "Write an HTML page that shows a document and its chunks.",
    },
    "Index": {
        "parse": "Parse Word files into blocks.",
        "chunk": "Split Word files or parsed folders into chunks.",
        "export": "Convert chunks to another format.",
        "validate": "Check the files of parsed folders.",
    },
    "Measure": {
        "stats": "Show the size distribution of chunks.",
        "eval": "Compare strategies by how well they retrieve answers.",
        "bench": "Measure the speed on this machine.",
        "strategies": "List chunking strategies and their settings.",
        "tokenizers": "List the tokenizers.",
    },
}
COMMANDS: Final = {name: about for group in GROUPS.values() for name, about in group.items()}
# commands without a module of their own, and the modules that have them
_MODULES: Final = {
    "eval": "lab",
    "bench": "lab",
    **dict.fromkeys(("strategies", "tokenizers", "stats", "validate"), "lists"),
    **dict.fromkeys(("outline", "read", "find", "define", "references", "cite"), "reading"),
}
INTERRUPTED: Final = 130  # 128 + SIGINT, as in shells


@contextmanager
def _exit_codes() -> Iterator[None]:
    """Exit with 130 after Ctrl-C, and with 0 if the pipe is closed. Click exits with 1."""
    try:
        yield
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError as error:
        sys.exit(_unwritten(error))


class LazyGroup(click.Group):
    """A group that imports each command when it is called, so that `--help` is fast. Ctrl-C exits
    with code 130.

    The module of a command has the name of the command, and the function in it is `command`. If
    `_MODULES` names another module, the function in that module has the name of the command.
    """

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _exit_codes():  # `--help` and `--version` print here
            return super().make_context(*args, **kwargs)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, ["--help"] if args[:1] == ["--help-all"] else args)

    def invoke(self, ctx: click.Context) -> object:
        with _exit_codes():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"docxchunk.cli.{_MODULES.get(cmd_name, cmd_name)}")
        command: click.Command = getattr(module, cmd_name if cmd_name in _MODULES else "command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and os.path.exists(name):  # noqa: PTH110
            from docxchunk.sidecar.names import has_documents

            print(_NEXT.format(name), file=sys.stderr)  # noqa: T201 - a hint for the user
            shown = "outline" if has_documents(name) else "show"
            return shown, self.get_command(ctx, shown), args
        if name not in COMMANDS and not name.startswith("-"):
            from docxchunk.model.fields import nearest

            meant = nearest(name, COMMANDS)
            hint = f" Did you mean `docxchunk {meant}`?" if meant else ""
            ctx.fail(f"There is no command or file {name!r}.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        width = max(map(len, COMMANDS))
        for name, commands in GROUPS.items():
            with formatter.section(name):
                formatter.write_dl([(name.ljust(width), commands[name]) for name in commands])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)
        options = [param.get_help_record(ctx) for param in self.get_params(ctx)]
        with formatter.section("Options"):
            formatter.write_dl(list(filter(None, options)))


_NEXT: Final = """Next: docxchunk search {0} "a question", or docxchunk chunk {0}"""
EPILOG: Final = (
    "docxchunk COMMAND --help has examples, --help-all has every option. "
    "Exit codes: 1 failed or not found, 2 wrong usage."
)


@click.group(cls=LazyGroup, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="docxchunk")
def docxchunk() -> None:
    """Turn Word files into clean, citable chunks for search and language models."""


def run(command: click.Command = docxchunk) -> int:
    """Run a command and return its exit code. Print one sentence for each error that docxchunk
    raises.
    """
    try:
        command()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except UsageError as error:
        return _fail(str(error), 1 if isinstance(error, UnknownNameError) else 2)
    except DocxchunkError as error:
        return _fail(str(error), 1)
    except MemoryError:
        return _fail("There is not enough memory.", 1)
    except OSError as error:
        return (
            _unwritten(error)
            if error.filename is None
            else _fail(f"{os.fsdecode(error.filename)}: {error.strerror or error}.", 1)
        )
    return 0


def main(command: click.Command = docxchunk) -> NoReturn:
    """Run a command and exit the process without freeing its memory object by object. That takes 20
    to 30 ms after a small file, and 0.2 s with the whole vocabulary of a tokenizer.
    """
    code = 1
    # registered first, so called last: after the functions of multiprocessing, which clean up
    atexit.register(lambda: os._exit(code))
    make_printable()
    try:
        code = _flushed(run(command))
    except KeyboardInterrupt:
        code = INTERRUPTED
    if code == INTERRUPTED:
        if "multiprocessing" not in sys.modules:
            os._exit(code)  # `sys.exit` would wait for threads, and these for answers of models
        _end_processes()
    sys.exit(code)


def _end_processes() -> None:
    """Kill the worker processes after Ctrl-C and ignore further interrupts."""
    from docxchunk.batch.pool import kill_processes

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    kill_processes()


def _flushed(code: int) -> int:
    """Flush standard output. Return the exit code; if it is 0, and the flush fails, return 1."""
    try:
        sys.stdout.flush()
    except OSError as error:
        unwritten = _unwritten(error)
        return code or unwritten
    return code


def _unwritten(error: OSError) -> int:
    with suppress(OSError):  # what is left in the buffer goes there, too
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):  # the reader closed the pipe
        return 0
    return _fail(f"The output cannot be written: {error.strerror or error}.", 1)


def _fail(sentence: str, code: int) -> int:
    from docxchunk.cli.console import with_options

    print(f"Error: {one_line(with_options(sentence))}", file=sys.stderr)  # noqa: T201 - a message for the user
    return code
