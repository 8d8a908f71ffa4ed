"""Process the inputs of a command. Show the progress, collect the failures, warn of outdated
results, and print a summary.
"""

from __future__ import annotations

import os
import sys
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import Final, NamedTuple, TypeVar

from docxchunk.batch.inputs import Input, Item, PassedOver, Scan, gone
from docxchunk.batch.pool import FAILURES, Failed, Failure
from docxchunk.cli.console import Reporter
from docxchunk.errors import InputError, MissingFileError, OutputError, SidecarError, UsageError
from docxchunk.model.document import Issue
from docxchunk.model.options import ParseOptions
from docxchunk.model.wording import counted
from docxchunk.sidecar.chunks import CHUNKS, is_made_of, is_outdated
from docxchunk.sidecar.files import PARSED, is_folder, is_parsed
from docxchunk.sidecar.reader import content_hash, read_lines
from docxchunk.sidecar.writer import remove, write_lines
from docxchunk.sources import InputKind

_R = TypeVar("_R")


class InputRun:
    """The inputs of a command, and the counts of its results. Missing inputs are reported at once.

    `counts` has the number of results, by noun ("chunk", "token"). Raises UsageError if `doc_id` is
    given for several inputs.
    """

    def __init__(self, items: Sequence[Item], doc_id: str, reporter: Reporter, *nouns: str) -> None:
        self.inputs = [item for item in items if isinstance(item, Input)]
        self._items = items
        self._passed_over = [item for item in items if isinstance(item, PassedOver)]
        self.counts = Counter(dict.fromkeys(nouns, 0))
        self.reused = 0
        self.failures: list[Failure] = []
        self.damaged: list[Failure] = []
        self._replaced: Counter[str] = Counter()
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
        if prune and not any(Path(path).is_dir() and not is_parsed(Path(path)) for path in paths):
            raise UsageError("--prune needs the folder of the documents.")
        folders = gone(paths, out, scan, self._items)
        if prune and all(item.kind is InputKind.PARSED for item in self.inputs):
            self.reporter.warn(
                "--prune", "There are no documents in the folders, so nothing is removed."
            )
        if not folders:
            return
        some = ", ".join(map(str, folders[:3])) + (", …" if folders[3:] else "")
        label = counted(len(folders), "parsed folder")
        if not prune:
            self.reporter.warn(
                label, f"The documents are gone ({some}); --prune removes what was made of them."
            )
            return
        for folder in folders:
            remove(folder, out or next(Path(path) for path in paths if folder.is_relative_to(path)))
        self.inputs = [item for item in self.inputs if item.target not in folders]
        self.reporter.warn(
            label, f"The documents are gone, and what was made of them is removed ({some})."
        )

    def tell_of_options(self, options: ParseOptions, doc_id: str) -> None:
        """Warn that parser options and the id have no effect on inputs that are already parsed."""
        unused_options = "" if options == ParseOptions() else "the parser options"
        unused = " and ".join(filter(None, (unused_options, doc_id and "--doc-id")))
        for item in self.inputs:
            if unused and item.kind is InputKind.PARSED:
                self.reporter.warn(
                    item.label, f"It is already parsed: give the Word file to apply {unused}."
                )

    def through(
        self,
        outcomes: Generator[tuple[Input, _R | Failed], None, None],
        take: Callable[[Input, _R], None],
    ) -> None:
        """Call `take` with each input and its result, and report failures. After Ctrl-C, finish the
        inputs that were begun.
        """
        pace = Pace(len(self.inputs), self.counts)
        try:
            with closing(outcomes):
                for item, outcome in watched(outcomes, pace, self.reporter):
                    if isinstance(outcome, Failed):
                        self._fail(
                            Failure(item.label, str(item.source), outcome.error, outcome.sentence)
                        )
                    else:
                        take(item, outcome)
        # other processes may have finished documents whose results come later
        except KeyboardInterrupt:
            self.reporter.say(
                f"Interrupted: at least {pace.files:,} of "
                f"{counted(pace.total, 'document')} are done."
            )
            raise

    def tell(self, item: Input, notes: Iterable[str], damage: Issue | None = None) -> None:
        """Print the notes on an input. Print its damage even if quiet, and keep it for `record`."""
        for note in notes:
            self.reporter.warn(item.label, note)
        if damage is not None:
            self.damaged.append(Failure(item.label, str(item.source), damage.code, damage.message))
            self.reporter.alert(item.label, damage.message)

    def replace(self, settings: str) -> None:
        """Count a document whose chunks of other settings were replaced."""
        self._replaced.update([settings] if settings else [])

    def record(self, paths: Sequence[str], out: Path | None) -> None:
        """Write what failed or is damaged to `failures.jsonl` in the output folder, or else in the
        folders that were given.
        """
        record_failures(failure_folders(paths, out), [*self.failures, *self.damaged])

    def end(self) -> None:
        """Print the summary, and exit with code 1 if anything failed."""
        for settings, number in self._replaced.most_common():
            self.reporter.say(
                f"Chunks of other settings ({settings}) were replaced in "
                f"{counted(number, 'document')}."
            )
        if len(self.inputs) > 1:
            self.reporter.say("\n".join(_aligned(list(self._rows()))))
        else:
            self.reporter.say(self._sentence())
            if self._passed_over:
                self.reporter.say(f"passed over {_kinds(self._passed_over)}.")
        self.reporter.end()

    def _fail(self, failure: Failure) -> None:
        self.failures.append(failure)
        self.reporter.fail(failure.input, failure.message)

    def _sentence(self) -> str:
        if not self.counts:
            return ""
        results = "".join(f"{counted(number, noun)}, " for noun, number in self.counts.items())
        damaged = f", {len(self.damaged)} damaged" if self.damaged else ""
        documents = counted(len(self.inputs), "document")
        return f"{documents}: {results}{len(self.failures)} failed{damaged}."

    def _rows(self) -> Iterator[tuple[str, str, str]]:
        """Yield the rows of the summary: name, number, note."""
        seconds = monotonic() - self._started
        speed = len(self.inputs) / max(seconds, 1e-3)
        yield "documents", f"{len(self.inputs):,}", ""
        yield "skipped", f"{self.reused:,}", "unchanged" if self.reused else ""
        yield from ((f"{noun}s", f"{number:,}", "") for noun, number in self.counts.items())
        if self._passed_over:
            yield "passed over", f"{len(self._passed_over):,}", _kinds(self._passed_over)
        yield "failed", f"{len(self.failures):,}", _errors(self.failures)
        if self.damaged:
            note = f"{_errors(self.damaged)}: read as far as possible"
            yield "damaged", f"{len(self.damaged):,}", note
        yield "seconds", f"{seconds:,.1f}", f"{speed:,.1f} documents a second"


def _errors(failures: Iterable[Failure]) -> str:
    """Return e.g. "2 DamagedError, 1 EmptyFileError"."""
    kinds = Counter(failure.error for failure in failures)
    return ", ".join(f"{number:,} {kind}" for kind, number in kinds.most_common())


def _kinds(items: Iterable[PassedOver]) -> str:
    """Return e.g. "2 .doc, 1 .pdf: save as .docx first; 3 .md: name such files, or give a
    pattern".
    """
    by_reason: dict[str, list[str]] = {}
    for (reason, suffix), number in Counter((x.reason, x.suffix) for x in items).most_common():
        by_reason.setdefault(reason, []).append(f"{number:,} {suffix}")
    return "; ".join(f"{', '.join(counts)}: {reason}" for reason, counts in by_reason.items())


def _aligned(rows: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    name_width, number_width = (max(len(row[column]) for row in rows) for column in (0, 1))
    for name, number, note in rows:
        yield f"{name:<{name_width}}  {number:>{number_width}}  {note}".rstrip()


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
    """Write the failures of each folder, or delete the file of an earlier run. Raise OutputError,
    also if docxchunk did not write the existing file.
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
            write_lines(
                path,
                (
                    {name: _text(value) for name, value in failure._asdict().items()}
                    for failure in within
                ),
            )
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
# seconds over which the speed is averaged: large files often follow each other
_WINDOW: Final = 30.0
BETWEEN: Final = 10.0  # seconds between lines


class ProgressMark(NamedTuple):
    """Files and tokens done at a point in time (seconds)."""

    time: float
    files: int
    tokens: int


class Pace:
    """The recent speed, in files and tokens per second, and the time left. The caller counts the
    tokens: it updates "token" in `counts`.
    """

    def __init__(
        self, total: int, counts: Mapping[str, int], clock: Callable[[], float] = monotonic
    ) -> None:
        self.total, self.files, self.clock = total, 0, clock
        self._counts = counts
        self._marks = deque([ProgressMark(clock(), 0, 0)])

    def __str__(self) -> str:
        """Return e.g. "32.6 files/s · 145,210 tokens/s · 0:01:03 left"; empty before the first
        file.
        """
        now = ProgressMark(self.clock(), self.files, self._counts.get("token", 0))
        self._marks.append(now)
        while len(self._marks) > 2 and now.time - self._marks[1].time >= _WINDOW:
            self._marks.popleft()
        first = self._marks[0]
        seconds, files = now.time - first.time, now.files - first.files
        if not seconds or not files:
            return ""
        tokens = (
            (f" · {(now.tokens - first.tokens) / seconds:,.0f} tokens/s")
            if "token" in self._counts
            else ""
        )
        return (
            f"{files / seconds:,.1f} files/s{tokens} · "
            f"{clock_time((self.total - now.files) * seconds / files)} left"
        )


def watched(items: Iterable[_T], pace: Pace, reporter: Reporter) -> Iterator[_T]:
    """Yield the items and show the progress, unless quiet or for fewer than two items."""
    if reporter.quiet or pace.total < 2:
        return iter(items)
    return _with_bar(items, pace) if sys.stderr.isatty() else with_lines(items, pace, reporter.say)


def with_lines(items: Iterable[_T], pace: Pace, say: Callable[[str], None]) -> Iterator[_T]:
    """Yield the items and print a line every ten seconds, starting with the first item."""

    def show() -> None:
        if 1 < pace.files < pace.total:
            say(f"{pace.files:,} of {pace.total:,} · {pace}")

    return _reported(items, pace, BETWEEN, show)


def _with_bar(items: Iterable[_T], pace: Pace) -> Iterator[_T]:
    """Yield the items, and show a progress bar below all other output. The bar is removed at the
    end.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from docxchunk.cli.printing import PrintableConsole

    with Progress(
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[pace]}"),
        console=PrintableConsole(sys.stderr),
        transient=True,
        auto_refresh=False,  # without a thread: see `batch.pool`
    ) as bar:
        task = bar.add_task("", total=pace.total, pace="")

        def show() -> None:
            bar.update(task, completed=pace.files, pace=str(pace), refresh=True)

        yield from _reported(items, pace, 0.2, show)


def _reported(
    items: Iterable[_T], pace: Pace, seconds: float, show: Callable[[], None]
) -> Iterator[_T]:
    """Yield the items and count them. Call `show` after the first item, and then after each item
    with which `seconds` seconds have passed since the last call.
    """
    last: float | None = None
    for item in items:
        yield item
        pace.files += 1
        now = pace.clock()
        if last is None or now - last >= seconds:
            last = now
            show()


def clock_time(seconds: float) -> str:
    """Return seconds as h:mm:ss."""
    minutes, second = divmod(round(seconds), 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour}:{minute:02}:{second:02}"
