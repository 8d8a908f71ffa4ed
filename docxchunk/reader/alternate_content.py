"""Choose the branch of mc:AlternateContent to read (ECMA-376 Part 3, 9.3)."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from docxchunk.ooxml.xml import MC
from docxchunk.reader.flow import Dropped, Flow

# Namespace prefixes of the supported extensions; a Choice that requires any other (ink, 3D models)
# is skipped. Files may use other prefixes, but in practice all writers use those of the
# specification.
UNDERSTOOD = frozenset(
    {
        "wps",
        "wpg",
        "wpc",
        "wp14",
        "w14",
        "w15",
        "w16",
        "w16se",
        "w16cex",
        "w16cid",
        "a14",
        "v",
        "cx",
        "cx1",
        "cx2",
        "cx4",
        "c14",
    }
)


def chosen_branch(alternate: etree._Element) -> etree._Element | None:
    """Return the first mc:Choice whose required namespaces are all supported, else mc:Fallback,
    else None.
    """
    for choice in alternate.iterchildren(MC + "Choice"):
        if UNDERSTOOD.issuperset(choice.get("Requires", "").split()):
            return choice
    return alternate.find(MC + "Fallback")


def read_branch(alternate: etree._Element, flow: Flow) -> Iterator[etree._Element]:
    """Yield the chosen branch, if there is one; count the text of the others as dropped."""
    chosen = chosen_branch(alternate)
    for branch in alternate:
        if branch is not chosen:
            flow.drop(Dropped.ALTERNATIVE, branch)
    if chosen is not None:
        yield chosen
