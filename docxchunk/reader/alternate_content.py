"""mc:AlternateContent: which branch is read (ECMA-376 Part 3, 9.3)."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from docxchunk.ooxml.names import MC
from docxchunk.reader.flow import Dropped, Flow

# Prefixes of the extensions whose content is read here; a Choice that requires anything else - ink, 3D models - is for another reader.
# (A prefix is the author's to choose, but every writer of these files uses the ones of the specification.)
UNDERSTOOD = frozenset({"wps", "wpg", "wpc", "wp14", "w14", "w15", "w16", "w16se", "w16cex", "w16cid", "a14", "v", "cx", "cx1", "cx2", "cx4", "c14"})


def chosen_branch(alternate: etree._Element) -> etree._Element | None:
    """The first mc:Choice of which all is understood, else mc:Fallback, else None."""
    for choice in alternate.iterchildren(MC + "Choice"):
        if UNDERSTOOD.issuperset(choice.get("Requires", "").split()):
            return choice
    return alternate.find(MC + "Fallback")


def read_branch(alternate: etree._Element, flow: Flow) -> Iterator[etree._Element]:
    """The chosen branch, if there is one; the others are accounted for."""
    chosen = chosen_branch(alternate)
    for branch in alternate:
        if branch is not chosen:
            flow.drop(Dropped.ALTERNATIVE, branch)
    if chosen is not None:
        yield chosen
