"""Process the inputs of a command. Show the progress, collect the failures, warn of outdated
results, and print a summary.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final, TypeVar

from docxchunk.batch.inputs import Input, PassedOver, Scan, ScannedItem, orphaned_folders
from docxchunk.batch.pool import FAILURES, Failed, Failure
from docxchunk.cli.console import Reporter
from docxchunk.errors import InputError, MissingFileError, OutputError, SidecarError, UsageError
from docxchunk.model.document import Issue
from docxchunk.model.options import ParseOptions
from docxchunk.model.wording import counted
from docxchunk.records import line
from docxchunk.sidecar.atomic import write_file
from docxchunk.sidecar.chunks import CHUNKS, is_made_of, is_outdated
from docxchunk.sidecar.names import PARSED, has_documents, is_folder, is_parsed
from docxchunk.sidecar.reader import content_hash, read_lines
from docxchunk.sidecar.writer import remove

if TYPE_CHECKING:
    from rich.progress import Progress

    from docxchunk.batch.jobs import Results

_R = TypeVar("_R")


class InputRun:
    """The inputs of a command, and the counts of its results. Missing inputs are reported at once.

    `counts` has the number of results, by noun ("chunk", "token"). Raises UsageError if `doc_id` is
    given for several inputs.
    """

    def __init__(
        self, items: Sequence[ScannedItem], doc_id: str, reporter: Reporter, *nouns: str
    ) -> None:
        self.inputs = [item for item in items if isinstance(item, Input)]
        self._items = items
        self._passed_over = [item for item in items if isinstance(item, PassedOver)]
        self.counts = Counter(dict.fromkeys(nouns, 0))
        self.reused = 0
        self.failures: list[Failure] = []
        self.damaged: list[Failure] = []
        self.reporter, self._started = reporter, monotonic()
        if doc_id and len(self.inputs) > 1:
            raise UsageError("--doc-id names one document, but there are several inputs.")
        for item in items:
            if isinstance(item, MissingFileError):
                self._fail(Failure("", item.path, type(item).__name__, str(item)))
            elif isinstance(item, Input) and item.note:
                reporter.warn(item.label, item.note)

    def leave_out(self, paths: Sequence[str], out: Path | None, scan: Scan, *, prune: bool) -> None:
        """Warn of the parsed folders whose documents are gone; with `prune`, remove them, also from
        the inputs. Raise UsageError if there is no folder to prune.
        """
        if prune and not any(map(has_documents, paths)):
            raise UsageError("--prune needs the folder of the documents.")
        folders = orphaned_folders(paths, out, scan, self._items)
        if prune and all(item.is_parsed for item in self.inputs):
            self.reporter.warn(
                "--prune", "There are no documents in the folders, so nothing is removed."
            )
        if not folders:
            return
        listed = ", ".join(map(str, folders[:3])) + (", …" if folders[3:] else "")
        label = counted(len(folders), "parsed folder")
        if not prune:
            self.reporter.warn(
                label, f"The documents are gone ({listed}); --prune removes what was made of them."
            )
            return
        for folder in folders:
            remove(folder, out or next(Path(path) for path in paths if folder.is_relative_to(path)))
        self.inputs = [item for item in self.inputs if item.target not in folders]
        self.reporter.warn(
            label, f"The documents are gone, and what was made of them is removed ({listed})."
        )

    def tell_of_options(self, options: ParseOptions, doc_id: str) -> None:
        """Warn that parser options and the id have no effect on inputs that are already parsed."""
        unused_options = "" if options == ParseOptions() else "the parser options"
        unused = " and ".join(filter(None, (unused_options, doc_id and "--doc-id")))
        for item in self.inputs:
            if unused and item.is_parsed:
                self.reporter.warn(
                    item.label, f"It is already parsed: give the Word file to apply {unused}."
                )

    def through(
        self,
        outcomes: Results[_R],
        take: Callable[[Input, _R], None],
    ) -> None:
        """Call `take` with each input and its result, and report failures. After Ctrl-C, finish the
        inputs that were begun.
        """
        done, total = 0, len(self.inputs)
        try:
            with closing(outcomes):
                for item, outcome in watched(outcomes, total, self.reporter):
                    if isinstance(outcome, Failed):
                        self._fail(
                            Failure(item.label, str(item.source), outcome.error, outcome.sentence)
                        )
                    else:
                        take(item, outcome)
                    done += 1
        # other processes may have finished documents whose results come later
        except KeyboardInterrupt:
            self.reporter.say(
                f"Interrupted: at least {done:,} of {counted(total, 'document')} are done."
            )
            raise

    def tell(self, item: Input, notes: Iterable[str], damage: Issue | None = None) -> None:
        """Print the notes on an input. Print its damage even if quiet, and keep it for `record`."""
        for note in notes:
            self.reporter.warn(item.label, note)
        if damage is not None:
            self.damaged.append(Failure(item.label, str(item.source), damage.code, damage.message))
            self.reporter.alert(item.label, damage.message)

    def record(self, paths: Sequence[str], out: Path | None) -> None:
        """Write what failed or is damaged to `failures.jsonl` in the output folder, or else in the
        folders that were given.
        """
        record_failures(failure_folders(paths, out), [*self.failures, *self.damaged])

    def end(self) -> None:
        """Print the summary, and exit with code 1 if anything failed."""
        if self.inputs and (self.counts or len(self.inputs) > 1):
            results = [counted(number, noun) for noun, number in self.counts.items()]
            results += [f"{self.reused:,} unchanged"] if self.reused else []
            results += [f"{len(self.failures):,} failed{_errors(self.failures)}"]
            if self.damaged:
                results.append(f"{len(self.damaged):,} damaged{_errors(self.damaged)}")
            time = f" in {monotonic() - self._started:,.1f} s" if len(self.inputs) > 1 else ""
            documents = counted(len(self.inputs), "document")
            self.reporter.say(f"{documents}{time}: {', '.join(results)}.")
        if self._passed_over:
            self.reporter.say(f"passed over {_kinds(self._passed_over)}.")
        self.reporter.end()

    def _fail(self, failure: Failure) -> None:
        self.failures.append(failure)
        self.reporter.fail(failure.input, failure.message)


def _errors(failures: Iterable[Failure]) -> str:
    """Return e.g. " (2 DamagedError, 1 EmptyFileError)"; "" without failures."""
    kinds = Counter(failure.error for failure in failures).most_common()
    return f" ({', '.join(f'{number:,} {kind}' for kind, number in kinds)})" if kinds else ""


def _kinds(items: Iterable[PassedOver]) -> str:
    """Return e.g. "2 .doc, 1 .pdf: save as .docx first; 3 .md: name such files, or give a
    pattern".
    """
    by_reason: dict[str, list[str]] = {}
    for (reason, suffix), number in Counter((x.reason, x.suffix) for x in items).most_common():
        by_reason.setdefault(reason, []).append(f"{number:,} {suffix}")
    return "; ".join(f"{', '.join(counts)}: {reason}" for reason, counts in by_reason.items())


def failure_folders(paths: Sequence[str], out: Path | None) -> list[Path]:
    """Return the folders for `failures.jsonl`: the output folder, else each input folder that may
    be entered. A single file has none.
    """
    folders = [
        folder
        for folder in map(Path, paths)
        if is_folder(folder) and os.access(folder, os.X_OK) and not folder.name.endswith(".parsed")
    ]
    if out is None:
        return folders
    return [out] if folders or len(paths) > 1 else []


def record_failures(folders: Iterable[Path], failures: Sequence[Failure]) -> None:
    """Write `failures.jsonl` into each folder that has failures, and delete that of an earlier run
    from each that has none. If there are several folders, each gets the failures of its own files.
    Raise OutputError if a file of this name was not written by docxchunk, or cannot be written.
    """
    folders = list(folders)
    for folder in folders:
        path = folder / FAILURES
        within = [
            failure
            for failure in failures
            if len(folders) == 1 or Path(failure.path).is_relative_to(folder)
        ]
        if within and path.exists() and not _is_ours(path):
            raise OutputError(
                f"{path} was not written by docxchunk; move it away, or choose another folder."
            )
        if within:
            folder.mkdir(parents=True, exist_ok=True)
            lines = (
                line({name: _text(value) for name, value in failure._asdict().items()})
                for failure in within
            )
            write_file(path, b"".join(lines))
        elif _is_ours(path):
            path.unlink()


def _is_ours(path: Path) -> bool:
    try:
        first = next(read_lines(path), None)
    except (MissingFileError, SidecarError):
        return False
    return first is not None and tuple(first.as_record()) == Failure._fields


def _text(value: str) -> str:
    """Return the text with undecodable bytes of file names as backslash escapes."""
    return os.fsencode(value).decode("utf-8", "backslashreplace")


def warn_of_subfolders(paths: Iterable[str], reporter: Reporter, *, recursive: bool) -> None:
    """Unless `recursive`, print a note for each folder that has parsed folders in subfolders."""
    for path in () if recursive else map(Path, paths):
        if not is_parsed(path) and (number := sum(1 for _ in path.glob(f"*/*{PARSED}"))):
            folders = counted(number, "parsed folder")
            reporter.warn(str(path), f"Not read: {folders} in subfolders; --recursive reads them.")


def warn_of_outdated(paths: Iterable[Path], reporter: Reporter) -> None:
    """Print a note for each document that has changed since it was parsed, and for each chunk file
    that was not made from the blocks beside it.

    `paths` are parsed folders or files in them.
    """
    paths = list(paths)
    for folder in dict.fromkeys(path if path.is_dir() else path.parent for path in paths):
        if is_outdated(folder):
            reporter.warn(
                folder.absolute().stem,
                "The file has changed since it was parsed: `docxchunk chunk` chunks it again.",
            )
    for file in paths:
        if file.name.endswith(CHUNKS) and not _is_of_its_folder(file):
            reporter.warn(
                file.name,
                "Its chunks were not made from the blocks beside it: "
                "`docxchunk chunk` makes them again.",
            )


def _is_of_its_folder(file: Path) -> bool:
    """Return False if chunks in a parsed folder were not made from the blocks beside them."""
    folder = file.absolute().parent
    try:
        return not (folder.suffix == ".parsed" or is_parsed(folder)) or is_made_of(
            file, content_hash(folder)
        )
    except InputError:
        return False


_T = TypeVar("_T")
SECONDS_BETWEEN_LINES: Final = 10.0  # seconds between lines


def watched(items: Iterable[_T], total: int, reporter: Reporter) -> Iterator[_T]:
    """Yield the items and show the progress, unless quiet or for fewer than two items."""
    if reporter.quiet or total < 2:
        return iter(items)
    return _with_bar(items, total) if sys.stderr.isatty() else with_lines(items, total, reporter)


def progress_bar() -> Progress:
    """Return a progress bar below all other output. It is removed at the end."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    from docxchunk.cli.printing import PrintableConsole

    return Progress(
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=PrintableConsole(sys.stderr),
        transient=True,
        auto_refresh=False,  # without a thread: see `batch.pool`
    )


def with_lines(
    items: Iterable[_T], total: int, reporter: Reporter, clock: Callable[[], float] = monotonic
) -> Iterator[_T]:
    """Yield the items. Every ten seconds, print how many are done, and the time left."""
    start = last = clock()
    for number, item in enumerate(items, 1):
        yield item
        now = clock()
        if number < total and now - last >= SECONDS_BETWEEN_LINES:
            last = now
            time_left = clock_time((now - start) / number * (total - number))
            reporter.say(f"{number:,} of {total:,}, {time_left} left")


def _with_bar(items: Iterable[_T], total: int) -> Iterator[_T]:
    with progress_bar() as bar:
        yield from bar.track(items, total)


def clock_time(seconds: float) -> str:
    """Return seconds as h:mm:ss."""
    minutes, second = divmod(round(seconds), 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour}:{minute:02}:{second:02}"
