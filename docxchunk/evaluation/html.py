"""A report as one web page, plots and all: nothing is fetched."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from html import escape
from typing import Final

from docxchunk.evaluation.display import Chart, Differences, Report, Table

_COLOURS: Final = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#999999")  # Paul Tol's "bright": told apart by the colour blind
_DASHES: Final = ("", "6 3", "2 3")
_STYLE: Final = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: #222; background: #fff }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums } .wide { overflow-x: auto }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid #8884; white-space: nowrap } th:first-child, td:first-child { text-align: left }
p.note { color: #777; max-width: 60rem }
figure { display: inline-block; margin: 1rem 2rem 1rem 0; vertical-align: top } svg { font: 12px system-ui, sans-serif }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 } }
"""

_WIDTH, _HEIGHT = 346, 254  # of what is plotted, without its labels
_LEFT, _TOP, _BOTTOM, _LETTER, _STEP = 48, 12, 34, 7, 20


def html(report: Report) -> str:
    """The facts, the plots, the tables; those with all measures folded up."""
    body = [
        f"<h1>{escape(report.title)}</h1>",
        f"<p>{escape(report.verdict)}</p>",
        "<ul>",
        *(f"<li>{escape(name)}: {escape(text)}</li>" for name, text in report.facts),
        "</ul>",
    ]
    for chart, found in zip(report.charts, report.differences, strict=True):
        body += ["<div>", _chart(chart), _differences(found), "</div>"]
    for table in report.tables:
        body += [f"<h2>{escape(table.title)}</h2>", *_table(table)]
    for table in report.details:
        body += ["<details>", f"<summary>{escape(table.title)}</summary>", *_table(table), "</details>"]
    head = f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(report.title)}</title><style>{_STYLE}</style></head>'
    return "\n".join([head, "<body>", *body, "</body></html>"]) + "\n"


def _table(table: Table) -> Iterator[str]:
    yield f'<p class="note">{escape(table.note)}</p><div class="wide"><table>'
    yield "<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in table.header) + "</tr>"
    for row in table.rows:
        yield "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
    yield "</table></div>"


def _chart(chart: Chart) -> str:
    """Recall over budget, a line for each chunker; from the tenth below the least to the tenth above the most."""
    recalls = [y for curve in chart.curves for _, y in curve.points]
    most = max((x for curve in chart.curves for x, _ in curve.points), default=1)
    low, high = math.floor(min(recalls, default=0) * 10), max(math.ceil(max(recalls, default=1) * 10), 1)
    low = min(low, high - 1)

    def place(x: float, y: float) -> str:
        return f"{_LEFT + x / most * _WIDTH:.1f},{_TOP + (high - y * 10) / (high - low) * _HEIGHT:.1f}"

    shapes = [*_frame(most, range(low, high + 1), place)]
    key = _LEFT + _WIDTH + 12
    for number, curve in enumerate(chart.curves):
        line = f'fill="none" stroke="{_COLOURS[number % len(_COLOURS)]}" stroke-width="2" stroke-dasharray="{_DASHES[number // len(_COLOURS) % len(_DASHES)]}"'
        y = _TOP + 12 + 16 * number
        shapes.append(f'<polyline points="{" ".join(place(*point) for point in curve.points)}" {line}/>')
        shapes.append(f'<polyline points="{key},{y - 4} {key + 20},{y - 4}" {line}/>')
        shapes.append(_label(key + 26, y, curve.name))
    height = max(_TOP + _HEIGHT + _BOTTOM, _TOP + 16 * len(chart.curves) + 10)
    return _figure(f"Recall by characters of ranked text: {chart.title}", key + 26 + _longest(curve.name for curve in chart.curves), height, shapes)


def _frame(most: int, tenths: range, place: Callable[[float, float], str]) -> Iterator[str]:
    for tenth in tenths:
        y = float(place(0, tenth / 10).partition(",")[2])
        yield f'<line x1="{_LEFT}" x2="{_LEFT + _WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="currentColor" opacity=".15"/>'
        yield _label(_LEFT - 6, y + 4, f"{tenth * 10} %", "end")
    for step in range(5):
        yield _label(_LEFT + _WIDTH * step / 4, _TOP + _HEIGHT + 18, f"{most * step // 4:,}", "middle")


def _differences(found: Differences) -> str:
    """Each difference as a point on its interval; the line is no difference."""
    ends = [abs(value) for _, interval in found.rows for value in interval if not math.isnan(value)]
    most = max([0.01, *ends])
    left, height = _longest(name for name, _ in found.rows) + 10, _STEP * len(found.rows) + 34

    def at(value: float) -> float:
        return left + 20 + (value / most + 1) / 2 * _WIDTH

    shapes = [f'<line x1="{at(0)}" x2="{at(0)}" y1="4" y2="{height - 24}" stroke="currentColor" opacity=".4"/>']
    shapes += [_label(at(x), height - 8, f"{x * 100:+.1f}", "middle") for x in (-most, most)]
    shapes.append(_label(at(0), height - 8, "0", "middle"))
    for number, (name, interval) in enumerate(found.rows):
        y = 14 + _STEP * number
        shapes.append(_label(left, y + 4, name, "end"))
        if not math.isnan(interval.low):
            shapes.append(f'<line x1="{at(interval.low):.1f}" x2="{at(interval.high):.1f}" y1="{y}" y2="{y}" stroke="{_COLOURS[0]}" stroke-width="2"/>')
        shapes.append(f'<circle cx="{at(interval.mean):.1f}" cy="{y}" r="4" fill="{_COLOURS[0]}"/>')
    return _figure(f"{found.title}, in points", left + _WIDTH + 50, height, shapes)


def _label(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="currentColor">{escape(text)}</text>'


def _longest(names: Iterable[str]) -> int:
    """Room for the longest of these names."""
    return _LETTER * max(map(len, names), default=0)


def _figure(title: str, width: int, height: int, shapes: list[str]) -> str:
    drawing = f'<svg role="img" aria-label="{escape(title)}" width="{width}" height="{height}" viewBox="0 0 {width} {height}">{"".join(shapes)}</svg>'
    return f"<figure>{drawing}<figcaption>{escape(title)}</figcaption></figure>"
