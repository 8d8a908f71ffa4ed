"""Render a report as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from docxchunk.evaluation.display import EvaluationReport, ReportTable


def markdown(report: EvaluationReport) -> str:
    """Return the verdict, the facts, the tables, and the detailed tables."""
    lines = [f"# {report.title}", "", report.verdict, "", *(f"- {name}: {text}" for name, text in report.facts)]
    for table in (*report.tables, *report.details):
        lines += ["", *_table(table)]
    return "\n".join(lines) + "\n"


def _table(table: ReportTable) -> Iterator[str]:
    yield f"## {table.title}"
    yield ""
    yield table.note
    yield ""
    yield _row(table.header)
    yield "|---|" + "---:|" * (len(table.header) - 1)
    yield from map(_row, table.rows)


def _row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
