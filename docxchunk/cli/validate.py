"""The command `docxchunk validate`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import click

from docxchunk.backends.tokenizers import tokenizer
from docxchunk.batch.comparing import chunks_again
from docxchunk.cli import options as common
from docxchunk.cli.console import Reporter
from docxchunk.cli.input_run import warn_of_outdated, warn_of_subfolders
from docxchunk.errors import DocxchunkError, InputError
from docxchunk.model.wording import counted, one_line
from docxchunk.sidecar.files import PARSED, is_parsed, parsed_beside
from docxchunk.sidecar.files import below as files_below
from docxchunk.sidecar.reader import document_identity
from docxchunk.sidecar.validation import Fault, Remaking, validate

EXAMPLES = """\b
Examples:
  docxchunk validate report.docx.parsed
  docxchunk validate out --recursive"""

_MAX_FAULTS = 20


@click.command(epilog=EXAMPLES)
@common.paths
@common.recursive
@common.quiet
def command(*, paths: tuple[str, ...], recursive: bool, quiet: bool) -> None:
    """Check parsed folders. Files must be unchanged and match their schemas, no text may be lost or
    repeated, no chunk may be over the limit, and the blocks must give the same chunks again.

    PATH is a parsed folder, a .blocks.jsonl file, a Word file with its parsed folder beside it, or
    a folder of these. Each fault is printed on a line.
    """
    reporter = Reporter(quiet=quiet)
    folders = [
        folder
        for path in paths
        for folder in _folders(Path(path), recursive=recursive, reporter=reporter)
    ]
    warn_of_outdated(folders, reporter)
    warn_of_subfolders(paths, reporter, recursive=recursive)
    owners: dict[str, Path] = {}
    for folder in folders:
        try:
            _report(folder, [*validate(folder, _REMAKING), *_id_clash(folder, owners)], reporter)
        except InputError as error:
            reporter.fail(str(folder), str(error))
    reporter.say(f"{counted(len(folders), 'parsed folder')} checked, {reporter.failed} failed.")
    reporter.end()


def _id_clash(folder: Path, owners: dict[str, Path]) -> Iterator[Fault]:
    """Yield a fault if an earlier folder has the same doc_id; else record the id in `owners`."""
    doc_id = document_identity(folder).doc_id
    owner = owners.setdefault(doc_id, folder)
    if doc_id and owner.resolve() != folder.resolve():
        yield Fault(
            folder,
            0,
            f"it has the doc_id of {owner}: parse one of them with --doc-id, or both in one run",
        )


def _folders(path: Path, *, recursive: bool, reporter: Reporter) -> Iterator[Path]:
    beside = parsed_beside(path)
    inside = files_below(path) if recursive else path.glob("*")
    parsed = sorted(each for each in inside if each.name.endswith(PARSED))
    if is_parsed(path):
        yield path
    elif beside.is_dir():
        yield beside
    elif parsed:
        yield from parsed
    else:
        hint = "" if recursive or not path.is_dir() else "; --recursive searches subfolders"
        reporter.fail(str(path), f"There is no parsed folder: `docxchunk parse` makes one{hint}.")


def _report(folder: Path, faults: list[Fault], reporter: Reporter) -> None:
    for fault in faults[:_MAX_FAULTS]:
        line = f"line {fault.line}: " if fault.line else ""
        click.echo(one_line(f"{fault.file}: {line}{fault.sentence}"))
    if faults:
        reporter.fail(folder.name, f"{counted(len(faults), 'fault')}.")


def _counter(name: str) -> Callable[[str], int] | None:
    """Return the counting function of a tokenizer; None if it is unknown, so that its counts are
    not checked.
    """
    try:
        return tokenizer(name).count
    except DocxchunkError:
        return None


_REMAKING: Final = Remaking(_counter, chunks_again)
