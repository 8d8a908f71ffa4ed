"""Read document properties: core (ECMA-376 Part 2, 8.3), extended (Part 1, 22.2) and custom (Part
1, 22.3). Make the id of a document for which the caller gave none.

The id of a file with a name is a hash of its name and of a mark that editing keeps. The name is
relative to the input folder, if there is one. The mark is `dcterms:created` of the core properties
or, if it is missing, `w15:docId` of the settings ([MS-DOCX]); a file may have neither. The marks
alone do not identify a document: Word's "Save As" copies them. The id of bytes without a name is a
hash of all parts, with an issue.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from lxml import etree

from docxchunk.model.document import Issue, Property
from docxchunk.model.options import Limits
from docxchunk.ooxml.package import Package, open_package
from docxchunk.ooxml.xml import CP, DC, DCTERMS, EP, ON, W15, local_name, natural_number
from docxchunk.reader.ids import doc_id_of, id_of_content
from docxchunk.reader.text import BREAK

_CORE: Final = {  # in output order
    DC + "creator": "author",
    CP + "lastModifiedBy": "last_modified_by",
    DCTERMS + "created": "created",
    DCTERMS + "modified": "modified",
    DC + "subject": "subject",
    CP + "keywords": "keywords",
    DC + "description": "description",
    CP + "category": "category",
    CP + "contentStatus": "status",
    DC + "language": "language",
    CP + "version": "version",
    CP + "revision": "revision",
}
_EXTENDED: Final = {EP + "Company": "company", EP + "Manager": "manager"}
_STATISTICS: Final = {  # what Word stores about the file and its text
    EP + "Application": "application",
    EP + "Template": "template",
    EP + "TotalTime": "editing_minutes",
    EP + "Pages": "pages",
    EP + "Words": "words",
    EP + "Characters": "characters",
    EP + "Lines": "lines",
    EP + "Paragraphs": "paragraphs",
}
_OF_FIELDS: Final = {  # other names in Word
    "lastsavedby": "last_modified_by",
    "comments": "description",
    "revisionnumber": "revision",
    "revnum": "revision",
    "numpages": "pages",
    "numwords": "words",
    "numchars": "characters",
    "totaleditingtime": "editing_minutes",
    "edittime": "editing_minutes",
    "nameofapplication": "application",
}
_CUSTOM: Final = "custom_"
_TEXTS: Final = frozenset(("lpwstr", "lpstr", "bstr", "filetime", "date"))
_INTEGERS: Final = frozenset(("i1", "i2", "i4", "i8", "int", "ui1", "ui2", "ui4", "ui8", "uint"))
_NUMBERS: Final = frozenset(("r4", "r8", "decimal"))
_SECONDS: Final = len("2024-05-06T07:08:09")  # writers differ in fractions and time zone
_LONGEST: Final = 1000  # characters; longer values are data that programs store


def core_properties(package: Package) -> etree._Element | None:
    """Return the root of the core properties (Part 2, 8.3); None if the package has none."""
    return package.xml_of("core-properties", "")


def title_of(core: etree._Element | None) -> str:
    """Return the title in the core properties; "" if they have none."""
    return "" if core is None else " ".join((core.findtext(DC + "title") or "").split())


def title_in(source: bytes, limits: Limits) -> str:
    """Return the title in the core properties of a file. Raise InputError as `open_package`."""
    return title_of(core_properties(open_package(source, limits)))


def extended_properties(package: Package) -> etree._Element | None:
    """Return the root of the part of extended properties (docProps/app.xml), or None."""
    return package.xml_of("extended-properties", "")


def document_properties(
    package: Package,
    core: etree._Element | None,
    extended: etree._Element | None,
    *,
    everything: bool,
) -> dict[str, Property]:
    """Return the properties that have a value, by name: "author", "company", and "custom_Client"
    for a custom property named Client. With `everything`, return also the statistics of the file.

    Custom properties whose names begin with an underscore are left out: programs use them for
    internal data.
    """
    return {
        **_named(core, _CORE),
        **_named(extended, _EXTENDED),
        **(_named(extended, _STATISTICS) if everything else {}),
        **dict(_custom(package.xml_of("custom-properties", ""))),
    }


def field_properties(package: Package) -> dict[str, Property]:
    """Return the properties that fields may show (17.16.5.15), "" for those without a value. The
    keys are the names in Word and the names in `document_properties`, in lower case.
    """
    core, extended = core_properties(package), extended_properties(package)
    part = package.part("custom-properties", "")
    custom = package.xml(part) if part else None
    names = () if custom is None else (" ".join(item.get("name", "").split()) for item in custom)
    values = document_properties(package, core, extended, everything=True)
    known = {"title": title_of(core)} | {
        name.lower().removeprefix(_CUSTOM): value for name, value in values.items()
    }
    return (
        {name.lower(): "" for name in names}
        | known
        | {name: known[ours] for name, ours in _OF_FIELDS.items() if ours in known}
    )


def properties_text(title: str, properties: Mapping[str, Property]) -> str:
    """Return the title and the properties as raw text, a line for each; "" if there are none."""
    lines = [
        f"{name.removeprefix(_CUSTOM)}: {value}"
        if name.startswith(_CUSTOM)
        else f"{name.replace('_', ' ')}: {value}"
        for name, value in {"title": title, **properties}.items()
        if value not in ("", "0")
    ]
    return BREAK.join(("Document properties", *lines)) if lines else ""


def page_count(extended: etree._Element | None) -> int:
    """Return the number of pages that Word counted when it saved the file (Part 1, 22.2.2.22). It
    may be out of date. It is 0 if it is not stored.
    """
    return 0 if extended is None else natural_number(extended.findtext(EP + "Pages")) or 0


def named_id(
    label: str, core: etree._Element | None, settings: Callable[[], etree._Element | None]
) -> str:
    """Return the id of a document with a name. `settings` is called only if the core properties
    have no creation date.
    """
    created = "" if core is None else (core.findtext(DCTERMS + "created") or "").strip()[:_SECONDS]
    return doc_id_of(label, created or _word_id(settings()))


def nameless_id(package: Package) -> tuple[str, Issue]:
    """Return the id of a document without a label, made from the content of its parts, and the
    issue that says so.
    """
    digest = hashlib.sha256("\n".join(package.fingerprints()).encode("utf-8", "surrogatepass"))
    digest.update(package.main_bytes())
    return id_of_content(digest.hexdigest())


def doc_id_in(source: bytes, label: str, limits: Limits) -> str:
    """Return the id that `read_document` gives to the source under this label. Raise InputError as
    `open_package` does.
    """
    package = open_package(source, limits)
    return named_id(label, core_properties(package), lambda: package.xml_of("settings"))


def _word_id(settings: etree._Element | None) -> str:
    word_id = None if settings is None else settings.find(W15 + "docId")
    return "" if word_id is None else word_id.get(W15 + "val", "").upper()


def _named(root: etree._Element | None, names: dict[str, str]) -> dict[str, Property]:
    """Return the properties of `root` in the order of `names`."""
    values = (
        {} if root is None else {child.tag: _text(child) for child in root if child.tag in names}
    )
    return {name: values[tag] for tag, name in names.items() if values.get(tag)}


def _custom(root: etree._Element | None) -> Iterator[tuple[str, Property]]:
    for element in () if root is None else root:
        name = " ".join(element.get("name", "").split())
        value = None if name.startswith("_") or len(element) != 1 else _value(element[0])
        if name and value is not None and value != "":
            yield f"{_CUSTOM}{name}", value


def _value(element: etree._Element) -> Property | None:
    """Return the value of a variant (Part 1, 22.4.2.32); None if it is not text, a number or a
    boolean.
    """
    text, kind = _text(element), local_name(str(element.tag))
    try:
        if kind in _INTEGERS:
            return int(text)
        if kind in _NUMBERS:
            number = float(text)
            return number if abs(number) < float("inf") else None
    except ValueError:
        return None
    return text.lower() in ON if kind == "bool" else text if kind in _TEXTS else None


def _text(element: etree._Element) -> str:
    text = " ".join((element.text or "").split())
    return text if len(text) <= _LONGEST else ""
