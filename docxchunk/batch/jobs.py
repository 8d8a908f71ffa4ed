"""Process one input: parse it into its folder, or return its document."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from docxchunk import api
from docxchunk.backends.loading import ModelChoice, models
from docxchunk.batch.inputs import Input, id_of, refuse_links
from docxchunk.batch.pool import Failed, Jobs, parsing, run
from docxchunk.errors import (
    InputError,
    NotWordError,
    SidecarError,
    about,
)
from docxchunk.model.document import DAMAGE, Document, Issue, IssueCode
from docxchunk.model.metadata import Metadata
from docxchunk.model.options import ParseOptions, different_options
from docxchunk.model.ports import NO_MODELS, Models
from docxchunk.model.rules import Rules
from docxchunk.model.wording import counted, text_name
from docxchunk.reader.ids import doc_id_of
from docxchunk.sidecar.atomic import claimed, sweep
from docxchunk.sidecar.reader import (
    document_identity,
    is_altered_folder,
    is_current,
    options_in,
    read,
    stored_issues,
)
from docxchunk.sources import InputKind, Naming, bytes_in, kind_in, parse_as

_R = TypeVar("_R")
Results = Generator[tuple[Input, _R | Failed], None, None]
"""Each input with its result, in order."""
_AS_PARSED: Final = "It is read from its parsed folder, which has other parser options"
_EDITED: Final = "Its parsed folder was edited after it was written, and is used as it is"
REMADE: Final = "Its parsed folder was damaged and is made again."


class Reading(NamedTuple):
    """Options for parsing inputs. `out` is the output folder; by default, results go beside their
    inputs.

    `models.describer` is the model that describes pictures; "": none. With `as_parsed`, no options
    were chosen: a parsed folder beside the document that is up to date is used, whatever its
    options are; with `any_id`, whatever its document id is.
    """

    options: ParseOptions = ParseOptions()
    out: Path | None = None
    doc_id: str = ""
    force: bool = False
    models: ModelChoice = ModelChoice()
    as_parsed: bool = False
    any_id: bool = False


USUAL: Final = Reading(as_parsed=True, any_id=True)


def reading_with(rules: Rules) -> Reading:
    """Return how documents are read by these rules for headings; the usual way if there are none.
    A parsed folder is used only if it was made with the same rules.
    """
    return Reading(ParseOptions(rules=rules), any_id=True) if rules else USUAL


class Parsed(NamedTuple):
    """The parsed folder of an input. `reused`: it existed, and was made from the same bytes with
    the same options by the same version.
    """

    folder: Path
    reused: bool
    notes: tuple[str, ...] = ()  # for the user
    damage: Issue | None = None  # see `damage_of`; also for a reused folder


class Opened(NamedTuple):
    """An input, ready to be read. `current` is its parsed folder if that is up to date; None if the
    input has to be parsed. `notes` are for the user.
    """

    current: Path | None
    read: Callable[[], Document]
    notes: tuple[str, ...] = ()


def with_results(
    work: Callable[[Input], _R],
    items: Sequence[Input],
    jobs: Jobs,
    models: Sequence[str] = (),
    prepare: Callable[[], object] = lambda: None,
) -> Results[_R]:
    """Yield each input with its result, in order, like `pool.run`. Remove the unfinished files of a
    failed input.
    """
    with closing(run(work, items, jobs, size_of, models, prepare=prepare)) as outcomes:
        for item, outcome in zip(items, outcomes, strict=True):
            if isinstance(outcome, Failed):
                sweep(item.target)
            yield item, outcome


def parse_all(items: Sequence[Input], reading: Reading, jobs: Jobs) -> Results[Parsed]:
    """Parse the inputs into their folders and yield the results in order."""
    return with_results(
        partial(parse_one, reading), items, jobs, ("describer",) if reading.models.describer else ()
    )


def parse_one(reading: Reading, item: Input) -> Parsed:
    """Parse an input into its folder, unless that is up to date. Raise NotWordError for a parsed
    folder.
    """
    if item.is_parsed:
        raise NotWordError("It is parsed already; give the Word file.", "parsed")
    with claimed_by(item, reading):
        return _parse_one(reading, item)


def claimed_by(item: Input, reading: Reading) -> AbstractContextManager[None]:
    """Return the claim on the parsed folder of an input (see `sidecar.atomic`). Raise OutputError
    if the path to the folder leads through a link.
    """
    if reading.out is not None:
        refuse_links(reading.out, item.target)
    return claimed(item.target)


def _parse_one(reading: Reading, item: Input) -> Parsed:
    source = opened(item, reading, keep=True)
    if source.current is not None:
        damage = damage_of(stored_issues(item.target))
        return Parsed(item.target, reused=True, notes=source.notes, damage=damage)
    document = source.read()
    lost = keep(item, reading, source, document)
    notes = (*source.notes, *left_out(document.issues), *lost)
    return Parsed(item.target, reused=False, notes=notes, damage=damage_of(document.issues))


def damage_of(issues: Iterable[Issue]) -> Issue | None:
    """Return the most serious issue that shows that a Word file is damaged, with a sentence about
    the lost content; None if the file is whole.
    """
    damages = [issue for issue in issues if issue.code in DAMAGE]
    if not damages:
        return None
    worst = min(damages, key=lambda issue: DAMAGE.index(issue.code))
    is_cut = worst.code is IssueCode.MAIN_PART_CUT
    lost = "a part of its text is lost" if is_cut else "parts of it may be lost"
    more = f" (and {len(damages) - 1} more)" if damages[1:] else ""
    return worst._replace(message=f"The file is damaged, and {lost}: {worst.message}{more}")


def left_out(issues: Iterable[Issue]) -> list[str]:
    """Return a sentence about the contents of a parsed folder that are missing or could not be
    read; [] if nothing is.
    """
    faults = [issue.message for issue in issues if issue.code is IssueCode.LINE_IGNORED]
    if not faults:
        return []
    sentence = (
        "Its parsed folder does not hold what it declares, or it cannot be read "
        f"({counted(len(faults), 'fault')}): {faults[0]}"
    )
    return [sentence]


def notes_on(document: Document) -> tuple[str, ...]:
    """Return sentences about what is missing in a document, for commands that only read it."""
    damage = damage_of(document.issues)
    return (*left_out(document.issues), *((damage.message,) if damage else ()))


def document_of(item: Input, reading: Reading = USUAL) -> Document:
    """Return the document of an input: read a parsed folder, parse any other file. Without
    `reading`, the parsed folder of a file is read if it is up to date.
    """
    return opened(item, reading, keep=False).read()


def opened(item: Input, reading: Reading = USUAL, *, keep: bool = False) -> Opened:
    """Return how to read an input: from an up-to-date parsed folder, or by parsing the file. The
    folder of a file is used only with `keep`, which says that results are kept in it, or with
    `reading.as_parsed` or `reading.any_id`. With `keep`, the metadata in it become those of the
    input.
    """
    source = _opened(item, reading, keep=keep)
    folder, metadata = source.current, item.metadata
    if folder is None or metadata is None or document_identity(folder).metadata == metadata:
        return source

    def read_with_metadata() -> Document:
        return replace(source.read(), metadata=metadata)

    if not keep or folder != item.target:
        return source._replace(read=read_with_metadata)
    from docxchunk.sidecar.writer import write_at  # most commands write nothing

    write_at(read_with_metadata(), folder)
    return source


def _opened(item: Input, reading: Reading, *, keep: bool) -> Opened:
    if item.is_parsed:
        return Opened(
            item.source,
            partial(read, item.source),
            (f"{_EDITED}.",) if is_altered_folder(item.source) else (),
        )
    data = bytes_in(item.source, reading.options.limits)
    parse = partial(_document, item, reading, data)
    if not (keep or reading.as_parsed or reading.any_id) or not _is_current(item, reading, data):
        return Opened(None, parse)
    is_altered = is_altered_folder(item.target)
    if is_altered and not _is_readable(item.target):
        return Opened(None, parse, (REMADE,))
    if keep:
        sweep(item.target)
    notes = [f"{_EDITED}; `docxchunk parse --force` parses the file again."] * is_altered
    if differences := different_options(options_in(item.target), reading.options):
        notes.append(f"{_AS_PARSED} ({differences}).")
    return Opened(item.target, partial(read, item.target), tuple(notes))


def _is_readable(folder: Path) -> bool:
    """Return whether all files of a parsed folder can be read, and nothing in them is left out."""
    try:
        return not left_out(read(folder).issues)
    except SidecarError:
        return False


def keep(
    item: Input, reading: Reading, source: Opened, document: Document, remade: Path | None = None
) -> list[str]:
    """Write the document to its parsed folder, unless it is up to date. Return sentences about what
    was lost: another document, and the chunk files that do not fit the new blocks. `remade` is the
    chunk file that is being made again; it does not count as lost.
    """
    is_copied = item.is_parsed and reading.out is not None
    if source.current is not None and not is_copied:
        return []
    from docxchunk.sidecar.chunks import chunks_in  # most commands write nothing
    from docxchunk.sidecar.writer import write

    before, options = chunks_in(item.target), options_in(item.target)
    note = _other_document(item, reading, document)
    notes = [note] if note else []
    write(document, item.target.parent)
    lost = ", ".join(file.name for file in before if not file.exists() and file != remade)
    if lost:
        why = "Its text has changed"
        if differences := different_options(options, document.options):
            why = f"It was read with other parser options before ({differences})"
        notes.append(
            f"{why}, and the chunks of the earlier text are gone ({lost}): `docxchunk chunk "
            "--strategy NAME` makes them again."
        )
    return notes


def _other_document(item: Input, reading: Reading, document: Document) -> str:
    """Return a note if the existing parsed folder in the output folder may have been made from
    another document with the same name, else "".
    """
    if reading.out is None or reading.doc_id or not item.is_given:
        return ""
    before = document_identity(item.target)
    if before.source_sha256 in ("", document.source_sha256):
        return ""
    if before.doc_id != document.doc_id:
        return f"It replaces what was made of another document of this name ({before.doc_id})."
    if document.doc_id != doc_id_of(item.label):
        return ""
    return (
        "Its id is made of its name alone, and replaces another text with this id: if that was "
        "another document, give --doc-id and another -o folder."
    )


def _document(item: Input, reading: Reading, data: bytes) -> Document:
    naming = Naming(item.name, item.label, reading.doc_id)
    with about(item.source), parsing(data):
        document = parse_as(item.kind, data, naming, reading.options)
    document = replace(document, metadata=_metadata_of(item, reading, document))
    with about(item.source):
        describing = _describing(reading.models)
        return api.describe(document, describing) if describing.describer else document


def _metadata_of(item: Input, reading: Reading, document: Document) -> Metadata:
    """Return the metadata of an input that is parsed: those that are given or, without any, those
    in its parsed folder. A parsed folder in an output folder must have the same document id: it may
    have been made from another document of the same name.
    """
    if item.metadata is not None:
        return item.metadata
    before = document_identity(item.target)
    is_kept = reading.out is None or before.doc_id == document.doc_id
    return before.metadata if is_kept else {}


def _describing(choice: ModelChoice) -> Models:
    """Return the models with the describer only, if one is chosen."""
    return models(choice, ("describer",)) if choice.describer else NO_MODELS


def _is_current(item: Input, reading: Reading, data: bytes) -> bool:
    if reading.force or not item.target.exists():
        return False
    try:
        doc_id = text_name(reading.doc_id) or (
            document_identity(item.target).doc_id
            if reading.any_id
            else id_of(item.kind, data, item.label, reading.options.limits)
        )
    except InputError:
        return False
    describer = _describing(reading.models).describer
    expected = Document(
        item.name,
        "",
        doc_id,
        "",
        (),
        options=None
        if kind_in(item.kind, data) is InputKind.TEXT
        else (reading.as_parsed and options_in(item.target)) or reading.options,
        source_sha256=hashlib.sha256(data).hexdigest(),
        describer="" if describer is None else describer.name,
    )
    return is_current(item.target, expected)


def size_of(item: Input) -> int:
    """Return the size of an input in bytes; 0 if it is unknown."""
    try:
        return item.source.stat().st_size
    except OSError:
        return 0
