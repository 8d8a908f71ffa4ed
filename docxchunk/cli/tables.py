"""Export the tables of documents (`docxchunk export --tables`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path, PurePath
from typing import BinaryIO, Final, NamedTuple

from docxchunk.batch.inputs import Input, Scan, find_inputs, refuse_links
from docxchunk.batch.jobs import ParseJob, Reading, document_of, each, notes_on
from docxchunk.cli.console import Reporter
from docxchunk.cli.input_run import InputRun
from docxchunk.errors import UsageError
from docxchunk.formats.tables import (
    ExportSheet,
    index,
    sheets,
    write_csv,
    write_parquet,
    write_workbook,
)
from docxchunk.model.wording import file_name
from docxchunk.registry import extra_for
from docxchunk.sidecar.atomic import new_file


class _TableWriter(NamedTuple):
    """The function that writes a format, and the package and extra that it needs."""

    write: Callable[..., None]
    package: str = ""
    extra: str = ""


class _Tables(NamedTuple):
    """The tables of a document, and notes for the user."""

    sheets: list[ExportSheet]
    notes: tuple[str, ...]


_FORMATS: Final = {
    "csv": _TableWriter(write_csv),
    "xlsx": _TableWriter(write_workbook, "xlsxwriter", "xlsx"),
    "parquet": _TableWriter(write_parquet, "pyarrow", "parquet"),
}
TABLE_FORMATS: Final = tuple(_FORMATS)
_SUFFIX: Final = len(".table-12345.parquet")
_ONE_FILE: Final = "xlsx"


def write_tables(paths: Sequence[str], fmt: str, out: Path, scan: Scan, *, exact: bool) -> None:
    """Write the tables of all documents: one workbook, or a file per table and an index.

    With `exact`, the cells of CSV files are not protected against formulas. Documents that cannot
    be read are reported and skipped; the exit code is then 1.
    """
    _check(fmt, out)
    write = partial(_writer(fmt), exact=True) if exact else _writer(fmt)
    reporter = Reporter(quiet=False)
    folder = None if fmt == _ONE_FILE else out
    run = InputRun(find_inputs(paths, folder, scan), "", reporter, "table")
    exported: list[ExportSheet] = []

    def take(item: Input, tables: _Tables) -> None:
        for note in tables.notes:
            reporter.warn(item.label, note)
        exported.extend(tables.sheets)
        run.counts["table"] += len(tables.sheets)

    run.through(each(partial(_sheets, folder), run.inputs, 1), take)
    if fmt == _ONE_FILE:
        _put(out, partial(write, exported))
    else:
        for sheet in (*exported, index(exported)):
            path = out / f"{sheet.name}.{fmt}"
            refuse_links(out, path)
            _put(path, partial(write, sheet))
    run.end()


def _check(fmt: str, out: Path) -> None:
    """Raise UsageError if `out` does not fit the format."""
    if fmt == _ONE_FILE and out.suffix.lower() != ".xlsx":
        raise UsageError("--tables xlsx writes one workbook: give its name, -o FILE.xlsx.")
    if fmt != _ONE_FILE and (str(out) == "-" or out.is_file()):
        raise UsageError(
            f"--tables {fmt} writes a file for each table: give the folder for them, -o DIR."
        )


def _writer(fmt: str) -> Callable[..., None]:
    """Return the function that writes a format. Raise MissingExtraError if its package is not
    installed.
    """
    writer = _FORMATS[fmt]
    with extra_for(f"--tables {fmt}", writer.package, writer.extra):
        if writer.package:
            import_module(writer.package)
    return writer.write


def _sheets(folder: Path | None, item: Input) -> _Tables:
    """Return the tables of a document. With an output folder, their names are paths relative to
    it.
    """
    path = item.target.relative_to(folder).with_suffix("") if folder else PurePath(item.label)
    document = document_of(ParseJob(item, Reading()))
    return _Tables(
        sheets(document, path.with_name(file_name(path.name, _SUFFIX)).as_posix()),
        notes_on(document),
    )


def _put(path: Path, write: Callable[[BinaryIO], None]) -> None:
    with new_file(path) as file:
        write(file)
