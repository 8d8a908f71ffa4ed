"""Draws the first picture of the README, docs/images/page-and-chunk.svg and
page-and-chunk-dark.svg: `python tests/make_picture.py`.

On the left stands section 3.2 of fixtures/documents/sample-report.docx, as LibreOffice prints it
(soffice and pdftoppm must be installed); on the right, the chunk that docxchunk makes of it.
"""

from __future__ import annotations

import base64
import re
import subprocess
import sys
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap
from typing import NamedTuple

import docxchunk

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "fixtures" / "documents" / "sample-report.docx"
IMAGES = ROOT / "docs" / "images"
HEADING, MAX_TOKENS = "3.2 Quality of the water", 400
_WIDTH, _PAGE, _GAP, _MARGIN, _TOP, _ROW = 960, 410, 20, 12, 54, 18  # in pixels
_COLUMNS = 66  # characters of a line of the chunk
_MARK = "#0969da"
_FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"
_CROP = {"-x": 110, "-y": 196, "-W": 990, "-H": 1254}  # of page 3, 144 pixels an inch
_SECTION = (664, 1018)  # its top and bottom on the page


class Colours(NamedTuple):
    """The colours of one of the two pictures."""

    back: str
    card: str
    line: str
    text: str
    faint: str
    name: str


PICTURES = {
    "page-and-chunk.svg": Colours("#ffffff", "#f6f8fa", "#d0d7de", "#1f2328", "#59636e", "#0550ae"),
    "page-and-chunk-dark.svg": Colours(
        "#0d1117", "#151b23", "#3d444d", "#f0f6fc", "#9198a1", "#79c0ff"
    ),
}


def facts() -> list[tuple[str, str]]:
    """Return what the picture says of the chunk, as pairs of a name and a value."""
    document = docxchunk.parse(SOURCE)
    chunk = next(c for c in document.chunks(max_tokens=MAX_TOKENS) if c.heading == HEADING)
    (block,) = (block for block in document.blocks if block.id == chunk.blocks[0])
    (position,) = chunk.positions
    assert position.paragraphs
    return [
        ("number", block.number or ""),
        ("section", chunk.context),
        ("page", ", ".join(map(str, chunk.pages))),
        ("paragraphs", "{} to {}".format(*position.paragraphs)),
        ("table", "whole" if chunk.tables[0].role == "none" else "in part"),
        ("tokens", str(chunk.tokens)),
        ("citation", docxchunk.citation(chunk, document.name).replace("¶ ", "¶\N{NO-BREAK SPACE}")),
        ("embed_text", chunk.embed_text),
    ]


def picture(page: bytes, colours: Colours) -> str:
    """Return the picture as SVG; `page` is the PNG of the left half."""
    x = _MARGIN + _PAGE + _GAP
    width = _WIDTH - x - _MARGIN
    rows = list(_rows(colours, x + 14))
    height = _TOP + len(rows) * _ROW + 34
    scale = _PAGE / _CROP["-W"]
    band, end = (round(_TOP - 16 + (y - _CROP["-y"]) * scale) for y in _SECTION)
    data = base64.b64encode(page).decode()
    box, top, inside = height - _TOP, _TOP - 16, _PAGE - 2
    lines = "\n".join(row.format(y=_TOP + 6 + number * _ROW) for number, row in enumerate(rows))
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" font-family="{_FONT}"
 font-size="12">
<rect width="{_WIDTH}" height="{height}" fill="{colours.back}"/>
{_title(_MARGIN, "In Word: sample-report.docx", colours)}
{_title(x, f"Its chunk (at most {MAX_TOKENS} tokens)", colours)}
<rect x="{_MARGIN}" y="{top}" width="{_PAGE}" height="{box}" fill="#fff" stroke="{colours.line}"/>
<svg x="{_MARGIN + 1}" y="{top + 1}" width="{inside}" height="{box - 2}">
<image width="{inside}" href="data:image/png;base64,{data}"/></svg>
<g fill="{_MARK}"><rect x="{_MARGIN}" y="{band}" width="4" height="{end - band}"/>
<rect x="{_MARGIN}" y="{band}" width="{_PAGE}" height="{end - band}" opacity=".12"/></g>
<rect x="{x}" y="{top}" width="{width}" height="{box}" fill="{colours.card}"
 stroke="{colours.line}"/>
{lines}
</svg>
"""


def _title(x: int, text: str, colours: Colours) -> str:
    return (
        f'<text x="{x}" y="28" fill="{colours.faint}" font-size="14" '
        f'font-family="system-ui, sans-serif">{escape(text)}</text>'
    )


def page_in(svg: str) -> bytes:
    """Return the PNG that a picture has as its left half."""
    return base64.b64decode(re.search('base64,([^"]+)', svg)[1])  # type: ignore[index]


def _rows(colours: Colours, x: int) -> list[str]:
    """Return the lines of the right half, each with {y} for its height."""
    rows = []
    for name, value in facts():
        lines = [part for line in value.split("\n") for part in wrap(line, _COLUMNS) or [""]]
        if len(lines) == 1 and len(name) + len(value) < _COLUMNS:
            rows.append(_text(x, name, colours.name) + _text(x + 90, value, colours.text))
            continue
        rows.append(_text(x, name, colours.name))
        rows += (_text(x, line, colours.text) for line in lines)
    return rows


def _text(x: int, text: str, colour: str) -> str:
    escaped = escape(text).replace("{", "{{").replace("}", "}}")
    return f'<text x="{x}" y="{{y}}" fill="{colour}" xml:space="preserve">{escaped}</text>'


def page_picture() -> bytes:
    """Return the part of the printed page that shows the section, as PNG."""
    with TemporaryDirectory() as folder:
        subprocess.run(
            ["soffice", "--headless", "--convert-to", "pdf", "--outdir", folder, SOURCE],
            check=True,
            stdout=sys.stderr,
        )
        crop = [str(word) for pair in _CROP.items() for word in pair]
        command = ["pdftoppm", "-png", "-r", "144", "-f", "3", "-l", "3", *crop]
        pdf = Path(folder, SOURCE.name).with_suffix(".pdf")
        return subprocess.run([*command, pdf], check=True, capture_output=True).stdout


def main() -> None:
    page = page_picture()
    for name, colours in PICTURES.items():
        IMAGES.joinpath(name).write_text(picture(page, colours), encoding="utf-8")


if __name__ == "__main__":
    main()
