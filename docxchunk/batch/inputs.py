"""Turn the paths of the command line into inputs with targets."""

from __future__ import annotations

import glob
import hashlib
import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePath
from typing import Final, NamedTuple

from docxchunk.errors import (
    ConvertibleError,
    InputError,
    MissingFileError,
    OutputError,
    UsageError,
)
from docxchunk.model.metadata import Metadata
from docxchunk.model.options import Convert, Limits
from docxchunk.model.wording import name_of
from docxchunk.reader.ids import doc_id_of
from docxchunk.sidecar.names import (
    PARSED,
    has_documents,
    is_parsed,
    is_special,
    mode_of,
    parsed_beside,
    parsed_folder,
)
from docxchunk.sidecar.reader import document_identity, unreadable
from docxchunk.sources import InputKind, bytes_in, kind_in, kind_of

WORD = frozenset({".docx", ".docm", ".dotx", ".dotm"})
_CONVERTIBLE: Final = frozenset({".doc", ".dot", ".rtf", ".odt", ".wps"})
_FOREIGN: Final = frozenset(
    ".doc .dot .rtf .odt .ott .fodt .pdf .wps .wpd .pages .hwp .hwpx "
    ".epub .html .htm .mht .mhtml".split()
)


class Input(NamedTuple):
    """An input file or parsed folder, its kind, and the folder that its results are written to."""

    source: Path
    kind: InputKind
    target: Path  # the parsed folder
    name: str  # document name: report.docx
    # name, or path below the given folder: 2024/report.docx; the document id depends on it
    label: str
    note: str = ""  # note for the user
    is_given: bool = False  # the path itself was given, not that of a folder
    # of the user; None: that in the parsed folder, if there is one
    metadata: Metadata | None = None

    @property
    def is_parsed(self) -> bool:
        """Whether it is a parsed folder or its blocks."""
        return self.kind is InputKind.PARSED

    @property
    def document(self) -> Path:
        """The path of the document. For a parsed folder, it is the path beside the folder."""
        inside = self.source.parent if self.source.suffix == ".jsonl" else self.source
        return inside.absolute().parent / self.name


class PassedOver(NamedTuple):
    """A document in a folder that is not processed. Either files of its type are not searched for,
    or it is in a subfolder, or it is a parsed folder whose document is also an input, or a pipe, a
    socket or a device.
    """

    path: Path
    is_below: bool = False  # in a subfolder
    is_special: bool = False

    @property
    def suffix(self) -> str:
        return self.path.suffix.lower()

    @property
    def reason(self) -> str:
        """What the user can do to include the document."""
        if self.is_special:
            return "pipes, sockets and devices are not read"
        if self.is_below:
            return "in subfolders, which --recursive searches"
        if self.suffix == PARSED:
            return "their documents are read"
        if self.suffix in _CONVERTIBLE:
            return "--convert libreoffice reads them"
        return (
            "save as .docx first"
            if self.suffix in _FOREIGN
            else ("name such files, or give a pattern")
        )


ScannedItem = Input | PassedOver | MissingFileError

_CLASH: Final = (
    "Another input has the same name and date and would get the same id, so this "
    "id depends "
    "on the path: give the folder of both to keep it stable."
)


class Scan(NamedTuple):
    """How to search folders."""

    recursive: bool = False
    parsed: bool = False  # include parsed folders
    convert: Convert = Convert.NONE  # include files that the converter can read

    @property
    def suffixes(self) -> frozenset[str]:
        """Suffixes of the files to take from a folder."""
        return WORD if self.convert is Convert.NONE else WORD | _CONVERTIBLE


def find_inputs(paths: Iterable[str], out: Path | None, scan: Scan) -> list[ScannedItem]:
    """Return the inputs that the paths name, in order and without duplicates. A missing path is an
    error in the list; a document that is skipped is a PassedOver.

    Results go beside the inputs, or under `out`, where folder trees are mirrored. Files that would
    get the same id are labelled by their paths below their common folder. Raise UsageError if two
    inputs would be written to the same folder.
    """
    scanned = list(_expand_all(paths, out, scan))
    items = _without_duplicates(scanned, _real_paths(scanned))
    _refuse_clashes([item for item in items if isinstance(item, Input)])
    return _with_distinct_labels(items)


def find_each(paths: Iterable[str], scan: Scan) -> list[ScannedItem]:
    """Return the inputs that the paths name, like `find_inputs`, but with duplicates: the inputs of
    a path that is given twice come twice.
    """
    items = list(_expand_all(paths, None, scan))
    keys = _real_paths(items)
    unique = _with_distinct_labels(_without_duplicates(items, keys))
    inputs = dict(zip(dict.fromkeys(keys), unique, strict=True))
    return [inputs[key] for key in keys]


def orphaned_folders(
    paths: Iterable[str], out: Path | None, scan: Scan, items: Sequence[ScannedItem]
) -> list[Path]:
    """Return the parsed folders whose documents no longer exist in any of the folders among
    `paths`. Parsed folders are searched for in `out` or, without it, in the folders among `paths`.

    `items` are the inputs at `paths`. The result is empty if a path has no inputs, or only parsed
    folders, because it is then unknown which documents there were.
    """
    folders = list(filter(has_documents, map(Path, paths)))
    documents = [
        item
        for item in items
        if isinstance(item, Input) and (out is not None or not item.is_parsed)
    ]
    if not documents or any(isinstance(item, MissingFileError) for item in items):
        return []

    def has_document(parsed: Path) -> bool:
        name = document_identity(parsed).name
        beside = (
            [parsed.parent]
            if out is None
            else [folder / parsed.relative_to(out).parent for folder in folders]
        )
        return any(os.path.lexists(folder / name) for folder in beside)

    targets = {item.target.absolute() for item in documents}
    searched = folders if out is None else [out] if folders else []
    all_parsed = {
        path
        for folder in searched
        for path in _paths_in(folder, scan)
        if path.suffix == ".parsed"
        and not path.is_symlink()
        and is_parsed(path)
        and path.absolute() not in targets
    }
    return sorted(path for path in all_parsed if not has_document(path))


def _expand_all(paths: Iterable[str], out: Path | None, scan: Scan) -> Iterator[ScannedItem]:
    for path in paths:
        if not path:
            raise UsageError("A path is empty; is a variable not set?")
        yield from _expand(path, out, scan)


def _without_duplicates(
    items: Sequence[ScannedItem], keys: Sequence[str | int]
) -> list[ScannedItem]:
    """Return the items, each file once. Of several paths of a file, one that is no symbolic link is
    kept, else the first.
    """
    unique: dict[str | int, ScannedItem] = {}
    for key, item in zip(keys, items, strict=True):
        earlier = unique.setdefault(key, item)
        if (
            isinstance(earlier, Input)
            and isinstance(item, Input)
            and earlier.source.is_symlink()
            and not item.source.is_symlink()
        ):
            unique[key] = item
    return list(unique.values())


def _real_paths(items: Iterable[ScannedItem]) -> list[str | int]:
    """Return the path of each input without symbolic links; the number of another item."""
    folders: dict[str, str] = {}  # each is resolved once

    def real(path: Path) -> str:
        folder, name = os.path.split(path)
        if os.path.islink(path) or name in ("", ".", ".."):  # noqa: PTH114 - as in `_expand`
            return os.path.realpath(path)
        if folder not in folders:
            folders[folder] = os.path.realpath(folder)
        return os.path.join(folders[folder], name)  # noqa: PTH118 - a text

    return [
        real(item.source) if isinstance(item, Input) else number
        for number, item in enumerate(items)
    ]


def id_of(kind: InputKind, data: bytes, label: str, limits: Limits) -> str:
    """Return the document id of a file with these bytes and this label. Raise InputError."""
    if kind_in(kind, data) is InputKind.TEXT:
        return doc_id_of(label)
    from docxchunk.reader.properties import doc_id_in

    try:
        return doc_id_in(data, label, limits)
    except ConvertibleError:
        return doc_id_of(label)


def file_id(item: Input) -> str:
    """Return the document id of a file; if it cannot be read, the id of the label."""
    limits = Limits()
    try:
        return id_of(item.kind, bytes_in(item.source, limits), item.label, limits)
    except InputError:
        return doc_id_of(item.label)


def _with_distinct_labels(items: list[ScannedItem]) -> list[ScannedItem]:
    """Return the inputs. Files with the same label and the same id get their paths as labels. Only
    files with a shared label are read.
    """
    labels = Counter(item.label for item in items if isinstance(item, Input))
    ids = {
        item.source: file_id(item)
        for item in items
        if isinstance(item, Input) and not item.is_parsed and labels[item.label] > 1
    }
    sharing = Counter(ids.values())
    clashes = {source for source, doc_id in ids.items() if sharing[doc_id] > 1}
    if not clashes:
        return items
    common = os.path.commonpath([source.absolute().parent for source in clashes])

    def with_path_label(item: Input) -> Input:
        return item._replace(
            label=item.source.absolute().relative_to(common).as_posix(), note=_CLASH
        )

    return [
        with_path_label(item) if isinstance(item, Input) and item.source in clashes else item
        for item in items
    ]


def refuse_links(out: Path, target: Path) -> None:
    """Raise OutputError if a part of the path from `out` to `target` is a symbolic link, which
    could lead anywhere.
    """
    for folder in target.relative_to(out).parents:
        if (out / folder).is_symlink() and folder.parts:
            raise OutputError(f"{out / folder} is a symbolic link: nothing is written through it.")


def _expand(path: str, out: Path | None, scan: Scan) -> Iterator[ScannedItem]:
    source = Path(path)
    why = unreadable(source)
    if why is None and has_documents(source):
        yield from _below(source, out, scan)
    elif why is None or os.path.islink(source):  # noqa: PTH114 - Path.is_symlink raises OSError for a name that is too long
        kind = kind_of(source)
        yield (
            _parsed_input(source, out)
            if kind is InputKind.PARSED
            else _file_input(source, kind, out or source.parent, source.name)._replace(
                is_given=True
            )
        )
    else:
        is_pattern = glob.has_magic(path)
        all_matches = _matches(path) if is_pattern else []
        matches = [match for match in all_matches if not is_special(Path(match))]
        for match in matches:
            yield from _expand(match, out, scan)
        specials = sorted({*all_matches} - {*matches})
        yield from (PassedOver(Path(match), is_special=True) for match in specials)
        if not matches:
            yield MissingFileError(f"No file matches {path}.", path) if is_pattern else why


def _matches(pattern: str) -> list[str]:
    try:
        return sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207 - the path may be absolute
    except RecursionError:
        raise UsageError(
            f"Folders are nested too deep for the pattern {pattern}: "
            "name a folder, and --recursive."
        ) from None


def _below(folder: Path, out: Path | None, scan: Scan) -> Iterator[ScannedItem]:
    """Yield the inputs in a folder, sorted by name. Then yield the documents that are passed over,
    and an error for each folder that cannot be listed.

    A parsed folder is passed over if its document is also an input. If there are no inputs, an
    error says what to do.
    """
    inputs: list[Input] = []
    passed_over: list[PassedOver] = []
    errors: list[MissingFileError] = []
    for entry in _walk(folder, scan, out and out.resolve()):
        if isinstance(entry, MissingFileError):
            errors.append(entry)
            continue
        item = _item_at(entry, out, scan)
        if isinstance(item, Input):
            inputs.append(item)
        elif item is not None:
            passed_over.append(item)
        elif not scan.recursive and entry.is_subfolder:
            passed_over += (PassedOver(file, is_below=True) for file in _word_files_in(entry.path))
    if any(item.is_parsed for item in inputs):
        folders_beside = {parsed_beside(item.source) for item in inputs}
        inputs = [item for item in inputs if item.source not in folders_beside]
    parsed_results = _results(inputs)
    passed_over += map(PassedOver, sorted(parsed_results))
    inputs = [item for item in inputs if item.source not in parsed_results]
    yield from inputs
    if passed_over:
        reports = {parsed_beside(item.source).with_suffix(".html") for item in inputs}
        yield from (item for item in passed_over if item.path not in reports)
    yield from errors
    if not inputs and not errors:
        yield MissingFileError(_no_inputs(folder, scan, passed_over), str(folder))


class _Entry(NamedTuple):
    """A path in a folder, and what the list of the folder says of it.

    - `label`: the path below the folder that is searched.
    - `is_file`, `is_subfolder`: whether it is a file, or a folder that is searched with
      `recursive`; False for links.
    """

    path: Path
    label: str
    is_file: bool
    is_subfolder: bool

    @classmethod
    def of(cls, entry: os.DirEntry[str], folder: Path, label: str) -> _Entry:
        is_link, name = entry.is_symlink(), entry.name
        return cls(
            folder / name,
            f"{label}/{name}" if label else name,
            not is_link and entry.is_file(),
            not is_link and not name.endswith(PARSED) and entry.is_dir(),
        )


def _item_at(entry: _Entry, out: Path | None, scan: Scan) -> Input | PassedOver | None:
    """Return what a path in a folder is: an input, a document that is passed over, or None."""
    path = entry.path
    suffix, mode = path.suffix.lower(), stat.S_IFREG if entry.is_file else mode_of(path)
    is_file = mode is not None and stat.S_ISREG(mode)
    if mode is not None and not (is_file or stat.S_ISDIR(mode)):
        return PassedOver(path, is_special=True) if suffix in {*scan.suffixes, PARSED} else None
    if suffix in scan.suffixes and (is_file or mode is None):  # a broken link fails as an input
        folder = path.parent if out is None else out / PurePath(entry.label).parent
        return _file_input(path, InputKind.WORD, folder, entry.label)
    if scan.parsed and path.name.endswith(PARSED) and is_parsed(path):
        item = _parsed_input(path, out and out / PurePath(entry.label).parent)
        return item._replace(label=entry.label)
    if is_file and (suffix in _FOREIGN or kind_of(path) is InputKind.TEXT):
        return PassedOver(path)
    return None


def _word_files_in(folder: Path) -> Iterator[Path]:
    """Yield the Word files in a folder, but not those in its subfolders."""
    for path in _paths_in(folder, Scan()):
        if path.suffix.lower() in WORD and path.is_file():
            yield path


def _no_inputs(folder: Path, scan: Scan, passed_over: Iterable[PassedOver]) -> str:
    """Return a sentence that says that a folder has no inputs, and what to do."""
    if folder.suffix == PARSED:
        return f"{folder} has no blocks: parse the Word file again."
    with os.scandir(folder) as entries:
        has_subfolders = not scan.recursive and any(
            _Entry.of(entry, folder, "").is_subfolder for entry in entries
        )
    hint = "; --recursive searches subfolders" if has_subfolders else ""
    text = next((item.path for item in passed_over if kind_of(item.path) is InputKind.TEXT), None)
    if scan.parsed and text is not None:
        hint += f"; text files need a name or pattern, such as '{folder}/*{text.suffix}'"
    return f"{folder} holds no Word files{hint}."


def _results(inputs: Iterable[Input]) -> set[Path]:
    """Return the parsed folders whose documents are also inputs. Such a folder was made from the
    same bytes as an input, or has the same document id.
    """
    documents = [item for item in inputs if not item.is_parsed]
    parsed = {item.source: document_identity(item.source) for item in inputs if item.is_parsed}
    if not documents or not parsed:
        return set()
    marks = {
        mark
        for item in documents
        # earlier versions made ids of the label alone
        for mark in (doc_id_of(item.label), file_id(item), _hash(item))
    }
    return {
        folder
        for folder, identity in parsed.items()
        if not marks.isdisjoint(filter(None, (identity.doc_id, identity.source_sha256)))
    }


def _hash(item: Input) -> str:
    """Return the SHA-256 of a file; "" if it cannot be read."""
    try:
        return hashlib.sha256(bytes_in(item.source, Limits())).hexdigest()
    except InputError:
        return ""


def _paths_in(folder: Path, scan: Scan) -> Iterator[Path]:
    """Yield the paths that `_walk` yields."""
    for entry in _walk(folder, scan, None):
        if isinstance(entry, _Entry):
            yield entry.path


def _walk(folder: Path, scan: Scan, out: Path | None) -> Iterator[_Entry | MissingFileError]:
    """Yield files and parsed folders, except hidden files, owner files of Word (~$), links to
    folders, and the output folder.

    A folder that cannot be listed is an error.
    """
    top = _Entry(folder, "", is_file=False, is_subfolder=True)
    waiting = [top]
    while waiting:
        entry = waiting.pop()
        if entry is not top and not (scan.recursive and entry.is_subfolder):
            yield entry
        elif entry is top or out is None or entry.path.resolve() != out:
            try:
                with os.scandir(entry.path) as entries:
                    inside = sorted(entries, key=_by_name, reverse=True)
            except OSError as error:
                why = f"{entry.path} cannot be read ({error.strerror or error})."
                yield MissingFileError(why, str(entry.path))
            else:
                waiting += (
                    _Entry.of(item, entry.path, entry.label)
                    for item in inside
                    if not item.name.startswith((".", "~$"))
                )


def _by_name(entry: os.DirEntry[str]) -> str:
    return os.path.normcase(entry.name)


def _file_input(path: Path, kind: InputKind, folder: Path, label: str) -> Input:
    name = name_of(path)
    return Input(path, kind, parsed_folder(folder, name), name, label)


def _parsed_input(path: Path, out: Path | None) -> Input:
    name = document_identity(path).name
    inside = path if path.is_dir() else path.parent
    return Input(
        path,
        InputKind.PARSED,
        inside if out is None else parsed_folder(out, name),
        name,
        (inside if inside.name else path.absolute()).name,
    )


def _refuse_clashes(inputs: Sequence[Input]) -> None:
    owners: dict[Path, Input] = {}
    for item in inputs:
        owner = owners.setdefault(item.target.absolute(), item)
        if owner is not item:
            raise UsageError(
                f"{owner.source} and {item.source} would both be written to "
                f"{item.target}: give them different -o folders."
            )
