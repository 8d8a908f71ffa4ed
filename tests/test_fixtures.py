"""The fixture documents match their sources, and their blocks and chunks match the golden files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from click.testing import CliRunner
from make_fixtures import DOCUMENTS, Source, comparison, package, sources, unzipped
from views import golden, short
from written import schema_faults

from docxchunk import api
from docxchunk.cli import docxchunk
from docxchunk.model.chunks import Chunk, TableRole
from docxchunk.model.options import ParseOptions, TrackChanges

SOURCES = sources()
Matches = Callable[[Path, str], None]
every = pytest.mark.parametrize("source", SOURCES, ids=[source.name for source in SOURCES])


@every
def test_documents_match_their_sources(source: Source):
    there, made = DOCUMENTS / f"{source.name}.docx", package(source)
    assert list(unzipped(made).items()) == list(unzipped(there.read_bytes()).items()), (
        "run tests/make_fixtures.py"
    )


def test_every_document_has_a_source():
    assert {path.stem for path in DOCUMENTS.glob("*.docx")} == {source.name for source in SOURCES}


def test_documents_of_the_comparison_match_their_sources():
    made = comparison()
    folder = DOCUMENTS.parent / "comparison"
    assert {path: unzipped(path.read_bytes()) for path in folder.iterdir()} == {
        path: unzipped(data) for path, data in made.items()
    }


@pytest.mark.parametrize(
    ("source", "view"),
    [(source, view) for source in SOURCES for view in source.views],
    ids=lambda value: getattr(value, "name", value),
)
def test_blocks(source: Source, view: str, matches: Matches):
    name = source.name if view == TrackChanges.FINAL else f"{source.name}.{view}"
    document = api.parse(
        DOCUMENTS / f"{source.name}.docx", options=ParseOptions(track_changes=TrackChanges(view))
    )
    matches(DOCUMENTS / f"{name}.blocks.md", golden(document))


@every
def test_chunks(source: Source, matches: Matches):
    chunks = api.chunk(DOCUMENTS / f"{source.name}.docx", max_tokens=source.max_tokens)
    matches(DOCUMENTS / f"{source.name}.chunks.md", _golden(chunks, source.max_tokens))


@every
def test_written_files_are_valid(source: Source, tmp_path: Path):
    for strategy in "PR":
        options = [
            "--out",
            str(tmp_path),
            "--strategy",
            strategy,
            "--max-tokens",
            str(source.max_tokens),
        ]
        assert (
            CliRunner()
            .invoke(docxchunk, ["chunk", str(DOCUMENTS / f"{source.name}.docx"), *options])
            .exit_code
            == 0
        )
    folder = tmp_path / f"{source.name}.docx.parsed"
    assert list(schema_faults(folder)) == []
    assert CliRunner().invoke(docxchunk, ["validate", str(folder)]).exit_code == 0


def _golden(chunks: Iterable[Chunk], max_tokens: int) -> str:
    """Return each chunk with its metadata."""
    texts = [
        f"== {number}: {_head(chunk)}\n{chunk.content}" for number, chunk in enumerate(chunks, 1)
    ]
    return short(
        "\n\n".join([f"{len(texts)} chunks of at most {max_tokens} tokens", *texts]) + "\n"
    )


def _head(chunk: Chunk) -> str:
    """Return "198 tokens, level 2, page 3: A > B" and lines about added and repeated text."""
    pages = (
        f", page {' '.join(map(str, chunk.pages))}"
        if chunk.pages and not chunk.page_is_estimate
        else ""
    )
    lines = [
        f"{chunk.tokens} tokens, level {chunk.level}{pages}: "
        f"{' > '.join((*chunk.parent_headings, chunk.heading))}".removesuffix(": ")
    ]
    if len(chunk.headings) > 1:
        lines.append(
            "   headings: "
            f"{'; '.join(f'{heading.level} {heading.heading}' for heading in chunk.headings)}"
        )
    lines += [
        f"   {table.id} rows {table.rows[0]} to "
        f"{table.rows[1]}{'' if table.role is TableRole.NONE else f', {table.role}'}"
        for table in chunk.tables
    ]
    roles = Counter(part.role for part in chunk.parts if part.role not in ("text", "join"))
    return "\n".join(
        [
            *lines,
            *(
                [f"   parts: {', '.join(f'{count} {role}' for role, count in roles.items())}"]
                if roles
                else []
            ),
        ]
    )
