"""Relationships: how one part names another (ECMA-376 Part 2, 6.5)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from typing import Final, NamedTuple
from urllib.parse import unquote

from lxml import etree

from docxchunk.ooxml.names import PR

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")  # two letters at least: c: is a drive


class Relationship(NamedTuple):
    """`kind` is the last word of the type ("styles", "image"), which is the same in Strict and Transitional files."""

    id: str
    kind: str
    target: str  # as written: media/image1.png, http://example.org/, #bookmark, NULL
    part: str | None  # the name of the part it leads to; None if it leads elsewhere or nowhere
    external: bool  # outside the package: known, never fetched

    @property
    def dangling(self) -> bool:
        """It should lead to a part and does not."""
        return self.part is None and not self.external


def relationships_name(source: str) -> str:
    """word/document.xml -> word/_rels/document.xml.rels; the package itself ("") -> _rels/.rels (Part 2, 6.5.2.3)."""
    folder, leaf = posixpath.split(source)
    return posixpath.join(folder, "_rels", f"{leaf}.rels")


def read_relationships(root: etree._Element, source: str, find: Callable[[str], str | None]) -> dict[str, Relationship]:
    """The relationships of the part `source` by their ids, in order; `find` gives the name of a part as the package has it."""
    found: dict[str, Relationship] = {}
    for element in root.iter(PR + "Relationship"):
        target = element.get("Target", "").strip()
        external = element.get("TargetMode") == "External" or target.startswith("#") or bool(_SCHEME.match(target))
        part = None if external else _resolved(target, source, find)
        kind = element.get("Type", "").rstrip("/").rpartition("/")[2]
        found.setdefault(element.get("Id", ""), Relationship(element.get("Id", ""), kind, target, part, external))
    return found


def _resolved(target: str, source: str, find: Callable[[str], str | None]) -> str | None:
    """The part that a target leads to, relative to its source's folder (Part 2, 6.4; RFC 3986, 5)."""
    path = target.partition("#")[0].partition("?")[0].replace("\\", "/")
    name = posixpath.normpath(posixpath.join("/", posixpath.dirname(source), path)).lstrip("/")
    return (find(name) or find(unquote(name))) if path else None
