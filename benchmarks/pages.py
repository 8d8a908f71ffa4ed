"""What the published pages are made of: marked parts of Markdown, tables, and charts in SVG."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Final, NamedTuple

Maker = Callable[..., Iterable[str]]

_PART: Final = re.compile(r"(?<=<!-- made: )([\w ]+)( -->\n).*?(?=<!-- end -->)", re.DOTALL)


class Style(NamedTuple):
    """The colours of a chart."""

    text: str
    soft: str
    line: str
    background: str


LIGHT: Final = Style("#1c222b", "#556070", "#8a94a3", "#ffffff")
DARK: Final = Style("#e6edf3", "#9198a1", "#59636e", "#0d1117")


def rewritten(page: str, makers: Mapping[str, Maker]) -> str:
    """Return a page with its marked parts made anew, from `<!-- made: NAME ARGUMENT -->` to
    `<!-- end -->`, by the maker of that name. Raise KeyError for a name without a maker.
    """

    def made(found: re.Match[str]) -> str:
        name, _, argument = found[1].partition(" ")
        lines = makers[name](*filter(None, [argument]))
        body = "\n".join(lines)
        return f"{found[1]}{found[2]}\n{body}\n\n"

    return _PART.sub(made, page)


def write(page: Path, makers: Mapping[str, Maker], charts: Mapping[Path, str]) -> None:
    """Write a page with its marked parts made anew, and its charts."""
    page.write_text(rewritten(page.read_text("utf-8"), makers), "utf-8")
    for path, chart in charts.items():
        path.write_text(chart, "utf-8")


def made_parts(page: str) -> list[str]:
    """Return the marked parts of a page."""
    return [found[0] for found in _PART.finditer(page)]


# -- tables


def table(head: Sequence[str]) -> Iterator[str]:
    yield row(*head)
    yield row("---", *("---:" for _ in head[1:]))


def row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


# -- charts


def svg(title: str, width: float, height: float, parts: Sequence[str], style: Style = LIGHT) -> str:
    rules = (
        f"text{{font:11px sans-serif;fill:{style.text}}}.bold{{font-weight:700}}"
        f".soft{{fill:{style.soft}}}line{{stroke:{style.line}}}"
    )
    box = f'viewBox="0 0 {width:g} {height + 10:g}"'
    lines = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img"><title>{escape(title)}</title>',
        f"<style>{rules}</style>",
        f'<rect width="100%" height="100%" fill="{style.background}"/>',
        *parts,
        "</svg>",
    )
    return "".join(f"{line}\n" for line in lines)


def stroke(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def text(x: float, y: float, content: str, kind: str = "", anchor: str = "start") -> str:
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" class="{kind}" text-anchor="{anchor}">'
        f"{escape(content)}</text>"
    )
