"""Refresh content controls that show a value stored elsewhere (w:dataBinding, ECMA-376 Part 1,
17.5.2.6), as Word does when it opens a file: the text of such a control may be out of date.

The value is in a custom XML part (15.2.5), or in the core or the extended properties. Word writes
paths of names and positions, `/ns0:coreProperties[1]/ns1:title[1]`; only these are followed. If the
path leads to no element, the stored text stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from lxml import etree

from docxchunk.language.patterns import pattern
from docxchunk.model.caching import cached_method
from docxchunk.model.document import Dropped, IssueCode
from docxchunk.ooxml.package import Package
from docxchunk.ooxml.xml import DS, ON, W14, W, around, is_on
from docxchunk.ooxml.xml import value as named
from docxchunk.reader.fields import BOXES
from docxchunk.reader.prescan import BINDING, SPACE
from docxchunk.reader.properties import core_properties, extended_properties
from docxchunk.reader.state import State

_RUN, _TEXT, _BREAK, _P = W + "r", W + "t", W + "br", W + "p"
_CHARACTERS: Final = {_BREAK: "\n", W + "cr": "\n", W + "tab": "\t", W + "noBreakHyphen": "-"}
_CORE: Final = "{6c3c8bc8-f283-45ae-878a-bab7291924a1}"  # [MS-OI29500] 2.1.360
_EXTENDED: Final = "{6668398d-a668-4e3e-a5eb-62b293d839f1}"
_PREFIX: Final = pattern(r"xmlns:([\w.-]++)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)')")
_STEP: Final = pattern(r"/((?:[\w.-]+:)?[\w.-]+)(?:\[([1-9][0-9]{0,5})\])?")
_PATH: Final = pattern(  # the elements, and an attribute or the text of the last one
    r"((?:/(?:[\w.-]+:)?[\w.-]+(?:\[[1-9][0-9]{0,5}\])?)+)"
    r"(?:/@((?:[\w.-]+:)?[\w.-]+)|/text\(\)(?:\[1\])?)?"
)
_WITHOUT_TEXT: Final = frozenset(
    W + name
    for name in (
        *("richText", "picture", "docPartObj", "docPartList", "group", "equation", "citation"),
        "bibliography",
    )
)
_NESTED: Final = (W + "tbl", W + "sdt", W + "fldChar", W + "drawing")
_DAY: Final = len("2024-05-06")


class BoundData:
    """The XML parts that hold the values of controls. Each is parsed when it is first used."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._parts = {  # by the id of the store
            (None if props is None else props.get(DS + "itemID", "")) or part: part
            for part in package.parts("customXml")
            for props in [package.xml_of("customXmlProps", part)]
        }
        self._parts = {store.lower(): part for store, part in self._parts.items()}

    def find(self, store: str, path: re.Match[str], prefixes: Mapping[str, str]) -> str | None:
        """Return the text at a path; None if there is none, or if it has elements in it. Without a
        store, all custom XML parts are searched.
        """
        steps = [(_name(step[1], prefixes), int(step[2] or 1)) for step in _STEP.finditer(path[1])]
        attribute = _name(path[2], prefixes) if path[2] else ""
        stores = [store.lower()] if store else list(self._parts)
        roots = (root for name in stores if (root := self._root(name)) is not None)
        texts = (self._text(root, steps, attribute) for root in roots)
        return next((text for text in texts if text is not None), None)

    @cached_method
    def _root(self, store: str) -> etree._Element | None:
        if (part := self._parts.get(store)) is not None:
            return self._package.xml(part)
        if store == _CORE:
            return core_properties(self._package)
        return extended_properties(self._package) if store == _EXTENDED else None

    def _text(
        self, root: etree._Element, steps: Sequence[tuple[str, int]], attribute: str
    ) -> str | None:
        element, (first, *below) = root, steps
        if first != (root.tag, 1):
            return None
        for name, position in below:
            matching = self._by_name(element).get(name, [])
            if len(matching) < position:
                return None
            element = matching[position - 1]
        if attribute:
            return element.get(attribute)
        return None if len(element) else element.text or ""

    @cached_method
    def _by_name(self, element: etree._Element) -> Mapping[str, list[etree._Element]]:
        """Return the children of an element, which are sorted only once, by name."""
        children: dict[str, list[etree._Element]] = {}
        for child in element:
            children.setdefault(child.tag, []).append(child)
        return children


def _name(name: str, prefixes: Mapping[str, str]) -> str:
    """Return a name of a path in Clark notation."""
    prefix, _, local = name.rpartition(":")
    return f"{{{prefixes.get(prefix, '')}}}{local}" if prefix else local


def refresh_controls(root: etree._Element, state: State) -> None:
    """Replace the text of the bound controls below an element by the values that Word shows."""
    for binding in list(root.iter(BINDING)):
        properties = around(binding)
        content = next(around(properties).iterchildren(W + "sdtContent"), None)
        if content is not None and _WITHOUT_TEXT.isdisjoint(child.tag for child in properties):
            _refresh(binding, properties, content, state)


def _refresh(
    binding: etree._Element, properties: etree._Element, content: etree._Element, state: State
) -> None:
    path, stored = _PATH.fullmatch(binding.get(W + "xpath", "")), "".join(_stored(content))
    if path is None or not _is_plain(content):
        _report(stored, "what it shows is not known", state)
        return
    if state.document.bound is None:
        state.document.bound = BoundData(state.env.package)
    mappings = binding.get(W + "prefixMappings", "")
    prefixes = {match[1]: match[2] or match[3] or "" for match in _PREFIX.finditer(mappings)}
    value = state.document.bound.find(binding.get(W + "storeItemID", ""), path, prefixes)
    if value is None:
        return
    if not value.strip():
        if stored.strip() and not is_on(properties.find(W + "showingPlcHdr")):
            _report(stored, "its value is empty", state)
        return
    shown = _shown_text(value, stored, properties)
    if shown is None:
        _report(stored, f"its value is the date {value.strip()[:40]}", state)
    elif shown.split() != stored.split():
        _put_text(shown, content, state)


def _report(stored: str, reason: str, state: State) -> None:
    state.report_once(
        IssueCode.CONTROL_NOT_REFRESHED,
        f"Word refreshes a content control when it opens the file, and {reason}; the stored text "
        f"{' '.join(stored.split())[:60]!r} was kept.",
    )


def _is_plain(content: etree._Element) -> bool:
    """Return whether the control has text of one paragraph at most."""
    return len(list(content.iter(_P))) < 2 and next(content.iter(*_NESTED), None) is None


def _stored(content: etree._Element) -> Iterator[str]:
    for element in content.iter(_TEXT, *_CHARACTERS):
        if around(element).tag == _RUN:
            yield _CHARACTERS.get(element.tag) or element.text or ""


def _shown_text(value: str, stored: str, properties: etree._Element) -> str | None:
    """Return what the control shows for a value; None if it is a date in another form. A list shows
    the text of an entry, a check box its box.
    """
    if value.split() == stored.split():
        return stored
    for child in properties:
        if child.tag in (W + "dropDownList", W + "comboBox"):
            entries = {entry.get(W + "value"): entry for entry in child.iter(W + "listItem")}
            entry = entries.get(value)
            return value if entry is None else entry.get(W + "displayText") or value
        if child.tag == W14 + "checkbox":
            checked = value.strip() in ON
            was_checked = is_on(child.find(W14 + "checked"), W14 + "val")
            return stored if checked == was_checked else BOXES[checked]
        if child.tag == W + "date":
            day = child.get(W + "fullDate", "")[:_DAY]
            if named(child, W + "storeMappedDataAs") == "text":
                return value
            return stored if day and value.strip()[:_DAY] == day else None
    return value


def _put_text(value: str, content: etree._Element, state: State) -> None:
    """Put the text in place of the one that is stored, in its first run."""
    run = next(content.iter(_RUN), None)
    if run is None:
        inline = around(around(content)).tag == _P
        host = content if inline else next(content.iter(_P), None)
        if host is None:
            return
        run = etree.SubElement(host, _RUN)
    for element in list(content.iter(_TEXT, W + "sym", *_CHARACTERS)):
        if around(element).tag == _RUN:
            state.document.dropped[Dropped.REPLACED] += (
                len(element.text or "") if element.tag == _TEXT else 0
            )
            around(element).remove(element)
    for number, line in enumerate(value.strip().splitlines()):
        if number:
            etree.SubElement(run, _BREAK)
        etree.SubElement(run, _TEXT, {SPACE: "preserve"}).text = line
