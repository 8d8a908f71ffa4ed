"""Read relationships between parts (ECMA-376 Part 2, 6.5)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from typing import Final, NamedTuple
from urllib.parse import unquote

from lxml import etree

from docxchunk.ooxml.names import PR

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
    found: dict[str, Relationship] = {}
    for element in root.iter(PR + "Relationship"):
        target = element.get("Target", "").strip()
        external = (
            element.get("TargetMode") == "External"
            or target.startswith("#")
            or bool(_SCHEME.match(target))
        )
        part = None if external else _resolved(target, source, find)
        kind = element.get("Type", "").rstrip("/").rpartition("/")[2]
        found.setdefault(
            element.get("Id", ""), Relationship(element.get("Id", ""), kind, target, part, external)
        )
    return found


def _resolved(target: str, source: str, find: Callable[[str], str | None]) -> str | None:
    """Return the part that a target refers to, relative to the folder of its source (Part 2, 6.4;
    RFC 3986, 5); None if it does not exist.
    """
    path = target.partition("#")[0].partition("?")[0].replace("\\", "/")
    name = posixpath.normpath(posixpath.join("/", posixpath.dirname(source), path)).lstrip("/")
    return (find(name) or find(unquote(name))) if path else None
