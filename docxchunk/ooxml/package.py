"""Open a package and find its parts by relationships and content types (ECMA-376 Part 2; Part 1,
11.3).

Damage is repaired as Word does, if that requires no guess about the text, and it is reported as an
`Issue`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Final, NamedTuple
from urllib.parse import unquote

from lxml import etree

from docxchunk.errors import DamagedError, EncryptedError, LimitError, UnsafeError
from docxchunk.model.caching import cached_method
from docxchunk.model.document import Issue, IssueCode
from docxchunk.model.options import Limits
from docxchunk.ooxml import xml
from docxchunk.ooxml.archive import Archive, CorruptError, ZipSource, key
from docxchunk.ooxml.file_types import check_zip, foreign_type, refusal
from docxchunk.ooxml.incremental import IncrementalPart
from docxchunk.ooxml.xml import CT, PR, W

# at least two letters, because c: is a drive
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")


class Relationship(NamedTuple):
    """A relationship. `kind` is the last segment of its type ("styles", "image"), which is the same
    in Strict and Transitional files.
    """

    id: str
    kind: str
    target: str  # as written: media/image1.png, http://example.org/, #bookmark, NULL
    part: str | None  # name of the target part; None if it is external or does not exist
    external: bool  # outside of the package; never fetched

    @property
    def dangling(self) -> bool:
        """Whether the target should be a part but does not exist."""
        return self.part is None and not self.external


def relationships_name(source: str) -> str:
    """Return the name of the relationships part: word/_rels/document.xml.rels; _rels/.rels for the
    package, "" (Part 2, 6.5.2.3).
    """
    folder, leaf = posixpath.split(source)
    return posixpath.join(folder, "_rels", f"{leaf}.rels")


def read_relationships(
    root: etree._Element, source: str, find: Callable[[str], str | None]
) -> dict[str, Relationship]:
    """Return the relationships of a part by id, in file order.

    `root` is the root of the relationships part, `source` the name of the part that the
    relationships belong to. `find` takes a part name and returns it as the package writes it, or
    None if there is no such part.
    """
    relationships: dict[str, Relationship] = {}
    for element in root.iter(PR + "Relationship"):
        target = element.get("Target", "").strip()
        external = (
            element.get("TargetMode") == "External"
            or target.startswith("#")
            or bool(_SCHEME.match(target))
        )
        part = None if external else _resolved(target, source, find)
        kind = element.get("Type", "").rpartition("/")[2]
        relationships.setdefault(
            element.get("Id", ""), Relationship(element.get("Id", ""), kind, target, part, external)
        )
    return relationships


def _resolved(target: str, source: str, find: Callable[[str], str | None]) -> str | None:
    """Return the part that a target refers to, relative to the folder of its source (Part 2, 6.4;
    RFC 3986, 5); None if it does not exist.
    """
    path = target.partition("#")[0].partition("?")[0].replace("\\", "/")
    name = posixpath.normpath(posixpath.join("/", posixpath.dirname(source), path)).lstrip("/")
    return find(name) or find(unquote(name))


_FORMATS: Final = {  # content types of main parts: Part 1, 11.3.10, and [MS-OFFMACRO2] 2.2.1
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml": "docx",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml": "dotx",
    "application/vnd.ms-word.document.macroenabled.main+xml": "docm",
    "application/vnd.ms-word.template.macroenabledtemplate.main+xml": "dotm",
}
_TYPES: Final = "[Content_Types].xml"
_ENCRYPTED: Final = (
    "The parts of this zip file are encrypted with a password; unpack it with "
    "the password "
    "and pack it without."
)
_DOCUMENT_ROOT: Final = re.compile(rb"<(?:\w+:)?document\s[^<>]*/wordprocessingml/")
_TYPE_OF_KIND: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.{}+xml"
# kinds of parts to look for if the main part has no relationships
_GUESSES: Final = ("styles", "numbering", "settings", "footnotes", "endnotes", "comments")


def open_package(source: ZipSource, limits: Limits) -> Package:
    """Return the package in these bytes. Raise NotWordError or a subclass, DamagedError or
    LimitError.

    `source` is not copied; pass an `mmap` for a file that should not be loaded into memory.
    """
    limits.admit_file(len(source))
    check_zip(source)
    return Package(Archive(source, limits), limits)


class Package:
    """The parts of a package. Part names are returned as written in the ZIP file; lookup ignores
    case.

    - `main`: the name of the main part.
    - `format`: docx, docm, dotx or dotm.
    - `issues`: problems found so far; the list grows as parts are read.
    """

    def __init__(self, archive: Archive, limits: Limits) -> None:
        self.issues: list[Issue] = []
        self._archive = archive
        self._limits = limits
        if archive.repaired:
            self._report(IssueCode.PACKAGE_REPAIRED, "", archive.repaired)
        self.main = ""
        self._types = self._content_types()
        self.main = self._main()
        self.format = _FORMATS.get(self.content_type(self.main).lower(), "docx")

    @property
    def inflated(self) -> int:
        """The inflated size of all parts read so far."""
        return self._archive.inflated

    def names(self) -> list[str]:
        """Return the names of all parts, in the order of the ZIP file."""
        return [entry.name for entry in self._archive.entries.values()]

    def fingerprints(self) -> list[str]:
        """Return the declared name, checksum and size of each part, sorted. They do not depend on
        the compression.
        """
        return sorted(
            f"{key(entry.name)} {entry.crc} {entry.size}"
            for entry in self._archive.entries.values()
        )

    def main_bytes(self) -> bytes:
        """Return the bytes of the main part as far as they can be read."""
        return b"".join(self._readable(self.main))

    def content_type(self, part: str) -> str:
        """Return the content type of a part from [Content_Types].xml (Part 2, 7.2.3); "" if none is
        declared.
        """
        name = key(part)
        return self._types.get("/" + name) or self._types.get(name.rpartition(".")[2], "")

    def document(self) -> etree._Element:
        """Return the root of the main part, `w:document`, which has a `w:body`. Each call parses it
        again.

        Ill-formed XML is read up to the error, with an issue. Raise DamagedError if there is no
        body.
        """
        root = self._parsed_or_salvaged(self.main)
        if root is None or root.find(W + "body") is None:
            raise DamagedError(
                f"The main part of this file ({self.main}) has no readable "
                "text; ask for another copy of it."
            )
        return root

    def incremental(self) -> IncrementalPart | None:
        """Return the main part for incremental parsing; None if `document` has to be used instead.
        Raise UnsafeError or LimitError.
        """
        try:
            data = xml.prepared(partial(self._archive.pieces, self.main), self._limits)
        except CorruptError:
            return None
        return None if data is None else IncrementalPart(data)

    def xml(self, part: str) -> etree._Element | None:
        """Return the root of an optional part. Return None if the part is damaged or exceeds a
        limit, which is reported as an issue.
        """
        try:
            return xml.parse(partial(self._archive.pieces, part), self._limits)
        except CorruptError as error:
            return self._xml_as_far_as_readable(part, error)
        except (xml.IllFormedError, UnsafeError, LimitError) as error:
            self._report(
                IssueCode.PART_BROKEN,
                _part_and_line(part, error),
                f"The part was treated as missing: {error}.",
            )
        return None

    def xml_of(self, kind: str, source: str | None = None) -> etree._Element | None:
        """Return the root of the first part of a kind that `source` refers to: see `relationships`.
        Return None if there is none or if the part is damaged, which is reported as an issue.
        """
        part = self.part(kind, source)
        return None if part is None else self.xml(part)

    def read(self, part: str) -> bytes | None:
        """Return the bytes of a picture or other object; None, with an issue, if it is damaged,
        empty or exceeds a limit.
        """
        pieces: list[bytes] = []
        size = 0
        try:
            for piece in self._archive.pieces(part):
                pieces.append(piece)
                size += len(piece)
                if size > self._limits.image:
                    raise LimitError(f"It is over {self._limits.image >> 20} MiB", "image")  # noqa: TRY301 - handled like the other limits
        except (CorruptError, LimitError) as error:
            self._report(IssueCode.ASSET_DROPPED, part, f"It was left out: {error}.")
            return None
        if not size:
            self._report(IssueCode.ASSET_DROPPED, part, "It was left out: it is empty.")
            return None
        return b"".join(pieces)

    def relationships(self, source: str | None = None) -> Mapping[str, Relationship]:
        """Return the relationships of a part by id. None means the main part, "" the package."""
        return self._read_relationships(self.main if source is None else source)

    def part(self, kind: str, source: str | None = None) -> str | None:
        """Return the first part of a kind ("styles", "numbering", "footnotes") that `source` refers
        to, or None.
        """
        return next(iter(self.parts(kind, source)), None)

    def parts(self, kind: str, source: str | None = None) -> list[str]:
        """Return all parts of a kind ("header", "image", "chart") that `source` refers to."""
        return [
            r.part
            for r in self.relationships(source).values()
            if r.kind == kind and r.part is not None
        ]

    def _report(self, code: IssueCode, location: str, message: str) -> None:
        self.issues.append(Issue(code, location, message))

    def _parsed_or_salvaged(self, part: str) -> etree._Element | None:
        try:
            return xml.parse(partial(self._archive.pieces, part), self._limits)
        except (xml.IllFormedError, CorruptError) as error:
            self._report(
                IssueCode.MAIN_PART_CUT,
                _part_and_line(part, error),
                f"The main part is damaged and was read up to the error: {error}.",
            )
        return xml.salvage(b"".join(self._readable(part)), self._limits)

    def _xml_as_far_as_readable(self, part: str, damage: CorruptError) -> etree._Element | None:
        """Return the root of a part with a wrong checksum if its XML is complete; else None."""
        data = b"".join(self._readable(part))
        try:
            root = xml.parse(lambda: [data], self._limits)
        except (xml.IllFormedError, UnsafeError, LimitError):
            self._report(IssueCode.PART_BROKEN, part, f"The part was treated as missing: {damage}.")
            return None
        self._report(IssueCode.PART_BROKEN, part, f"The part was read nevertheless: {damage}.")
        return root

    def _readable(self, part: str) -> Iterator[bytes]:
        with suppress(CorruptError):
            yield from self._archive.pieces(part)

    def _content_types(self) -> dict[str, str]:
        """Return content types by "/part/name" in lower case and by extension (Part 2, 7.2.3)."""
        root = self.xml(_TYPES) if _TYPES in self._archive else None
        if root is None or root.tag != CT + "Types":
            self._report(
                IssueCode.PACKAGE_REPAIRED,
                _TYPES,
                "The content types are missing; parts were identified by their relationships.",
            )
            return {}
        defaults = {
            e.get("Extension", "").lower(): e.get("ContentType", "")
            for e in root.iter(CT + "Default")
        }
        return defaults | {
            "/" + key(e.get("PartName", "")): e.get("ContentType", "")
            for e in root.iter(CT + "Override")
        }

    def _main(self) -> str:
        """Return the target of the relationship `officeDocument` (Part 1, 11.3.10), or else a part
        that has the type or root of a document.
        """
        related = self.part("officeDocument", "")
        if related and (self._is_typed(related) or self._is_document(related)):
            return self._unlocked(related)
        candidates = [
            *filter(self._is_typed, self.names()),
            *filter(self._is_document, sorted(self.names(), key=_likeness)),
        ]
        if candidates and not foreign_type(self.content_type(related or "")):
            self._report(
                IssueCode.PACKAGE_REPAIRED,
                candidates[0],
                "No relationship refers to the main part; it was identified by its contents.",
            )
            return self._unlocked(candidates[0])
        if any(entry.encrypted for entry in self._archive.entries.values()):
            raise EncryptedError(_ENCRYPTED)
        raise refusal(
            self.names(), self.content_type(related or ""), truncated=self._archive.truncated
        )

    def _is_typed(self, part: str) -> bool:
        return self.content_type(part).lower() in _FORMATS

    def _is_document(self, part: str) -> bool:
        if not part.lower().endswith(".xml"):
            return False
        root = xml.declared_root(next(self._readable(part), b""))
        return bool(_DOCUMENT_ROOT.match(root))

    def _unlocked(self, part: str) -> str:
        if self._archive.entries[key(part)].encrypted:
            raise EncryptedError(_ENCRYPTED)
        return part

    @cached_method
    def _read_relationships(self, source: str) -> dict[str, Relationship]:
        name = relationships_name(source)
        root = self.xml(name) if name in self._archive else None
        if root is None or root.tag != PR + "Relationships":
            return self._guessed() if source and source == self.main else {}
        relationships = read_relationships(root, source, self._archive.name)
        if dangling := [r for r in relationships.values() if r.dangling]:
            refs = ", ".join(f"{r.id} ({r.kind}) to {r.target or 'nothing'}" for r in dangling[:3])[
                :300
            ]
            self._report(
                IssueCode.PART_MISSING,
                name,
                f"Relationships refer to parts that do not exist ({len(dangling)}): {refs}.",
            )
        return relationships

    def _guessed(self) -> dict[str, Relationship]:
        """Return likely relationships of a main part that has none. They lead to parts with the
        usual content types or names.
        """
        folder = self.main.rpartition("/")[0]
        by_type = {self.content_type(part): part for part in self.names()}
        relationships = {}
        for kind in _GUESSES:
            part = by_type.get(_TYPE_OF_KIND.format(kind)) or self._archive.name(
                f"{folder}/{kind}.xml"
            )
            if part:
                relationships[kind] = Relationship(kind, kind, part, part, external=False)
        if relationships:
            message = (
                "The relationships of the main part are missing; parts were identified by "
                f"name or type: {', '.join(relationships)}."
            )
            self._report(IssueCode.PACKAGE_REPAIRED, relationships_name(self.main), message)
        return relationships


def _part_and_line(part: str, error: Exception) -> str:
    """Return a part name with the line of an error: word/document.xml:12."""
    return f"{part}:{error.line}" if isinstance(error, xml.IllFormedError) and error.line else part


def _likeness(part: str) -> tuple[bool, bool, str]:
    """Return a sort key for candidates of the main part, most likely first."""
    name = part.lower()
    return "glossary" in name, not re.search(r"document\d*\.xml$", name), name
