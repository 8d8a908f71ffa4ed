"""Automatic numbers against two independent sources: LibreOffice's text export, and the tables of
contents that Word stored in the files.

Both need real documents: `DOCXCHUNK_CORPUS=folder pytest tests/reader/test_numbers_libreoffice.py`.
Where they disagree the standard decides:

- LibreOffice before 24.2 does not know w:isLgl (17.9.4) nor w:lvlRestart (17.9.10): documents that
  use them are left to Word's own tables.
- It counts deleted paragraphs, because it shows them; we read the final view.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest

import docxchunk
from docxchunk.errors import InputError
from docxchunk.model.blocks import SessionType

CORPUS = Path(os.environ.get("DOCXCHUNK_CORPUS") or "no corpus")
SOFFICE = shutil.which("soffice")
AGREEMENT = 0.99
LONGEST_LABEL = 40
NEAR = 300  # lines in which a paragraph is looked for
TAG = re.compile(r"</?(?:sup|sub|drawing|equation)\b[^>]*>|\[\^[^]]*\]")
LABEL = re.compile(r"\(?(?:\d+\.)*\w{1,4}[.)]|(?:\d+\.)+\d+")  # what of theirs we must have too
SPACE = re.compile(r"[\s\u00ad\u200b\ufeff]+")
UNKNOWN_TO_LIBREOFFICE = re.compile(rb"<w:(?:isLgl|lvlRestart)\b")

pytestmark = pytest.mark.skipif(
    not CORPUS.is_dir(), reason="DOCXCHUNK_CORPUS names no folder of Word files"
)


class Numbered(NamedTuple):
    label: str
    text: str


def squeezed(text):
    return SPACE.sub("", text)


def documents():
    return sorted(
        path
        for path in CORPUS.iterdir()
        if path.suffix.lower() in {".docx", ".docm", ".dotx", ".dotm"}
    )


@pytest.fixture(scope="module")
def read():
    """Parse each document; leave out those that are refused. The number of an inferred heading
    would not be in the line of its text.
    """
    found = {}
    for path in documents():
        try:
            found[path] = docxchunk.parse(path, options=docxchunk.ParseOptions(headings="marked"))
        except InputError:
            continue
    return found


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """Export each document to text by LibreOffice."""
    if SOFFICE is None:
        pytest.skip("LibreOffice is not installed")
    work = tmp_path_factory.mktemp("libreoffice")
    command = [
        SOFFICE,
        f"-env:UserInstallation=file://{work}/profile",
        "--headless",
        "--convert-to",
        "txt:Text",
        "--outdir",
        str(work),
    ]
    subprocess.run([*command, *map(str, documents())], check=True, capture_output=True, timeout=600)
    return {
        path: (work / f"{path.stem}.txt").read_text("utf-8-sig").split("\n")
        for path in documents()
        if (work / f"{path.stem}.txt").is_file()
    }


def numbered_lines(document):
    """Return all lines in order, with and without automatic labels."""
    for block in document.blocks:
        for line, content in zip(block.lines, block.content.split("\n"), strict=True):
            text = content.lstrip("#").strip() if content.startswith("#") else content
            label = line.number or ""
            yield Numbered(squeezed(label), squeezed(TAG.sub("", text.removeprefix(label))))


def is_bullet(label):
    return len(label) == 1 and not label.isalnum()


def compared(ours, theirs):
    """Return our label, theirs, and the text of each paragraph in both outputs, matched by text in
    order.
    """
    place = 0
    for label, text in ours:
        near = range(place, min(place + NEAR, len(theirs)))
        found = next(
            (
                i
                for i in near
                if theirs[i].endswith(text) and len(theirs[i]) - len(text) <= LONGEST_LABEL
            ),
            None,
        )
        if found is not None and len(text) > 2:
            place = found + 1
            yield label, theirs[found].removesuffix(text), text


def uses(path, pattern):
    with zipfile.ZipFile(path) as source:
        return any(
            pattern.search(source.read(name))
            for name in source.namelist()
            if "numbering" in name and name.endswith(".xml")
        )


def test_labels_equal_those_of_libreoffice(read, exported):
    same, other = 0, []
    for path, document in read.items():
        if (
            path not in exported
            or not zipfile.is_zipfile(path)
            or uses(path, UNKNOWN_TO_LIBREOFFICE)
        ):
            continue
        for ours, theirs, text in compared(
            numbered_lines(document), [squeezed(line) for line in exported[path]]
        ):
            if not ours and not LABEL.fullmatch(theirs):
                continue
            if ours == theirs or (is_bullet(ours) and is_bullet(theirs)):
                same += 1
            else:
                other.append((path.name, ours, theirs, text[:30]))
    assert same > 0
    listed = "\n".join(map(str, other))
    assert same / (same + len(other)) >= AGREEMENT, f"{same} agree, these do not:\n{listed}"


def contents_entries(document):
    """Return the labels in the tables of contents, by title."""
    for block in document.blocks:
        for content in block.content.split("\n") if block.session_type is SessionType.TOC else ():
            label, *rest = re.split(r"\t| (?=\S+\t)", content, maxsplit=1)
            if rest and (
                entry := re.fullmatch(
                    r"(.+?)\s*(?:\d+|[ivxlcdm]+)?", rest[0], re.IGNORECASE | re.DOTALL
                )
            ):
                yield squeezed(entry[1]), squeezed(label)


def test_labels_equal_those_of_words_tables_of_contents(read):
    same, other = 0, []
    for path, document in read.items():
        entries = {}
        for title, label in contents_entries(document):
            entries.setdefault(title, set()).add(label)
        for numbered in numbered_lines(document):
            if not numbered.label or is_bullet(numbered.label) or numbered.text not in entries:
                continue
            if numbered.label in entries[numbered.text]:
                same += 1
            else:
                other.append((path.name, numbered, entries[numbered.text]))
    assert same > 0
    assert not other, f"{same} agree, not {len(other)}: {other[:20]}"
