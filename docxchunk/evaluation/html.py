"""Render a report as one HTML page with plots, without scripts and external resources."""

from __future__ import annotations

from importlib import resources
from importlib.util import find_spec
from typing import NamedTuple

from docxchunk.errors import MissingExtraError
from docxchunk.evaluation.display import EvaluationReport
from docxchunk.evaluation.plots import Curves, Forest, curves, forest
from docxchunk.registry import missing_extra


class _Plots(NamedTuple):
    curves: Curves
    forest: Forest


def html(report: EvaluationReport) -> str:
    """Return the page: verdict, plots, failed questions and tables, with the detailed tables folded. Raise MissingExtraError without jinja2."""
    plots = [_Plots(curves(chart), forest(found)) for chart, found in zip(report.charts, report.differences, strict=True)]
    need_templates()
    from jinja2 import Environment, StrictUndefined

    made = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return made.from_string(_file("report.html")).render(report=report, plots=plots, style=_file("style.css")) + "\n"


def need_templates() -> None:
    """Raise MissingExtraError if jinja2 is not installed."""
    if find_spec("jinja2") is None:
        raise MissingExtraError(missing_extra("The page of docxchunk eval", "jinja2", "eval"))


def _file(name: str) -> str:
    return (resources.files("docxchunk.evaluation") / "templates" / name).read_text("utf-8")
