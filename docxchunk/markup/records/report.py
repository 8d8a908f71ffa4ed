"""The record of `.report.json`: numbers of characters read and dropped, and issues."""

from __future__ import annotations

from collections.abc import Iterator

from docxchunk.markup.records.fields import Fields, Record
from docxchunk.model.document import Document, Report
from docxchunk.model.issues import Issue, IssueCode


def report_record(document: Document) -> Record:
    report = document.report
    return {
        "version": "1.0",
        "document_name": document.name,
        "doc_id": document.doc_id,
        "characters": {"emitted": report.emitted, "dropped": dict(report.dropped)},
        "objects": dict(report.objects),
        "guesses": {block: list(signals) for block, signals in report.guesses.items()},
        "issues": [issue._asdict() for issue in document.issues],
    }


def read_report(fields: Fields) -> Report:
    characters, said = fields.record("characters"), fields.record("guesses")
    guesses = {block: said.texts(block) for block in said}
    return Report(
        characters.integer("emitted"),
        characters.counts("dropped"),
        fields.counts("objects"),
        guesses,
    )


def read_issues(fields: Fields) -> Iterator[Issue]:
    """Yield the issues of a report, except those with a code unknown to this version."""
    for issue in fields.records("issues"):
        code = issue.member_or_none("code", IssueCode)
        if code is not None:
            yield Issue(code, issue.text("place"), issue.text("message"))
