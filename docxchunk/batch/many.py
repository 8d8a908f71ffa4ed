"""Parse or chunk many files from Python. Results are yielded one by one; errors are returned as
values.
"""

from __future__ import annotations

import logging
import pickle
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial, wraps
from os import PathLike, fspath
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar, Unpack

from docxchunk import api
from docxchunk.batch.chunk_spec import load_vocabulary, tokenizer_named
from docxchunk.batch.inputs import Input, Scan, ScannedItem, find_each
from docxchunk.batch.jobs import Reading, document_of, size_of
from docxchunk.batch.pool import Failed, Jobs, run
from docxchunk.errors import DocxchunkError, InputError, ModelError, UsageError, about
from docxchunk.model.chunks import Chunk
from docxchunk.model.document import Document
from docxchunk.model.fields import expect
from docxchunk.model.options import ParseOptions, given_options
from docxchunk.sources import Paths, given_paths

_R = TypeVar("_R")

log = logging.getLogger("docxchunk.batch")


class Outcome(NamedTuple, Generic[_R]):
    """What became of the file at `path`: its `result`, or None and the `error`."""

    path: Path
    result: _R | None
    error: DocxchunkError | None = None


def parse_many(
    paths: Paths, *, options: ParseOptions | None = None, processes: Jobs = 1
) -> Iterator[Outcome[Document]]:
    """Parse many files. Yield for each file, in order, its path, and the Document or the error.
    Nothing is written, and an error does not stop the others.

    `paths` is one path or several: of Word files, parsed folders, text files or folders. In folders
    and their subfolders, all Word files and parsed folders are read. A file that is given twice is
    yielded twice. `processes` is a number, or "auto", which chooses a number by the size of the
    input, at most one for each usable core. With more than one process, call this function under
    `if __name__ == "__main__":`, as multiprocessing requires. Raise UsageError at once for invalid
    arguments.
    """
    reading = Reading(given_options(options))
    return _outcomes(partial(_document, reading), _inputs_at(paths, reading), processes)


def iter_chunks(
    paths: Paths,
    *,
    options: ParseOptions | None = None,
    processes: Jobs = 1,
    **settings: Unpack[api.ChunkSettings],
) -> Iterator[Outcome[list[Chunk]]]:
    """Chunk many files. Yield for each file, in order, its path, and the list of chunks or the
    error. Nothing is written, and an error does not stop the others.

    `paths` and `processes` are those of `parse_many`, and the settings are those of `chunk`. If
    models are given, threads are used instead of processes. Raise UsageError, MissingModelError and
    MissingExtraError at once if they concern every file.
    """
    check_settings(**settings)
    reading = Reading(given_options(options))
    tokenizer = settings.get("tokenizer", api.DEFAULT_TOKENIZER)
    return _outcomes(
        partial(_chunks, reading, settings),
        _inputs_at(paths, reading),
        processes,
        ("given",) if settings.get("models") else (),
        lambda: load_vocabulary(fspath(tokenizer)) if isinstance(tokenizer, (str, PathLike)) else 0,
    )


def check_settings(**settings: Unpack[api.ChunkSettings]) -> None:
    """Raise UsageError, MissingModelError or MissingExtraError for settings that fail on every
    document.
    """
    api.chunk(Document("", "", "", "", ()), **settings)


def _inputs_at(paths: Paths, reading: Reading) -> list[ScannedItem]:
    """Return the inputs at the paths. In folders, these include the files that the options
    convert.
    """
    scan = Scan(recursive=True, parsed=True, convert=reading.options.convert)
    return find_each(given_paths(paths), scan)


def _outcomes(
    work: Callable[[Input], _R | DocxchunkError],
    items: Sequence[ScannedItem],
    processes: Jobs,
    models: Sequence[str] = (),
    prepare: Callable[[], object] = lambda: None,
) -> Iterator[Outcome[_R]]:
    if processes != "auto" and expect("processes", processes, int) < 1:
        raise UsageError(f'processes is {processes}; it must be 1 or more, or "auto".')
    if processes != 1 and not models:
        _refuse_unsendable(work, processes)
    inputs = [item for item in items if isinstance(item, Input)]
    return _as_outcomes(items, run(work, inputs, processes, size_of, models, prepare=prepare))


def _as_outcomes(
    items: Iterable[ScannedItem], outcomes: Generator[_R | DocxchunkError | Failed, None, None]
) -> Iterator[Outcome[_R]]:
    with closing(outcomes) as results:
        for item in items:
            if isinstance(item, Input):
                result = next(results)
                if isinstance(result, Failed):
                    result = DocxchunkError(result.sentence)
                if isinstance(result, DocxchunkError):
                    result.path = result.path or str(item.source)
                    yield Outcome(item.source, None, result)
                else:
                    yield Outcome(item.source, result)
            elif isinstance(item, DocxchunkError):
                yield Outcome(Path(item.path), None, item)
            else:
                log.info("%s is skipped: %s.", item.path, item.reason)


def _document(reading: Reading, item: Input) -> Document | DocxchunkError:
    try:
        with about(item.source):
            return document_of(item, reading)
    except InputError as error:
        return error.with_traceback(None)


def _chunks(
    reading: Reading, settings: api.ChunkSettings, item: Input
) -> list[Chunk] | DocxchunkError:
    document = _document(reading, item)
    if isinstance(document, DocxchunkError):
        return document
    chosen: api.ChunkSettings = {
        **settings,
        "tokenizer": _tokenizer(settings.get("tokenizer", api.DEFAULT_TOKENIZER)),
    }
    try:
        return api.chunk(document, **chosen)
    except ModelError as error:
        return error.with_traceback(None)


def _tokenizer(choice: api.TokenizerChoice) -> api.TokenizerChoice:
    if isinstance(choice, (str, PathLike)):
        return tokenizer_named(fspath(choice))
    return _with_reason(choice) if callable(choice) else choice


def _with_reason(count: Callable[[str], int]) -> Callable[[str], int]:
    """Return the tokenizer function `count`, but with a DocxchunkError in place of its exceptions,
    which would look like faults in docxchunk.
    """

    @wraps(count)
    def counted(text: str) -> int:
        try:
            return count(text)
        except Exception as error:
            raise DocxchunkError(
                f"The tokenizer function failed ({type(error).__name__}: {error})."
            ) from error

    return counted


def _refuse_unsendable(work: Callable[[Input], object], processes: Jobs) -> None:
    """Raise UsageError if a setting, such as a lambda, cannot be sent to another process."""
    try:
        pickle.dumps(work)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise UsageError(
            f"processes is {processes}, and a setting cannot be sent to another "
            f"process ({error}): use 1 process, or a named function."
        ) from error
