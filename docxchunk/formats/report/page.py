"""The page."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import resources
from string import Template

from docxchunk.formats.report import overview
from docxchunk.formats.report.alignment import leaves, rows
from docxchunk.formats.report.escaping import escaped
from docxchunk.formats.report.groups import Frames
from docxchunk.formats.report.outline import outline_html
from docxchunk.formats.report.pictures import data_uris
from docxchunk.formats.report.values import ChunkSet, Setting, key_of, setting_of
from docxchunk.model.document import Document
from docxchunk.version import __version__


def html_report(document: Document, sets: Sequence[ChunkSet]) -> str:
    """One page: the document as its chunks, those of several sets side by side, with sizes, issues and an outline.

    It loads nothing and may load nothing (Content Security Policy). Text of the document is escaped; equations are MathML where the extra `report` is
    installed, else LaTeX; pictures are in the page, up to a limit. The same document and sets give the same page.
    """
    style, script = _file("style.css"), _file("script.js")
    setting = setting_of(document, data_uris(document, len(sets)))
    settings = [replace(setting, key=key_of(number, chunk_set)) for number, chunk_set in enumerate(sets)]
    return Template(_file("page.html")).substitute(
        style=style,
        script=script,
        style_hash=_hash(style),
        script_hash=_hash(script),
        title=escaped(document.title or document.name),
        facts=overview.facts(document),
        sets="".join(_switches(sets, settings)),
        outline=outline_html(sets[0], settings[0]) if sets else "",
        sizes=overview.sizes_html(sets),
        issues=overview.issues_html(document),
        losses=overview.losses_html(document) + overview.missing_html(document, sets),
        chunks="".join(_chunks(sets, settings)),
        count=sum(len(leaves(chunk_set)) for chunk_set in sets),
        version=__version__,
    )


def _chunks(sets: Sequence[ChunkSet], settings: Sequence[Setting]) -> Iterator[str]:
    frames = [Frames(chunk_set, setting) for chunk_set, setting in zip(sets, settings, strict=True)]
    if len(sets) == 1:
        yield frames[0].html(leaves(sets[0]))
        return
    for row in rows(sets, settings[0].blocks) if sets else ():
        columns = (
            f'<div class="column" data-set="{setting.key}">{frame.html(chunks)}</div>' for chunks, frame, setting in zip(row, frames, settings, strict=True)
        )
        yield f'<div class="row">{"".join(columns)}</div>'


def _switches(sets: Sequence[ChunkSet], settings: Sequence[Setting]) -> Iterator[str]:
    """A switch a set, where there is more than one."""
    if len(sets) > 1:
        yield "<fieldset><legend>Strategies</legend>"
        for chunk_set, setting in zip(sets, settings, strict=True):
            yield f'<label><input type="checkbox" name="set" value="{setting.key}" checked> {escaped(chunk_set.name)}</label>'
        yield "</fieldset>"


def _file(name: str) -> str:
    return resources.files("docxchunk.formats.report").joinpath(name).read_text("utf-8")


def _hash(text: str) -> str:
    """As a Content Security Policy names what it allows (https://www.w3.org/TR/CSP3/#grammardef-hash-source)."""
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
