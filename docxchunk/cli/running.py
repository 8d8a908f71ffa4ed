"""A run over inputs, as a person sees it: how far it is, what failed, and what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import TypeVar

from docxchunk.batch.failures import Failure, record_failures
from docxchunk.batch.inputs import Input, Scan, find_inputs
from docxchunk.batch.pool import Failed
from docxchunk.cli.consoles import Voice, counted
from docxchunk.cli.progress import Pace, watched
from docxchunk.errors import UsageError

_R = TypeVar("_R")


class Run:
    """The inputs that the paths mean, and the count of what comes of them. What is not there is told of at once.

    `out` is where results go; None: beside the inputs, or for "-" nowhere. `made` counts what is made of them, by the word for it: chunks, tokens.
    Raises UsageError for one id for several.
    """

    def __init__(self, paths: Sequence[str], out: Path | None, scan: Scan, doc_id: str, voice: Voice) -> None:
        self.out = None if str(out) == "-" else out
        found = find_inputs(paths, self.out, scan)
        self.inputs = [item for item in found if isinstance(item, Input)]
        self.made = Counter[str]()
        self.reused = 0
        self._voice, self._failures, self._started = voice, list[Failure](), monotonic()
        self._places = _places(paths, out, many=len(found) > 1)
        if doc_id and len(self.inputs) > 1:
            raise UsageError("--doc-id names one document, and there are several inputs.")
        for item in found:
            if not isinstance(item, Input):
                self._fail(Failure("", item.path, type(item).__name__, str(item)))

    def through(self, outcomes: Generator[tuple[Input, _R | Failed], None, None], take: Callable[[Input, _R], None]) -> None:
        """Takes what goes well, as it comes, and tells of the rest. Ctrl-C lets what has been begun come to its end."""
        pace = Pace(len(self.inputs), self.made)
        try:
            with closing(outcomes):
                for item, outcome in watched(outcomes, pace, self._voice):
                    if isinstance(outcome, Failed):
                        self._fail(Failure(item.label, str(item.source), outcome.error, outcome.sentence))
                    else:
                        take(item, outcome)
        except KeyboardInterrupt:
            self._voice.say(f"Interrupted after {pace.files:,} of {counted(pace.total, 'document')}.")
            raise

    def end(self) -> None:
        """Keeps the failures where they belong, says what came of it all, and ends the program with exit code 1 if anything failed."""
        record_failures(self._places, self._failures)
        self._voice.say("\n".join(_aligned(list(self._rows()))) if len(self.inputs) > 1 else self._sentence())
        self._voice.end()

    def _fail(self, failure: Failure) -> None:
        self._failures.append(failure)
        self._voice.fail(failure.input, failure.message)

    def _sentence(self) -> str:
        made = "".join(f"{counted(number, word)}, " for word, number in self.made.items())
        return f"{counted(len(self.inputs), 'document')}: {made}{len(self._failures)} failed." if self.made else ""

    def _rows(self) -> Iterator[tuple[str, str, str]]:
        """What, how much of it, and what there is to say."""
        seconds = monotonic() - self._started
        kinds = Counter(failure.error for failure in self._failures).most_common()
        yield "documents", f"{len(self.inputs):,}", ""
        yield "skipped", f"{self.reused:,}", "unchanged" if self.reused else ""
        yield from ((f"{word}s", f"{number:,}", "") for word, number in self.made.items())
        yield "failed", f"{len(self._failures):,}", ", ".join(f"{number:,} {kind}" for kind, number in kinds)
        yield "seconds", f"{seconds:,.1f}", f"{len(self.inputs) / max(seconds, 1e-3):,.1f} documents a second"


def _places(paths: Sequence[str], out: Path | None, *, many: bool) -> list[Path]:
    """Where failures are kept: in the output folder, else in each folder that was given. A file on its own has no such place."""
    folders = [folder for folder in map(Path, paths) if folder.is_dir() and not folder.name.endswith(".parsed")]
    if out is None or str(out) == "-":
        return [] if out else folders
    return [out] if many or folders else []


def _aligned(rows: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    width = max(len(number) for _, number, _ in rows)
    return (f"{word:<9}  {number:>{width}}  {note}".rstrip() for word, number, note in rows)
